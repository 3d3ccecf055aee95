import pytest

from nucleate.observables import Grid, Sampling, Setting
from nucleate.observables.llc.samplers import RMSpropSGLD


@pytest.mark.parametrize(
    ("name", "bad"),
    [("nbeta", 0.0), ("nbeta", -1.0), ("nbeta", float("nan")), ("step", 0.0), ("step", float("inf")), ("gamma", -1.0)],
)
def test_a_setting_names_what_cannot_be(name, bad):
    with pytest.raises(ValueError, match=rf"Setting\.{name} must be (>=? 0|finite); got {bad}\."):
        Setting(**{"step": 1e-4, "nbeta": 10.0, "gamma": 1.0, name: bad})


def test_a_grid_is_every_combination():
    grid = Grid(step=(1e-4, 2e-4), nbeta=(1.0, 2.0, 3.0), gamma=(0.0, 1.0))
    assert grid.shape == (2, 3, 2)
    assert len(set(grid.settings)) == 12
    assert grid.settings[:3] == [Setting(1e-4, 1.0, 0.0), Setting(1e-4, 1.0, 1.0), Setting(1e-4, 2.0, 0.0)]


@pytest.mark.parametrize("bad", [(), (2e-4, 1e-4), (1e-4, 1e-4)])
def test_a_grid_rises(bad):
    with pytest.raises(ValueError, match=r"Grid\.step (must hold ascending values; got \(|needs at least one value)"):
        Grid(step=bad, nbeta=(1.0,))


@pytest.mark.parametrize(("name", "bad"), [("chains", 0), ("burn_in", -1), ("draws", 3), ("seed", -1), ("at_once", 0)])
def test_sampling_names_what_is_too_small(name, bad):
    with pytest.raises(ValueError, match=rf"Sampling\.{name} must be >= \d; got {bad}\."):
        Sampling(**{name: bad})


def test_a_metric_that_is_learned_needs_burn_in():
    with pytest.raises(ValueError, match=r"Sampling\.burn_in must be >= 1 for RMSpropSGLD\(.*\); got 0\."):
        Sampling(RMSpropSGLD(), burn_in=0)
    with pytest.raises(ValueError, match=r"RMSpropSGLD\.decay must be >= 0 and < 1; got 1\.0\."):
        RMSpropSGLD(decay=1.0)
    with pytest.raises(ValueError, match=r"RMSpropSGLD\.floor must be > 0; got 0\.0\."):
        RMSpropSGLD(floor=0.0)
