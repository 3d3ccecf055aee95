"""Class collapse against sums over pairs, closed forms and what it preserves."""

import itertools

import jax
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from nucleate.theories.effective import collapse_loss, collapse_trajectory, collapse_velocity

TIMES = np.array([0.0, 0.3, 1.0, 3.0, 30.0])


def labelled_points(seed=0, points=14, classes=3):
    rng = np.random.default_rng(seed)
    return rng.normal(size=(points, 2)), 5 * rng.integers(0, classes, size=points) - 2


def by_pairs(points, label):
    pairs = [(x, y) for x, y in itertools.combinations(range(len(points)), 2) if label[x] == label[y]]
    pull = np.zeros_like(points)
    for x, y in pairs:
        pull[x] += points[x] - points[y]
        pull[y] += points[y] - points[x]
    return sum(((points[x] - points[y]) ** 2).sum() for x, y in pairs), pull


def class_means(points, label):
    return np.stack([points[..., label == c, :].mean(axis=-2) for c in np.unique(label)], axis=-2)


@settings(deadline=None, derandomize=True, max_examples=15)
@given(seed=st.integers(0, 2**32 - 1), classes=st.integers(1, 5))
def test_loss_and_velocity_are_sums_over_pairs(seed, classes):
    points, label = labelled_points(seed, classes=classes)
    loss, pull = by_pairs(points, label)
    z = (points**2).sum()
    with jax.enable_x64(True):
        np.testing.assert_allclose(collapse_loss(points, label), loss / z, rtol=1e-10, atol=1e-12)
        np.testing.assert_allclose(
            collapse_velocity(points, label), -2 / z * pull + 2 * loss / z**2 * points, atol=1e-10
        )
        np.testing.assert_allclose(collapse_velocity(points, label, scale_invariant=False), -2 * pull, atol=1e-10)


def test_scale_invariant_flow_preserves_z_and_merely_scales_class_means():
    points, label = labelled_points()
    path = collapse_trajectory(points, label, TIMES)
    z = (path**2).sum(axis=(1, 2))
    np.testing.assert_allclose(z, z[0], rtol=1e-8)
    means = class_means(path, label)
    growth = np.linalg.norm(means, axis=(1, 2)) / np.linalg.norm(means[0])
    np.testing.assert_allclose(means, growth[:, None, None] * means[0], atol=1e-8)
    assert np.all(np.diff(growth) > 0)


def test_plain_flow_collapses_each_class_onto_a_mean_that_does_not_move():
    points, label = labelled_points()
    path = collapse_trajectory(points, label, TIMES, scale_invariant=False)
    z = (path**2).sum(axis=(1, 2))
    assert z[-1] < 0.9 * z[0]
    np.testing.assert_allclose(class_means(path, label) - class_means(points, label), 0, atol=1e-9)
    inverse = np.unique(label, return_inverse=True)[1]
    np.testing.assert_allclose(path[-1], class_means(points, label)[inverse], atol=1e-8)


def test_plain_flow_collapses_to_zero_where_the_mean_is_zero():
    points, _ = labelled_points()
    points -= points.mean(axis=0)
    label = np.zeros(len(points), int)
    assert np.abs(collapse_trajectory(points, label, TIMES, scale_invariant=False)[-1]).max() < 1e-8
    # One class around 0: all shrinks alike, so that at fixed Z nothing moves. The mean grows e-fold in
    # each Z/2n, so that rounding would end this balance at the last of the times.
    still = collapse_trajectory(points, label, TIMES)[:-1]
    np.testing.assert_allclose(still, np.broadcast_to(points, still.shape), atol=1e-8)


@pytest.mark.parametrize("scale_invariant", [True, False])
def test_trajectory_meets_the_closed_form(scale_invariant):
    """Deviations from a class mean decay as e^{−2 n t}, or e^{−2 n t/Z} under the first norm."""
    points, label = labelled_points(1)
    _, inverse, count = np.unique(label, return_inverse=True, return_counts=True)
    mean, z = class_means(points, label)[inverse], (points**2).sum()
    rate = 2 * count[inverse] / (z if scale_invariant else 1)
    expected = mean + np.exp(-rate * TIMES[:, None])[..., None] * (points - mean)
    if scale_invariant:
        expected *= np.sqrt(z / (expected**2).sum(axis=(1, 2), keepdims=True))
    path = collapse_trajectory(points, label, TIMES, scale_invariant=scale_invariant)
    np.testing.assert_allclose(path, expected, atol=1e-8)
