"""Claims 19-22: the phases of learning over hyperparameters.

Table 1 defines the phases by what happens within 10⁵ steps. A network that has crossed 90 % has its phase for good; one
that has not is only known to memorise, or to be confused, after 10⁵ steps. Maps of the smaller budgets are shorter, so
that what they say of those two phases is an upper bound; the corners of the maps are trained to the full 10⁵ steps.
"""

import numpy as np
import xarray as xr

from nucleate.claims import Check, Claim, Estimate, Evidence, Findings, Region, bootstrap, share
from nucleate.observables import Phase, sandwiched, vote
from nucleate.papers.grokking import readings
from nucleate.record import NEVER

_MAJORITY = Region(0.5, 1)
# The paper's own map; with fewer cells, an absent phase proves nothing.
_PAPER_CELLS = 16 * 11
_DECAY = {
    "regression": (readings.PHASE_DECAY, readings.CORNERS_DECAY),
    "classification": (readings.PHASE_DECAY_CLASSES, readings.CORNERS_DECAY_CLASSES),
}


def _share_in(record: xr.Dataset, chosen: np.ndarray, wanted: Phase) -> Estimate:
    """The share of the chosen networks in a phase, with what a run shorter than Table 1's leaves open."""
    codes = readings.phase_of(record)[chosen]
    found = share(int(np.sum(codes == wanted)), len(codes))
    if wanted in (Phase.MEMORIZATION, Phase.CONFUSION) and record.steps < readings.TABLE_1_STEPS:
        return Estimate(found.value, 0.0, found.high)
    return found


def _arrival(record: xr.Dataset, chosen: np.ndarray) -> np.ndarray:
    """Steps to 90 % validation accuracy; infinite for those that did not get there."""
    steps = record.valid90_step.values[chosen].astype(float)
    return np.where(steps == NEVER, np.inf, steps)


def _census(record: xr.Dataset) -> str:
    codes = readings.phase_of(record)
    counts = ", ".join(f"{int(np.sum(codes == p))} {p.name.lower()}" for p in Phase)
    return f"{len(codes)} networks within {int(record.steps)} steps: {counts}."


def _competition(evidence: Evidence) -> Findings:
    plane, corners = evidence.record(readings.PHASE_RATES), evidence.record(readings.CORNERS)
    slow_repr = corners.eta_repr.values < corners.eta_dec.values
    late = _arrival(corners, ~slow_repr)
    comprehending = readings.phase_of(plane) == Phase.COMPREHENSION
    lead = np.log10(plane.eta_repr.values / plane.eta_dec.values)[comprehending]
    arrived = np.isfinite(late)
    note = (
        f"Map: {_census(plane)} Corners: {_census(corners)} Slow decoder with fast representation: {arrived.sum()} "
        f"of {len(late)} generalise, at a median of {np.median(late):.0f} steps, against "
        f"{np.median(_arrival(plane, comprehending)) if comprehending.any() else np.nan:.0f} for the map's "
        "comprehending networks."
    )
    return Findings(
        {
            "fast decoder, slow representation: share that memorise": _share_in(corners, slow_repr, Phase.MEMORIZATION),
            "slow decoder, fast representation: share that generalise": share(int(arrived.sum()), len(late)),
            "their median time over that of comprehending networks": bootstrap(
                lambda a, b: np.median(a) / np.median(b), late, _arrival(plane, comprehending)
            ),
            "comprehending networks: median log10 of η repr. over η decoder": bootstrap(np.median, lead),
        },
        note,
    )


def _four_phases(evidence: Evidence) -> Findings:
    estimates, notes = {}, []
    for kind, (map_name, corner_name) in _DECAY.items():
        plane, corners = evidence.record(map_name), evidence.record(corner_name)
        codes, *_ = readings.phases(plane, "eta_dec", "wd_dec")
        held = {Phase(code) for code in np.unique(vote(codes, -1)[0]) if code >= 0}
        if plane.steps < readings.TABLE_1_STEPS:
            held &= {Phase.COMPREHENSION, Phase.GROKKING}
        for decay in np.unique(corners.wd_dec.values):
            winner, _ = vote(readings.phase_of(corners)[corners.wd_dec.values == decay], 0)
            if winner >= 0 and corners.steps >= readings.TABLE_1_STEPS:
                held.add(Phase(int(winner)))
        complete = codes[..., 0].size >= _PAPER_CELLS and plane.steps >= readings.TABLE_1_STEPS
        most = len(held) if complete else len(Phase)
        estimates[f"{kind}: phases that hold a majority somewhere"] = Estimate(
            float(len(held)), float(len(held)), float(most)
        )
        names = ", ".join(sorted(p.name.lower() for p in held)) or "none"
        notes.append(f"{kind.capitalize()}: established: {names}. Map: {_census(plane)} Corners: {_census(corners)}")
    return Findings(estimates, " ".join(notes) + " Fig. 6d (permutations) is not part of this measurement.")


def _decay_corners(evidence: Evidence) -> Findings:
    estimates, notes = {}, []
    for kind, (_, name) in _DECAY.items():
        corners = evidence.record(name)
        low = corners.wd_dec.values == corners.wd_dec.values.min()
        estimates[f"{kind}: fast decoder, no decay: share that memorise"] = _share_in(corners, low, Phase.MEMORIZATION)
        estimates[f"{kind}: fast decoder, high decay: share confused"] = _share_in(corners, ~low, Phase.CONFUSION)
        notes.append(f"{kind.capitalize()} (η decoder {float(corners.eta_dec[0]):g}): {_census(corners)}")
    return Findings(estimates, " ".join(notes))


def _between(evidence: Evidence) -> Findings:
    estimates, notes = {}, []
    for kind, (name, _) in _DECAY.items():
        plane = evidence.record(name)
        codes, *_ = readings.phases(plane, "eta_dec", "wd_dec")
        winner, _ = vote(codes, -1)
        total, between = int(np.sum(winner == Phase.GROKKING)), int(sandwiched(winner).sum())
        found = share(between, total)
        if plane.steps < readings.TABLE_1_STEPS and total:
            found = Estimate(found.value, 0.0, 1.0)
        estimates[f"{kind}: share of grokking cells between the two"] = found
        notes.append(f"{kind.capitalize()}: {between} of {total} grokking cells. {_census(plane)}")
    short = " In a map shorter than 10⁵ steps, which cells memorise is not settled, and neither is what lies between."
    return Findings(estimates, " ".join(notes) + short)


def _for_both(text: str, expected: str, region: Region) -> tuple[Check, ...]:
    return tuple(Check(f"{kind}: {text}", expected, region) for kind in _DECAY)


_MAPS = tuple(name for pair in _DECAY.values() for name in pair)

CLAIMS = (
    Claim(
        "grokking/19",
        "Fig. 6a",
        "A fast decoder with slow representation memorises; a slow decoder with fast representation generalises in "
        "the end, but late; comprehension needs a representation that is faster than the decoder, but not too much.",
        (
            Check("fast decoder, slow representation: share that memorise", "most", _MAJORITY),
            Check("slow decoder, fast representation: share that generalise", "most", _MAJORITY),
            Check("their median time over that of comprehending networks", "> 1", Region(low=1 + 1e-9)),
            Check("comprehending networks: median log10 of η repr. over η decoder", "> 0", Region(1e-9, 3 - 1e-9)),
        ),
        _competition,
        (readings.PHASE_RATES, readings.CORNERS),
    ),
    Claim(
        "grokking/20",
        "Fig. 6bc",
        "The phase diagrams over decoder learning rate and weight decay each show all four phases.",
        _for_both("phases that hold a majority somewhere", "4", Region(4, 4)),
        _four_phases,
        _MAPS,
    ),
    Claim(
        "grokking/21",
        "Fig. 6bc",
        "A fast decoder memorises without weight decay and is confused at high weight decay.",
        (
            *_for_both("fast decoder, no decay: share that memorise", "most", _MAJORITY),
            *_for_both("fast decoder, high decay: share confused", "most", _MAJORITY),
        ),
        _decay_corners,
        (readings.CORNERS_DECAY, readings.CORNERS_DECAY_CLASSES),
    ),
    Claim(
        "grokking/22",
        "Fig. 6bc",
        "Grokking is sandwiched between comprehension and memorisation.",
        _for_both("share of grokking cells between the two", "most", _MAJORITY),
        _between,
        (readings.PHASE_DECAY, readings.PHASE_DECAY_CLASSES),
    ),
)
