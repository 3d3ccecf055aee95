import itertools

import numpy as np
import pytest

from nucleate.theories import Regimes, Window
from nucleate.theories.power_laws.regimes import _line_squares


def broken(time, cuts, exponents):
    """A continuous curve with the given exponents between the given times."""
    y, edges = np.zeros(len(time)), [time[0], *cuts, np.inf]
    for (low, high), exponent in zip(itertools.pairwise(edges), exponents, strict=True):
        y -= exponent * np.log(np.clip(time, low, high) / low)
    return y


@pytest.mark.parametrize(
    ("cuts", "exponents"), [([], [0.3]), ([2000.0], [0.1, 0.8]), ([2000.0, 10000.0], [0.0, 1.0, 0.2])]
)
@pytest.mark.parametrize("schedule", ["even", "logarithmic"])
def test_planted_change_points_are_found(cuts, exponents, schedule):
    time = np.arange(256.0, 64001.0, 256.0) if schedule == "even" else np.geomspace(200.0, 64000.0, 150)
    noise = 0.02 * np.random.default_rng(0).normal(size=len(time))
    found = Regimes().of(time, -np.exp(broken(time, cuts, exponents) + noise))
    assert len(found) == len(exponents)
    for (_, end), (start, _), cut in zip(found[:-1], found[1:], cuts, strict=True):
        assert 0.7 < end / cut < 1.35
        assert 0.7 < start / cut < 1.5
    assert found[0][0] == time[0]
    assert found[-1][1] == time[-1]


def test_correlated_errors_ask_for_a_higher_penalty():
    """One straight piece under errors that are correlated from row to row by 0.9, a hundred times over."""
    rng, time = np.random.default_rng(3), np.geomspace(200.0, 64000.0, 150)
    error = np.zeros((100, 150))
    for row in range(1, 150):
        error[:, row] = 0.9 * error[:, row - 1] + 0.02 * rng.normal(size=100)
    history = np.exp(error) * time**-0.3

    def alone(penalty):
        return np.mean([len(Regimes(penalty=penalty).of(time, each)) == 1 for each in history])

    assert alone(penalty=1.0) < 0.1
    assert alone(penalty=10.0) > 0.9


def test_cuts_are_the_best_of_all():
    """Against trying every cut of a short history into two pieces."""
    rng = np.random.default_rng(2)
    time = np.geomspace(1.0, 100.0, 16)
    y = np.where(time < 12, -np.log(time), np.log(time)) + 0.1 * rng.normal(size=16)

    def squares(rows):
        x = np.log(time[rows])
        return np.sum((y[rows] - np.polyval(np.polyfit(x, y[rows], 1), x)) ** 2)

    best = min(range(5, 12), key=lambda cut: squares(slice(0, cut)) + squares(slice(cut, 16)))
    assert Regimes(most=2).of(time, np.exp(y)) == [(time[0], time[best - 1]), (time[best], time[-1])]
    cost = _line_squares(np.log(time), y, 0.0)
    np.testing.assert_allclose(cost[3, 11], squares(slice(3, 12)), rtol=1e-8)
    assert np.isinf(cost[3, 6])


def test_pieces_are_as_long_as_asked_and_no_more_than_asked():
    time = np.geomspace(1.0, 1000.0, 100)
    zigzag = np.exp(np.abs((np.log(time) % 1) - 0.5))
    pieces = Regimes(most=20, octaves=1.0).of(time, zigzag)
    assert all(end / start >= 1.99 for start, end in pieces)
    assert len(Regimes(most=2).of(time, zigzag)) <= 2
    assert len(Regimes(most=20, penalty=1e4).of(time, zigzag)) == 1


def test_a_short_history_has_no_regime_or_one():
    assert Regimes().of(np.arange(1.0, 4.0), np.ones(3)) == []
    assert Regimes().of(np.arange(100.0, 106.0), np.ones(6)) == [(100.0, 105.0)]
    assert Window(3.0, 5.0).of(np.arange(1.0, 9.0), np.ones(8)) == []


def test_bad_windows():
    with pytest.raises(ValueError, match=r"Window\.end must be > start = 5\.0; got 2\.0"):
        Window(5.0, 2.0)
    with pytest.raises(ValueError, match=r"Regimes\.most must be >= 1; got 0"):
        Regimes(most=0)
    with pytest.raises(ValueError, match=r"octaves must be > 0; got 0"):
        Regimes(octaves=0.0)
