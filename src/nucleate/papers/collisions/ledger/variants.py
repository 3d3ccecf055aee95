"""Claim 9: heads that move from one variant of collision detection to another."""

from typing import NamedTuple

import numpy as np
import xarray as xr

from nucleate.claims import (
    Check,
    Claim,
    Estimate,
    Evidence,
    Findings,
    Reason,
    Region,
    Revision,
    Threshold,
    bootstrap,
    share,
    words,
)
from nucleate.observables import HeadClass, head_class
from nucleate.papers.collisions.experiments import BOX
from nucleate.papers.collisions.ledger.maturity import DEVELOPED, finished
from nucleate.papers.collisions.readings import power_laws
from nucleate.papers.collisions.readings.fleets import networks
from nucleate.papers.collisions.readings.heads import corrected, final_class

_HALF_OCTAVE = 2**0.5  # a change of exponent this close to a change of kind belongs to it
_ACCIDENT = 0.05  # what is more likely than this by chance shows nothing

CHANGES = Check(
    "heads that enter a power law with another exponent when they become true",
    "one case",
    Region.at_least(1),
    Threshold.PAPER,
    DEVELOPED,
)
SURPLUS = Check("share of heads that do when they become true, minus the chance rate", "not said", None)


class Move(NamedTuple):
    """A head that was partial from step `partial` on, for half an octave or more, and true from step `true` on; `row`
    of the record."""

    row: int
    block: int
    head: int
    partial: float
    true: float


def moves(record: xr.Dataset) -> list[Move]:
    """All heads that moved from partial to true."""
    found, score, step = [], corrected(record), record.step.values
    for row, block, head in np.argwhere(final_class(record) == HeadClass.TRUE).tolist():
        kinds = head_class(score[row, :, block, head])
        partial, true = _since(kinds != HeadClass.NONE, step), _since(kinds == HeadClass.TRUE, step)
        if true >= _HALF_OCTAVE * max(partial, 1):
            found.append(Move(row, block, head, partial, true))
    return found


def _since(holds: np.ndarray, step: np.ndarray) -> float:
    """The step from which on something holds that holds at the end."""
    before = np.flatnonzero(~holds)
    return float(step[before[-1] + 1] if len(before) else step[0])


def _changes(laws: xr.Dataset) -> np.ndarray:
    """The steps at which one falling power law gives way to another whose exponent differs by more than both errors
    together."""
    exponent, error = laws.exponent.values, laws.correlated_error.values
    with np.errstate(invalid="ignore"):
        law = power_laws.decays(laws) & (exponent >= power_laws.SLOWEST)
        differ = np.abs(np.diff(exponent)) > np.hypot(error[1:], error[:-1])
    return laws.start.values[1:][differ & law[1:] & law[:-1]]


def _changed(laws: xr.Dataset, move: Move, last: float) -> tuple[bool, float]:
    """Whether a head's exponent changes when the head moves, and how likely that is by chance: the window is an octave
    wide, and holds some of a head's changes anyway."""
    starts = _changes(laws.isel(member=move.row, block=move.block, head=move.head))
    then = (starts >= move.true / _HALF_OCTAVE) & (starts <= move.true * _HALF_OCTAVE)
    octaves = np.log2(last / max(move.partial, 1))
    return bool(then.any()), min(float(np.sum(starts >= move.partial)) / max(octaves, 1), 1)


def _by_chance(chances: list[float], least: int) -> float:
    """How likely it is that at least `least` of several independent things happen."""
    counts = np.ones(1)
    for chance in chances:
        counts = np.convolve(counts, [1 - chance, chance])
    return float(counts[least:].sum())


def _seen(found: list[tuple[bool, float]], in_finished: int) -> Estimate:
    """How many heads changed their exponent: some, if so many would not by chance; none, if there were so many heads,
    in networks that have finished learning, that most do not."""
    changed, moved = sum(each for each, _ in found), len(found)
    enough = lambda count: count > 0 and share(0, count).high < words.MOST.low
    if changed and _by_chance([chance for _, chance in found], changed) <= _ACCIDENT:
        return Estimate.exact(changed)
    if not changed and enough(in_finished):
        return Estimate.exact(0)
    return Estimate.open(float(changed), Reason.TOO_EARLY if enough(moved) else Reason.TOO_FEW, moved)


def _variants(evidence: Evidence) -> Findings:
    record = networks(evidence)
    moved, laws = moves(record), evidence.once(power_laws.of_correlation)
    found = [_changed(laws, move, float(record.step.values[-1])) for move in moved]
    changed, ready = sum(each for each, _ in found), finished(record)
    by_network: dict[int, list[float]] = {}
    for move, (each, chance) in zip(moved, found, strict=True):
        by_network.setdefault(move.row, []).append(each - chance)
    surplus = np.array([np.mean(heads) for heads in by_network.values()])
    names = ", ".join(f"{record.member.values[m.row]}: {m.block}-{m.head} at step {m.true:.0f}" for m in moved)
    return Findings(
        {
            CHANGES: _seen(found, sum(bool(ready[move.row]) for move in moved)),
            SURPLUS: bootstrap(np.mean, surplus, bounds=(-1, 1)),
        },
        f"Heads that were partial for half an octave and then true for good, with their network: {names or 'none'}. "
        f"{changed} of {len(moved)} pass from one falling power law to another within half an octave of "
        f"that; {sum(chance for _, chance in found):.1f} would by chance. One is enough for the claim unless so many "
        "are likely by chance; that none does counts against it if six such heads or more are in networks that have "
        "finished learning.",
    )


CLAIMS = (
    Claim(
        "collisions/9",
        "Sec. 3.3, Sec. 4, Fig. 1",
        "A head moves from one variant of collision detection to another, and its exponent changes when it does.",
        (CHANGES, SURPLUS),
        _variants,
        (BOX,),
        "We observe at least two variants of collision detection heads, and in one case a head transitioning between "
        "these two variants. The transition between these two variants can be identified by a corresponding change in "
        "the attention-distance correlation power law exponent and by changes in the LLC.",
        history=(
            Revision(
                "In at least half of the networks all heads that become true change their exponent then, and more "
                "often than by chance.",
                "contradicted",
                "the paper has one such head, and the heads judged were of a box in which |c| begins near its limit.",
            ),
        ),
    ),
)
