"""Laws of the clock, and regimes that were planted."""

import numpy as np
import pytest

from nucleate.theories.scanning import clock_law, gain_bounds, snapping_time, two_regimes

TIME = np.geomspace(1, 1e6, 300)


def test_law_is_the_formula_and_never_negative():
    t = 1e4
    expected = np.log(2 + 2 * 3 * 0.1 * np.log(40 * t / 3) ** 2)
    np.testing.assert_allclose(clock_law(np.array([t]), 0.1, 3, 40, C0=2.0), [expected], rtol=1e-12)
    assert np.all(clock_law(np.array([0.0, 1e-3, 1.0]), 0.1, 3, 40, C0=0.1) >= 0)


def test_snapping_begins_later_for_a_slower_decoder():
    assert snapping_time(0.1, 2, 34) == pytest.approx(10 * snapping_time(1.0, 2, 34))


def test_bounds_meet_where_all_attention_is_on_one_token():
    low, high = gain_bounds(np.array([0.3, 2.0]), 1.0)
    np.testing.assert_array_equal(low, high)


def test_a_clock_that_snaps_is_told_from_one_that_scans():
    turn = 50.0
    snapping = np.where(turn > TIME, np.log(TIME) ** 2, 15.3 + 5 * np.log(np.log(np.maximum(TIME, 2)) / np.log(turn)))
    found = two_regimes(TIME, snapping)
    assert turn / 2 < found.turn < 2 * turn
    assert found.rate == pytest.approx(5, rel=0.1)
    assert found.missed_loglog < 0.3 * found.missed_log
    assert found.slowing < 0.2
    scanning = two_regimes(TIME, 3 * np.log(TIME))
    assert scanning.slowing == pytest.approx(1, rel=0.05)


def test_a_history_that_is_too_short_has_no_regimes():
    found = two_regimes(np.array([0.0, 1.0, 2.0]), np.zeros(3))
    assert np.isnan([found.turn, found.rate, found.slowing]).all()
