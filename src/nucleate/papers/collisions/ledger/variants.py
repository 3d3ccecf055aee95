"""Claim 9: heads that move from one variant of collision detection to another."""

from typing import NamedTuple

import numpy as np
import xarray as xr

from nucleate.claims import Check, Claim, Evidence, Findings, Region, bootstrap, share
from nucleate.observables import HeadClass, head_class
from nucleate.papers.collisions.experiments import BOXES
from nucleate.papers.collisions.ledger.maturity import TRUE_HEAD
from nucleate.papers.collisions.readings import power_laws
from nucleate.papers.collisions.readings.fleets import box_name, fleets
from nucleate.papers.collisions.readings.heads import corrected, final_class

_HALF_OCTAVE = 2**0.5  # a change of exponent this close to a change of kind belongs to it

CHANGES = Check(
    "share of networks in which all such heads change their exponent then",
    "most",
    Region.at_least(0.5),
    mature=TRUE_HEAD,
)
SURPLUS = Check("share of such heads that do, minus the chance rate", "above 0", Region.above(0), mature=TRUE_HEAD)


class Move(NamedTuple):
    """A head that was partial from step `partial` on, for half an octave or more, and true from step `true` on."""

    experiment: str
    member: int
    block: int
    head: int
    partial: float
    true: float

    @property
    def network(self) -> tuple[str, int]:
        return self.experiment, self.member


def moves(evidence: Evidence) -> list[Move]:
    """All heads that moved from partial to true."""
    found = []
    for name, record in fleets(evidence).items():
        score, step = corrected(record), record.step.values
        for row, block, head in np.argwhere(final_class(record) == HeadClass.TRUE).tolist():
            kinds = head_class(score[row, :, block, head])
            partial, true = _since(kinds != HeadClass.NONE, step), _since(kinds == HeadClass.TRUE, step)
            if true >= _HALF_OCTAVE * max(partial, 1):
                found.append(Move(name, int(record.member[row]), block, head, partial, true))
    return found


def _since(holds: np.ndarray, step: np.ndarray) -> float:
    """The step from which on something holds that holds at the end."""
    before = np.flatnonzero(~holds)
    return float(step[before[-1] + 1] if len(before) else step[0])


def _changes(laws: xr.Dataset) -> np.ndarray:
    """The steps at which a head's exponent becomes another, by more than both errors together."""
    exponent, error = laws.exponent.values, laws.correlated_error.values
    with np.errstate(invalid="ignore"):
        differ = np.abs(np.diff(exponent)) > np.hypot(error[1:], error[:-1])
    return laws.start.values[1:][differ]


def _changed(evidence: Evidence, move: Move) -> tuple[bool, float]:
    """Whether a head's exponent changes when the head moves, and how likely that is by chance: the window is an octave
    wide, and holds some of a head's changes anyway."""
    laws = evidence.once(power_laws.of_correlation)[move.experiment]
    starts = _changes(laws.sel(member=move.member).isel(block=move.block, head=move.head))
    then = (starts >= move.true / _HALF_OCTAVE) & (starts <= move.true * _HALF_OCTAVE)
    octaves = np.log2(float(fleets(evidence)[move.experiment].step.values[-1]) / max(move.partial, 1))
    return bool(then.any()), min(float(np.sum(starts >= move.partial)) / max(octaves, 1), 1)


def _variants(evidence: Evidence) -> Findings:
    moved = moves(evidence)
    found = [_changed(evidence, move) for move in moved]
    by_network: dict[tuple[str, int], list[tuple[bool, float]]] = {}
    for move, each in zip(moved, found, strict=True):
        by_network.setdefault(move.network, []).append(each)
    every = sum(all(changed for changed, _ in heads) for heads in by_network.values())
    surplus = np.array([np.mean([changed - chance for changed, chance in heads]) for heads in by_network.values()])
    names = ", ".join(f"{box_name(m.experiment)} {m.member}: {m.block}-{m.head} at step {m.true:.0f}" for m in moved)
    return Findings(
        {CHANGES: share(every, len(by_network)), SURPLUS: bootstrap(np.mean, surplus, bounds=(-1, 1))},
        f"{len(moved)} heads of {len(by_network)} networks were partial for half an octave and then true for good "
        f"({names or 'none'}). {sum(changed for changed, _ in found)} of them change their exponent within half an "
        f"octave of that; {sum(chance for _, chance in found):.1f} would by chance.",
    )


CLAIMS = (
    Claim(
        "collisions/9",
        "Sec. 3.3, Fig. 1",
        "A head moves from one variant of collision detection to another, and its exponent changes when it does.",
        (CHANGES, SURPLUS),
        _variants,
        BOXES,
        "After more training, the head transitions to a true collision detection head (shown in box C) and the "
        "attention-distance function moves into a new power law regime with a different exponent.",
    ),
)
