import jax
import jax.numpy as jnp
import numpy as np
import optax
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from nucleate.fleet import Crossing, FullBatch, Minibatch, Stream, by_field
from nucleate.models import MLP, SumDecoder


def data(real: int, slots: int) -> dict:
    weight = jnp.arange(slots) < real
    return {"train": {"sample": jnp.arange(slots), "weight": weight.astype(jnp.float32)}}


@settings(max_examples=25)
@given(st.integers(1, 16), st.sampled_from([1, 5, 20]), st.integers(0, 1000))
def test_a_minibatch_is_of_distinct_real_samples(real, size, seed):
    batch = Minibatch(size).draw(data(real, 16), jax.random.key(seed), jnp.int32(0))
    drawn = np.asarray(batch["sample"])[np.asarray(batch["weight"]) > 0]
    assert len(batch["sample"]) == min(size, 16)
    # Padding, which weighs nothing, is drawn only after all that is real.
    assert len(drawn) == len(set(drawn.tolist())) == min(size, real)
    assert np.all(drawn < real)


def test_every_sample_is_drawn_equally_often():
    draws = 600
    keys = jax.random.split(jax.random.key(0), draws)
    batches = jax.vmap(lambda key: Minibatch(3).draw(data(10, 16), key, jnp.int32(0))["sample"])(keys)
    hits = np.bincount(np.ravel(batches), minlength=16)
    assert np.all(hits[10:] == 0)
    assert np.all(np.abs(hits[:10] - 180) < 4 * np.sqrt(180 * 0.7))


def test_the_full_batch_is_all_there_is():
    given_data = data(3, 16)
    assert FullBatch().draw(given_data, jax.random.key(0), jnp.int32(0)) is given_data["train"]


def test_a_stream_is_asked_with_data_key_and_step():
    key, step = jax.random.key(3), jnp.int32(9)
    seen = Stream(lambda data, key, step: (data, key, step)).draw({"a": 1}, key, step)
    assert seen[0] == {"a": 1}
    assert seen[1] is key
    assert seen[2] is step


def test_an_empty_minibatch_is_refused():
    with pytest.raises(ValueError, match=r"Minibatch\.size must be >= 1; got 0\."):
        Minibatch(0)


@pytest.mark.parametrize("bounds", [{}, {"at_least": 0.9, "above": 0.9}])
def test_a_crossing_has_one_threshold(bounds):
    with pytest.raises(ValueError, match=r"Crossing 'x' needs exactly one of at_least, above"):
        Crossing("x", "accuracy", **bounds)


@pytest.mark.parametrize(
    ("bound", "sign", "expected"),
    [
        ("at_least", ">=", [False, True, True, False]),
        ("above", ">", [False, False, True, False]),
        ("at_most", "<=", [True, True, False, False]),
        ("below", "<", [True, False, False, False]),
    ],
)
def test_a_crossing_says_what_is_past_its_threshold(bound, sign, expected):
    crossing = Crossing("x", "a", **{bound: 0.5})
    assert crossing.rule == f"a {sign} 0.5"
    assert [bool(crossing.crossed(value)) for value in jnp.array([0.25, 0.5, 1.0, jnp.nan])] == expected


def test_each_field_has_its_optimiser():
    model = SumDecoder(jnp.ones((3, 2)), MLP((2, 4), key=jax.random.key(0)))
    rule = by_field(embedding=optax.sgd(0.1), decoder=optax.sgd(10.0))
    updates, _ = rule.update(jax.tree.map(jnp.ones_like, model), rule.init(model), model)
    assert np.allclose(updates.embedding, -0.1)
    assert np.allclose(updates.decoder.weights[0], -10.0)
    assert np.allclose(updates.decoder.biases[0], -10.0)


def test_a_field_without_an_optimiser_is_an_error():
    model = SumDecoder(jnp.ones((3, 2)), MLP((2, 4), key=jax.random.key(0)))
    with pytest.raises(ValueError, match="decoder"):
        by_field(embedding=optax.sgd(0.1)).init(model)
