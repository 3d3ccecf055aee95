"""Claims 1 to 3: collision detection heads, what kinds there are and where.

A head's score is the share of its attention on particles within 1.25, in units in which a head that looks at all alike
has 0: in the paper's box, where that is 0.04, scores hardly change. A head that looks at hardly anyone has 0, too.
"""

import numpy as np

from nucleate.claims import Check, Claim, Estimate, Evidence, Findings, Region, bootstrap, share
from nucleate.observables import HeadClass
from nucleate.papers.collisions import measures, readings

_CLUSTER = 0.1  # scores within so much of 0 are near 0
_BETWEEN = (0.3, 0.8)  # where the paper's partial heads are
_NEAR_ONE = 0.875  # as for `head_class`: midway between 0.8 and 0.95


def final_scores(evidence: Evidence) -> list[np.ndarray]:
    """The score of every head at the end, an array [block, head] for each network."""
    return [score for record in measures.fleets(evidence).values() for score in readings.corrected(record)[:, -1]]


def final_kinds(evidence: Evidence) -> list[np.ndarray]:
    """What every head has become, an array [block, head] for each network."""
    return [kind for record in measures.fleets(evidence).values() for kind in readings.final_class(record)]


def _if_formed(kinds: list[np.ndarray], estimate: Estimate) -> Estimate:
    """Where no head has formed at all, what kinds there are and where says nothing: training was too short."""
    return estimate if any((kind > HeadClass.NONE).any() for kind in kinds) else Estimate.unknown()


def _counts(scores: list[np.ndarray]) -> np.ndarray:
    """Of each network: heads near 0, between, near 0.95, and all."""
    low, high = _BETWEEN
    kinds = (lambda s: np.abs(s) <= _CLUSTER, lambda s: (s > low) & (s < high), lambda s: s >= _NEAR_ONE, np.isfinite)
    return np.array([[kind(score).sum() for kind in kinds] for score in scores]).reshape(-1, 4)


def _density(counts: np.ndarray) -> float:
    """Heads in a unit of score between the clusters, over those in the thinner of the two clusters."""
    none, between, true, _ = counts.sum(axis=0)
    thinner = min(none / (2 * _CLUSTER), true / (1 - _NEAR_ONE))
    return float(between / (_BETWEEN[1] - _BETWEEN[0]) / thinner) if thinner else float("inf")


def _clusters(evidence: Evidence) -> Findings:
    scores, kinds = final_scores(evidence), final_kinds(evidence)
    counts = _counts(scores)
    ratio = lambda column: _if_formed(kinds, bootstrap(lambda c: float(c[:, column].sum() / c[:, 3].sum()), counts))
    every = np.concatenate([np.empty(0), *(score.ravel() for score in scores)])
    told = ", ".join(
        f"{low:.1f} to {low + 0.2:.1f}: {np.sum((every >= low) & (every < low + 0.2))}" for low in np.arange(0, 1, 0.2)
    )
    raw = [
        f"{name.split('/')[1]} box {np.median(record.raw.values[:, -1][readings.final_class(record) > 0]):.2f}"
        for name, record in measures.fleets(evidence).items()
        if (readings.final_class(record) > 0).any()
    ]
    return Findings(
        {
            "share of heads near 0.95": ratio(2),
            "share of heads near 0": ratio(0),
            "density of scores between, over that of the thinner cluster": _if_formed(
                kinds, bootstrap(_density, counts)
            ),
        },
        f"{len(every)} heads of {len(scores)} networks; by score, below 0: {np.sum(every < 0)}, {told}. Of all "
        "attention, what is on near particles (`raw`) in collision heads, on the median: "
        f"{', '.join(raw) or 'there are none'}.",
    )


def _mix(evidence: Evidence) -> Findings:
    kinds = final_kinds(evidence)
    both = [bool((k == HeadClass.TRUE).any() and (k == HeadClass.PARTIAL).any()) for k in kinds]
    told = ", ".join(f"{(k == HeadClass.TRUE).sum()} and {(k == HeadClass.PARTIAL).sum()}" for k in kinds)
    return Findings(
        {"share of networks that have true and partial heads": _if_formed(kinds, share(sum(both), len(both)))},
        f"True and partial heads of each network: {told}. If all had both, the interval would begin at "
        f"{share(len(both), len(both)).low:.2f}.",
    )


def _first_block(evidence: Evidence) -> Findings:
    kinds = final_kinds(evidence)
    inside = sum(int((kind[:1] > HeadClass.NONE).sum()) for kind in kinds)
    blocks = max([0, *(len(kind) for kind in kinds)])
    empty = sum(not any((k[block] > HeadClass.NONE).any() for k in kinds) for block in range(1, blocks))
    told = "; ".join(
        f"block {block}: {sum(int((k[block] == HeadClass.TRUE).sum()) for k in kinds)} true, "
        f"{sum(int((k[block] == HeadClass.PARTIAL).sum()) for k in kinds)} partial"
        for block in range(blocks)
    )
    return Findings(
        {
            "collision heads in block 0": _if_formed(kinds, Estimate.exact(inside)),
            "later blocks in which no network has one": _if_formed(kinds, Estimate.exact(empty)),
        },
        f"{sum(k[0].size for k in kinds)} heads in block 0 of {len(kinds)} networks. {told}.",
    )


CLAIMS = (
    Claim(
        "collisions/1",
        "Sec. 3.1, Fig. 2",
        "Collision detection scores cluster near 0.95 and near 0.",
        (
            Check("share of heads near 0.95", "a dense cluster", Region(0.1, 0.9)),
            Check("share of heads near 0", "a dense cluster", Region(0.1, 0.9)),
            Check("density of scores between, over that of the thinner cluster", "below 1", Region(high=1)),
        ),
        _clusters,
        measures.EXPERIMENTS,
    ),
    Claim(
        "collisions/2",
        "Sec. 3.1, Fig. 5",
        "Every training run develops a mixture of true and partial collision detection heads.",
        (Check("share of networks that have true and partial heads", "all", Region(0.5, 1)),),
        _mix,
        measures.EXPERIMENTS,
    ),
    Claim(
        "collisions/3",
        "Sec. 3.1, Fig. 5",
        "Collision detection heads develop in all blocks except the first.",
        (
            Check("collision heads in block 0", "none", Region(0, 0)),
            Check("later blocks in which no network has one", "none", Region(0, 0)),
        ),
        _first_block,
        measures.EXPERIMENTS,
    ),
)
