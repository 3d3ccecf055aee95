"""Claims 19-22: the phases of learning over hyperparameters.

Table 1 defines the phases by what happens within 10⁵ steps. A network whose validation accuracy has crossed 90 % has
its phase for good; any other may still change it until 10⁵ steps have passed. The maps of the smaller budgets are
shorter than that; the corners of the maps are trained for all 10⁵ steps.
"""

from dataclasses import replace

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
    Steps,
    Threshold,
    bootstrap,
    median,
    ratio,
    share,
)
from nucleate.observables import Phase, sandwiched, vote
from nucleate.papers.grokking import readings
from nucleate.papers.grokking.experiments import (
    CORNERS,
    CORNERS_DECAY,
    CORNERS_DECAY_CLASSES,
    GROUPS_CORNERS,
    GROUPS_PHASES,
    PHASE_DECAY,
    PHASE_DECAY_CLASSES,
    PHASE_RATES,
    TABLE_1_STEPS,
)
from nucleate.papers.grokking.ledger.words import MOST

_GENERALISING = (Phase.COMPREHENSION, Phase.GROKKING)
_PAPER_CELLS = 16 * 11
"""Cells of the paper's own map; with fewer, an absent phase proves nothing."""

_MAPS = {"regression": PHASE_DECAY, "classification": PHASE_DECAY_CLASSES, "permutations": GROUPS_PHASES}
_MAP_CORNERS = {
    "regression": CORNERS_DECAY,
    "classification": CORNERS_DECAY_CLASSES,
    "permutations": GROUPS_CORNERS,
}


_FAST_DECODER = Check("fast decoder, slow representation: share that memorise", "lead to memorization", MOST)
_SLOW_DECODER = Check("slow decoder, fast representation: share that generalise", "will generalize in the end", MOST)
_LATE = Check(
    "their median time over that of comprehending networks",
    "the generalization time is long",
    Region.above(1),
    mature=Steps(TABLE_1_STEPS, CORNERS),
)
_LEAD = Check(
    "comprehending networks: median log10 of η repr. over η decoder",
    "faster, but not too much",
    Region.strictly_between(0, 3),  # 3 is the edge of the map: as much faster as can be
)


def _competition(evidence: Evidence) -> Findings:
    plane, corners = evidence.record(PHASE_RATES), evidence.record(CORNERS)
    fast_decoder = corners.eta_dec.values > corners.eta_repr.values
    late = readings.steps_to(corners, "valid90")[~fast_decoder & (readings.phase_of(corners) >= 0)]
    comprehending = readings.phase_of(plane) == Phase.COMPREHENSION
    soon = readings.steps_to(plane, "valid90")[comprehending]
    lead = np.log10(plane.eta_repr.values / plane.eta_dec.values)[comprehending]
    note = (
        f"Map: {readings.census(plane)} Corners: {readings.census(corners)} Slow decoder with fast representation: "
        f"{np.isfinite(late).sum()} of {len(late)} generalise, at a median of {median(late):,.0f} steps, against "
        f"{median(soon):,.0f} for the comprehending networks of the map."
    )
    return Findings(
        {
            _FAST_DECODER: readings.Hits.of(corners, fast_decoder, Phase.MEMORIZATION).share(),
            _SLOW_DECODER: readings.Hits.of(corners, ~fast_decoder, *_GENERALISING).share(),
            _LATE: bootstrap(lambda a, b: ratio(np.median(a), np.median(b)), late, soon, apart=True),
            _LEAD: bootstrap(np.median, lead),
        },
        note,
    )


_PHASES_HELD = {
    kind: Check(f"{kind}: phases that hold a majority somewhere", "4", Region.exactly(4), Threshold.PAPER)
    for kind in _MAPS
}


def _four_phases(evidence: Evidence) -> Findings:
    estimates, notes = {}, []
    for kind, check in _PHASES_HELD.items():
        plane, corners = evidence.record(_MAPS[kind]), evidence.record(_MAP_CORNERS[kind])
        held = _established(plane, corners)
        estimates[check] = _number_of(held, plane)
        names = ", ".join(sorted(p.name.lower() for p in held)) or "none"
        notes.append(
            f"{kind.capitalize()}: established: {names}. Map: {readings.census(plane)} "
            f"Corners: {readings.census(corners)}"
        )
    return Findings(estimates, " ".join(notes))


def _established(plane: xr.Dataset, corners: xr.Dataset) -> set[Phase]:
    """The phases that hold a majority in some cell of the map or in one of its corners, and will not lose it."""
    codes, *_ = readings.phase_map(plane, "eta_dec", "wd_dec")
    cells = {int(code) for code in np.unique(vote(codes, -1)[0])}
    at = [corners.wd_dec.values == decay for decay in np.unique(corners.wd_dec.values)]
    ends = {int(vote(readings.phase_of(corners)[chosen], 0)[0]) for chosen in at}
    final = set(map(int, _GENERALISING))
    cells, ends = (found & final if readings.is_short(r) else found for found, r in ((cells, plane), (ends, corners)))
    return {Phase(code) for code in (cells | ends) - {-1}}


def _number_of(held: set[Phase], plane: xr.Dataset) -> Estimate:
    """How many phases there are: at least those that are established; more if the map is too short or too coarse."""
    if len(held) == len(Phase):
        return Estimate.exact(len(held))
    cells = np.prod([len(np.unique(plane[name].values)) for name in ("eta_dec", "wd_dec")])
    missing = Reason.TOO_EARLY if readings.is_short(plane) else Reason.TOO_FEW if cells < _PAPER_CELLS else None
    most = len(held) if missing is None else len(Phase)
    return replace(Estimate.exact(len(held)), high=float(most), reason=missing)


_MEMORISED = {
    kind: Check(f"{kind}: fast decoder, no decay: share that memorise", "memorization", MOST) for kind in _MAP_CORNERS
}
_CONFUSED = {
    kind: Check(f"{kind}: fast decoder, high decay: share confused", "confusion", MOST) for kind in _MAP_CORNERS
}


def _decay_corners(evidence: Evidence) -> Findings:
    estimates, notes = {}, []
    for kind, name in _MAP_CORNERS.items():
        corners = evidence.record(name)
        low = corners.wd_dec.values == corners.wd_dec.values.min()
        estimates[_MEMORISED[kind]] = readings.Hits.of(corners, low, Phase.MEMORIZATION).share()
        estimates[_CONFUSED[kind]] = readings.Hits.of(corners, ~low, Phase.CONFUSION).share()
        notes.append(f"{kind.capitalize()} (η decoder {float(corners.eta_dec[0]):g}): {readings.census(corners)}")
    return Findings(estimates, " ".join(notes))


_BETWEEN = {
    kind: Check(
        f"{kind}: share of grokking cells between the two", "sandwiched", MOST, mature=Steps(TABLE_1_STEPS, name)
    )
    for kind, name in _MAPS.items()
}


def _between(evidence: Evidence) -> Findings:
    estimates, notes = {}, []
    for kind, check in _BETWEEN.items():
        plane = evidence.record(_MAPS[kind])
        winner, _ = vote(readings.phase_map(plane, "eta_dec", "wd_dec")[0], -1)
        total, between = int(np.sum(winner == Phase.GROKKING)), int(sandwiched(winner).sum())
        estimates[check] = share(between, total)
        notes.append(f"{kind.capitalize()}: {between} of {total} grokking cells. {readings.census(plane)}")
    return Findings(estimates, " ".join(notes))


CLAIMS = (
    Claim(
        "grokking/19",
        "Fig. 6a",
        "A fast decoder with slow representation memorises; a slow decoder with fast representation generalises in "
        "the end, but late; comprehension needs a representation that is faster than the decoder, but not too much.",
        (_FAST_DECODER, _SLOW_DECODER, _LATE, _LEAD),
        _competition,
        (PHASE_RATES, CORNERS),
        quote="a fast decoder coupled with slow representation learning (bottom right) lead to memorization. In the "
        "opposite extreme, although an extremely slow decoder coupled with fast representation learning (top left) "
        "will generalize in the end, the generalization time is long […] The ideal phase (comprehension) requires "
        "representation learning to be faster, but not too much, than the decoder.",
    ),
    Claim(
        "grokking/20",
        "Fig. 6bcd",
        "The phase diagrams over decoder learning rate and weight decay each show all four phases.",
        tuple(_PHASES_HELD.values()),
        _four_phases,
        (*_MAPS.values(), *_MAP_CORNERS.values()),
        quote="Common phenomena emerge from these different tasks: (i) they all include four phases.",
    ),
    Claim(
        "grokking/21",
        "Fig. 6bcd",
        "A fast decoder memorises without weight decay and is confused at high weight decay.",
        (*_MEMORISED.values(), *_CONFUSED.values()),
        _decay_corners,
        tuple(_MAP_CORNERS.values()),
        quote="The top right corner (a fast and capable decoder) is the memorization phase; […] the bottom right "
        "corner (a fast and simple decoder) is the confusion phase.",
    ),
    Claim(
        "grokking/22",
        "Fig. 6bcd",
        "Grokking is sandwiched between comprehension and memorisation.",
        tuple(_BETWEEN.values()),
        _between,
        tuple(_MAPS.values()),
        quote="grokking is sandwiched between comprehension and memorization.",
    ),
)
