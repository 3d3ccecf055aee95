import json

import jax
import pytest
from small_fleets import Sums, members

from nucleate.fleet import Plan, block_size, train
from nucleate.fleet.block_size import Pace


@pytest.fixture
def cache(tmp_path, monkeypatch):
    """A cache of measured block sizes that knows nothing yet. Compiled programs stay where they are."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    return tmp_path / "nucleate/speeds.json"


@pytest.fixture
def plan(monkeypatch):
    """Small, but made to look worth measuring; the measurements are made up, so that they say what is chosen."""
    monkeypatch.setattr(block_size, "_WORTH_MEASURING", 1)
    monkeypatch.setattr(block_size, "_CANDIDATES", {jax.default_backend(): (1, 4, 16)})
    return Plan(Sums(), members(6), 20)


def test_a_given_block_is_used():
    assert block_size.choose_block(Plan(Sums(), members(6), 10**9, block=3), range(6), print) == Pace(3, None)


def test_a_small_run_is_not_measured(cache):
    plan = Plan(Sums(), members(6), 20)
    assert block_size.choose_block(plan, range(6), pytest.fail) == Pace(1, None)
    assert not cache.exists()


def test_the_fastest_block_is_chosen_and_remembered(plan, cache, monkeypatch):
    speeds = {1: 100.0, 4: 300.0}  # 16 is more than there are members
    monkeypatch.setattr(block_size, "_speed", lambda plan, members, lanes: speeds[lanes])
    said = []
    assert block_size.choose_block(plan, range(6), said.append) == Pace(4, 300.0)
    assert said == ["measuring the block size", ""]
    assert list(json.loads(cache.read_text()).values()) == [{"1": 100.0, "4": 300.0}]

    speeds.clear()  # asked again, it would fail
    assert block_size.choose_block(plan, range(6), pytest.fail) == Pace(4, 300.0, remembered=True)


def test_another_program_is_measured_again(plan, cache, monkeypatch):
    monkeypatch.setattr(block_size, "_speed", lambda plan, members, lanes: 1.0 / lanes)
    other = Plan(Sums(width=6), members(6), 20)
    for each in (plan, other):
        assert block_size.choose_block(each, range(6), print) == Pace(1, 1.0)
    assert len(json.loads(cache.read_text())) == 2


def test_a_fleet_smaller_than_every_block_gets_the_smallest(plan, cache, monkeypatch):
    # As on an accelerator, whose blocks are large.
    monkeypatch.setattr(block_size, "_CANDIDATES", {jax.default_backend(): (8, 64)})
    monkeypatch.setattr(block_size, "_speed", lambda plan, members, lanes: float(lanes))
    assert block_size.choose_block(plan, range(6), print) == Pace(8, 8.0)


def test_a_damaged_cache_is_made_anew(plan, cache, monkeypatch):
    monkeypatch.setattr(block_size, "_speed", lambda plan, members, lanes: float(lanes))
    cache.parent.mkdir(parents=True)
    cache.write_text("{")
    assert block_size.choose_block(plan, range(6), print) == Pace(4, 4.0)
    assert json.loads(cache.read_text())


def test_a_real_measurement_ends_in_a_run(plan, cache, tmp_path, monkeypatch):
    monkeypatch.setattr(block_size, "_CANDIDATES", {jax.default_backend(): (1,)})
    assert train(plan, tmp_path / "run").about.block == 1
    (speeds,) = json.loads(cache.read_text()).values()
    assert speeds["1"] > 0
