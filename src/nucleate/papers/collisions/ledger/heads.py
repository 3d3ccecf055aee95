"""Claims 1 to 3: collision detection heads, what kinds there are and where."""

import numpy as np

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
    ratio,
    share,
    words,
)
from nucleate.observables import HeadClass
from nucleate.papers.collisions.experiments import BOX
from nucleate.papers.collisions.ledger.maturity import DEVELOPED, finished
from nucleate.papers.collisions.ledger.shares import or_fewer, share_in_networks
from nucleate.papers.collisions.readings.fleets import networks
from nucleate.papers.collisions.readings.heads import corrected, final_class

_CLUSTER = 0.1  # scores this close to 0 are near 0
_BETWEEN = (0.3, 0.8)  # where the paper's partial heads are
_NEAR_ONE = 0.875  # as for `head_class`: midway between 0.8 and 0.95

GAP = Check("density of scores between, over that of the thinner cluster", "below 1", Region.below(1), mature=DEVELOPED)
NEAR_ONE = Check("share of heads near 0.95", "a dense cluster", None)
NEAR_ZERO = Check("share of heads near 0", "a dense cluster", None)
# Of five networks, all; which shows of others no more than that most do.
MIXTURE = Check("share of networks that have true and partial heads", "all five", words.MOST, mature=DEVELOPED)
IN_FIRST = Check("share of heads in the first block that detect collisions", "none", words.NONE, mature=DEVELOPED)
EMPTY_LATER = Check("later blocks in which no network has one", "none", Region.exactly(0), Threshold.PAPER, DEVELOPED)


def _density(none: np.ndarray, between: np.ndarray, true: np.ndarray) -> float:
    """Heads per unit of score between the clusters, over those in the thinner of the two clusters."""
    thinner = min(none.sum() / (2 * _CLUSTER), true.sum() / (1 - _NEAR_ONE))
    return ratio(between.sum() / (_BETWEEN[1] - _BETWEEN[0]), thinner)


def _clusters(evidence: Evidence) -> Findings:
    record = networks(evidence)
    score, ready = corrected(record)[:, -1], finished(record)
    count = lambda where: where.sum(axis=(1, 2)).astype(float)
    none, true, every = count(np.abs(score) <= _CLUSTER), count(score >= _NEAR_ONE), count(np.isfinite(score))
    between = count((score > _BETWEEN[0]) & (score < _BETWEEN[1]))
    density = lambda *counts: bootstrap(_density, *counts, bounds=(0, every.max(initial=1)))
    now = density(none, between, true)
    # In networks that have not finished learning, what is between may still become a true head.
    later = density(none, np.where(ready, between, 0), np.where(ready, true, true + between))
    return Findings(
        {
            GAP: now.or_later(later, now),
            NEAR_ONE: share_in_networks(true, every),
            NEAR_ZERO: share_in_networks(none, every),
        },
        f"{_in_words(score)} Median share of all attention that collision heads pay to near particles (`raw`): "
        f"{_raw(evidence)}.",
    )


def _in_words(score: np.ndarray) -> str:
    bins = ", ".join(
        f"{low:.1f} to {low + 0.2:.1f}: {np.sum((score >= low) & (score < low + 0.2))}" for low in np.arange(0, 1, 0.2)
    )
    return f"{score.size} heads of {len(score)} networks, by score: below 0: {np.sum(score < 0)}, {bins}."


def _raw(evidence: Evidence) -> str:
    record = networks(evidence)
    values = record.raw.values[:, -1][final_class(record) > HeadClass.NONE]
    return f"{np.median(values):.2f}" if len(values) else "there are none"


def _mixture(evidence: Evidence) -> Findings:
    record = networks(evidence)
    kinds, ready = final_class(record), finished(record)
    if not len(kinds):
        return Findings.none((MIXTURE,), "No network stayed finite.", Reason.TOO_FEW)
    true, partial = ((kinds == kind).sum(axis=(1, 2)) for kind in (HeadClass.TRUE, HeadClass.PARTIAL))
    both = (true > 0) & (partial > 0)
    now = share(int(both.sum()), len(both))
    each = ", ".join(f"{t} and {p}" for t, p in zip(true, partial, strict=True))
    return Findings(
        {MIXTURE: now.or_later(now, share(int((both | ~ready).sum()), len(both)))},
        f"True and partial heads of each network: {each}. {int(ready.sum())} of {len(ready)} networks have finished "
        "learning; others count against the claim only when they have.",
    )


def _first_block(evidence: Evidence) -> Findings:
    record = networks(evidence)
    kinds, ready = final_class(record), finished(record)
    if not len(kinds):
        return Findings.none((IN_FIRST, EMPTY_LATER), "No network stayed finite.", Reason.TOO_FEW)
    detect = kinds > HeadClass.NONE
    first = detect[:, 0].sum(axis=1).astype(float)
    empty = Estimate.exact((~detect[:, 1:].any(axis=(0, 2))).sum())
    by_block = "; ".join(
        f"block {block}: {int((of == HeadClass.TRUE).sum())} true, {int((of == HeadClass.PARTIAL).sum())} partial"
        for block, of in enumerate(np.moveaxis(kinds, 1, 0))
    )
    return Findings(
        {
            IN_FIRST: or_fewer(first, np.full(len(first), float(detect.shape[2])), ready),
            EMPTY_LATER: empty if ready.all() else empty.or_later(Estimate.exact(0), empty),
        },
        f"{detect[:, 0].size} heads in block 0 of {len(kinds)} networks. {by_block}.",
    )


CLAIMS = (
    Claim(
        "collisions/1",
        "Sec. 3.1, Fig. 2",
        "Collision detection scores cluster near 0.95 and near 0.",
        (GAP, NEAR_ONE, NEAR_ZERO),
        _clusters,
        (BOX,),
        "At the end of training we see a dense cluster of attention heads with collision detection score near 0.95 and "
        "a dense cluster near zero, corresponding respectively to true collision detection heads and heads without "
        "collision detection behaviour. Between the two large clusters there are several small clusters corresponding "
        "to the partial collision detection heads.",
        history=(
            Revision(
                "In two boxes together, a tenth to nine tenths of all heads near 0.95, and as many near 0; density "
                "between at most that of the thinner cluster.",
                "inconclusive",
                "the paper gives no shares, and half of the networks were of a box without true heads so far.",
            ),
        ),
    ),
    Claim(
        "collisions/2",
        "Sec. 3.1, Fig. 5",
        "Every training run develops a mixture of true and partial collision detection heads.",
        (MIXTURE,),
        _mixture,
        (BOX,),
        "All training runs develop a mixture of true and partial collision detection heads",
        history=(
            Revision(
                "At least half of the networks of two boxes have true and partial heads.",
                "inconclusive",
                "networks that had no true head so far counted as if they never would.",
            ),
        ),
    ),
    Claim(
        "collisions/3",
        "Sec. 3.1, Fig. 5",
        "Collision detection heads develop in all blocks except the first.",
        (IN_FIRST, EMPTY_LATER),
        _first_block,
        (BOX,),
        "these heads develop in all transformer blocks except the first block",
        history=(
            Revision(
                "No collision head in block 0 of any network of two boxes.",
                "replicated",
                "it did not ask whether every later block has some.",
            ),
            Revision(
                "No collision head in block 0, and some in every later block, in two boxes together.",
                "contradicted",
                "two partial heads of 32, in the box that was left out elsewhere, were enough.",
            ),
        ),
    ),
)
