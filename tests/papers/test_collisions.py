"""The collisions paper: its fleets train, record what is said, resume to the same bits, and refuse bad input."""

import dataclasses
import re

import equinox as eqx
import numpy as np
import pytest
import xarray as xr
from jax.flatten_util import ravel_pytree

from nucleate.claims import Evidence
from nucleate.fleet import Silent, train
from nucleate.observables import HeadClass, Sampling, attention_distance_correlation, collision_score, distances
from nucleate.papers.collisions import PAPER, measures, readings
from nucleate.papers.collisions.experiments import ParticleFleet
from nucleate.papers.collisions.recipe import RADIUS, fvu, look
from nucleate.record import NEVER, Outcome, RunError

TINY = ParticleFleet(
    particles=3,
    width=3.0,
    height=3.0,
    blocks=1,
    heads=2,
    embedding=8,
    hidden=8,
    seeds=2,
    batch=4,
    steps=80,
    simulated=32,
    stride=8,
    states=16,
    looks=160,
    checkpoints=4,
)


class Failure(Silent):
    """Fails when a second chunk is trained: that of another network, or the next of the first."""

    left = 2

    def advance(self, count: int) -> None:
        self.left -= 1
        if self.left <= 0:
            raise RuntimeError("on purpose")


@pytest.fixture(scope="module")
def run(tmp_path_factory):
    return train(TINY.plan("collisions/tiny"), tmp_path_factory.mktemp("whole") / "run")


@pytest.fixture(scope="module")
def record(run) -> xr.Dataset:
    return run.record().load()


def test_what_is_recorded(record):
    heads = {"member": 2, "step": 81, "block": 1, "head": 2}
    for name in ("raw", "frac", "total", "correlation", "entropy"):
        assert dict(record[name].sizes) == heads
        assert np.isfinite(record[name]).all()
    for name in ("fvu", "train_loss"):
        assert dict(record[name].sizes) == {"member": 2, "step": 81}
    assert record.step_weights.values.tolist() == [0, 1, 40, 80]
    assert record.outcome.values.tolist() == [Outcome.OK, Outcome.OK]
    assert not np.allclose(record.train_loss[0], record.train_loss[1])


def test_weights_give_the_recorded_numbers_again(record):
    distance = distances(record.held_position.values)
    recipe = readings.recipe(record)
    for checkpoint, step in enumerate(record.step_weights.values):
        network = readings.network(record, 1, checkpoint)
        flat = ravel_pytree(eqx.filter(network, eqx.is_inexact_array))[0]
        assert np.array_equal(flat, record.weights[1, checkpoint])
        acceleration, attention = look(
            network, record.held_position.values, record.held_velocity.values, recipe.boundary
        )
        then = record.sel(step=step).isel(member=1)
        assert float(fvu(acceleration, record.held_acceleration.values)) == pytest.approx(float(then.fvu), rel=1e-4)
        head = attention[0, 1]
        score = collision_score(head, distance, RADIUS)
        assert [float(score.raw), float(score.frac), float(score.total)] == pytest.approx(
            [float(then[name][0, 1]) for name in ("raw", "frac", "total")], rel=1e-4, abs=1e-6
        )
        assert float(attention_distance_correlation(head, distance)) == pytest.approx(
            float(then.correlation[0, 1]), rel=1e-3, abs=1e-4
        )
        assert float(score.baseline) == pytest.approx(float(record.uniform_score))


def test_a_step_is_one_of_adam_on_fresh_pairs(record):
    """Without the engine: the loss on the first batch, and Adam's first update, eta times the gradient's sign."""
    recipe = readings.recipe(record)
    library = recipe.data({"seed_data": 1})["train"]
    assert len(np.unique(library.order)) == library.order.size == 81 * 4
    pair = recipe.stream(library, 0)
    predicted, _ = look(readings.network(record, 1, 0), *pair.before, recipe.boundary)
    loss = np.mean(np.square((predicted - pair.acceleration) / 20))
    assert loss == pytest.approx(float(record.train_loss[1, 0]), rel=1e-5)
    before, after = record.weights[1, :2].values
    share = np.mean(np.isclose(np.abs(after - before), TINY.eta, rtol=0.01))
    assert share > 0.5  # the gradient of weights behind an idle ReLU is 0


def test_resumes_to_the_same_bits(record, tmp_path):
    plan = TINY.plan("collisions/tiny")
    with pytest.raises(RuntimeError, match="on purpose"):
        train(plan, tmp_path / "run", watch=Failure(), checkpoint_seconds=0)
    assert list((tmp_path / "run" / "checkpoints").glob("*.checkpoint"))
    resumed = train(plan, tmp_path / "run").record().load()
    xr.testing.assert_identical(resumed, record)


def test_classes_and_when_heads_form():
    frac = np.array([[0.2, 0.2], [0.6, 0.2], [0.4, 0.95], [0.7, 0.99], [0.9, 0.95]])[None, :, None]
    total = np.array([[0.5, 0.5], [0.5, 0.5], [0.5, 0.5], [0.5, 0.05], [0.5, 0.05]])[None, :, None]
    dims = ("member", "step", "block", "head")
    planted = xr.Dataset(
        {
            "raw": (dims, frac * total),
            "frac": (dims, frac),
            "total": (dims, total),
            "correlation": (dims, -frac),
            "uniform_score": ((), 0.1),
            "contact_limit": ((), -0.5),
        },
        coords={"step": [0, 10, 20, 30, 40]},
    )
    assert readings.formation_step(planted).tolist() == [[[30, NEVER]]]
    assert readings.final_class(planted).tolist() == [[[HeadClass.TRUE, HeadClass.NONE]]]


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"particles": 1}, "ParticleFleet.particles must be >= 2, to have others to attend to; got 1."),
        ({"particles": 10}, "ParticleTask.particles must be at most 9"),
        ({"embedding": 9}, "ParticleFleet.embedding must be a multiple of heads = 2; got 9."),
        ({"stride": 5}, "PairStream.stride must divide the 32 steps of a simulation; got 5."),
        ({"batch": 0}, "PairStream.batch must be >= 1; got 0."),
        ({"eta": 0.0}, "ParticleFleet.eta must be > 0; got 0.0."),
        ({"eta": float("nan")}, "ParticleFleet.eta must be > 0; got nan."),
        ({"states": 1}, "ParticleFleet.states must be >= 2; got 1."),
        ({"checkpoints": 1}, "ParticleFleet.checkpoints must be >= 2; got 1."),
        ({"steps": 0}, "ParticleFleet.steps must be >= 1; got 0."),
        ({"first_seed": -1}, "ParticleFleet.first_seed must be >= 0; got -1."),
    ],
)
def test_bad_input_names_the_field_and_the_value(change, message):
    with pytest.raises(ValueError, match=re.escape(message)):
        dataclasses.replace(TINY, **change)


def test_a_record_that_is_not_of_these_networks(record):
    with pytest.raises(RunError, match="has no config"):
        readings.recipe(record.assign_attrs(about="{}"))
    with pytest.raises(RunError, match="holds 7 weights"):
        readings.network(record.isel(parameter=slice(0, 7)), 0)
    lost = record.assign(weights=record.weights.where(record.step_weights < 80))
    with pytest.raises(ValueError, match="member 0 had diverged before step 80"):
        readings.network(lost, 0)


def test_rollouts_begin_where_simulations_do_and_coefficients_are_of_single_heads(record, monkeypatch):
    monkeypatch.setattr(measures, "ROLLOUT", 5)
    found = measures._energies(record, starts=2)
    assert found.truth.shape == found.network.shape == (2, 2, 6)
    assert np.allclose(found.truth[..., 0], found.network[..., 0], rtol=1e-5)
    assert not np.allclose(found.truth[..., -1], found.network[..., -1], rtol=1e-6)

    evidence = Evidence({}, samples=4)
    evidence._records[readings.LARGE] = record
    heads = np.array([[0, 0, 1]]), np.array([[1, 0, 0]])
    monkeypatch.setattr(measures, "chosen_heads", lambda record, most: heads)
    monkeypatch.setattr(measures, "_STATES", 24)
    short = measures.Chains(heads=1, checkpoints=2, octaves=3, sampling=Sampling(chains=2, burn_in=4, draws=8))
    monkeypatch.setattr(measures, "chains", lambda samples: short)
    coefficients = measures.coefficients(evidence)
    assert coefficients.collision.tolist() == [True, False]
    assert coefficients.member.tolist() == [0, 1]
    assert coefficients.step.tolist() == [40, 80]
    assert np.isfinite(coefficients.value).all()
    assert (coefficients.error > 0).all()


def test_budgets_share_their_experiments_and_claims_need_only_those():
    names = set(PAPER.experiments)
    assert {need for claim in PAPER.claims for need in claim.needs} == names
    for effort in PAPER.efforts.values():
        assert set(effort.experiments) == names


def test_a_large_network_can_be_stopped_and_saved_every_few_steps():
    assert ParticleFleet().recipe().max_gap == 8
    assert PAPER.experiments["collisions/small"].recipe().max_gap == 250
