import jax
import jax.numpy as jnp
import numpy as np
import pytest

from nucleate.fleet import Stream
from nucleate.tasks import Box, PairStream, ParticleState, ParticleTask

TASK = ParticleTask(particles=4, box=Box((3.0, 3.0)), steps=32)
STREAM = PairStream(TASK, batch=8, stride=8)
LIBRARY = STREAM.library(jax.random.key(0), steps=11)


def test_no_pair_is_shown_twice():
    assert LIBRARY.order.shape == (12, 8)
    assert len(np.unique(LIBRARY.order)) == LIBRARY.order.size
    shown = np.concatenate(
        [
            np.asarray(STREAM.pairs(LIBRARY, jnp.asarray(LIBRARY.order[step])).before.position).reshape(8, -1)
            for step in range(12)
        ]
    )
    assert len(np.unique(shown, axis=0)) == len(shown)


def test_pairs_are_those_of_the_simulations():
    """All pairs of a library, in order, are its simulations, run again from their starts."""
    simulations = LIBRARY.position.reshape(-1, 4, 4, 2).shape[0]
    starts = ParticleState(*(jnp.asarray(array).reshape(simulations, 4, 4, 2)[:, 0] for array in LIBRARY[:2]))
    path = TASK.trajectory(starts, steps=32)
    pairs = STREAM.pairs(LIBRARY, jnp.arange(32 * simulations))
    for at, ours in ((slice(0, 32), pairs.before), (slice(1, 33), pairs.after)):
        for expected, seen in zip(path, ours, strict=True):
            expected = jnp.moveaxis(expected[at], 1, 0).reshape(seen.shape)
            np.testing.assert_allclose(seen, expected, atol=1e-3)
    np.testing.assert_allclose(pairs.acceleration, TASK.acceleration(pairs.before), atol=1e-3)


def test_batches_mix_simulations_and_ages():
    ages = LIBRARY.order % TASK.steps
    assert np.all([len(np.unique(batch // TASK.steps)) > 1 for batch in LIBRARY.order])
    assert ages.std(axis=1).mean() > 5  # uniform over 32 ages: 9.2


def test_two_keys_give_two_libraries_and_one_key_one():
    again, other = (STREAM.library(jax.random.key(seed), steps=11) for seed in (0, 1))
    np.testing.assert_array_equal(again.position, LIBRARY.position)
    np.testing.assert_array_equal(again.order, LIBRARY.order)
    assert np.all(other.position != LIBRARY.position)


def test_blocks_of_simulations_differ_from_each_other():
    stream = PairStream(ParticleTask(particles=1, box=Box((2.0, 2.0)), steps=2), batch=600, stride=2)
    library = stream.library(jax.random.key(0), steps=0)
    assert library.position.shape == (300, 1, 2)
    assert len(np.unique(library.position[:, 0], axis=0)) == 300


def test_past_its_end_a_library_gives_nothing():
    past = STREAM(LIBRARY, jnp.int32(12))
    assert np.isnan(past.before.position).all()
    assert np.isnan(past.acceleration).all()


def test_a_fleet_can_draw_from_it():
    batching = Stream(lambda data, key, step: STREAM(data["train"], step))
    seen = jax.jit(batching.draw)({"train": LIBRARY}, jax.random.key(0), jnp.int32(3))
    np.testing.assert_allclose(seen.after.position, STREAM(LIBRARY, 3).after.position, atol=1e-5)


def test_bad_streams():
    with pytest.raises(ValueError, match=r"PairStream\.batch must be >= 1; got 0"):
        PairStream(TASK, batch=0)
    with pytest.raises(ValueError, match=r"PairStream\.stride must divide the 32 steps of a simulation; got 5"):
        PairStream(TASK, stride=5)
    with pytest.raises(ValueError, match=r"steps must be >= 0; got -1"):
        STREAM.library(jax.random.key(0), steps=-1)
