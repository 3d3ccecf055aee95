"""Polygons in closed form."""

import jax
import numpy as np
import pytest

from nucleate.observables import pca_spectrum, polygon_residual, principal_components


def polygon(corners: int) -> np.ndarray:
    angle = 2 * np.pi * np.arange(corners) / corners
    return np.stack([np.cos(angle), np.sin(angle)], axis=1)


@pytest.mark.parametrize("corners", [3, 4, 5, 6, 10])
def test_affine_images_of_a_regular_polygon_are_polygons_in_any_order(corners):
    rng = np.random.default_rng(corners)
    for _ in range(5):
        points = polygon(corners)[rng.permutation(corners)] @ rng.normal(size=(2, 2)) + rng.normal(size=2)
        assert float(polygon_residual(points)) == pytest.approx(0, abs=1e-4)


def test_points_on_a_line_or_in_one_place_are_no_polygon():
    assert float(polygon_residual(np.outer(np.arange(6.0), [1.0, 2.0]))) == 1
    assert float(polygon_residual(np.ones((6, 2)))) == 1


def test_the_residual_grows_with_noise():
    rng = np.random.default_rng(0)
    residual = [
        np.mean([float(polygon_residual(polygon(6) + s * rng.normal(size=(6, 2)))) for _ in range(20)])
        for s in (0.03, 0.1, 0.3)
    ]
    assert residual == sorted(residual)
    assert residual[0] < 0.01


def test_a_triangle_whose_corners_are_double_is_no_hexagon():
    """By hand: z = (1, 1, w, w, w², w²) with w = e^(2πi/3) has |Σ z e^(−2πik/6)|² = 27, and n Σ|z|² = 36."""
    assert float(polygon_residual(np.repeat(polygon(3), 2, axis=0))) == pytest.approx(1 - 27 / 36, abs=1e-3)


def test_principal_components_have_the_variances_of_the_spectrum():
    embedding = np.random.default_rng(0).normal(size=(6, 9)) * np.arange(1, 10)
    components = np.asarray(principal_components(embedding))
    variance = (components**2).sum(0)
    assert variance / variance.sum() == pytest.approx(np.asarray(pca_spectrum(embedding)), abs=1e-5)
    assert components.T @ components == pytest.approx(np.diag(variance), abs=1e-3)
    distance = lambda x: np.linalg.norm(x[:, None] - x, axis=-1)
    assert distance(components) == pytest.approx(distance(embedding), rel=1e-3, abs=1e-3)


def test_maps_over_networks():
    drawn = np.random.default_rng(0).normal(size=(4, 6, 2))
    assert jax.vmap(polygon_residual)(drawn).shape == (4,)
