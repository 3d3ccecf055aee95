from fractions import Fraction
from itertools import combinations, pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.integrate import quad

from nucleate.observables import aoyagi, linear_excess, polynomial_excess


def by_conditions(widths, rank):
    """The theorem as it is stated: try every set of layers against its three conditions."""
    excess = [width - rank for width in widths]
    found = set()
    for count in range(2, len(widths) + 1):
        for chosen in combinations(range(len(widths)), count):
            inside = [excess[i] for i in chosen]
            outside = [excess[i] for i in range(len(widths)) if i not in chosen]
            s, layers = sum(inside), count - 1
            if s < layers * max(inside) or (outside and not (max(inside) < min(outside) and s < layers * min(outside))):
                continue
            a = s - layers * (-(-s // layers) - 1)
            value = Fraction(rank * (widths[0] + widths[-1]) - rank**2, 2) + Fraction(a * (layers - a), 4 * layers)
            value -= Fraction(layers * (layers - 1), 4) * Fraction(s, layers) ** 2
            found.add(value + Fraction(sum(x * y for x, y in combinations(inside, 2)), 2))
    (value,) = found
    return value


@pytest.mark.parametrize(
    ("widths", "rank", "value"),
    [((2, 2, 2), 0, 1.5), ((3, 3, 3), 1, 4), ((6, 5, 5, 4), 2, 10.5), ((1, 1, 1, 1), 0, 0.5)],
)
def test_values_of_the_literature(widths, rank, value):
    assert aoyagi(widths, rank) == value


@given(st.lists(st.integers(1, 8), min_size=2, max_size=5), st.data())
def test_is_the_theorem(widths, data):
    rank = data.draw(st.integers(0, min(widths)))
    assert aoyagi(widths, rank) == by_conditions(widths, rank)


@given(st.integers(1, 9), st.integers(1, 9), st.data())
def test_one_layer_is_regular(inputs, outputs, data):
    rank = data.draw(st.integers(0, min(inputs, outputs)))
    assert aoyagi((inputs, outputs), rank) == Fraction(inputs * outputs, 2)


@given(st.lists(st.integers(1, 8), min_size=2, max_size=5))
def test_full_rank_leaves_the_dimension_of_the_matrices_of_that_rank(widths):
    rank = min(widths)
    assert aoyagi(widths, rank) == Fraction(rank * (widths[0] + widths[-1] - rank), 2)


@pytest.mark.parametrize(
    ("widths", "rank", "message"),
    [
        ((3,), 0, r"two or more numbers >= 1; got \(3,\)"),
        ((3, 0), 0, r"two or more numbers >= 1; got \(3, 0\)"),
        ((3, 2), 3, "between 0 and the smallest width, 2; got 3"),
        ((3, 2), -1, "between 0 and the smallest width, 2; got -1"),
    ],
)
def test_impossible_networks_are_named(widths, rank, message):
    with pytest.raises(ValueError, match=message):
        aoyagi(widths, rank)


# ---- at finite nβ and γ


def powers(*terms):
    c = np.zeros([4] * len(terms[0]))
    c[tuple(np.transpose(terms))] = 1.0
    return c


def test_a_quadratic_and_a_power_have_closed_forms():
    assert polynomial_excess(powers((1, 0), (0, 1)), 50.0, 4.0) == pytest.approx(100 / 104, rel=1e-6)
    for k in (1, 2, 3):
        assert polynomial_excess(powers((k,)), 1e4, 1e-2) == pytest.approx(1 / (2 * k), rel=1e-3)


@pytest.mark.parametrize(("nbeta", "gamma"), [(30.0, 1.0), (1e4, 1.0), (1e3, 10.0)])
def test_a_crossing_is_its_integral_over_one_variable_by_hand(nbeta, gamma):
    """∫ dy exp(−(nβx² + γ/2) y²) is done by hand, ∫ dx by SciPy."""

    def moment(power):
        edges = np.geomspace(1e-6, 9 / gamma**0.5, 12)
        weight = lambda x: np.exp(-gamma * x**2 / 2) * (gamma + 2 * nbeta * x**2) ** -0.5
        share = lambda x: weight(x) * (nbeta * x**2 / (gamma + 2 * nbeta * x**2)) ** power
        return sum(quad(share, *ends)[0] for ends in pairwise([0.0, *edges]))

    assert polynomial_excess(powers((1, 1)), nbeta, gamma) == pytest.approx(moment(1) / moment(0), rel=1e-5)


def test_independent_parts_add_up():
    whole = polynomial_excess(powers((1, 1, 0), (0, 0, 2)), 1000.0, 1.0)
    parts = polynomial_excess(powers((1, 1)), 1000.0, 1.0) + polynomial_excess(powers((2,)), 1000.0, 1.0)
    assert whole == pytest.approx(parts, rel=1e-4)


def test_linear_networks_are_the_same_backwards_and_a_crossing_if_narrow():
    assert linear_excess((1, 1, 1), 1000.0, 1.0) == pytest.approx(polynomial_excess(powers((1, 1)) / 2, 1000.0, 1.0))
    for widths in ((1, 2, 1), (2, 1, 2), (1, 3, 2), (2, 2, 1)):
        assert linear_excess(widths, 1000.0, 1.0) == pytest.approx(linear_excess(widths[::-1], 1000.0, 1.0), rel=1e-6)
    assert linear_excess((1, 2, 1), 1e7, 1.0) == pytest.approx(float(aoyagi((1, 2, 1), 0)), abs=0.001)


@pytest.mark.parametrize(
    ("truth", "message"),
    [
        (lambda: polynomial_excess(np.zeros((2,) * 4), 1.0, 1.0), "c must have 1 to 3 axes"),
        (lambda: polynomial_excess(np.array([0.0, -1.0]), 1.0, 1.0), "no negative entry"),
        (lambda: polynomial_excess(np.array([0.0, 1.0]), 1.0, 0.0), "gamma must be > 0"),
        (lambda: linear_excess((3, 3, 1), 1.0, 1.0), "one of the first two at most 2"),
        (lambda: linear_excess((1, 0, 1), 1.0, 1.0), "must be >= 1"),
    ],
)
def test_what_has_no_quadrature_is_named(truth, message):
    with pytest.raises(ValueError, match=message):
        truth()
