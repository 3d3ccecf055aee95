import errno
import json
from dataclasses import dataclass, replace

import numpy as np
import pytest

from nucleate.record import Keep, keep

SOURCES = {"a": "1", "b": "2"}


@dataclass(frozen=True)
class Fit:
    slope: np.ndarray
    name: str


@pytest.fixture
def kept(tmp_path) -> Keep:
    return Keep(tmp_path / "kept", "this code", (__name__.split(".")[0],))


def test_a_result_is_found_with_the_names_of_its_sources(kept):
    assert kept.store("fit", Fit(np.array([1.0, np.nan]), "line"), {"a": "1"})
    value, sources = kept.find("fit", SOURCES)
    np.testing.assert_array_equal(value.slope, [1.0, np.nan])
    assert (value.name, sources) == ("line", frozenset({"a"}))


def test_none_is_a_result_like_any_other(kept):
    assert kept.find("nothing", SOURCES) is None
    kept.store("nothing", None, {})
    assert kept.find("nothing", SOURCES) == (None, frozenset())


@pytest.mark.parametrize("sources", [{}, {"a": "other"}, {"b": "1"}])
def test_a_result_counts_only_while_its_sources_are_as_they_were(kept, sources):
    kept.store("fit", 3, {"a": "1"})
    assert kept.find("fit", sources) is None
    assert kept.find("fit", {"a": "1"}) == (3, frozenset({"a"}))


def test_a_result_of_other_code_does_not_count_and_is_replaced(kept):
    kept.store("fit", 3, SOURCES)
    other = replace(kept, code="other code")
    assert other.find("fit", SOURCES) is None
    other.store("fit", 4, SOURCES)
    assert kept.find("fit", SOURCES) is None
    assert len(list(kept.folder.iterdir())) == 2  # one result: its JSON and its arrays


def test_names_that_look_alike_are_kept_apart(kept):
    names = ["a b", "a-b", "a/b", "x" * 200, "y" + "x" * 200, "", "..", "grokking.readings.fit"]
    for number, name in enumerate(names):
        kept.store(name, number, {})
    assert [kept.find(name, {})[0] for name in names] == list(range(len(names)))
    assert {file.parent for file in kept.folder.rglob("*.json")} == {kept.folder}


def test_a_file_of_another_result_does_not_count(kept):
    kept.store("a", 1, {})
    kept.store("b", 2, {})
    kept._file("b").write_bytes(kept._file("a").read_bytes())
    assert kept.find("b", {}) is None


def test_arrays_that_do_not_belong_to_the_json_do_not_count(kept):
    kept.store("fit", np.arange(3), {})
    arrays = kept._file("fit").with_suffix(".npz")
    before = arrays.read_bytes()
    kept.store("fit", np.arange(4), {})
    arrays.write_bytes(before)
    assert kept.find("fit", {}) is None
    arrays.unlink()
    assert kept.find("fit", {}) is None


@pytest.mark.parametrize("content", [b"", b"{", b"[]", b"null", b"\xff", b"[" * 100_000])
def test_a_damaged_file_counts_as_none(kept, content):
    kept.store("fit", 3, {})
    kept._file("fit").write_bytes(content)
    assert kept.find("fit", {}) is None


def test_a_pickle_is_not_loaded(kept):
    kept.store("fit", np.arange(3), {})
    np.savez(kept._file("fit").with_suffix(".npz"), arr_0=np.array([object()], dtype=object), allow_pickle=True)
    held = json.loads(kept._file("fit").read_text())
    digest = keep._digest(held["value"], kept._file("fit").with_suffix(".npz").read_bytes())
    kept._file("fit").write_text(json.dumps(held | {"digest": digest}))
    assert kept.find("fit", {}) is None


def test_a_number_that_was_changed_does_not_count(kept):
    kept.store("fit", {"slope": 0.375}, {})
    file = kept._file("fit")
    file.write_text(file.read_text().replace("0.375", "0.975"))
    assert kept.find("fit", {}) is None


@pytest.mark.parametrize("value", [object(), lambda: 1, np.array([None]), {1, 2}])
def test_what_cannot_be_packed_is_not_kept(kept, value):
    assert not kept.store("fit", value, {})
    assert kept.find("fit", {}) is None


def test_what_refers_to_itself_is_not_kept(kept):
    cycle: list = []
    cycle.append(cycle)
    assert not kept.store("fit", cycle, {})


def test_a_full_disk_costs_the_file_and_not_the_result(kept, monkeypatch):
    def full(path, content):
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(keep, "write_atomically", full)
    assert not kept.store("fit", 3, {})
    assert kept.find("fit", {}) is None
