"""Losses whose coefficient is known: as λ, and as the mean of nβK at the finite nβ and γ that are sampled.

A value must lie within four standard errors of the truth, and the standard error must be small enough to mean
something.
"""

from itertools import pairwise

import jax.numpy as jnp
import numpy as np
import pytest

from nucleate.observables import (
    MALA,
    Doubt,
    Matching,
    Minibatches,
    RMSpropSGLD,
    Sampling,
    Setting,
    Whole,
    aoyagi,
    learning_coefficient,
)

NOTHING = Whole(())


def agree(value, error, truth, precision):
    """Within four standard errors, each at most `precision` of the truth."""
    assert np.all(error <= precision * np.abs(truth)), f"too imprecise: {error} of {truth}"
    assert np.all(np.abs(value - truth) <= 4 * error), f"{value} ± {error} is not {truth}"


# ---- a quadratic: everything is known exactly


def quadratic(w, _):
    return jnp.sum(w**2) / 2


def quadratic_truth(setting, directions=10, noise=0.0):
    """½ Σ nβh/[p(1 − εp/4)] · (1 + ε nβ² C/4), p = nβh + γ, of SGLD whose gradient has variance C in each direction."""
    p = setting.nbeta + setting.gamma
    exact = directions / 2 * setting.nbeta / p
    return exact, exact / (1 - setting.step * p / 4) * (1 + setting.step * setting.nbeta**2 * noise / 4)


def test_mala_has_no_step_bias():
    settings = [Setting(step, 1000.0) for step in (2e-4, 1e-3)]
    sampling = Sampling(MALA(), chains=64, burn_in=500, draws=1500)
    found = learning_coefficient(quadratic, NOTHING, [jnp.zeros(10)], settings, sampling)
    agree(found.value.ravel(), found.statistical.ravel(), 4.9950, 0.02)
    assert np.all(found.step_bias == 0)
    assert np.all(found.trusted)
    assert found.equilibrium.ravel() == pytest.approx(1, abs=0.02)
    long, short = found.acceptance.ravel()[::-1]
    assert 0.4 < long < short < 1


def test_sgld_has_the_bias_that_is_predicted_and_measures_it():
    settings = [Setting(1e-4, 1000.0), Setting(1e-3, 1000.0), Setting(1e-3, 1000.0, gamma=300.0)]
    sampling = Sampling(chains=64, burn_in=1000, draws=2000)
    found = learning_coefficient(quadratic, NOTHING, [jnp.zeros(10)], settings, sampling)
    value, error = found.value.ravel(), found.statistical.ravel()
    exact, biased = np.transpose([quadratic_truth(setting) for setting in settings])
    assert biased[:2] == pytest.approx([5.1232, 6.6622], abs=1e-4)
    agree(value, error, biased, 0.02)
    agree(found.extrapolated.ravel(), error, exact, 0.02)
    assert found.step_bias.ravel() == pytest.approx(biased - exact, rel=0.05)
    assert np.all(found.noise_bias == 0)
    assert found.equilibrium.ravel() == pytest.approx(1, abs=0.02)


def noisy_quadratic(w, batch):
    """Gradients w − x: each direction has the variance of x, over the size of the batch."""
    return jnp.mean(jnp.sum((w - batch) ** 2, -1)) / 2


def test_noise_of_minibatches_is_measured():
    data = np.random.default_rng(0).normal(size=(2**14, 10)).astype(np.float32)
    data -= data.mean(0)
    setting = Setting(step=5e-5, nbeta=1000.0)
    batches = Minibatches(data, size=64)
    found = learning_coefficient(
        noisy_quadratic, batches, [jnp.zeros(10)], [setting], Sampling(chains=32, burn_in=2000, draws=4000)
    )
    variance = float(jnp.var(batches.batches.mean(1), axis=0).mean())
    exact, biased = quadratic_truth(setting, noise=variance)
    agree(found.value.item(), found.statistical.item(), biased, 0.03)
    agree(found.extrapolated.item(), found.statistical.item(), exact, 0.03)
    assert found.doubt.item() == Doubt.NOISY | Doubt.IMPRECISE  # which is what noise of a tenth makes of an error
    assert found.noise_bias.item() == pytest.approx(exact * setting.step * setting.nbeta**2 * variance / 4, rel=0.5)


def stretched(w, _):
    return jnp.sum(jnp.array([100.0, 1.0, 0.01]) * w**2) / 2


def test_rmsprop_suits_unequal_directions():
    setting = Setting(step=1e-6, nbeta=1000.0)
    sampling = Sampling(RMSpropSGLD(decay=0.999, floor=1e-3), chains=64, burn_in=6000, draws=6000)
    found = learning_coefficient(stretched, NOTHING, [jnp.zeros(3)], [setting], sampling)
    curvature = setting.nbeta * np.array([100.0, 1.0, 0.01])
    agree(found.extrapolated.item(), found.statistical.item(), np.sum(curvature / (curvature + 1)) / 2, 0.03)
    assert found.equilibrium.item() == pytest.approx(1, abs=0.03)


# ---- polynomials of two variables, each a checkpoint of one program


def polynomial(params, _):
    """Σ c_ab x^{2a} y^{2b}"""
    square = jnp.square(params["w"])
    x, y = jnp.stack([jnp.ones(2), square, square**2, square**3], axis=1)
    return x @ params["c"] @ y


def coefficients(*terms):
    c = np.zeros((4, 4), np.float32)
    for a, b in terms:
        c[a, b] = 1
    return c


def polynomial_truth(c, setting):
    """E[nβK] by summing over a logarithmic grid of one quadrant, and what finite steps of SGLD add to first order.

    Langevin steps sample p exp(ε/8 (|∇U|² − 2ΔU)) instead of p ∝ exp(−U), so that nβK gains (ε/8) Cov(nβK, |∇U|² −
    2ΔU).
    """
    t = np.linspace(-16, np.log(9), 1600)
    w, twice = np.exp(t)[:, None], 2 * np.arange(4)
    power, slope, bend = w**twice, twice * w ** (twice - 1.0), twice * (twice - 1) * w ** (twice - 2.0)
    nbeta_c, gamma = setting.nbeta * c.astype(float), setting.gamma
    energy = power @ nbeta_c @ power.T
    slopes = slope @ nbeta_c @ power.T + gamma * w, power @ nbeta_c @ slope.T + gamma * w.T
    bends = bend @ nbeta_c @ power.T + power @ nbeta_c @ bend.T + 2 * gamma
    weight = np.exp(t[:, None] + t - energy - gamma / 2 * (w**2 + w.T**2))
    weight /= weight.sum()
    mean = np.sum(weight * energy)
    return mean, setting.step / 8 * np.sum(weight * (energy - mean) * (slopes[0] ** 2 + slopes[1] ** 2 - 2 * bends))


POLYNOMIALS = {  # terms, λ, E[nβK] at nβ = 1000 and γ = 1
    "w⁴": ([(2, 0)], 0.25, 0.2473),
    "w₁²w₂²": ([(1, 1)], 0.5, 0.3903),
    "w₁² + w₂⁴": ([(1, 0), (0, 2)], 0.75, 0.7471),
    "w₁⁴ + w₂⁶": ([(2, 0), (0, 3)], 1 / 4 + 1 / 6, None),
}


def test_the_sums_of_this_file_are_the_published_ones():
    setting = Setting(1e-3, 1000.0)
    for terms, _, published in POLYNOMIALS.values():
        if published is not None:
            assert polynomial_truth(coefficients(*terms), setting)[0] == pytest.approx(published, abs=1e-4)


POINTS = [{"w": jnp.zeros(2), "c": coefficients(*terms)} for terms, _, _ in POLYNOMIALS.values()]


@pytest.fixture(scope="module")
def sampled():
    """Each polynomial at each setting, by one program."""
    settings = [Setting(2e-3, 1000.0), Setting(2e-3, 100.0), Setting(2e-3, 1000.0, gamma=0.0), Setting(2e-2, 30.0, 0.0)]
    sampling = Sampling(MALA(), chains=64, burn_in=3000, draws=4000)
    return learning_coefficient(polynomial, NOTHING, POINTS, settings, sampling, [Matching("^w$")])


def test_mala_on_monomials_and_normal_crossings(sampled):
    truth = [[polynomial_truth(point["c"], setting)[0] for setting in sampled.settings[:2]] for point in POINTS]
    agree(sampled.value[:, 0, :2], sampled.statistical[:, 0, :2], np.array(truth), 0.03)


def test_sgld_on_monomials_and_normal_crossings_has_the_predicted_bias():
    setting = Setting(2e-4, 1000.0, gamma=10.0)
    sampling = Sampling(chains=64, burn_in=4000, draws=6000)
    found = learning_coefficient(polynomial, NOTHING, POINTS, [setting], sampling, [Matching("^w$")])
    truth, bias = np.transpose([polynomial_truth(point["c"], setting) for point in POINTS])
    agree(found.value.ravel(), found.statistical.ravel(), truth + bias, 0.03)
    assert np.all(found.step_bias.ravel() > bias)  # which does not know how curvature grows


@pytest.mark.parametrize("name", ["w₁² + w₂⁴", "w₁⁴ + w₂⁶"])
def test_monomials_have_their_coefficient_at_any_temperature(sampled, name):
    cell = list(POLYNOMIALS).index(name), 0, slice(2, 4)
    agree(sampled.value[cell], sampled.statistical[cell], POLYNOMIALS[name][1], 0.03)


def test_sgld_on_a_quartic_has_half_the_bias_of_a_quadratic():
    """The first-order bias of w^{2k} without localisation is (ε/8) E|∇U|² / k; `step_bias` does not know k."""

    def quartic(w, _):
        return jnp.sum(w**4)

    sampling = Sampling(chains=256, burn_in=2000, draws=6000)
    found = learning_coefficient(quartic, NOTHING, [jnp.zeros(8)], [Setting(1e-3, 1000.0, gamma=0.0)], sampling)
    agree(found.value.item() - found.step_bias.item() / 2, found.statistical.item(), 8 / 4, 0.01)
    assert found.step_bias.item() > 10 * found.statistical.item()


# ---- deep linear networks


def deep_linear(layers, target):
    product = layers[0]
    for layer in layers[1:]:
        product = layer @ product
    return jnp.sum((product - target) ** 2) / 2


def network(widths, rank):
    """Layers with ones on the first `rank` diagonal entries, and the map they make."""

    def layer(inputs, outputs):
        return jnp.diag(jnp.ones(max(widths)) * (jnp.arange(max(widths)) < rank))[:outputs, :inputs]

    return [layer(*shape) for shape in pairwise(widths)], layer(widths[0], widths[-1])


def two_by_two_truth(nbeta, gamma=1.0):
    """E[nβK] of 2-2-2 at rank 0: one layer integrated out, the singular values s of the other summed over."""
    t = np.linspace(-12, np.log(8), 900)
    square = np.exp(2 * t)
    stiff = gamma + nbeta * square
    weight = np.exp(t - gamma / 2 * square) / stiff
    weight = weight[:, None] * weight * np.abs(square[:, None] - square)
    share = nbeta * square / stiff
    return np.sum(weight * (share[:, None] + share)) / np.sum(weight)


@pytest.mark.parametrize(
    ("widths", "rank", "nbeta", "truth", "spread", "step"),
    [
        ((2, 2, 2), 0, 1000.0, two_by_two_truth(1000.0), 0.0, 4e-4),
        ((3, 3, 3), 1, 1000.0, 3.927, 0.012, 4e-4),
        ((6, 5, 5, 4), 2, 10_000 / np.log(10_000), 10.14, 0.06, 1e-4),
    ],
)
def test_mala_on_deep_linear_networks(widths, rank, nbeta, truth, spread, step):
    """The truths at finite nβ are from long chains of another sampler, to within `spread`; the first is exact."""
    layers, target = network(widths, rank)
    sampling = Sampling(MALA(), chains=32, burn_in=6000, draws=8000)
    found = learning_coefficient(deep_linear, Whole(target), [layers], [Setting(step, nbeta)], sampling)
    agree(found.value.item(), np.hypot(found.statistical.item(), spread), truth, 0.02)
    assert found.value.item() < aoyagi(widths, rank)


def test_sgld_on_a_deep_linear_network_knows_how_much_too_much_it_reads():
    layers, target = network((6, 5, 5, 4), 2)
    setting = Setting(1e-4, 10_000 / np.log(10_000))
    sampling = Sampling(chains=32, burn_in=8000, draws=16_000)
    found = learning_coefficient(deep_linear, Whole(target), [layers], [setting], sampling)
    assert found.value.item() > 13
    assert found.doubt.item() & Doubt.BIASED
    agree(found.extrapolated.item(), np.hypot(found.statistical.item(), 0.06), 10.14, 0.03)
