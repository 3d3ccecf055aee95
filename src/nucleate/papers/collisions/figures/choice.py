"""Which heads and which states the figures show."""

import functools
from pathlib import Path
from typing import NamedTuple, TypeVar

import numpy as np
import xarray as xr
from jaxtyping import Float

from nucleate.claims import Evidence
from nucleate.observables import HeadClass
from nucleate.papers.collisions.readings.fleets import network, networks, recipe
from nucleate.papers.collisions.readings.heads import LEAST_ATTENTION, corrected, final_class
from nucleate.papers.collisions.recipe import look
from nucleate.papers.paper import Figure
from nucleate.plots import Picture

_Table = TypeVar("_Table", xr.Dataset, xr.DataArray)

_FEW = 4  # heads that are shown if none detects collisions
_KINDS = {HeadClass.TRUE: "true", HeadClass.PARTIAL: "partial", HeadClass.NONE: "no"}


class Head(NamedTuple):
    """An attention head: its network (the record's `member`), its block and its number there."""

    member: int
    block: int
    head: int

    @property
    def name(self) -> str:
        """As the paper writes it."""
        return f"head {self.block}-{self.head} of network {self.member}"

    def of(self, table: _Table) -> _Table:
        """What a table over (member, block, head) says of it."""
        return table.sel(member=self.member).isel(block=self.block, head=self.head)


class Example(NamedTuple):
    """A head that stands for its kind; not `genuine` if its score is only the nearest to it."""

    head: Head
    score: float
    kind: HeadClass
    genuine: bool

    @property
    def title(self) -> str:
        words = f"{_KINDS[self.kind]} collision head" if self.genuine else f"nearest to {_KINDS[self.kind]}"
        return f"{words}, score {round(self.score, 2) + 0.0:.2f}"  # + 0.0: no negative zero


def of_finite_networks(figure: Figure) -> Figure:
    """A figure that is left out if all networks have diverged."""

    @functools.wraps(figure)
    def draw(evidence: Evidence, folder: Path) -> Picture | list[Picture] | None:
        return figure(evidence, folder) if networks(evidence).sizes["member"] else None

    return draw


def fleet_name(record: xr.Dataset) -> str:
    """The box of a fleet, in words."""
    task = recipe(record).task
    return f"{task.particles} particles, {' × '.join(f'{length:g}' for length in task.box.size)}"


def box(record: xr.Dataset) -> tuple[float, float]:
    """Width and height of a fleet's box."""
    width, height = recipe(record).task.box.size
    return float(width), float(height)


def final_scores(record: xr.Dataset) -> xr.DataArray:
    """The score of every head at the end."""
    return xr.DataArray(
        corrected(record)[:, -1], dims=("member", "block", "head"), coords={"member": record.member.values}
    )


def heads(chosen: xr.DataArray) -> list[Head]:
    """The heads for which a table over (member, block, head) says so, in its order."""
    return [Head(int(chosen.member[m]), int(b), int(h)) for m, b, h in zip(*np.nonzero(chosen.values), strict=True)]


def collision_heads(record: xr.Dataset) -> tuple[list[Head], bool]:
    """The true and partial heads of all networks; if there are none, those with the highest scores, and False."""
    score = final_scores(record)
    found = heads(score.copy(data=final_class(record) > HeadClass.NONE))
    if found:
        return found, True
    highest = np.sort(score.values.ravel())[-_FEW:]
    return heads(score.copy(data=score.values >= highest[0]))[:_FEW], False


def examples(record: xr.Dataset) -> dict[HeadClass, Example]:
    """One head of each kind.

    The true head with the highest score, the partial one with the most middling, and the non-collision head whose
    attention is most uniform. For a kind that no head has become, the head with the nearest score left stands in.
    """
    score, kinds = final_scores(record), final_class(record)
    looks = record.total.values[:, -1] >= LEAST_ATTENTION
    left, found = np.ones(score.shape, bool), {}
    for kind, aim in ((HeadClass.TRUE, 1.0), (HeadClass.PARTIAL, 0.6), (HeadClass.NONE, 0.0)):
        pools = (left & (kinds == kind) & looks, left & (kinds == kind), left)
        pool = next((pool for pool in pools if pool.any()), None)
        if pool is None:
            continue  # fewer heads than kinds
        at = np.unravel_index(np.argmin(np.where(pool, np.abs(score.values - aim), np.inf)), score.shape)
        left[at] = False
        member, block, number = map(int, at)
        head = Head(int(record.member[member]), block, number)
        found[kind] = Example(head, float(score.values[at]), kind, bool(kinds[at] == kind))
    return found


def subject(record: xr.Dataset) -> Example:
    """The head that the film shows: the true one, or what stands in for it."""
    return examples(record)[HeadClass.TRUE]


def stand_ins(shown: dict[HeadClass, Example]) -> str:
    """What a caption must say about heads that stand in for a kind; empty if none does."""
    missing = [_KINDS[kind] for kind, example in shown.items() if not example.genuine]
    if not missing:
        return ""
    return f" No head of kind: {', '.join(missing)}; the head with the nearest score left stands in."


def attention(
    record: xr.Dataset, head: Head, position: np.ndarray, velocity: np.ndarray, checkpoint: int = -1
) -> Float[np.ndarray, "state particle particle"]:
    """Whom a head attends to in any states."""
    row = int(np.flatnonzero(record.member.values == head.member)[0])
    states = position.astype(np.float32), velocity.astype(np.float32)
    _, seen = look(network(record, row, checkpoint), *states, recipe(record).boundary)
    return np.asarray(seen[head.block, head.head])


def moments(record: xr.Dataset) -> tuple[int, int, int]:
    """Held-out states in free fall, on the way down and settled.

    Those with most and with least kinetic energy and, between them, the one of median height in the faster half.
    """
    kinetic = np.sum(np.square(record.held_velocity.values), axis=(1, 2))
    order = np.argsort(kinetic, kind="stable")
    moving = order[len(order) // 2 :]
    height = record.held_position.values[moving, :, -1].mean(1)
    between = moving[np.argsort(height, kind="stable")[len(moving) // 2]]
    return int(order[-1]), int(between), int(order[0])
