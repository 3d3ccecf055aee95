r"""What a record says of positions and forces: embeddings, their gradients, and which pairs share a label."""

from dataclasses import dataclass, field
from typing import final

import numpy as np
import xarray as xr
from jaxtyping import Bool, Float, Integer

_NEEDED = {
    "embedding": "(member, step, token, dim), the positions R; a probe of the fleet records them",
    "gradient": "(member, step, token, dim), the gradients ∂L/∂R; record them beside the embedding",
    "step": "(step), the training step of each snapshot; any record of a fleet carries it as a coordinate",
    "eta": "(member), the learning rate, so that time is eta · step; a hyperparameter coordinate of the fleet",
    "left": "(pair), the first token of each pair; the task of the fleet provides it",
    "right": "(pair), the second token of each pair; the task of the fleet provides it",
    "label": "(pair), the answer to each pair; the task of the fleet provides it",
}


@final
@dataclass(frozen=True, eq=False)
class Configurations:
    r"""Configurations and the gradients of the loss there, of whatever run and step.

    >>> len(Configurations(np.zeros((3, 2, 1)), np.zeros((3, 2, 1))))
    3
    """

    embedding: Float[np.ndarray, "config token dim"]
    gradient: Float[np.ndarray, "config token dim"]

    def __len__(self) -> int:
        return len(self.embedding)


@final
@dataclass(frozen=True, eq=False)
class ForceRecord:
    r"""The runs of a record: R and ∂L/∂R at each snapshot, times η · step, and the pairs that were summed.

    `finite`: whether a snapshot and all before it are finite; `runs`: what tells the members apart, a column
    for each coordinate along `member` except `eta`.

    >>> ForceRecord.read(xr.Dataset())
    Traceback (most recent call last):
    ValueError: The record lacks 'embedding' (member, step, token, dim), the positions R; ...
    """

    embedding: Float[np.ndarray, "member step token dim"] = field(repr=False)
    gradient: Float[np.ndarray, "member step token dim"] = field(repr=False)
    finite: Bool[np.ndarray, "member step"] = field(repr=False)
    times: Float[np.ndarray, "member step"] = field(repr=False)
    pairs: Integer[np.ndarray, "pair 2"] = field(repr=False)
    label: Integer[np.ndarray, " pair"] = field(repr=False)
    runs: dict[str, np.ndarray]

    @classmethod
    def read(cls, record: xr.Dataset) -> "ForceRecord":
        """Check the record, and take what is needed of it."""
        for name, meaning in _NEEDED.items():
            # A dimension without a coordinate still answers record["step"], with 0, 1, 2, …: not the steps.
            if name not in (record.coords if name == "step" else record):
                raise ValueError(f"The record lacks '{name}' {meaning}.")
        axes = ("member", "step", "token", "dim")
        embedding = record["embedding"].transpose(*axes).to_numpy().astype(np.float64)
        gradient = record["gradient"].transpose(*axes).to_numpy().astype(np.float64)
        finite = (np.isfinite(embedding) & np.isfinite(gradient)).all(axis=(2, 3))
        finite = np.logical_and.accumulate(finite, axis=1)
        step = record["step"].to_numpy().astype(np.float64)
        eta = np.broadcast_to(record["eta"].to_numpy().astype(np.float64), len(embedding))
        mask = finite[..., None, None]
        return cls(
            embedding=np.where(mask, embedding, 0),
            gradient=np.where(mask, gradient, 0),
            finite=finite,
            times=(step - step[0]) * eta[:, None],
            pairs=np.stack([record["left"].to_numpy(), record["right"].to_numpy()], axis=-1),
            label=record["label"].to_numpy(),
            runs=_runs(record),
        )

    def configurations(self, most: int, seed: int, members: slice = slice(None)) -> Configurations:
        """At most so many finite snapshots of some members, drawn at random without replacement."""
        member, step = np.nonzero(self.finite[members])
        if len(member) > most:
            chosen = np.sort(np.random.default_rng(seed).choice(len(member), most, replace=False))
            member, step = member[chosen], step[chosen]
        return Configurations(self.embedding[members][member, step], self.gradient[members][member, step])

    @property
    def dim(self) -> int:
        """The dimension of the embeddings."""
        return self.embedding.shape[-1]


def _runs(record: xr.Dataset) -> dict[str, np.ndarray]:
    runs = {str(k): v.to_numpy() for k, v in record.coords.items() if v.dims == ("member",) and k != "eta"}
    if not runs:
        raise ValueError(
            "The record lacks a coordinate along 'member', such as 'member' or 'seed', that tells its runs apart."
        )
    if len(set(_rows(runs, sorted(runs)))) < record.sizes["member"]:
        raise ValueError(
            f"Members of the record cannot be told apart by {sorted(runs)}: two are equal. "
            "Snapshots of one run belong along 'step', and each run needs its own 'member' or 'seed'."
        )
    return runs


def _rows(runs: dict[str, np.ndarray], names: list[str]) -> list[tuple]:
    return list(zip(*(runs[name].tolist() for name in names), strict=True))


def check_disjoint(fitted: dict[str, np.ndarray], held_out: dict[str, np.ndarray]) -> None:
    r"""Refuse to score runs that were fitted: later snapshots of a run are no test, for runs barely change.

    Two runs are the same if all coordinates that both records carry agree.

    >>> check_disjoint({"seed": np.array([0, 1])}, {"seed": np.array([1, 2])})
    Traceback (most recent call last):
    ValueError: 1 of 2 members were also fitted, the first with seed=1. Split by run, never by snapshot.
    """
    names = sorted(set(fitted) & set(held_out))
    if not names:
        raise ValueError(
            f"Cannot tell whether these runs were fitted: the fitted record has {sorted(fitted)} along 'member', "
            f"this one {sorted(held_out)}. Give both a 'member' or 'seed' coordinate."
        )
    seen, rows = set(_rows(fitted, names)), _rows(held_out, names)
    shared = [row for row in rows if row in seen]
    if shared:
        which = ", ".join(f"{name}={value}" for name, value in zip(names, shared[0], strict=True))
        raise ValueError(
            f"{len(shared)} of {len(rows)} members were also fitted, the first with {which}. "
            "Split by run, never by snapshot."
        )
