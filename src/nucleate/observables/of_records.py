"""Observables asked of a record: `record.nucleate.rqi()`, for every member at every step.

One table has the observables that there are, with what they are called in figures. What each needs is in its signature:
an argument is a variable of the record, or is made by another observable.
"""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
import xarray as xr

from nucleate.hypertext import Html, table
from nucleate.observables.along import Sources, understood
from nucleate.observables.circles import circularity, margin, roundness, separation, survivor_count, survivors
from nucleate.observables.configurations import is_canonical, is_line, lattice_regularity, line_angle
from nucleate.observables.determination import ideal_accuracy, ideal_rqi, ideal_test_accuracy, is_linear, nullity
from nucleate.observables.fourier import (
    fourier_coefficients,
    frequency_shares,
    gradient_spectrum,
    mean_signal,
    power,
    signal,
)
from nucleate.observables.orthogonality import median_cosine
from nucleate.observables.parallelograms import (
    equations,
    formed,
    known,
    linear_residual,
    normalized,
    parallelograms,
    predicted_accuracy,
    rqi,
)
from nucleate.observables.polygons import principal_components
from nucleate.observables.ranks import effective_rank, stable_rank
from nucleate.observables.spectrum import effective_dimension, pca_spectrum, spectral_entropy
from nucleate.record.needs import Need

ASKED: Mapping[Callable, tuple[str, str]] = {
    circularity: ("purity of the plane of each frequency", "1"),
    effective_dimension: ("effective number of dimensions", "1"),
    effective_rank: ("effective rank", "1"),
    fourier_coefficients: ("Fourier coefficients of the embedding", "1"),
    frequency_shares: ("share of variance at each frequency", "1"),
    gradient_spectrum: ("pull of the loss at each frequency", "1"),
    ideal_accuracy: ("accuracy of the ideal model on all pairs", "1"),
    ideal_rqi: ("representation quality index of the ideal model", "1"),
    ideal_test_accuracy: ("accuracy of the ideal model on unseen pairs", "1"),
    is_canonical: ("whether tokens lie in their order", "1"),
    is_line: ("whether tokens lie on a line in their order", "1"),
    is_linear: ("whether the training set leaves only the linear representation", "1"),
    lattice_regularity: ("how evenly tokens are spaced", "1"),
    line_angle: ("angle of the first principal axis", "rad"),
    linear_residual: ("share of variance that is not on a line", "1"),
    margin: ("distance of the nearest frequency from dying or rising", "1"),
    mean_signal: ("mean signal of all frequencies", "1"),
    median_cosine: ("median cosine between tokens, without its sign", "1"),
    normalized: ("embedding of mean 0 and variance 1", "1"),
    nullity: ("degrees of freedom that the training set leaves", "1"),
    pca_spectrum: ("share of variance along each principal axis", "1"),
    power: ("power of each frequency", "1"),
    predicted_accuracy: ("accuracy that the formed parallelograms make possible", "1"),
    principal_components: ("coordinates along the principal axes", "1"),
    roundness: ("roundness of the ellipse of each frequency", "1"),
    rqi: ("representation quality index", "1"),
    separation: ("strongest signal over the mean signal", "1"),
    signal: ("signal of each frequency", "1"),
    spectral_entropy: ("entropy of the shares of variance", "nat"),
    stable_rank: ("stable rank", "1"),
    survivor_count: ("frequencies that are alive", "1"),
    survivors: ("whether a frequency is alive", "1"),
}
"""Every observable that can be asked of a record: its long name and its units."""

_NAMES = {function.__name__: function for function in ASKED}
_EMBEDDING = Need(
    "embedding", ("token", "dim"), "the token embeddings, which a probe or a Recorder records", mapped=True
)
_READ: Mapping[str, Need] = {
    "embedding": _EMBEDDING,
    "vectors": _EMBEDDING,
    "gradient": Need("gradient", ("token", "dim"), "the loss's gradient by the embeddings", mapped=True),
    "matrix": Need("weights", ("row", "column"), "a matrix; another variable can be named: matrix='…'", mapped=True),
    "in_train": Need("in_train", ("pair",), "which pairs are trained on, a fact of the task", mapped=True),
    "left": Need("left", ("pair",), "the first token of each pair, a fact of the task"),
    "right": Need("right", ("pair",), "the second token of each pair, a fact of the task"),
    "label": Need("label", ("pair",), "the answer to each pair, a fact of the task"),
}
"""Arguments that are variables."""
_MADE: Mapping[str, Callable] = {
    "fractions": pca_spectrum,
    "signal": signal,
    "mean": mean_signal,
    "formed": formed,
    "quads": parallelograms,
    "pairs": lambda left, right: np.stack([left, right], axis=-1),
    "tokens": lambda left, right: int(max(left.max(), right.max())) + 1,
    "equations": equations,
    "known": known,
}
"""Arguments that other functions make."""
_SOURCES = Sources(_READ, _MADE)


class OfRecord:
    """What can be asked of a record as `record.nucleate`, once `nucleate.observables` is imported.

    Each method is an observable, by its name. It takes the options of the observable and, by the name of an argument,
    the name of the variable to be read instead of the usual one, or an array. Values are those of each member at each
    step; where a member has none, such as after its last step, there is the fill value of records: NaN for floats.

    >>> circle = np.exp(2j * np.pi * 3 * np.arange(11) / 11)
    >>> embedding = np.stack([circle.real, circle.imag], axis=-1) * np.ones((2, 5, 1, 1))
    >>> record = xr.Dataset({"embedding": (("member", "step", "token", "dim"), embedding)})
    >>> found = record.nucleate.survivors()
    >>> found.dims, found[0, 0].values.tolist(), found.attrs["long_name"]
    (('member', 'step', 'freq'), [False, False, True, False, False], 'whether a frequency is alive')
    >>> record.nucleate.rqi()
    Traceback (most recent call last):
    ValueError: record.nucleate.rqi cannot read this record:
      - missing: 'left' (pair), the first token of each pair, a fact of the task
      - missing: 'right' (pair), the second token of each pair, a fact of the task
      - missing: 'label' (pair), the answer to each pair, a fact of the task
    The record has the variables ['embedding'] and the coordinates []. A Recorder, or ...
    """

    def __init__(self, record: xr.Dataset):
        self._record = record

    def __getattr__(self, name: str) -> Callable[..., xr.DataArray]:
        if name not in _NAMES:
            raise AttributeError(f"a record cannot be asked for '{name}'; it can for {', '.join(_NAMES)}.")
        function = _NAMES[name]
        return functools.wraps(function)(functools.partial(_asked, self._record, function))

    def __dir__(self) -> list[str]:
        return [*super().__dir__(), *self._answers]

    def __repr__(self) -> str:
        return f"record.nucleate, to be asked for {', '.join(self._answers) or 'nothing: the record has too little'}"

    def _repr_html_(self) -> Html:
        rows = [(f"record.nucleate.{name}()", ASKED[_NAMES[name]][0]) for name in self._answers]
        return table(rows, title="What this record can be asked for")

    @property
    def _answers(self) -> list[str]:
        """The observables for which the record has everything."""
        every = ((name, understood(function, _SOURCES, {})) for name, function in _NAMES.items())
        return [name for name, call in every if call.suits(self._record)]


def _asked(record: xr.Dataset, function: Callable, **options: Any) -> xr.DataArray:
    name = f"record.nucleate.{function.__name__}"
    if unknown := options.keys() - inspect.signature(inspect.unwrap(function)).parameters:
        known = ", ".join(inspect.signature(inspect.unwrap(function)).parameters)
        raise TypeError(f"{name} has no argument '{min(unknown)}'; it has {known}.")
    long_name, units = ASKED[function]
    return understood(function, _SOURCES, options).along(record).assign_attrs(long_name=long_name, units=units)


if not hasattr(xr.Dataset, "nucleate"):  # reloaded, the module finds itself there
    xr.register_dataset_accessor("nucleate")(OfRecord)
