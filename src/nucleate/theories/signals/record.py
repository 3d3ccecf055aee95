"""What the laws of signals read in a record: the state of each member over time, and its increments."""

from dataclasses import dataclass

import numpy as np
import xarray as xr
from jaxtyping import Bool, Float

from nucleate.record import Need, require
from nucleate.theories.reading import STEP, coords_over, finite_rows, rising_steps


@dataclass(frozen=True, eq=False)
class Signals:
    """The states of a record's members; rows from the first that is not finite are 0 and masked by `finite`.

    `dim`, `names`: the axis of the state and its labels, counted from 1 if the record has none; `rounding`: the
    relative precision of the recorded numbers.
    """

    x: Float[np.ndarray, "member step freq"]
    finite: Bool[np.ndarray, "member step"]
    step: Float[np.ndarray, " step"]
    dim: str
    names: np.ndarray
    rounding: float
    coords: dict[str, xr.DataArray]

    @classmethod
    def read(cls, record: xr.Dataset, variable: str, like: xr.DataArray | None = None) -> "Signals":
        """The states `variable` of `record`, which must fit a law that has the axis of `like`."""
        theory = f"A law of '{variable}'"
        need = Need(variable, ("member", "step", "*"), "the states; the third axis may have any name")
        require(record, theory, (need, STEP))
        held = record[variable]
        step = rising_steps(held, theory, least=2)
        (dim,) = (str(name) for name in held.dims if name not in ("member", "step"))
        if like is not None and (dim, held.sizes[dim]) != (like.dims[0], like.size):
            raise ValueError(f"The law has the axis {dict(like.sizes)}; '{variable}' has {dim} = {held.sizes[dim]}.")
        (x,), finite = finite_rows(record, (variable,), ("member", "step", dim))
        return cls(
            x=x,
            finite=finite,
            step=step,
            dim=dim,
            names=held[dim].to_numpy() if dim in held.coords else np.arange(1, held.sizes[dim] + 1),
            rounding=float(np.finfo(held.dtype).eps) if held.dtype.kind == "f" else 0.0,
            coords=coords_over(record, "member"),
        )

    def rates(self) -> Float[np.ndarray, "member gap freq"]:
        """The increments (x(t') − x(t)) / (t' − t) between neighbouring rows."""
        return np.diff(self.x, axis=1) / np.diff(self.step)[:, None]

    def increments(self) -> tuple[Float[np.ndarray, "row freq"], Float[np.ndarray, "row freq"]]:
        """All states, of all members, that have a next row, and the rate of change from each to the next."""
        there = self.finite[:, 1:]
        if not there.any():
            raise ValueError("A law needs a member whose first two rows are finite; the record has none.")
        return self.x[:, :-1][there], self.rates()[there]

    def labelled(self, values: Float[np.ndarray, "..."]) -> xr.DataArray:
        """An intercept, a matrix over (freq, source) or products over (freq, source, partner), with their labels."""
        dims = (self.dim, "source", "partner")[: values.ndim]
        return xr.DataArray(values, dims=dims, coords=dict.fromkeys(dims, self.names))
