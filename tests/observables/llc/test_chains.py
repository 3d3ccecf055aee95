"""A chain, step by step, against the same recursion in NumPy."""

import os
import subprocess
import sys

import jax.numpy as jnp
import numpy as np
import pytest

from nucleate.observables import SGLD, Sampling, Setting, Whole, learning_coefficient

CURVATURE = np.array([1.0, 4.0])
FLAT = Setting(step=0.1, nbeta=3.0, gamma=0.5)


def loss(w, scale):
    return scale * jnp.sum(CURVATURE * w**2) / 2


@pytest.fixture(scope="module")
def estimate():
    sampling = Sampling(SGLD(), chains=3, burn_in=4, draws=12)
    return learning_coefficient(loss, Whole(2.0), [jnp.array([1.0, -1.0])], [FLAT], sampling)


def test_a_chain_starts_at_its_checkpoint(estimate):
    assert estimate.loss[..., 0].tolist() == [[[[5.0, 5.0, 5.0]]]]  # 2 (1 + 4) / 2
    assert np.abs(estimate.excess[..., 0]).max() == 0


def test_chains_are_not_copies_of_each_other(estimate):
    assert len(np.unique(estimate.loss[0, 0, 0, :, 5])) == 3


def test_excess_and_value_are_those_of_the_losses(estimate):
    assert estimate.loss.shape == (1, 1, 1, 3, 16)
    assert estimate.excess == pytest.approx(3.0 * (estimate.loss - 5.0), rel=1e-5, abs=1e-5)
    assert estimate.value.item() == pytest.approx(estimate.excess[..., 4:].mean(), rel=1e-5)


def test_the_mean_loss_obeys_the_langevin_recursion():
    """Chains from w₀ have the mean w − ε/2 (nβ H w + γ (w − w₀)) and variance (1 − ε/2 (nβ H + γ))² V + ε next."""
    start, chains = np.array([1.0, -1.0]), 4000
    sampling = Sampling(SGLD(), chains=chains, burn_in=0, draws=6)
    traces = learning_coefficient(loss, Whole(2.0), [jnp.asarray(start)], [FLAT], sampling).loss[0, 0, 0]
    pull = 3.0 * 2.0 * CURVATURE
    mean, variance = start.copy(), np.zeros(2)
    for time in range(6):
        expected = np.sum(CURVATURE * (mean**2 + variance))
        # Of a quadratic form in normal variables, per chain; the factor 2 of the loss cancels the half.
        spread = np.sqrt(np.sum(CURVATURE**2 * (2 * variance**2 + 4 * variance * mean**2)) / chains)
        assert traces[:, time].mean() == pytest.approx(expected, abs=4.5 * spread + 1e-5)
        mean = mean - 0.05 * (pull * mean + 0.5 * (mean - start))
        variance = (1 - 0.05 * (pull + 0.5)) ** 2 * variance + 0.1


IN_A_PROCESS = """
import jax, jax.numpy as jnp
from nucleate.observables import Sampling, Setting, Whole, learning_coefficient
short = Sampling(chains=1, burn_in=0, draws=4)
learning_coefficient(lambda w, _: jnp.sum(w**2), Whole(0.0), [jnp.zeros(2)], [Setting(1e-4, 100.0)], short)
print(jax.config.jax_compilation_cache_dir)
"""


def test_another_process_will_find_the_program_on_the_disk(tmp_path):
    """Also where no fleet has been trained, and no command been given."""
    environment = {name: value for name, value in os.environ.items() if name != "JAX_COMPILATION_CACHE_DIR"}
    environment["XDG_CACHE_HOME"] = str(tmp_path)
    done = subprocess.run([sys.executable, "-c", IN_A_PROCESS], env=environment, capture_output=True, text=True)
    assert done.stdout.strip() == str(tmp_path / "nucleate" / "xla"), done.stderr
