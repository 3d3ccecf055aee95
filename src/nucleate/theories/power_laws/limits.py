"""Where a history ends up: a known value, a recorded value, or one that is fitted."""

import abc
from dataclasses import dataclass
from typing import final

import numpy as np
import xarray as xr
from jaxtyping import Float

from nucleate.checking import Checked
from nucleate.record import Need


class Limit(Checked, abc.ABC):
    """The limit of each history: `KnownLimit`, `RecordedLimit` or `FreeLimit`."""

    @property
    @abc.abstractmethod
    def needs(self) -> tuple[Need, ...]:
        """What a record must hold for the choice."""

    @abc.abstractmethod
    def of(self, record: xr.Dataset, like: xr.DataArray) -> Float[np.ndarray, "*history"]:
        """The limit of each history in `like`; NaN where it is to be fitted."""


@final
@dataclass(frozen=True)
class KnownLimit(Limit):
    r"""All histories tend to `value`; the default, 0, is what [hitchcock2025emergence] assumes.

    >>> KnownLimit(0.0).of(xr.Dataset(), xr.DataArray(np.ones(2))).tolist()
    [0.0, 0.0]
    """

    value: float = 0.0

    @property
    def needs(self) -> tuple[Need, ...]:
        return ()

    def of(self, record: xr.Dataset, like: xr.DataArray) -> Float[np.ndarray, "*history"]:
        return np.full(like.shape, self.value)


@final
@dataclass(frozen=True)
class RecordedLimit(Limit):
    r"""Each history tends to the value of the record's `variable`, as a head's correlation to its contact limit.

    >>> record = xr.Dataset({"c_star": ("member", [-0.2, -0.3])})
    >>> RecordedLimit("c_star").of(record, xr.DataArray(np.ones((2, 2)), dims=("member", "head"))).tolist()
    [[-0.2, -0.2], [-0.3, -0.3]]
    """

    variable: str

    @property
    def needs(self) -> tuple[Need, ...]:
        return (Need(self.variable, None, "the limit of each history, over axes that the histories have"),)

    def of(self, record: xr.Dataset, like: xr.DataArray) -> Float[np.ndarray, "*history"]:
        held = record[self.variable]
        if not set(held.dims) <= set(like.dims):
            raise ValueError(f"The limit '{self.variable}' is over {held.dims}, the histories only over {like.dims}.")
        return held.broadcast_like(like).transpose(*like.dims).to_numpy().astype(np.float64)


@final
@dataclass(frozen=True)
class FreeLimit(Limit):
    r"""The limit of each history is a parameter of its law.

    >>> FreeLimit().of(xr.Dataset(), xr.DataArray(np.ones(1))).tolist()
    [nan]
    """

    @property
    def needs(self) -> tuple[Need, ...]:
        return ()

    def of(self, record: xr.Dataset, like: xr.DataArray) -> Float[np.ndarray, "*history"]:
        return np.full(like.shape, np.nan)
