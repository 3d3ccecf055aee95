"""Claim 35: the structure that a transformer ends with, at its initialisation and while it trains (App. K)."""

import numpy as np

from nucleate.claims import Check, Claim, Evidence, Findings, Reason, Region, Threshold, When, bootstrap
from nucleate.papers.grokking import readings
from nucleate.papers.grokking.experiments import LOTTERY

_MATURE = When("most networks have generalised, and have trained for as long again since", LOTTERY, readings.is_mature)

_TICKET = Check(
    "at initialisation, median share of the final frequency in the variance on the first two final components, "
    "minus its share on the first two of its own",
    "already contain much of that structure",
    Region.above(0),
    Threshold.PAPER,
    mature=_MATURE,
)
_ENOUGH = Check(
    f"at the end, median accuracy on the first {readings.FEW} components (as in the authors' code)",
    "first few … 99 % accuracy",
    Region.at_least(0.99),
    Threshold.PAPER,
    mature=_MATURE,
)
_BETTER = Check(
    f"during training, median gain in accuracy of the first {readings.FEW} final components over current ones",
    "perform better",
    Region.above(0),
    Threshold.PAPER,
    mature=_MATURE,
)


def _ticket(evidence: Evidence) -> Findings:
    found = evidence.once(readings.lottery)
    if found is None:
        return Findings.none((_TICKET, _ENOUGH, _BETTER), "No network has generalised yet.", Reason.TOO_EARLY)
    seen = readings.ticket(found)
    tokens = found.end.shape[1]
    end = ", ".join(
        f"{count}: {np.median(found.final[:, -1, i, 0]):.3f}" for i, count in enumerate(found.count.tolist())
    )
    return Findings(
        {
            _TICKET: bootstrap(np.median, seen.at_the_start - seen.on_its_own),
            _ENOUGH: bootstrap(np.median, found.final[:, -1, -1, 0], bounds=(0, 1)),
            _BETTER: bootstrap(np.median, found.gain),
        },
        f"{len(found.end)} networks that generalise, p = {tokens}. Medians: the strongest frequency has "
        f"{np.median(seen.at_the_end):.2f} of the variance on the first two components at the end; of the embedding at "
        f"initialisation it has {np.median(seen.at_the_start):.2f} on the same components and "
        f"{np.median(seen.on_its_own):.2f} on its own first two; by chance it would have {2 / (tokens - 1):.2f}. "
        f"Accuracy on all pairs at the end, by the number of components (all: "
        f"{np.median(found.whole[:, -1, 0]):.3f}): {end}. Gains are means over {len(found.step) - 2} log-spaced steps.",
    )


CLAIMS = (
    Claim(
        "grokking/35",
        "App. K, Figs. 21-22",
        "Embeddings at initialisation, projected on the final principal components, already have some of the final "
        "structure; the first few of these components suffice for 99 % accuracy, and do better than current ones.",
        (_TICKET, _ENOUGH, _BETTER),
        _ticket,
        (LOTTERY,),
        quote="the projection of the embeddings at initialization to the principal components of the embeddings at "
        "generalization seem to already contain much of that structure. […] Clearly, the first few principal "
        "components contain enough information to reach 99% accuracy. […] embeddings reconstructed from the PCA at the "
        "end of training (solid lines) perform better than current highest variance axes (dotted line). This behavior "
        "is consistent across seeds.",
    ),
)
