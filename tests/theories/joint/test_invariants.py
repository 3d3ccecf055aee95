"""Invariants on planted paths: exact, drifting to a known order, and what records must hold."""

import numpy as np
import pytest
import xarray as xr
from scipy.integrate import solve_ivp

from nucleate.theories import ExpLaw, JointInvariant, LinearLaw, SoftmaxLaw

ETA = np.array([0.1, 0.01, 0.001])
RNG = np.random.default_rng(4)
VALUES = RNG.normal(size=(3, 5, 4, 2))
MEAN = np.broadcast_to(RNG.dirichlet(np.ones(4)), (3, 5, 1, 4))


def record(logits, values=VALUES, mean=MEAN):
    dims = ("member", "step", "query", "token")
    return xr.Dataset(
        {
            "values": (("member", "step", "token", "unit"), values),
            "logits": (dims, logits),
            "mean_attention": (dims, np.broadcast_to(mean, logits.shape)),
        },
        coords={"step": np.arange(5), "eta": ("member", ETA)},
    )


def squares():
    return np.square(VALUES).sum(-1)


def softmax_logits(temperature=0.5):
    return (squares() - squares().sum(-1, keepdims=True) * MEAN[:, :, 0]) / (2 * temperature) + 3.0


@pytest.mark.parametrize(
    ("law", "logits"),
    [
        (LinearLaw(), np.sqrt(squares() + 1.0)),
        (ExpLaw(), squares() / 2 - 1.0),
        (SoftmaxLaw(0.5), softmax_logits()),
    ],
    ids=["linear", "exp", "softmax"],
)
def test_logits_that_follow_a_law_are_estimated_exactly(law, logits):
    seen = record(logits[:, :, None])
    fit = JointInvariant(law).fit(seen)
    np.testing.assert_allclose(fit.estimate(seen), logits, atol=1e-12)
    score = fit.score(seen)
    np.testing.assert_allclose(score.cosine, 1, atol=1e-12)
    assert score.drift_end.max() < 1e-12 < score.drift_constant.max()


def test_the_slides_bracket_of_softmax_attention_is_not_conserved():
    seen = record(softmax_logits()[:, :, None])
    assert JointInvariant(SoftmaxLaw(0.5, bracket_of_the_slide=True)).fit(seen).score(seen).drift.max() > 0.1


def softmax_flow(temperature):
    """Logits and V under the gradient flow of two units on one context, with g constant."""
    x, g = np.array([0.5, 0.3, 0.2]), np.array([1.0, -2.0])

    def velocity(t, state):
        z, V = state[:3], state[3:].reshape(3, 2)
        b = x * np.exp(z / temperature) / (x * np.exp(z / temperature)).sum()
        return np.concatenate([(b * (V @ g) - b * (b @ V @ g)) / temperature, np.outer(b, g).ravel()])

    start = np.concatenate([np.zeros(3), 0.3 * np.arange(6.0)])
    path = solve_ivp(velocity, (0, 3), start, "DOP853", [0.0, 1.0, 3.0], rtol=1e-12, atol=1e-14).y.T
    dims = ("member", "step", "query", "token")
    return xr.Dataset(
        {
            "values": (("member", "step", "token", "unit"), path[None, :, 3:].reshape(1, 3, 3, 2)),
            "logits": (dims, path[None, :, None, :3]),
            "mean_attention": (dims, np.broadcast_to(x, (1, 3, 1, 3))),
        },
        coords={"step": np.arange(3), "eta": ("member", [1.0])},
    )


def test_softmax_attention_has_its_invariant_as_far_as_attention_stays_the_same_and_only_by_the_right_bracket():
    def drift(temperature, **how):
        seen = softmax_flow(temperature)
        return JointInvariant(SoftmaxLaw(temperature, **how)).fit(seen).score(seen).drift_end.item()

    assert drift(1000.0) < 1e-4 < drift(10.0)
    assert drift(1000.0, bracket_of_the_slide=True) > 0.1


@pytest.mark.parametrize("order", [1, 2])
def test_the_order_of_a_planted_drift_is_found(order):
    drift = np.arange(5)[:, None] * (ETA**order)[:, None, None] * 1e-2
    fit = JointInvariant(ExpLaw()).fit(record((squares() / 2 + drift)[:, :, None]))
    assert fit.order == pytest.approx(order, abs=0.2)
    assert fit.drift_at(0.01) == pytest.approx(fit.drift_at(0.1) * 10**-fit.order, rel=1e-9)


def test_with_several_queries_only_sums_have_laws():
    parts = RNG.normal(size=(3, 5, 1, 4))
    both = np.concatenate([parts, (squares() / 2)[:, :, None] - parts], axis=2)
    assert JointInvariant(ExpLaw()).fit(record(both)).score(record(both)).drift_end.max() < 1e-12
    with pytest.raises(ValueError, match=r"about one query; the record has 2"):
        JointInvariant(SoftmaxLaw()).fit(record(both))


def test_what_is_missing_is_named():
    with pytest.raises(ValueError, match=r"missing: 'logits'"):
        JointInvariant().fit(record(softmax_logits()[:, :, None]).drop_vars("logits"))
    broken = softmax_logits()[:, :, None].copy()
    broken[0, 0] = np.nan
    with pytest.raises(ValueError, match=r"finite first row"):
        JointInvariant().fit(record(broken))
