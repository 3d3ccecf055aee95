"""Adaptors as optimisers train what models with adaptors train."""

import jax
import jax.numpy as jnp
import numpy as np
import optax
import pytest

from nucleate.optimizers import Factors, every_matrix, lora, low_rank, relora, truncated

RATE, RANK, ALPHA = 0.01, 2, 8.0
KEY = jax.random.key(3)
RNG = np.random.default_rng(0)
TARGET, START = RNG.normal(size=(6, 4)), RNG.normal(size=(6, 4))


@pytest.fixture(scope="module", autouse=True)
def double():
    with jax.enable_x64(True):
        yield


def loss(params) -> jax.Array:
    return jnp.sum(jnp.square(params["weight"] @ params["weight"].T @ TARGET - TARGET + params["bias"]))


def given(weight) -> dict:
    return {"weight": jnp.asarray(weight), "bias": jnp.zeros(4)}


def trained(optimizer, params, steps: int, of=loss):
    """The parameters after each step."""

    def step(carry, _):
        params, state = carry
        change, state = optimizer.update(jax.grad(of)(params), state, params)
        params = optax.apply_updates(params, change)
        return (params, state), params

    return jax.jit(lambda start: jax.lax.scan(step, (start, optimizer.init(start)), length=steps)[1])(params)


def test_lora_trains_what_a_model_with_adaptors_trains():
    optimizer = lora(RATE, RANK, KEY, ALPHA)
    factors = jax.tree.leaves(optimizer.init(given(START)), is_leaf=lambda leaf: isinstance(leaf, Factors))
    drawn = next(leaf for leaf in factors if isinstance(leaf, Factors))
    assert np.abs(drawn.left).max() <= 6**-0.5
    assert not drawn.right.any()
    built = lambda p: {"weight": START + ALPHA / RANK * p["left"] @ p["right"], "bias": p["bias"]}
    explicit = {"left": drawn.left, "right": drawn.right, "bias": jnp.zeros(4)}
    path = trained(optax.adam(RATE), explicit, 50, lambda p: loss(built(p)))
    expected = START + ALPHA / RANK * jnp.einsum("tir,trj->tij", path["left"], path["right"])
    found = trained(optimizer, given(START), 50)
    np.testing.assert_allclose(found["weight"], expected, rtol=1e-9, atol=1e-11)
    np.testing.assert_allclose(found["bias"], path["bias"], rtol=1e-9)
    assert np.linalg.matrix_rank(np.asarray(found["weight"][-1] - START), tol=1e-9) == RANK


def test_products_train_what_a_factored_model_trains():
    start = truncated(given(START), RANK)
    np.testing.assert_array_equal(start["bias"], 0)
    left, values, right = np.linalg.svd(START, full_matrices=False)
    root = np.sqrt(values[:RANK])
    explicit = {"left": left[:, :RANK] * root, "right": root[:, None] * right[:RANK], "bias": jnp.zeros(4)}
    np.testing.assert_allclose(start["weight"], explicit["left"] @ explicit["right"], atol=1e-12)
    path = trained(
        optax.adam(RATE), explicit, 50, lambda p: loss({"weight": p["left"] @ p["right"], "bias": p["bias"]})
    )
    found = trained(low_rank(RATE, RANK), start, 50)
    expected = jnp.einsum("tir,trj->tij", path["left"], path["right"])
    np.testing.assert_allclose(found["weight"], expected, rtol=1e-8, atol=1e-10)
    assert np.linalg.matrix_rank(np.asarray(found["weight"][-1]), tol=1e-9) == RANK


def test_relora_is_lora_from_a_new_start_after_each_gap():
    gap = 20
    fixed = lambda params: loss({**params, "bias": 0.0})  # what Adam does with biases goes on over restarts
    start = {"weight": jnp.asarray(START)}
    path = trained(relora(RATE, RANK, KEY, gap, ALPHA), start, 2 * gap, fixed)["weight"]
    ranks = [np.linalg.matrix_rank(np.asarray(path[step - 1] - START), tol=1e-9) for step in (gap, 2 * gap)]
    assert ranks == [RANK, 2 * RANK]
    for number, begin in enumerate((START, path[gap - 1])):
        rising = lambda step: RATE * jnp.minimum(1, (step + 1) / 2)
        key = jax.random.fold_in(KEY, number)
        again = trained(lora(rising, RANK, key, ALPHA), {"weight": jnp.asarray(begin)}, gap, fixed)["weight"]
        np.testing.assert_allclose(path[number * gap :][:gap], again, rtol=1e-8, atol=1e-10)


def test_what_is_not_meant_is_trained_by_adam():
    nothing = lambda names, shape: False
    expected = trained(optax.adam(RATE), given(START), 10)
    for optimizer in (low_rank(RATE, RANK, nothing), lora(RATE, RANK, KEY, which=nothing)):
        found = trained(optimizer, given(START), 10)
        np.testing.assert_allclose(found["weight"], expected["weight"], rtol=1e-12)
    only = lambda names, shape: names[-1] == "weight"
    np.testing.assert_array_equal(truncated(given(START), RANK, nothing)["weight"], START)
    assert np.linalg.matrix_rank(np.asarray(truncated(given(START), RANK, only)["weight"]), tol=1e-9) == RANK


MAKERS = {
    "low_rank": low_rank,
    "lora": lambda rate, rank: lora(rate, rank, KEY),
    "relora": lambda rate, rank: relora(rate, rank, KEY, 7),
}


@pytest.mark.parametrize("name", MAKERS)
def test_schedules_are_followed(name):
    stops = lambda step: jnp.where(step < 10, RATE, 0.0)
    path = trained(MAKERS[name](stops, RANK), truncated(given(START), RANK), 12)["weight"]
    assert np.abs(path[8] - path[9]).max() > 1e-4
    np.testing.assert_allclose(path[9], path[11], atol=1e-12)


@pytest.mark.parametrize("name", MAKERS)
def test_ranks_that_a_matrix_cannot_have_are_refused(name):
    with pytest.raises(ValueError, match=rf"{name}: rank must be <= 4 for weight, a matrix of 6 × 4; got 5\."):
        MAKERS[name](RATE, 5).init(given(START))


def test_a_truncation_above_the_rank_is_refused():
    with pytest.raises(ValueError, match="truncated: rank must be <= 4 for weight"):
        truncated(given(START), 5, every_matrix)
