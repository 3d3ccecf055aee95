"""Scan & Snap's recipe, experiments, readings, claims and figures."""

import numpy as np
import plants_attention_scanning as plants
import pytest

from nucleate.fleet import Plan, grid, train
from nucleate.papers import Budget
from nucleate.papers.attention.experiments.scanning import EXPERIMENTS, RATIOS, EntropyFleet, RatioFleet
from nucleate.papers.attention.figures import scanning as figures
from nucleate.papers.attention.readings import scanning as readings
from nucleate.papers.attention.recipe.scanning import ENDLESS, Scanning
from nucleate.plots import style
from nucleate.theories import integrate
from nucleate.theories.scanning import ScanFlow, ScanState


@pytest.fixture(scope="module")
def record(tmp_path_factory):
    """Two networks on sequences without end, with the same learning rates: small steps of the flow."""
    members = grid(lasts=2, length=ENDLESS, eta_z=0.05, mult=4.0, momentum=0.0, seed=range(2))
    return train(Plan(Scanning(looks=8), members, 200, 2, {}), tmp_path_factory.mktemp("scan") / "run").record().load()


def test_networks_without_noise_follow_the_flow(record):
    P, last, share = (record[name].values for name in ("probability", "last_token", "class_share"))
    flow = ScanFlow(P, last, share, eta_z=0.05, eta_y=0.2)
    path = integrate(flow, ScanState.zero(P, last), record.step.values.astype(float))
    moved = np.abs(path.Z[-1]).max()
    np.testing.assert_allclose(record.scores[0], path.Z, atol=0.02 * moved)  # steps of 0.2 are not infinitesimal
    np.testing.assert_array_equal(record.scores[0], record.scores[1])
    assert float(record.entropy[0, 0]) == pytest.approx(_entropy(P).mean(), rel=1e-5)
    assert record.entropy_distinct[0, -1] < record.entropy_distinct[0, 0]


def _entropy(P: np.ndarray) -> np.ndarray:
    return -np.sum(np.where(P > 0, P * np.log(np.where(P > 0, P, 1)), 0), axis=1)


@pytest.mark.parametrize("budget", Budget)
def test_every_network_has_a_seed_of_its_own(budget):
    sized = {name: sizes.at(budget) for name, sizes in EXPERIMENTS.items()}
    seeds = [seed for experiment in sized.values() if experiment for seed in experiment.members()["seed"]]
    assert len(set(seeds)) == len(seeds)


def test_rates_are_what_the_table_says():
    members = EXPERIMENTS[RATIOS].standard.members()
    np.testing.assert_allclose(members["eta_z"] * members["mult"], members["eta_y"])
    assert not RatioFleet().recipe().random_init
    assert EntropyFleet(nexts=2).recipe().random_init


@pytest.mark.parametrize(
    ("change", "message"),
    [({"length": (1,)}, "length must leave a token"), ({"lasts": (1,)}, "nexts must be 2"), ({"ratio": (0,)}, "ratio")],
)
def test_experiments_that_make_no_sense_are_refused(change, message):
    with pytest.raises(ValueError, match=f"RatioFleet.{message}"):
        RatioFleet(**change)


def test_trends_of_entropy_are_those_that_were_planted():
    found = readings.entropies(plants.entropies(-0.2, 0.1))
    assert found.value.shape == (4, 4, 4, 8)
    np.testing.assert_allclose(found.trend_eta_z, -1)
    np.testing.assert_allclose(found.trend_mult, 1)


def test_values_are_compared_at_equal_times():
    scores = plants.theory().once(readings.step_size_scores)
    time = readings.shared_time(scores)
    expected = np.log1p(time) * scores.ratio.values  # as planted
    np.testing.assert_allclose(readings.at_time(scores, "ln_chi", time), expected, rtol=0.02)
    table, xs, ys = readings.cells(scores, scores.ratio.values, "eta_y", "ratio")
    np.testing.assert_array_equal(table, np.repeat(ys[:, None], len(xs), axis=1))


def test_figures_are_drawn(tmp_path):
    evidence = {
        figures.token_dynamics: plants.tokens(-0.5, 1.0),
        figures.scanning_and_snapping: plants.theory(),
        figures.entropy_maps: plants.entropies(-0.2, 0.1),
        figures.validity: plants.theory(),
    }
    assert tuple(evidence) == figures.FIGURES
    for draw, planted in evidence.items():
        with style():
            assert draw(planted, tmp_path).path.stat().st_size > 10_000
