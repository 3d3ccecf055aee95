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
    Threshold,
    bootstrap,
    ratio,
    share,
)
from nucleate.observables import HeadClass
from nucleate.papers.collisions.experiments import BOXES
from nucleate.papers.collisions.ledger.maturity import TRUE_HEAD
from nucleate.papers.collisions.ledger.shares import pooled_share
from nucleate.papers.collisions.readings.fleets import box_name, fleets
from nucleate.papers.collisions.readings.heads import corrected, final_class

_CLUSTER = 0.1  # scores this close to 0 are near 0
_BETWEEN = (0.3, 0.8)  # where the paper's partial heads are
_NEAR_ONE = 0.875  # as for `head_class`: midway between 0.8 and 0.95

NEAR_ONE = Check("share of heads near 0.95", "a dense cluster", Region.between(0.1, 0.9), mature=TRUE_HEAD)
NEAR_ZERO = Check("share of heads near 0", "a dense cluster", Region.between(0.1, 0.9), mature=TRUE_HEAD)
GAP = Check("density of scores between, over that of the thinner cluster", "below 1", Region.below(1), mature=TRUE_HEAD)
MIXTURE = Check("share of networks that have true and partial heads", "all", Region.at_least(0.5), mature=TRUE_HEAD)
IN_FIRST = Check("collision heads in block 0", "none", Region.exactly(0), Threshold.PAPER, TRUE_HEAD)
EMPTY_LATER = Check("later blocks in which no network has one", "none", Region.exactly(0), Threshold.PAPER, TRUE_HEAD)


def _final_scores(evidence: Evidence) -> list[np.ndarray]:
    """The score of every head at the end, an array [block, head] for each network."""
    return [score for record in fleets(evidence).values() for score in corrected(record)[:, -1]]


def _final_kinds(evidence: Evidence) -> list[np.ndarray]:
    """What every head has become, an array [block, head] for each network."""
    return [kind for record in fleets(evidence).values() for kind in final_class(record)]


def _density(none: np.ndarray, between: np.ndarray, true: np.ndarray) -> float:
    """Heads per unit of score between the clusters, over those in the thinner of the two clusters."""
    thinner = min(none.sum() / (2 * _CLUSTER), true.sum() / (1 - _NEAR_ONE))
    return ratio(between.sum() / (_BETWEEN[1] - _BETWEEN[0]), thinner)


def _clusters(evidence: Evidence) -> Findings:
    scores = _final_scores(evidence)
    count = lambda where: np.array([where(score).sum() for score in scores], float)
    none, true, every = count(lambda s: np.abs(s) <= _CLUSTER), count(lambda s: s >= _NEAR_ONE), count(np.isfinite)
    between = count(lambda s: (s > _BETWEEN[0]) & (s < _BETWEEN[1]))
    return Findings(
        {
            NEAR_ONE: pooled_share(true, every),
            NEAR_ZERO: pooled_share(none, every),
            GAP: bootstrap(_density, none, between, true, bounds=(0, every.max(initial=1))),
        },
        _in_words(evidence, scores),
    )


def _in_words(evidence: Evidence, scores: list[np.ndarray]) -> str:
    every = np.concatenate([np.empty(0), *(score.ravel() for score in scores)])
    bins = ", ".join(
        f"{low:.1f} to {low + 0.2:.1f}: {np.sum((every >= low) & (every < low + 0.2))}" for low in np.arange(0, 1, 0.2)
    )
    raw = {
        box_name(name): record.raw.values[:, -1][final_class(record) > HeadClass.NONE]
        for name, record in fleets(evidence).items()
    }
    medians = ", ".join(f"{box} {np.median(values):.2f}" for box, values in raw.items() if len(values))
    return (
        f"{len(every)} heads of {len(scores)} networks, by score: below 0: {np.sum(every < 0)}, {bins}. Median share "
        f"of all attention that collision heads pay to near particles (`raw`): {medians or 'there are none'}."
    )


def _mixture(evidence: Evidence) -> Findings:
    kinds = _final_kinds(evidence)
    if not kinds:
        return Findings.none((MIXTURE,), "No network stayed finite.", Reason.TOO_FEW)
    counts = [(int((kind == HeadClass.TRUE).sum()), int((kind == HeadClass.PARTIAL).sum())) for kind in kinds]
    both = sum(true > 0 and partial > 0 for true, partial in counts)
    return Findings(
        {MIXTURE: share(both, len(kinds))},
        f"True and partial heads of each network: {', '.join(f'{true} and {partial}' for true, partial in counts)}. If "
        f"all networks had both, the interval would begin at {share(len(kinds), len(kinds)).low:.2f}.",
    )


def _first_block(evidence: Evidence) -> Findings:
    kinds = _final_kinds(evidence)
    if not kinds:
        return Findings.none((IN_FIRST, EMPTY_LATER), "No network stayed finite.", Reason.TOO_FEW)
    blocks = max(len(kind) for kind in kinds)
    in_block = lambda block, of: sum(int(of(kind[block : block + 1]).sum()) for kind in kinds)
    detect = [in_block(block, lambda kind: kind > HeadClass.NONE) for block in range(blocks)]
    by_block = "; ".join(
        f"block {block}: {in_block(block, lambda kind: kind == HeadClass.TRUE)} true, "
        f"{in_block(block, lambda kind: kind == HeadClass.PARTIAL)} partial"
        for block in range(blocks)
    )
    return Findings(
        {IN_FIRST: Estimate.exact(detect[0]), EMPTY_LATER: Estimate.exact(detect[1:].count(0))},
        f"{sum(kind[0].size for kind in kinds)} heads in block 0 of {len(kinds)} networks. {by_block}.",
    )


CLAIMS = (
    Claim(
        "collisions/1",
        "Sec. 3.1, Fig. 2",
        "Collision detection scores cluster near 0.95 and near 0.",
        (NEAR_ONE, NEAR_ZERO, GAP),
        _clusters,
        BOXES,
        "At the end of training we see a dense cluster of attention heads with collision detection score near 0.95 and "
        "a dense cluster near zero, corresponding respectively to true collision detection heads and heads without "
        "collision detection behaviour.",
    ),
    Claim(
        "collisions/2",
        "Sec. 3.1, Fig. 5",
        "Every training run develops a mixture of true and partial collision detection heads.",
        (MIXTURE,),
        _mixture,
        BOXES,
        "All training runs develop a mixture of true and partial collision detection heads",
    ),
    Claim(
        "collisions/3",
        "Sec. 3.1, Fig. 5",
        "Collision detection heads develop in all blocks except the first.",
        (IN_FIRST, EMPTY_LATER),
        _first_block,
        BOXES,
        "these heads develop in all transformer blocks except the first block",
    ),
)
