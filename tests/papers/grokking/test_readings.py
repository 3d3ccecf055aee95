"""Measurements that claims and figures share: closed forms, planted networks, and that they can be kept on disk."""

import numpy as np
import pytest
import xarray as xr
from planted import PlantedRun
from plants_grokking import C, G, M, X, all_lines, all_memorise, four_symbols, in_train, phased, run

from nucleate.claims import Evidence
from nucleate.papers.grokking import readings
from nucleate.papers.grokking.experiments import DATA_SIZE, PHASE_DECAY, TRAJECTORIES
from nucleate.papers.grokking.recipe import Structure
from nucleate.record import NEVER, Outcome
from nucleate.record.tree import pack, unpack
from nucleate.theories import ExactFlow


def test_half_crossing_interpolates():
    assert readings.half_crossing(np.array([0.0, 0.2, 0.4]), np.array([0.0, 0.25, 0.75])) == pytest.approx(0.3)
    assert np.isinf(readings.half_crossing(np.array([0.0, 1.0]), np.array([0.0, 0.1])))


def test_survey_agrees_with_rank_one_set_at_a_time():
    structure, seen = Structure(5), readings.drawn_survey(5, 20)
    for size in (3, 7, 12):
        for number, chosen in enumerate(readings.random_sets(5, size, 20)):
            rows = [structure.equations[q] for q, (a, b) in enumerate(structure.quads) if chosen[a] and chosen[b]]
            rank = np.linalg.matrix_rank(np.array(rows)) if rows else 0
            assert seen.linear[size - 1, number] == (5 - rank == 2)
    assert 0 < seen.critical < 1
    assert ((seen.rate > 0) == seen.linear).all()
    assert (seen.known[-1] == len(structure.quads)).all()
    assert seen.averaged_rate[-1] == pytest.approx(seen.rate[-1] / len(structure.quads))
    assert (seen.averaged_rate[0] == 0).all()


def test_a_line_is_of_full_quality_and_noise_of_none():
    lines = all_lines().once(readings.strict_qualities)
    assert (lines.rqi == 1).all()
    assert (lines.predicted_accuracy > lines.ideal_accuracy - 1e-6).all()
    noise = all_memorise().once(readings.strict_qualities)
    assert noise.rqi.mean() < 0.05
    assert np.array_equal(noise.fraction, in_train(DATA_SIZE).mean(1))


def test_networks_that_diverged_have_no_quality():
    planted = all_lines().record(DATA_SIZE)
    outcome = np.where(np.arange(planted.sizes["member"]) < 60, Outcome.DIVERGED, Outcome.OK)
    diverged = planted.assign(outcome=("member", outcome))
    assert len(readings.loose_qualities(_evidence(DATA_SIZE, diverged)).rqi) == planted.sizes["member"] - 60


def _evidence(name: str, record: xr.Dataset) -> Evidence:
    return Evidence({name: PlantedRun(record)}, None)


@pytest.fixture(scope="module")
def followed():
    """Evidence of networks that follow the exact flow at 1.5 times its pace."""
    structure = Structure(10)
    steps = np.array([0, 50, 100, 200, 400])
    rng = np.random.default_rng(0)
    start = rng.normal(size=(6, 10, 1))
    start = (start - start.mean(1, keepdims=True)) / start.std(1, ddof=1, keepdims=True)
    gram = structure.equations.T @ structure.equations
    path = ExactFlow().trajectory(gram, start, np.tile(1.5e-3 * steps, (6, 1)))
    record = xr.Dataset(
        {
            "embedding": (("member", "step", "token", "dim"), path),
            "left": ("pair", structure.pairs[:, 0]),
            "right": ("pair", structure.pairs[:, 1]),
            "label": ("pair", structure.task.label),
        },
        coords={"step": steps, "eta_repr": ("member", np.full(6, 1e-3))},
        attrs={"steps": 400},
    )
    return _evidence(TRAJECTORIES, record)


def test_the_theory_is_fitted_to_one_half_and_tested_on_the_other(followed):
    test = followed.once(readings.theory_test)
    assert test.fit.rate == pytest.approx(1.5, rel=1e-3)
    assert test.score.sizes["member"] == 3
    assert (test.score.skill > 0.99).all()
    third = np.linalg.eigvalsh(Structure(10).equations.T @ Structure(10).equations)[2]
    assert test.n_h == pytest.approx(9 / (2 * third * 1e-3))


def test_networks_that_diverged_at_once_cannot_be_followed(followed):
    record = followed.record(TRAJECTORIES)
    gone = record.assign(embedding=record.embedding.where(record.step == 0))
    assert readings.theory_test(_evidence(TRAJECTORIES, gone)) is None


def test_theory_steps_are_infinite_where_nothing_is_determined():
    sets = np.stack([np.ones(55, bool), np.zeros(55, bool)])
    record = xr.Dataset(
        {"in_train": (("member", "pair"), sets), "embedding": (("token", "dim"), np.zeros((10, 1)))},
        coords={"eta_repr": ("member", [1e-3, 1e-3])},
    )
    finite, infinite = readings.theory_steps(record)
    assert finite == pytest.approx(150, abs=1)
    assert np.isinf(infinite)
    assert readings.theory_steps(record, averaged=True)[0] == pytest.approx(70 * finite)


def test_a_phase_map_is_laid_out_by_its_hyperparameters():
    cells = [[C, G], [M, X]]
    codes, xs, ys = readings.phase_map(phased(PHASE_DECAY, cells, "wd_dec").dataset, "eta_dec", "wd_dec")
    assert codes.shape == (len(ys), len(xs), 1)
    assert codes[[0, 0, -1, -1], [0, -1, 0, -1], 0].tolist() == [C, G, M, X]
    assert xs[0] == pytest.approx(1e-5)
    assert ys[-1] == pytest.approx(10)


def test_a_network_that_diverged_has_no_phase():
    record = phased(PHASE_DECAY, [[C]], "wd_dec").dataset
    outcome = np.where(np.arange(record.sizes["member"]) == 0, Outcome.DIVERGED, Outcome.OK)
    assert readings.phase_of(record.assign(outcome=("member", outcome)))[:2].tolist() == [-1, C]


def test_steps_to_what_never_came_are_infinite():
    steps = np.full(100, 300)
    steps[3] = NEVER
    found = readings.steps_to(run(TRAJECTORIES, rqi95_step=("member", steps)).dataset, "rqi95")
    assert np.flatnonzero(np.isinf(found)).tolist() == [3]
    assert found[0] == 300


def test_equations_that_hold_are_recognised():
    seen = four_symbols(slow=["A1", "A2", "A3", "all"], fast=["none"]).once(readings.four_symbols)
    assert set(seen.after[seen.slow_decoder].tolist()) == {1, 2, 4, 7}
    assert set(seen.after[~seen.slow_decoder].tolist()) == {0}
    names = [readings.EQUATION_SETS[code] for code in readings.REPRESENTATIONS]
    assert names == ["none", "A1", "A2", "A3", "all three"]


def test_readings_can_be_kept_on_disk(tiny, followed):
    for reading, evidence in (
        (readings.survey, tiny),
        (readings.loose_qualities, tiny),
        (readings.four_symbols, tiny),
        (readings.theory_test, followed),
    ):
        value = evidence.once(reading)
        assert type(unpack(*pack(value))) is type(value)
