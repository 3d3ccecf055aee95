"""Claims 20-22: the phases of learning over weight decay and the decoder's learning rate.

Table 1 defines the phases by what happens within 10⁵ steps. A network whose validation accuracy has crossed 90 % has
its phase for good; any other may still change it until 10⁵ steps have passed. The maps of the smaller budgets are
shorter than that; their corners, and their rows without decay, are trained for all 10⁵ steps.

The paper's maps have one network in each cell, and what it says of them is read off single networks. So is claim 20; a
share of more than half is what one network most likely shows.
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
    Revision,
    Steps,
    Threshold,
    ratio,
    share,
)
from nucleate.claims.words import MOST
from nucleate.observables import Phase, sandwiched, vote
from nucleate.papers.grokking import readings
from nucleate.papers.grokking.experiments import (
    CORNERS_DECAY,
    CORNERS_DECAY_CLASSES,
    GROUPS_CORNERS,
    GROUPS_NO_DECAY,
    GROUPS_PHASES,
    NO_DECAY,
    NO_DECAY_CLASSES,
    PHASE_DECAY,
    PHASE_DECAY_CLASSES,
    TABLE_1_STEPS,
)

_GENERALISING = (Phase.COMPREHENSION, Phase.GROKKING)
_PAPER_CELLS = 16 * 11
"""Cells of each of the paper's maps, with one network each; with fewer networks, an absent phase proves nothing."""

_MAPS = {"regression": PHASE_DECAY, "classification": PHASE_DECAY_CLASSES, "permutations": GROUPS_PHASES}
_ROWS = {"regression": NO_DECAY, "classification": NO_DECAY_CLASSES, "permutations": GROUPS_NO_DECAY}
_MAP_CORNERS = {
    "regression": CORNERS_DECAY,
    "classification": CORNERS_DECAY_CLASSES,
    "permutations": GROUPS_CORNERS,
}

# --- weight decay: which phases there are ----------------------------------------------------------------------------

_SEEN = {
    kind: Check(f"{kind}: phases in which some network is", "four phases", Region.exactly(4), Threshold.PAPER)
    for kind in _MAPS
}
_HELD = {kind: Check(f"{kind}: phases that hold a majority of some cell", "four phases", None) for kind in _MAPS}


def _four_phases(evidence: Evidence) -> Findings:
    records = {kind: [evidence.record(names[kind]) for names in (_MAPS, _ROWS, _MAP_CORNERS)] for kind in _MAPS}
    possible = {kind: np.concatenate(list(map(readings.possible_phases, each))) for kind, each in records.items()}
    possible = {kind: rows[rows.any(1)] for kind, rows in possible.items()}  # of those that did not diverge
    everywhere = np.concatenate(list(possible.values()))
    estimates, notes = {}, []
    for kind, rows in possible.items():
        held = _majorities(records[kind])
        estimates[_SEEN[kind]], estimates[_HELD[kind]] = _number_of(rows, everywhere), Estimate.exact(len(held))
        parts = zip(("Map", "No decay", "Corners"), records[kind], strict=True)
        counted = " ".join(f"{part}: {readings.census(record)}" for part, record in parts)
        names = ", ".join(sorted(p.name.lower() for p in held)) or "none"
        notes.append(f"{kind.capitalize()}: majorities: {names}. {counted}")
    return Findings(
        estimates,
        " ".join(notes) + f" A phase is absent if no network can be in it, of as many as the paper's map has cells "
        f"({_PAPER_CELLS}), or of as many in all three tasks.",
    )


def _number_of(possible: np.ndarray, everywhere: np.ndarray) -> Estimate:
    """How many phases there are, from the phases [network, phase] that networks may be in: at least those in which one
    surely is, at most all but those that are absent."""
    if not len(possible):
        return Estimate.unknown(Reason.TOO_FEW)
    seen = possible[possible.sum(1) == 1].any(0)
    perhaps, elsewhere = possible.any(0), everywhere.any(0)
    asked = np.where(elsewhere, len(possible), len(everywhere))
    absent = ~perhaps & (asked >= _PAPER_CELLS)
    found = Estimate.exact(int(seen.sum()))
    return replace(found, high=float(np.sum(~absent)), pending=bool(np.any(perhaps & ~seen)))


def _majorities(records: list[xr.Dataset]) -> set[Phase]:
    """The phases that hold a majority in some cell of these maps, and will not lose it."""
    held = set()
    for record in records:
        codes, *_ = readings.phase_map(record, "eta_dec", "wd_dec")
        cells = set(map(int, np.unique(vote(codes, -1)[0])))
        held |= cells & set(map(int, _GENERALISING)) if readings.is_short(record) else cells
    return {Phase(code) for code in held - {-1}}


# --- and where they are ----------------------------------------------------------------------------------------------

_MEMORISED = {
    kind: Check(f"{kind}: fast decoder, no decay: share that memorise", "the memorization phase", MOST)
    for kind in _MAP_CORNERS
}
_CONFUSED = {
    kind: Check(f"{kind}: fast decoder, high decay: share confused", "the confusion phase", MOST)
    for kind in _MAP_CORNERS
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


_BETWEEN = Check(
    "no decay: share of grokking networks whose η decoder is between the mean of comprehending networks and that of "
    "memorising ones",
    "sandwiched between",
    MOST,
    mature=Steps(TABLE_1_STEPS, (*_ROWS.values(), *_MAP_CORNERS.values())),
)
_CELLS = {
    kind: Check(f"{kind}: share of the map's grokking cells between the two phases", "sandwiched between", None)
    for kind in _MAPS
}


def _between(evidence: Evidence) -> Findings:
    between, cells, notes = [], {}, []
    for kind, check in _CELLS.items():
        plane, row, corners = (evidence.record(names[kind]) for names in (_MAPS, _ROWS, _MAP_CORNERS))
        without = corners.isel(member=np.flatnonzero(corners.wd_dec.values == corners.wd_dec.values.min()))
        rate = np.log10(np.concatenate([row.eta_dec.values, without.eta_dec.values]))
        code = np.concatenate([readings.phase_of(row), readings.phase_of(without)])
        ends = [_centre(rate, code == phase) for phase in (Phase.COMPREHENSION, Phase.MEMORIZATION)]
        groks = rate[code == Phase.GROKKING]
        between.append((groks > min(ends)) & (groks < max(ends)))  # never, if one of the two phases is not there
        winner, _ = vote(readings.phase_map(plane, "eta_dec", "wd_dec")[0], -1)
        cells[check] = share(int(sandwiched(winner).sum()), int(np.sum(winner == Phase.GROKKING)))
        notes.append(
            f"{kind.capitalize()}: {int(between[-1].sum())} of {len(groks)} grokking networks are between "
            f"{10 ** ends[0]:.2g} (comprehending) and {10 ** ends[1]:.2g} (memorising). Without decay: "
            f"{readings.census(row)} Map: {readings.census(plane)}"
        )
    hits = np.concatenate(between)
    return Findings(
        {_BETWEEN: share(int(hits.sum()), len(hits)), **cells},
        " ".join(notes) + " Means are of log η, each rate weighted by the share of its networks in the phase.",
    )


def _centre(rate: np.ndarray, hits: np.ndarray) -> float:
    """The mean rate of a phase, as if every rate had been tried equally often; NaN if the phase is not there."""
    tried = np.unique(rate)
    shares = np.array([hits[rate == one].mean() for one in tried])
    return ratio(float(tried @ shares), float(shares.sum()))


_SHORT_MAPS = "phases that are defined by 10⁵ steps were judged after 10⁴, and networks shared seeds and splits."

CLAIMS = (
    Claim(
        "grokking/20",
        "Fig. 6bcd",
        "The phase diagrams over decoder learning rate and weight decay each show all four phases.",
        (*_SEEN.values(), *_HELD.values()),
        _four_phases,
        (*_MAPS.values(), *_ROWS.values(), *_MAP_CORNERS.values()),
        quote="Common phenomena emerge from these different tasks: (i) they all include four phases",
        history=(
            Revision(
                "All four phases hold a majority in some cell of a map of 10⁴ steps, for addition.",
                "not published",
                _SHORT_MAPS,
            ),
            Revision(
                "All four phases hold a majority in some cell of the map or in one of its corners, for good.",
                "inconclusive",
                "the paper's cells have one network each: a majority of several is more than it says. No map of the "
                "standard budget could contradict it, either.",
            ),
        ),
    ),
    Claim(
        "grokking/21",
        "Fig. 6bcd",
        "A fast decoder memorises without weight decay and is confused at high weight decay.",
        (*_MEMORISED.values(), *_CONFUSED.values()),
        _decay_corners,
        tuple(_MAP_CORNERS.values()),
        quote="The top right corner (a fast and capable decoder) is the memorization phase; (iii) the bottom right "
        "corner (a fast and simple decoder) is the confusion phase",
        history=(
            Revision(
                "A share ≥ 0.5 memorises, and is confused, in the outer thirds of a map of 10⁴ steps, for addition.",
                "not published",
                _SHORT_MAPS,
            ),
            Revision(
                "Shares ≥ 0.5 of six networks in each corner.",
                "inconclusive",
                "of six networks only all could replicate it; there are nine now.",
            ),
        ),
    ),
    Claim(
        "grokking/22",
        "Fig. 6bcd",
        "Grokking is sandwiched between comprehension and memorisation.",
        (_BETWEEN, *_CELLS.values()),
        _between,
        (*_MAPS.values(), *_ROWS.values(), *_MAP_CORNERS.values()),
        quote="grokking is sandwiched between comprehension and memorization, which seems to imply that it is an "
        "undesirable phase that stems from improperly tuned hyperparameters.",
        history=(
            Revision(
                "A share ≥ 0.5 of the grokking cells of each network's map of 10⁴ steps is between the two phases in "
                "its row or column, for addition.",
                "not published",
                _SHORT_MAPS,
            ),
            Revision(
                "A share ≥ 0.5 of the cells with a grokking majority is between the two phases, once maps have had "
                "10⁵ steps.",
                "inconclusive",
                "no map of the standard budget is that long, and few cells have such a majority. It is judged in the "
                "row of each map in which nothing decays, where the phases follow one another along one axis; the "
                "cells of the map are shown.",
            ),
        ),
    ),
)
