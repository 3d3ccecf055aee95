"""Claim 19: phases of learning over the learning rates of representation and decoder.

Corners of the map are trained for the 10⁵ steps that Table 1 asks for; the maps of the smaller budgets are shorter, so
that some of their networks may still come to comprehend.
"""

import numpy as np
import xarray as xr

from nucleate.claims import (
    Check,
    Claim,
    Estimate,
    Evidence,
    Findings,
    Region,
    Revision,
    Steps,
    bootstrap,
    median,
    ratio,
)
from nucleate.claims.words import MOST
from nucleate.observables import Phase
from nucleate.papers.grokking import readings
from nucleate.papers.grokking.experiments import CORNERS, PHASE_RATES, TABLE_1_STEPS

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
    soon = readings.steps_to(plane, "valid90")[readings.phase_of(plane) == Phase.COMPREHENSION]
    note = (
        f"Map: {readings.census(plane)} Corners: {readings.census(corners)} Slow decoder with fast representation: "
        f"{np.isfinite(late).sum()} of {len(late)} generalise, at a median of {median(late):,.0f} steps, against "
        f"{median(soon):,.0f} for the comprehending networks of the map."
    )
    return Findings(
        {
            _FAST_DECODER: readings.Hits.of(corners, fast_decoder, Phase.MEMORIZATION).share(),
            _SLOW_DECODER: readings.Hits.of(corners, ~fast_decoder, Phase.COMPREHENSION, Phase.GROKKING).share(),
            _LATE: bootstrap(lambda a, b: ratio(np.median(a), np.median(b)), late, soon, apart=True),
            _LEAD: _lead(plane),
        },
        note,
    )


def _lead(plane: xr.Dataset) -> Estimate:
    """How much faster the representation is where networks comprehend; others may come to, with less lead or more."""
    lead = np.log10(plane.eta_repr.values / plane.eta_dec.values)
    surely = readings.phase_of(plane) == Phase.COMPREHENSION
    waiting = readings.possible_phases(plane)[:, Phase.COMPREHENSION] & ~surely
    found = bootstrap(np.median, lead[surely])
    if not waiting.any():
        return found
    away = lead - median(lead[surely])
    ends = (surely | (waiting & (sign * away > 0)) for sign in (-1, 1))
    return found.or_later(*(bootstrap(np.median, lead[end]) for end in ends))


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
        history=(
            Revision(
                "In the outer thirds of a map of 10⁴ steps, a share ≥ 0.5 memorises, and others take longer than "
                "comprehending networks; some cell has a comprehending majority.",
                "not published",
                "phases that are defined by 10⁵ steps were judged after 10⁴, and networks shared seeds and splits.",
            ),
            Revision(
                "The same as now, with shares ≥ 0.5, six networks in each corner, and without regard to networks of "
                "the map that may still comprehend.",
                "inconclusive",
                "of six networks only all could replicate it; there are nine now.",
            ),
        ),
    ),
)
