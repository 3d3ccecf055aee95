"""The correlation of an embedding with a spectrum, and what chance makes of it."""

import numpy as np
import pytest

from nucleate.observables import chance_correlation, spectral_correlation


def frame(edges: int, count: int, seed: int) -> np.ndarray:
    return np.linalg.qr(np.random.default_rng(seed).normal(size=(edges, count)))[0]


def test_neither_rotation_nor_scale_nor_shift_matters():
    rng = np.random.default_rng(1)
    points, target = rng.normal(size=(10, 6)), frame(10, 3, 2)
    turned = 5 * points @ np.linalg.qr(rng.normal(size=(6, 6)))[0] + rng.normal(size=6)
    assert spectral_correlation(turned, target) == pytest.approx(spectral_correlation(points, target))


def test_one_direction_gives_pearsons_correlation():
    x, y = np.random.default_rng(3).normal(size=(2, 12))
    found = spectral_correlation(np.outer(x, [2.0, -1.0]), y[:, None])
    assert found == pytest.approx(abs(np.corrcoef(x, y)[0, 1]))


def test_strong_directions_come_first():
    """A target in the weaker of two directions is found with two directions, and not with one."""
    base = frame(12, 3, 4)
    centred = np.linalg.qr(base - base.mean(0))[0]
    points = centred @ np.diag([3.0, 1.0, 0.1])
    assert spectral_correlation(points, centred[:, 1:2]) == pytest.approx(0, abs=1e-12)
    assert spectral_correlation(points, centred[:, 1:2], directions=2) == pytest.approx(1)


@pytest.mark.parametrize(("edges", "count", "columns"), [(8, 1, 48), (9, 3, 48), (7, 4, 5)])
def test_chance_is_that_of_random_matrices(edges, count, columns):
    rng, target = np.random.default_rng(5), frame(edges, count, 6)
    drawn = [spectral_correlation(rng.normal(size=(edges, columns)), target) for _ in range(800)]
    assert np.sqrt(np.mean(np.square(drawn))) == pytest.approx(chance_correlation(edges, count), abs=0.02)


def test_any_linear_map_of_a_wide_matrix_reaches_everything():
    noise, target = np.random.default_rng(7).normal(size=(9, 48)), frame(9, 4, 8)
    assert spectral_correlation(noise, target, 48) == pytest.approx(1)
    assert chance_correlation(9, 48) == 1


def test_what_does_not_vary_correlates_with_nothing():
    assert spectral_correlation(np.ones((5, 3)), frame(5, 2, 9)) == 0
    assert np.isnan(spectral_correlation(np.eye(5), np.ones((5, 1))))
    assert np.isnan(chance_correlation(1, 1))
