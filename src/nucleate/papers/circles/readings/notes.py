"""Averages that nothing at all does not break, and how notes word them."""

import math
from collections.abc import Callable

import numpy as np
from numpy.typing import ArrayLike


def mean(values: ArrayLike) -> float:
    """The mean of the values that are not NaN; NaN if there is none.

    >>> mean([1.0, 3.0, np.nan]), mean([])
    (2.0, nan)
    """
    return _of_known(np.mean, values)


def median(values: ArrayLike) -> float:
    """The median of the values that are not NaN; NaN if there is none.

    >>> median([1.0, 2.0, np.inf]), median([np.nan])
    (2.0, nan)
    """
    return _of_known(np.median, values)


def _of_known(average: Callable, values: ArrayLike) -> float:
    known = np.asarray(values, float)
    known = known[~np.isnan(known)]
    return float(average(known)) if known.size else math.nan


def told(value: float, form: str = ".3g") -> str:
    """A number in words; a dash for NaN.

    >>> told(0.256, ".0%"), told(math.nan)
    ('26%', '–')
    """
    return "–" if math.isnan(value) else f"{value:{form}}"


def by_value(
    column: np.ndarray, values: np.ndarray, form: str = ".3g", average: Callable[[ArrayLike], float] = mean
) -> str:
    """An average for each value of a column, in words.

    >>> by_value(np.array([13, 13, 59]), np.array([2.0, 3.0, np.nan]), ".1f")
    '13: 2.5, 59: –'
    """
    found = {value: average(values[column == value]) for value in np.unique(column).tolist()}
    return ", ".join(f"{value:.3g}: {told(each, form)}" for value, each in found.items())
