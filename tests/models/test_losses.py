"""Cross-entropy, against float64."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from scipy.special import logsumexp, softmax

from nucleate.models import cross_entropy


@pytest.mark.parametrize("scale", [0.0, 1.0, 20.0])
def test_cross_entropy_is_exact_however_small(scale):
    logits = np.random.default_rng(0).normal(size=(40, 7)) * scale
    logits[:20, 2] = scale * 3  # confident, and right where the label is 2
    label = np.where(np.arange(40) < 20, 2, np.arange(40) % 7)
    single = logits.astype(np.float32)
    exact = logsumexp(single.astype(np.float64) - single[np.arange(40), label].astype(np.float64)[:, None], axis=1)
    rest = np.where(np.arange(7) == label[:, None], -np.inf, single.astype(np.float64))
    tiny = np.exp(logsumexp(rest, axis=1) - single[np.arange(40), label])  # where 1 + x loses x, ln(1 + x) is x
    exact = np.where(tiny < 1e-9, tiny, exact)
    np.testing.assert_allclose(cross_entropy(jnp.asarray(single), jnp.asarray(label)), exact, rtol=2e-5)
    gradient = jax.grad(lambda x: cross_entropy(x, jnp.asarray(label)).sum())(jnp.asarray(single))
    expected = softmax(single.astype(np.float64), axis=1) - np.eye(7)[label]
    np.testing.assert_allclose(gradient, expected, atol=1e-6)
