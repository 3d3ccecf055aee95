"""What a theory or an observable needs of a record, asked for in one message."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import final

import xarray as xr

from nucleate.checking import shown
from nucleate.record.columns import columns


@final
@dataclass(frozen=True)
class Need:
    """One variable or coordinate that is read from a record.

    `dims`: its dimensions in any order, where "*" stands for one dimension of any name, or None if any dimensions will
    do; `meaning`: what it is and who records it; `broadcasts`: whether a scalar, valid for all members, will do;
    `mapped`: whether it may have more dimensions, along which it is read one by one.

    >>> str(Need("eta", ("member",), "the learning rate"))
    "'eta' (member), the learning rate"
    """

    name: str
    dims: tuple[str, ...] | None
    meaning: str
    broadcasts: bool = False
    mapped: bool = False

    def __str__(self) -> str:
        dims = "" if self.dims is None else f" ({', '.join(self.dims)})"
        return f"'{self.name}'{dims}, {self.meaning}"

    def accepts(self, dims: tuple) -> bool:
        """Whether a variable with these dimensions will do."""
        if self.dims is None or (self.broadcasts and not dims):
            return True
        named = {name for name in self.dims if name != "*"}
        return (len(dims) == len(self.dims) or self.mapped) and named <= set(dims)


def require(record: xr.Dataset, reader: str, needs: Iterable[Need]) -> None:
    """Raise one error that names everything `reader` needs and `record` lacks, or holds with other dimensions.

    >>> needs = (Need("step", ("step",), "the training step of each row"), Need("left", ("pair",), "the first tokens"))
    >>> require(xr.Dataset({"left": "x"}), "EffectiveLoss", needs)
    Traceback (most recent call last):
    ValueError: EffectiveLoss cannot read this record:
      - missing: 'step' (step), the training step of each row
      - over () instead: 'left' (pair), the first tokens
    The record has the variables ['left'] and the coordinates []. A Recorder, or ...
    """
    if not isinstance(record, xr.Dataset):
        raise ValueError(f"{reader} reads a record, an xarray.Dataset such as `run.record()`; got {shown(record)}.")
    problems, held = [], {**record.variables, **columns(record)}
    for need in needs:
        # Not `record[name]`: a dimension without a coordinate would answer with 0, 1, 2, …, which are not the steps.
        if need.name not in held:
            problems.append(f"  - missing: {need}")
        elif not need.accepts(dims := held[need.name].dims):
            problems.append(f"  - over ({', '.join(map(str, dims))}) instead: {need}{_hint(need, dims)}")
    if problems:
        has = (
            f"The record has the variables {[*record.data_vars]} and the coordinates {[*record.coords]}. A Recorder, "
            "or from_arrays, takes what is seen by name, hyperparameters as members, and what never changes as facts."
        )
        raise ValueError("\n".join([f"{reader} cannot read this record:", *problems, has]))


def _hint(need: Need, dims: tuple) -> str:
    """How a variable with these dimensions may be given those that are needed."""
    lacking = {*(need.dims or ())} - {*dims}
    if "member" in lacking:
        return "; record.isel(member=[i]) keeps the member axis"
    own = [str(dim) for dim in dims if str(dim).startswith("step_")]
    if "step" in lacking and own:
        return (
            f"; record.drop_dims('step', errors='ignore').rename({own[0]}='step') takes the steps at which it was seen"
        )
    return ""
