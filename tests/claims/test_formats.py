import math

import pytest

from nucleate.claims.formats import duration, in_one_line, interval, number


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (0, "0"),
        (0.0, "0"),
        (-0.0, "0"),
        (1e-17, "0"),
        (-3e-16, "0"),
        (2e-12, "<10⁻⁹"),
        (-2e-12, ">−10⁻⁹"),
        (1, "1"),
        (1.0, "1"),
        (0.5, "0.5"),
        (0.123456, "0.123"),
        (-0.123456, "−0.123"),
        (0.99949, "0.999"),
        (0.9999999, ">0.999"),
        (-0.99999, "<−0.999"),
        (1.0001, "1"),
        (12.345, "12.3"),
        (999.4, "999"),
        (999.9, "1,000"),
        (1234, "1,234"),
        (10_000, "10,000"),
        (999_999, "999,999"),
        (999_999.9, "1×10⁶"),
        (1_234_567, "1.23×10⁶"),
        (0.001, "0.001"),
        (0.00012345, "1.23×10⁻⁴"),
        (3e-9, "3×10⁻⁹"),
        (math.inf, "∞"),
        (-math.inf, "−∞"),
        (math.nan, "not a number"),
        (None, "–"),
    ],
)
def test_numbers(value, text):
    assert number(value) == text


def test_intervals():
    assert interval(None) == ""
    assert interval([1e-18, 0.25]) == "[0, 0.25]"
    assert interval((-math.inf, 2)) == "[−∞, 2]"
    assert interval((2.0, 2.0)) == ""
    assert interval((2.0, 2.0), always=True) == "[2, 2]"


@pytest.mark.parametrize(
    ("seconds", "text"),
    [(0, "0 s"), (0.01, "<0.1 s"), (24.25, "24.2 s"), (119, "119 s"), (120, "2 min"), (7200, "2 h"), (None, "–")],
)
def test_durations(seconds, text):
    assert duration(seconds) == text


@pytest.mark.parametrize(
    ("error", "text"),
    [
        (ValueError("no data."), "ValueError: no data"),
        (ValueError("\nlong\nstory"), "ValueError"),
        (KeyError("x"), "KeyError: 'x'"),
        (RuntimeError(), "RuntimeError"),
    ],
)
def test_errors_in_one_line(error, text):
    assert in_one_line(error) == text
