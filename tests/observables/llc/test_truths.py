from fractions import Fraction
from itertools import combinations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from nucleate.observables import aoyagi


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
