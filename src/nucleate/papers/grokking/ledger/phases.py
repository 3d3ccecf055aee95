"""Claims 19-22: the phases of learning over hyperparameters."""

from collections.abc import Callable

import numpy as np
import xarray as xr

from nucleate.claims import Check, Claim, Estimate, Evidence, Findings, Region, share
from nucleate.observables import Phase, sandwiched, vote
from nucleate.papers.grokking import readings
from nucleate.record import NEVER

_MAJORITY = 0.5
# The paper's own maps; with less, an absent phase proves nothing.
_PAPER_CELLS, _PAPER_STEPS = 16 * 11, 100_000
_DECAY_MAPS = {"regression": readings.PHASE_DECAY, "classification": readings.PHASE_DECAY_CLASSES}


def _corner(codes: np.ndarray, rows: slice, cols: slice, wanted: Callable[[np.ndarray], np.ndarray]) -> Estimate:
    chosen = codes[rows, cols].ravel()
    chosen = chosen[chosen >= 0]
    return share(int(wanted(chosen).sum()), len(chosen))


def _third(values: np.ndarray) -> tuple[slice, slice]:
    """The lowest and the highest third of an axis."""
    third = max(1, len(values) // 3)
    return slice(0, third), slice(len(values) - third, len(values))


def _competition(evidence: Evidence) -> Findings:
    record = evidence.record(readings.PHASE_RATES)
    codes, eta_dec, eta_repr = readings.phases(record, "eta_dec", "eta_repr")
    slow_dec, fast_dec = _third(eta_dec)
    slow_repr, fast_repr = _third(eta_repr)
    late = _valid_steps(record, "eta_dec", "eta_repr")
    comprehension = codes == Phase.COMPREHENSION
    middle = late[comprehension & (late != NEVER)]
    corner = late[fast_repr, slow_dec].ravel()
    generalised = corner[corner != NEVER]
    delay = np.median(generalised) / np.median(middle) if len(generalised) and len(middle) else np.nan
    note = (
        f"{_census(codes)} Slow decoder with fast representation: {len(generalised)} of {len(corner)} networks "
        "generalise "
        f"within {int(record.steps)} steps, at a median of "
        f"{np.median(generalised) if len(generalised) else np.nan:.0f} steps "
        f"against {np.median(middle) if len(middle) else np.nan:.0f} for all that comprehend."
    )
    return Findings(
        {
            "fast decoder, slow representation: share that memorise": _corner(
                codes, slow_repr, fast_dec, lambda c: c == Phase.MEMORIZATION
            ),
            "slow decoder, fast representation: time to generalise over the comprehending networks'": _ratio(
                generalised, middle
            )
            if np.isfinite(delay)
            else Estimate.unknown(),
            "cells with a comprehending majority": Estimate.exact((vote(codes, -1)[0] == Phase.COMPREHENSION).sum()),
        },
        note,
    )


def _ratio(top: np.ndarray, bottom: np.ndarray) -> Estimate:
    """The ratio of two medians, both sides resampled."""
    rng = np.random.default_rng(0)
    drawn = np.median(rng.choice(top, (2000, len(top))), axis=1) / np.median(
        rng.choice(bottom, (2000, len(bottom))), axis=1
    )
    low, high = np.quantile(drawn, [0.025, 0.975])
    return Estimate(float(np.median(top) / np.median(bottom)), float(low), float(high))


def _valid_steps(record: xr.Dataset, x: str, y: str) -> np.ndarray:
    xs, ys, seeds = (np.unique(record[name].values) for name in (x, y, "seed"))
    steps = np.full((len(ys), len(xs), len(seeds)), NEVER)
    at = tuple(np.searchsorted(v, record[n].values) for v, n in ((ys, y), (xs, x), (seeds, "seed")))
    steps[at] = record.valid90_step.values
    return steps


def _census(codes: np.ndarray) -> str:
    winner, _ = vote(codes, -1)
    counts = ", ".join(f"{int(np.sum(winner == p))} {p.name.lower()}" for p in Phase)
    return f"Majority phases of {winner.size} cells, {codes.shape[-1]} seeds each: {counts}."


def _label(kind: str, text: str) -> str:
    return f"{kind}: {text}"


def _four_phases(evidence: Evidence) -> Findings:
    estimates, notes = {}, []
    for kind, name in _DECAY_MAPS.items():
        codes, *_ = readings.phases(evidence.record(name), "eta_dec", "wd_dec")
        found = len(np.unique(vote(codes, -1)[0]))
        # A map coarser or shorter than the paper's can miss a phase, so there it is only a lower bound.
        most = len(Phase) if codes[..., 0].size < _PAPER_CELLS or evidence.record(name).steps < _PAPER_STEPS else found
        estimates[_label(kind, "phases that hold a majority somewhere")] = Estimate(
            float(found), float(found), float(most)
        )
        seen = sorted({Phase(code).name.lower() for code in np.unique(codes)})
        notes.append(f"{kind.capitalize()}: {_census(codes)} Phases of single networks: {', '.join(seen)}.")
    return Findings(estimates, " ".join(notes) + " Fig. 6d (permutations) is not part of this measurement.")


def _decay_corners(evidence: Evidence) -> Findings:
    estimates, notes = {}, []
    for kind, name in _DECAY_MAPS.items():
        codes, eta_dec, decay = readings.phases(evidence.record(name), "eta_dec", "wd_dec")
        low, high = _third(decay)
        _, fast = _third(eta_dec)
        estimates[_label(kind, "fast decoder, low decay: share that memorise")] = _corner(
            codes, low, fast, lambda c: c == Phase.MEMORIZATION
        )
        estimates[_label(kind, "fast decoder, high decay: share confused")] = _corner(
            codes, high, fast, lambda c: c == Phase.CONFUSION
        )
        notes.append(f"{kind.capitalize()}: {_census(codes)}")
    return Findings(estimates, " ".join(notes) + " Corners are the outer thirds of both axes.")


def _sandwiched(evidence: Evidence) -> Findings:
    estimates, notes = {}, []
    for kind, name in _DECAY_MAPS.items():
        codes, *_ = readings.phases(evidence.record(name), "eta_dec", "wd_dec")
        between, total = 0, 0
        for seed in range(codes.shape[-1]):
            layer = codes[..., seed]
            between += int(sandwiched(layer).sum())
            total += int(np.sum(layer == Phase.GROKKING))
        estimates[_label(kind, "share of grokking cells between the two")] = share(between, total)
        notes.append(f"{kind.capitalize()}: {between} of {total} grokking cells, each seed's map by itself.")
    return Findings(estimates, " ".join(notes))


def _for_both(text: str, expected: str, low: float = -np.inf, high: float = np.inf) -> tuple[Check, ...]:
    return tuple(Check(_label(kind, text), expected, Region(low, high)) for kind in _DECAY_MAPS)


CLAIMS = (
    Claim(
        "grokking/19",
        "Fig. 6a",
        "A fast decoder with slow representation memorises; a slow decoder with fast representation generalises "
        "late; "
        "comprehension lies between.",
        (
            Check("fast decoder, slow representation: share that memorise", "most", Region(_MAJORITY, 1)),
            Check(
                "slow decoder, fast representation: time to generalise over the comprehending networks'",
                "> 1",
                Region(low=1),
            ),
            Check("cells with a comprehending majority", "some", Region(low=1)),
        ),
        _competition,
        (readings.PHASE_RATES,),
    ),
    Claim(
        "grokking/20",
        "Fig. 6bc",
        "The phase diagrams over decoder learning rate and weight decay each show all four phases.",
        _for_both("phases that hold a majority somewhere", "4", 4, 4),
        _four_phases,
        (readings.PHASE_DECAY, readings.PHASE_DECAY_CLASSES),
    ),
    Claim(
        "grokking/21",
        "Fig. 6bc",
        "A fast decoder memorises at low weight decay and is confused at high weight decay.",
        (
            *_for_both("fast decoder, low decay: share that memorise", "most", _MAJORITY, 1),
            *_for_both("fast decoder, high decay: share confused", "most", _MAJORITY, 1),
        ),
        _decay_corners,
        (readings.PHASE_DECAY, readings.PHASE_DECAY_CLASSES),
    ),
    Claim(
        "grokking/22",
        "Fig. 6bc",
        "Grokking is sandwiched between comprehension and memorisation.",
        _for_both("share of grokking cells between the two", "most", _MAJORITY, 1),
        _sandwiched,
        (readings.PHASE_DECAY, readings.PHASE_DECAY_CLASSES),
    ),
)
