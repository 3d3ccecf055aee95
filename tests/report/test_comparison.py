"""Runs side by side: what differs, what is shared, and where networks ended."""

import numpy as np
import pytest
from pages import Parsed

from nucleate.claims import Reason
from nucleate.record import Recorder, Run, from_arrays
from nucleate.report import compare, told, write_comparison


def made(folder, losses, eta, steps=None, **arrays) -> Run:
    """A run of eight networks at each learning rate, whose losses fall to `losses`."""
    etas = np.repeat(eta, 8)
    curve = np.linspace(10, 0, 11 if steps is None else len(steps))[:, None]
    final = np.repeat(losses, 8) + np.tile(np.arange(8) / 100, len(eta))
    values = {"loss": (final + curve).T} | {name: np.full((len(etas), len(curve)), v) for name, v in arrays.items()}
    members = {"seed": np.arange(len(etas)), "eta": etas}
    from_arrays(values, range(11) if steps is None else steps, members=members, into=folder)
    return Run.open(folder)


@pytest.fixture
def runs(tmp_path):
    here = made(tmp_path / "here", [1.0, 2.0], [0.1, 0.2], accuracy=0.5)
    there = made(tmp_path / "there", [3.0, 4.0], [0.2, 0.3], steps=range(0, 42, 2), rqi=0.9)
    return [here, there]


def test_networks_are_compared_at_each_learning_rate_that_both_have(runs):
    found = compare(runs)
    assert found.names == ("here", "there")
    assert [(each.quantity, each.where) for each in found.endings] == [
        ("loss", "eta = 0.1"),
        ("loss", "eta = 0.2"),
        ("loss", "eta = 0.3"),
    ]
    first, both, last = (each.estimates for each in found.endings)
    assert first[1] is last[0] is None
    # The other run is compared at step 10, too, where its loss is 7.5 above its end.
    assert [estimate.value for estimate in both] == pytest.approx([2.035, 10.535])
    assert both[0].low == pytest.approx(2.0)
    assert both[0].high == pytest.approx(2.07)
    assert both[0].units == 8


def test_what_runs_do_not_share_is_said(runs):
    found = compare(runs)
    assert found.curves == ("loss",)
    assert found.apart == (
        "Recorded in here only: accuracy.",
        "Recorded in there only: rqi.",
        "loss is compared at step 10; there went on.",
    )
    settings = {row.name: row.values for row in found.settings}
    assert settings["eta"] == ("0.1, 0.2", "0.2, 0.3")
    assert settings["steps"] == ("10", "40")
    assert "created" not in settings
    assert found.alike > 10


def test_networks_of_several_learning_rates_are_never_taken_together(tmp_path):
    fixed = made(tmp_path / "fixed", [5.0], [0.2])
    swept = made(tmp_path / "swept", [1.0, 2.0, 9.0], [0.1, 0.2, 0.3])
    endings = {each.where: each.estimates for each in compare([fixed, swept]).endings}
    assert set(endings) == {"eta = 0.1", "eta = 0.2", "eta = 0.3"}
    assert [estimate.value for estimate in endings["eta = 0.2"]] == pytest.approx([5.035, 2.035])


def test_those_that_diverged_are_counted_and_in_no_median(tmp_path):
    losses = np.ones((8, 3))
    losses[5:, 2] = np.nan
    for name in ("a", "b"):
        from_arrays({"loss": losses}, range(3), members=8, into=tmp_path / name)
    loss, lost = compare([Run(tmp_path / "a"), Run(tmp_path / "b")]).endings
    assert (loss.estimates[0].value, loss.estimates[0].units, loss.estimates[0].reason) == (1.0, 5, Reason.TOO_FEW)
    assert (lost.quantity, lost.estimates[0].value) == ("share that diverged", 3 / 8)
    assert told(loss.estimates[0]) == "1, n = 5 (too few)"


def test_a_crossing_is_compared_as_the_share_that_crossed(tmp_path):
    crossed = {"grokked_step": (["member"], np.array([3, -1, 5, -1]))}
    for name in ("a", "b"):
        from_arrays({"loss": np.ones((4, 8))}, range(8), members=4, facts=crossed, into=tmp_path / name)
    shares = {
        each.quantity: each.estimates[0].value for each in compare([Run(tmp_path / "a"), Run(tmp_path / "b")]).endings
    }
    assert shares["share with grokked"] == 0.5


def test_what_a_longer_run_crossed_later_is_not_counted(tmp_path):
    crossed = np.array([3, -1, 5, 9])
    for name, steps in (("short", 5), ("long", 10)):
        facts = {"grokked_step": (["member"], np.where(crossed < steps, crossed, -1))}
        from_arrays({"loss": np.ones((4, steps))}, range(steps), members=4, facts=facts, into=tmp_path / name)
    found = compare([Run(tmp_path / "short"), Run(tmp_path / "long")])
    (shares,) = (each.estimates for each in found.endings if each.quantity == "share with grokked")
    assert [share.value for share in shares] == [1 / 4, 1 / 4]
    assert "The share with grokked is counted up to step 4; long went on." in found.apart


def test_a_continuous_hyperparameter_does_not_take_networks_apart(tmp_path):
    for name, seed in (("a", 0), ("b", 1)):
        eta = np.random.default_rng(seed).random(30)
        from_arrays({"loss": np.ones((30, 3))}, range(3), members={"eta": eta}, into=tmp_path / name)
    found = compare([Run(tmp_path / "a"), Run(tmp_path / "b")])
    assert [each.where for each in found.endings] == [""]
    assert "eta has more than 24 values in a: their networks are taken together." in found.apart


def test_runs_without_a_scalar_in_common_are_compared_in_what_was_set(tmp_path):
    from_arrays({"embedding": np.ones((2, 3, 4, 2))}, range(3), members=2, into=tmp_path / "a")
    with Recorder(tmp_path / "b", members=3) as recorder:
        recorder.log(0, loss=np.ones(3))
    runs = [Run(tmp_path / "a"), Run(tmp_path / "b")]
    found = compare(runs)
    assert (found.endings, found.curves) == ((), ())
    page = Parsed(write_comparison(tmp_path / "page.html", found, runs).read_text())
    assert "Recorded in b only: loss." in page.words
    assert not page.find("figure")


def test_runs_of_one_name_are_told_apart_and_one_is_too_few(tmp_path):
    for folder in ("x", "y"):
        made(tmp_path / folder / "run", [1.0], [0.1])
    runs = [Run(tmp_path / "x/run"), Run(tmp_path / "y/run")]
    assert compare(runs).names == (str(tmp_path / "x/run"), str(tmp_path / "y/run"))
    with pytest.raises(ValueError, match="runs must be two or more; got"):
        compare(runs[:1])


def test_the_page_has_settings_ends_and_figures(runs, tmp_path):
    target = tmp_path / "page.html"
    page = Parsed(write_comparison(target, compare(runs), runs).read_text())
    assert page.words.count("eta = 0.2") >= 1
    assert "here and there" in page.words
    assert "2.04 [2, 2.07], n = 8" in page.words
    assert len(page.find("figure")) == 2
    assert sorted(each.name for each in tmp_path.iterdir()) == ["here", "page.html", "there"]
