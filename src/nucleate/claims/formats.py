"""Numbers as a reader wants them (three digits that mean something, and no floating-point dust), and errors."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

DUST = 1e-15
"""Below this a number is rounding error and is written as 0."""

_SUPERSCRIPTS = str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹")


def number(value: float | int | None) -> str:
    """Three significant digits; whole numbers in full up to a million; a dash for what was not measured.

    >>> [number(value) for value in (0.12345, 41.0, 12345, 3.2e-5, 4.56e7, 1e-17, 3e-12, 0.99999, None)]
    ['0.123', '41', '12,345', '3.2×10⁻⁵', '4.56×10⁷', '0', '<10⁻⁹', '>0.999', '–']
    """
    if value is None:
        return "–"
    if math.isnan(value):
        return "not a number"
    sign, size = ("−" if value < 0 else ""), abs(value)
    if math.isinf(size):
        return f"{sign}∞"
    if size < DUST:
        return "0"
    if size < 1e-9:
        return ">−10⁻⁹" if sign else "<10⁻⁹"
    if 0.9995 <= size < 1:  # a correlation or an accuracy that is not quite 1 must not read as 1
        return "<−0.999" if sign else ">0.999"
    if size < 1e-3 or size >= 999_999.5:
        digits, exponent = f"{size:.2e}".split("e")
        digits = digits.rstrip("0").rstrip(".")
        return f"{sign}{digits}×10{str(int(exponent)).translate(_SUPERSCRIPTS)}"
    if size >= 999.5:
        return f"{sign}{size:,.0f}"
    return f"{sign}{size:.3g}"


def interval(bounds: Sequence[float | int | None] | None, *, always: bool = False) -> str:
    """A confidence interval in brackets; nothing for an exact number, which is its own, unless it is wanted `always`.

    >>> interval([0.91234, 0.97]), interval([2, 2]), interval([2, 2], always=True), interval(None)
    ('[0.912, 0.97]', '', '[2, 2]', '')
    """
    if bounds is None or (bounds[0] == bounds[-1] and not always):
        return ""
    return f"[{', '.join(number(bound) for bound in bounds)}]"


def duration(seconds: float | int | None) -> str:
    """A time span in its natural unit.

    >>> [duration(seconds) for seconds in (0.02, 24.3, 600, 9000, None)]
    ['<0.1 s', '24.3 s', '10 min', '2.5 h', '–']
    """
    if seconds is None:
        return "–"
    if seconds < 0.1:
        return "<0.1 s" if seconds > 0 else "0 s"
    for size, unit in ((3600, "h"), (60, "min")):
        if seconds >= 2 * size:
            return f"{number(seconds / size)} {unit}"
    return f"{number(seconds)} s"


def medians(column: np.ndarray, values: np.ndarray, form: str) -> str:
    """The median of `values` at each value of a hyperparameter's column, in the format `form`.

    >>> medians(np.array([0.1, 0.1, 0.1, 2]), np.array([3, 4, 8, 5]), ".1f")
    '4.0 at 0.1, 5.0 at 2'
    """
    return ", ".join(f"{format(np.median(values[column == v]), form)} at {v:.3g}" for v in np.unique(column))


def in_one_line(error: Exception) -> str:
    """What went wrong, without what a traceback is for: the kind of error and the first line of its message.

    >>> in_one_line(ValueError("no data\\nin 40 places"))
    'ValueError: no data'
    """
    first = next(iter(str(error).splitlines()), "")
    return f"{type(error).__name__}: {first}".removesuffix(": ").removesuffix(".")
