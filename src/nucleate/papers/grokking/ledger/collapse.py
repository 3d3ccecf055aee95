"""Claim 39: the effective loss alone, on digits (App. I)."""

import numpy as np

from nucleate.claims import Check, Claim, Estimate, Evidence, Findings, Region, Threshold, bootstrap
from nucleate.papers.grokking.readings.images import SCALES, collapse

_COLLAPSED = 0.1
"""A spread has collapsed if less than a tenth of it is left."""

_WITHIN = Check(
    "median share of the spread within classes left", "collapse to their class-means", Region.below(_COLLAPSED)
)
_BETWEEN = Check("median share of the spread of class means left", "do not collapse", Region.at_least(_COLLAPSED))
_SEPARATE = Check("median share of images nearest to their class's mean", "stay separable", Region.at_least(0.9))
_KEPT = Check("relative change of Z in gradient flow", "0", Region.at_most(1e-6), Threshold.PAPER)


def _collapse(evidence: Evidence) -> Findings:
    seen = evidence.once(collapse)
    within, between = (spread[:, -1] / spread[:, 0] for spread in (seen.within, seen.between))
    change = seen.size[:, -1] / seen.size[:, 0] - 1
    left = ", ".join(f"{scale:g}: {100 * np.median(row):.0f} %" for scale, row in zip(SCALES, seen.left, strict=True))
    note = (
        f"{len(within)} random encoders 784-200-200-2 with the usual initial weights, each with "
        f"{seen.label.shape[1]:,} digits. At the start {100 * np.median(seen.nearest[:, 0]):.0f} % of the images are "
        f"nearest to their class's mean. Adam is not gradient flow: it changes Z, by {100 * np.median(change):+.0f} % "
        "(median). It moves a coordinate by at most about 0.001 a step, so all rests on the scale of the encoder, "
        f"which the paper does not give. Share of the spread within classes that is left, by factor on weights: {left}."
    )
    return Findings(
        {
            _WITHIN: bootstrap(np.median, within),
            _BETWEEN: bootstrap(np.median, between),
            _SEPARATE: bootstrap(np.median, seen.nearest[:, -1]),
            _KEPT: Estimate.exact(float(seen.flow_change.max())),
        },
        note,
    )


CLAIMS = (
    Claim(
        "grokking/39",
        "Fig. 19, App. I",
        "Under the effective loss alone, embeddings of images collapse to their class means, which stay apart.",
        (_WITHIN, _BETWEEN, _SEPARATE, _KEPT),
        _collapse,
        quote="Images of the same class collapse to their class-means, and different class-means do not collapse. […] "
        "the gradient flow on ℓ_eff preserve Z (variance of representations) so that global collapse is avoided "
        "provably.",
    ),
)
