"""The talk's algebra of memory, counted in real states."""

import jax
import jax.numpy as jnp
import optax
import pytest

from nucleate.optimizers import galore, lora, low_rank, optimizer_floats, relora

KEY = jax.random.key(0)


@pytest.mark.parametrize(("m", "n", "r"), [(4, 6, 2), (6, 4, 2), (5, 5, 5), (4, 9, 1)])
def test_states_have_the_floats_that_the_talk_says(m, n, r):
    params = {"weight": jnp.zeros((m, n))}
    assert m * n + optimizer_floats(optax.adam(0.1), params) == 3 * m * n
    short, long = sorted((m, n))
    assert m * n + optimizer_floats(galore(0.1, r), params) == m * n + short * r + 2 * long * r
    for adaptor in (lora(0.1, r, KEY), relora(0.1, r, KEY)):
        assert m * n + optimizer_floats(adaptor, params) == m * n + 3 * (m * r + n * r)
    assert optimizer_floats(low_rank(0.1, r), params) == 3 * (m * r + n * r)


def test_other_parameters_have_full_moments_and_large_networks_need_no_memory():
    params = {"weight": jax.ShapeDtypeStruct((4096, 11008), jnp.bfloat16), "bias": jax.ShapeDtypeStruct((7,), float)}
    assert optimizer_floats(galore(0.1, 1024), params) == 4096 * 1024 + 2 * 11008 * 1024 + 14


def test_heads_are_taken_together():
    query, output = jnp.zeros((8, 2, 4)), jnp.zeros((2, 4, 8))
    assert optimizer_floats(galore(0.1, 8), {"query": query, "output": output}) == 2 * 3 * 64
