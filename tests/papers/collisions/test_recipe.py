"""A tiny fleet is trained: it records what it should, its weights give the same numbers again, it resumes to the same
bits."""

import numpy as np
import pytest
import xarray as xr

from nucleate.fleet import Silent, flat_weights, train
from nucleate.observables import attention_distance_correlation, collision_score, distances, fvu
from nucleate.papers.collisions.experiments import ParticleFleet
from nucleate.papers.collisions.readings.fleets import network, recipe
from nucleate.papers.collisions.recipe import RADIUS, look
from nucleate.record import Outcome

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
def record(tmp_path_factory) -> xr.Dataset:
    return train(TINY.plan("collisions/tiny"), tmp_path_factory.mktemp("whole") / "run").record().load()


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
    for checkpoint, step in enumerate(record.step_weights.values):
        model = network(record, 1, checkpoint)
        assert np.array_equal(flat_weights(model), record.weights[1, checkpoint])
        acceleration, attention = look(
            model, record.held_position.values, record.held_velocity.values, recipe(record).boundary
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
    made = recipe(record)
    library = made.data({"seed_data": 1})["train"]
    assert len(np.unique(library.order)) == library.order.size == 81 * 4
    pair = made.stream(library, 0)
    predicted, _ = look(network(record, 1, 0), *pair.before, made.boundary)
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
