import jax.numpy as jnp
import numpy as np
import pytest
from scipy.stats import norm

from nucleate.observables import MALA, SGLD, RMSpropSGLD
from nucleate.observables.llc.samplers import Point
from nucleate.observables.llc.settings import Traced

STEP, NBETA, GAMMA = 0.3, 2.0, 0.7
SETTING = Traced(*jnp.array([STEP, NBETA, GAMMA]))


def loss(x):
    return np.sum(x**4) / 4 + np.sum(np.cos(x))


def gradient(x):
    return x**3 - np.sin(x)


def point(x):
    return Point(jnp.asarray(x, jnp.float32), jnp.float32(loss(x)), jnp.asarray(gradient(x), jnp.float32))


def log_flow(start, end):
    """Log density of the posterior at `start`, times that of proposing `end` from there."""
    energy = NBETA * loss(start) + GAMMA / 2 * np.sum(start**2)
    mean = start - STEP / 2 * (NBETA * gradient(start) + GAMMA * start)
    return -energy + norm(mean, STEP**0.5).logpdf(end).sum()


@pytest.fixture(params=range(5))
def places(request):
    return np.random.default_rng(request.param).normal(size=(2, 3))


def test_mala_accepts_by_the_ratio_of_flows(places):
    old, new = places
    accepted = float(MALA().acceptance(point(old), point(new), SETTING))
    assert accepted == pytest.approx(min(1, np.exp(log_flow(new, old) - log_flow(old, new))), rel=1e-4)


def test_mala_accepts_a_move_or_its_reverse_for_certain(places):
    old, new = map(point, places)
    there, back = (float(MALA().acceptance(*ends, SETTING)) for ends in ((old, new), (new, old)))
    assert max(there, back) == pytest.approx(1)
    assert min(there, back) < 1


@pytest.mark.parametrize("sampler", [SGLD(), RMSpropSGLD()])
def test_other_samplers_accept_everything(sampler, places):
    assert float(sampler.acceptance(*map(point, places), SETTING)) == 1


def test_rmsprop_averages_squares_with_decaying_weights():
    gradients = np.random.default_rng(0).normal(size=(20, 4)).astype(np.float32)
    sampler = RMSpropSGLD(decay=0.8, floor=0.05)
    memory = sampler.start(jnp.zeros(4))
    for slope in gradients:
        memory = sampler.adapt(memory, jnp.asarray(slope))
    mean_square = np.average(gradients**2, axis=0, weights=0.8 ** np.arange(20)[::-1])
    assert sampler.metric(memory) == pytest.approx(1 / (0.05 + np.sqrt(mean_square)), rel=1e-4)


def test_rmsprop_starts_with_the_longest_steps():
    sampler = RMSpropSGLD(floor=0.5)
    assert sampler.metric(sampler.start(jnp.zeros(2))).tolist() == [2, 2]


@pytest.mark.parametrize(("name", "bad"), [("decay", 1.0), ("decay", -0.1), ("floor", 0.0)])
def test_impossible_choices_are_named(name, bad):
    with pytest.raises(ValueError, match=rf"RMSpropSGLD\.{name} must be .*; got {bad}"):
        RMSpropSGLD(**{name: bad})
