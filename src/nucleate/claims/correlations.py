"""Correlations of two columns, and of the same columns in many resamples at once."""

import math
from collections.abc import Callable

import numpy as np


def spearman(x: np.ndarray, y: np.ndarray) -> float:
    """Rank correlation; NaN where a column is constant.

    >>> spearman(np.array([1, 2, 3]), np.array([10, 40, 90]))
    1.0
    """
    _refuse_unequal("spearman", x, y)
    return float(_spearman(x, y))


def partial_spearman(x: np.ndarray, y: np.ndarray, given: np.ndarray) -> float:
    """Rank correlation of what a third column leaves unexplained; NaN where nothing is left of a column.

    The ranks of `given` are regressed out of those of both [kendall1942partial].

    >>> size = np.array([1, 2, 3, 4, 5, 6])
    >>> round(partial_spearman(size + [0, 1, 0, 1, 0, 1], size + [0, 1, 0, 1, 0, 1], size), 12)
    1.0
    """
    return float(_partial_spearman(x, y, given))


def unexplained_ranks(column: np.ndarray, given: np.ndarray) -> np.ndarray:
    """What the ranks of another column leave unexplained of a column's own, which are centred.

    >>> unexplained_ranks(np.array([10, 20, 40, 30]), np.array([1, 2, 2, 1])).tolist()
    [-1.0, -1.0, 1.0, 1.0]
    """
    ranks, known = _centred_ranks(column), _centred_ranks(given)
    spread = np.sum(known**2, axis=-1, keepdims=True)
    ranks = ranks - known * np.sum(ranks * known, axis=-1, keepdims=True) / np.where(spread > 0, spread, 1)
    # What is left of a column that `given` explains is rounding error.
    return np.where(np.abs(ranks) < 1e-9, 0.0, ranks)


def pearson(x: np.ndarray, y: np.ndarray) -> float:
    """Linear correlation; NaN where a column is constant.

    >>> round(pearson(np.array([0, 1, 2]), np.array([0, -1, -2])), 12)
    -1.0
    """
    _refuse_unequal("pearson", x, y)
    return float(_pearson(x, y))


def _refuse_unequal(what: str, x: np.ndarray, y: np.ndarray) -> None:
    if np.shape(x) != np.shape(y):
        raise ValueError(f"{what}: x and y must have equal shapes; got {np.shape(x)} and {np.shape(y)}.")


# --- of each row -----------------------------------------------------------------------------------------------------


def _spearman(x: np.ndarray, y: np.ndarray) -> np.ndarray:
    return _pearson(_centred_ranks(x), _centred_ranks(y))


def _partial_spearman(x: np.ndarray, y: np.ndarray, given: np.ndarray) -> np.ndarray:
    return _pearson(unexplained_ranks(x, given), unexplained_ranks(y, given))


def _pearson(x: np.ndarray, y: np.ndarray) -> np.ndarray:
    if not np.size(x):
        return np.full(np.shape(x)[:-1], math.nan)
    # Asked first: a mean is rounded, so a constant column minus its mean need not be zero.
    constant = (np.max(x, axis=-1) == np.min(x, axis=-1)) | (np.max(y, axis=-1) == np.min(y, axis=-1))
    x, y = (np.asarray(each, float) - np.mean(each, axis=-1, keepdims=True) for each in (x, y))
    scale = np.sqrt(np.sum(x * x, axis=-1) * np.sum(y * y, axis=-1))
    known = ~constant & (scale > 0)
    return np.where(known, np.sum(x * y, axis=-1) / np.where(known, scale, 1), math.nan)


def _centred_ranks(values: np.ndarray) -> np.ndarray:
    """Ranks minus their mean, where equals share the mean of theirs, and next to a NaN nothing has a rank."""
    values = np.asarray(values)
    order = np.argsort(values, axis=-1)
    ordered = np.take_along_axis(values, order, axis=-1)
    place = np.broadcast_to(np.arange(values.shape[-1]), values.shape)
    other = ordered[..., 1:] != ordered[..., :-1]
    first, last = place.copy(), place.copy()
    first[..., 1:] *= other
    last[..., :-1] = np.where(other, last[..., :-1], values.shape[-1])
    first = np.maximum.accumulate(first, axis=-1)
    last = np.minimum.accumulate(last[..., ::-1], axis=-1)[..., ::-1]
    ranks = np.empty(values.shape)
    np.put_along_axis(ranks, order, (first + last - values.shape[-1] + 1) / 2, axis=-1)
    return np.where(np.isnan(values).any(axis=-1, keepdims=True), math.nan, ranks)


OF_EACH_ROW: dict[Callable, Callable[..., np.ndarray]] = {
    pearson: _pearson,
    spearman: _spearman,
    partial_spearman: _partial_spearman,
}
"""The same functions of every row of arrays [..., unit]."""
