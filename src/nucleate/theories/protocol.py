"""The room's protocol: a `Theory` reads a record and becomes a `Fit`; only a `Fit` predicts.

The two are different types, so a parameter that has not been fitted cannot be read. Concrete theories
and fits are frozen dataclasses marked `final`: no method overrides a concrete one.
"""

import abc

import numpy as np
import xarray as xr
from jaxtyping import Float

from nucleate.checking import Checked
from nucleate.hypertext import Tabled


class Fit(Tabled, abc.ABC):
    """A law with its parameters: it predicts trajectories and is scored on records it has not seen.

    Notebooks show it as a table of its fields, `print` as lines.
    """

    @abc.abstractmethod
    def simulate(self, x0, times: Float[np.ndarray, " time"]) -> Float[np.ndarray, "time ..."]:
        """The trajectory from `x0`, the state at time 0, at the given `times`."""

    @abc.abstractmethod
    def score(self, record: xr.Dataset) -> xr.Dataset:
        """The error for each member of `record`, next to that of a baseline that knows nothing."""


class Theory(Checked, abc.ABC):
    """A law whose parameters are still unknown."""

    @abc.abstractmethod
    def fit(self, record: xr.Dataset) -> Fit:
        """Choose the parameters that describe the members of `record` best."""
