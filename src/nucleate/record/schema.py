"""What a record holds: the schema, in one place.

A record is a plain `xarray.Dataset` on Zarr v3. Dimensions are words of one vocabulary:

- `member`: one trained network. Every hyperparameter and seed is a coordinate along it.
- `step` (and `step_<name>` for a probe with a schedule of its own): optimiser steps taken.
- `token dim pair freq head particle ...`: the inside of a recorded quantity.

Always present: `outcome(member)`, `last_step(member)`, and `<crossing>_step(member)` for each threshold that was
watched (-1: never crossed). After a member's last step its rows hold the fill value: NaN for
floats (see `fill_value`). Every variable has a `long_name` and `units` (see `descriptions`).
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import IntEnum
from typing import Any

import numpy as np

SCHEMA_VERSION = 1
NEVER = -1


class Outcome(IntEnum):
    """How a member ended.

    >>> Outcome(3).name
    'DIVERGED'
    """

    PENDING = 0
    OK = 1
    STOPPED = 2
    DIVERGED = 3


OUTCOME_ATTRS = {
    "flag_values": [int(o) for o in Outcome],
    "flag_meanings": " ".join(o.name.lower() for o in Outcome),
}

DIMS: Mapping[str, tuple[str, ...]] = {
    **dict.fromkeys(("embedding", "gradient"), ("token", "dim")),
    "weights": ("row", "column"),
    "signal": ("freq",),
    "values": ("token", "unit"),
    "scores": ("last", "token"),
    **dict.fromkeys(("logits", "mean_attention"), ("query", "token")),
}
"""The inside of what has a name that theories know, of one network at one step."""

FACTS: Mapping[str, tuple[str, ...]] = {
    **dict.fromkeys(("left", "right", "label"), ("pair",)),
    "in_train": ("member", "pair"),
    "probability": ("class", "token"),
    "last_token": ("class",),
    "vocabulary": (),
}
"""The dimensions of what does not change while networks train, where theories know its name."""


class RunError(RuntimeError):
    """Something on disk is not what it should be. The message names the file and the way out."""


@dataclass(frozen=True)
class Variable:
    """One recorded array: its name, dimensions, sizes and how it is cut into chunks."""

    name: str
    dims: tuple[str, ...]
    shape: tuple[int, ...]
    dtype: np.dtype
    chunks: tuple[int, ...]
    attrs: dict[str, Any] = field(default_factory=dict)

    @property
    def fill(self):
        """What an unwritten element reads as.

        >>> Variable("loss", ("member",), (3,), np.dtype("float32"), (3,)).fill
        nan
        """
        return fill_value(self.dtype)


def fill_value(dtype: np.dtype) -> float | bool | int:
    """The value that means "nothing here": NaN for floats, False for flags, -1 for signed integers, 0 for others."""
    kind = np.dtype(dtype).kind
    return {"f": np.nan, "c": np.nan, "b": False, "i": NEVER}.get(kind, 0)


def refuse_clashing_sizes(variables: Mapping[str, tuple[tuple[str, ...], tuple[int, ...]]]) -> None:
    """Check that every dimension of a record has one size; `variables`: their dimensions and shapes."""
    sizes: dict[str, tuple[int, str]] = {}
    for name, (dims, shape) in variables.items():
        for dim, size in zip(dims, shape, strict=True):
            before, first = sizes.setdefault(dim, (size, name))
            if size != before:
                raise ValueError(
                    f"Dimension '{dim}' has size {before} in '{first}', but {size} in '{name}'; "
                    "give one of them another name."
                )
