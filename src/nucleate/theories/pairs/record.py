r"""What pair potentials read in a record: embeddings, the gradients there, and which pairs share a label."""

from dataclasses import dataclass, field
from typing import final

import numpy as np
import xarray as xr
from jaxtyping import Bool, Float, Integer

from nucleate.record import Need, require
from nucleate.theories.reading import EMBEDDING, PAIRS, STEP, finite_rows, labelled_pairs, scaled_times

_AXES = ("member", "step", "token", "dim")
_NEEDS = (
    EMBEDDING,
    Need("gradient", _AXES, "the gradients ∂L/∂R; record them beside the embedding"),
    STEP,
    Need(
        "eta",
        ("member",),
        "the learning rate, so that time is eta · step; a hyperparameter of the fleet",
        broadcasts=True,
    ),
    *PAIRS,
)
_RUNS = Need(
    "member", ("member",), "a number for each run, or any other coordinate, such as 'seed', that tells runs apart"
)


@final
@dataclass(frozen=True, eq=False)
class Configurations:
    r"""Configurations and the gradients of the loss there, from any runs and steps.

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
    r"""The runs of a record: R and ∂L/∂R at each snapshot, the times η · step, and the pairs of the task.

    `finite`: whether a snapshot and all snapshots before it are finite; `runs`: the coordinates along `member` that
    tell the members apart, all except `eta`.

    >>> ForceRecord.read(xr.Dataset())
    Traceback (most recent call last):
    ValueError: PairPotential cannot read this record:
      - missing: 'embedding' (member, step, token, dim), the token embeddings; ...
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
        """Check that the record holds everything, and read it."""
        require(record, "PairPotential", (*_NEEDS, *(() if _columns(record) else (_RUNS,))))
        (embedding, gradient), finite = finite_rows(record, ("embedding", "gradient"), _AXES)
        pairs, label = labelled_pairs(record)
        return cls(embedding, gradient, finite, scaled_times(record, "eta"), pairs, label, _runs(record))

    def configurations(self, most: int, seed: int, members: slice = slice(None)) -> Configurations:
        """At most `most` finite snapshots of `members`, drawn at random without replacement."""
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
    runs = _columns(record)
    if len(set(_rows(runs, sorted(runs)))) < record.sizes["member"]:
        raise ValueError(
            f"Two members of the record have equal {sorted(runs)} and cannot be told apart. "
            "Snapshots of one run belong along 'step', and each run needs its own 'member' or 'seed'."
        )
    return runs


def _columns(record: xr.Dataset) -> dict[str, np.ndarray]:
    """What tells the runs of a record apart."""
    return {str(k): v.to_numpy() for k, v in record.coords.items() if v.dims == ("member",) and k != "eta"}


def _rows(runs: dict[str, np.ndarray], names: list[str]) -> list[tuple]:
    return list(zip(*(runs[name].tolist() for name in names), strict=True))


def check_disjoint(fitted: dict[str, np.ndarray], held_out: dict[str, np.ndarray]) -> None:
    r"""Refuse to score runs that were fitted: a run changes so little that its later snapshots are not a test.

    Two runs are the same if all coordinates that both records have agree.

    >>> check_disjoint({"seed": np.array([0, 1])}, {"seed": np.array([1, 2])})
    Traceback (most recent call last):
    ValueError: 1 of 2 members were also fitted, the first with seed=1. Split by run, never by snapshot.
    """
    names = sorted(set(fitted) & set(held_out))
    if not names:
        raise ValueError(
            f"Cannot tell whether these runs were fitted: the fitted record has {sorted(fitted)} along 'member', "
            f"this one has {sorted(held_out)}. Give both a 'member' or 'seed' coordinate."
        )
    seen, rows = set(_rows(fitted, names)), _rows(held_out, names)
    shared = [row for row in rows if row in seen]
    if shared:
        which = ", ".join(f"{name}={value}" for name, value in zip(names, shared[0], strict=True))
        raise ValueError(
            f"{len(shared)} of {len(rows)} members were also fitted, the first with {which}. "
            "Split by run, never by snapshot."
        )
