"""The landmarks of potentials with known ones."""

import dataclasses

import numpy as np
import pytest
from planted_pairs import STEPS

from nucleate.observables import equations, in_well_fraction, parallelograms
from nucleate.theories import NoSymmetry, PairPotential
from nucleate.theories.pairs import (
    aligned_potentials,
    bow_place,
    co_location,
    crater,
    landmarks,
    quadratic_region,
    with_quadratic_attraction,
)

R = np.linspace(-3, 3, 1201)


def test_a_quadratic_is_quadratic_everywhere():
    found = quadratic_region(R, 2 * R**2 + 5)
    assert found.half_width == pytest.approx(3)
    assert (found.curvature, found.offset) == pytest.approx((2, 5))


def test_a_well_is_quadratic_in_a_window_that_grows_with_it():
    widths = [quadratic_region(R, 1 - np.exp(-((R / s) ** 2))).half_width for s in (0.5, 1.0)]
    assert 0.1 < widths[0] < 0.5
    assert widths[1] == pytest.approx(2 * widths[0], rel=0.05)


def test_the_window_is_the_widest():
    f = 1 - np.exp(-(R**2))
    found = quadratic_region(R, f)

    def r2(width):
        inside = np.abs(R) <= width + 1e-9
        fitted = np.polyval(np.polyfit(R[inside] ** 2, f[inside], 1), R[inside] ** 2)
        return 1 - np.var(f[inside] - fitted) / np.var(f[inside])

    assert r2(found.half_width) == pytest.approx(found.r2)
    assert r2(found.half_width) >= 0.999 > r2(found.half_width + 0.01)


def test_a_cusp_is_nowhere_quadratic():
    assert quadratic_region(R, np.abs(R)).half_width == 0


def test_landmarks_of_a_double_well():
    higgs = (R**2 - 4) ** 2 / 16
    found = landmarks(R, higgs)
    assert found.minimum == pytest.approx(2, abs=0.01)
    assert found.barrier == pytest.approx(1, abs=0.01)
    plain = landmarks(R, np.tanh(R) ** 2)
    assert np.isnan(plain.minimum)
    assert 0.66 < plain.well_edge < 2


def test_features_at_one_length_have_ratio_one():
    bow = 1 - np.exp(-(R**2) / 2) - 0.2 * np.exp(-(((np.abs(R) - 2) / 0.4) ** 2))
    found = co_location(R, bow, (R**2 - 4) ** 2)
    assert found.ratio == pytest.approx(1, abs=0.15)
    assert found.repulsive == pytest.approx(2, abs=0.01)


def test_a_bow_has_one_place_whether_or_not_it_is_deep_enough_for_a_minimum():
    """The same bow on a rising flank, ever less deep: the minimum goes, the place hardly moves."""
    wells = [np.abs(R) - np.tanh(4 * (np.abs(R) - 2)) / 4 * depth for depth in (1.2, 0.8)]
    assert np.isfinite(crater(R, wells[0]))
    assert np.isnan(crater(R, wells[1]))
    for well in wells:
        assert bow_place(R, well) == pytest.approx(2, abs=0.02)
    assert bow_place(R, R**2 / (1 + R**2)) == pytest.approx(3, abs=0.02)  # no bow: the end of the data


def test_aligned_potentials_differ_by_shape_only():
    same = np.stack([R**2, R**2 + 7])
    assert np.ptp(aligned_potentials(R, same, half_width=0.5), axis=0).max() < 1e-12
    with pytest.raises(ValueError, match="half_width"):
        aligned_potentials(R[R > 1], same[:, R > 1], half_width=0.5)


def test_without_its_edge_the_well_catches_every_pair(fit):
    spring = with_quadratic_attraction(fit)
    r = np.array([0.0, 0.1, 10.0])
    found = spring.potential(r)
    assert found.same[1] == pytest.approx(0.05 * 0.1**2 / 2, rel=0.15)  # the widest window is already a little flat
    assert found.same[2] == pytest.approx(100 * found.same[1] * 100)
    assert np.array_equal(found.different, fit.potential(r).different)
    i, j = np.triu_indices(10)
    rows = equations(np.stack([i, j], axis=1), parallelograms(i + j), tokens=10)
    x0 = 2 * np.random.default_rng(5).normal(size=(8, 10, 1))
    times = np.linspace(0, 50, STEPS)
    caught = [in_well_fraction(f.simulate(x0, times)[:, -1], rows, 1.0).mean() for f in (fit, spring)]
    assert caught[1] > caught[0]


def test_without_displacements_there_is_no_spring(fit):
    with pytest.raises(ValueError, match="NoSymmetry has none"):
        with_quadratic_attraction(dataclasses.replace(fit, theory=PairPotential(NoSymmetry())))
