"""Claims 28-30: the permutation group S3.

Appendix H gives neither the learning rate of the decoder nor the number of steps nor the threshold δ of a generalised
parallelogram. The threshold is that of the authors' code, whose L1 penalty on the embedding is also kept.
"""

import numpy as np
import xarray as xr

from nucleate.claims import Check, Claim, Evidence, Findings, Region, Steps, Threshold, bootstrap, share, spearman
from nucleate.papers.grokking import readings
from nucleate.papers.grokking.experiments import GROUPS, GROUPS_PHASES
from nucleate.papers.grokking.ledger.words import NEARLY_ALL, TOLERANCE

_CRITICAL = 0.5
_PAPER_SEEDS = 11

_ONE_IN_ELEVEN = 1 - 0.5 ** (1 / _PAPER_SEEDS)
"""The figures show the best of 11 networks: with this share, one among 11 is as likely as not."""

_TRAINED = Steps(10_000, GROUPS)
_ROUNDING = 1e-6  # recorded accuracies are single precision

_RISES = Check("rank correlation of RQI with data size", "> 0", Region.above(0), Threshold.PAPER, mature=_TRAINED)
_BEFORE = Check(
    f"share that reach RQI > 0.95 with less than {_CRITICAL - TOLERANCE:.0%} of the data",
    "not even the best of 11",
    Region.at_most(_ONE_IN_ELEVEN),
    mature=_TRAINED,
)
_BEYOND = Check(
    f"share that reach it with more than {_CRITICAL + TOLERANCE:.0%}",
    "at least the best of 11",
    Region.at_least(_ONE_IN_ELEVEN),
    mature=_TRAINED,
)


def _transition(evidence: Evidence) -> Findings:
    seen = evidence.once(readings.group_qualities)
    reached = np.isfinite(seen.steps)
    before, beyond = seen.fraction < _CRITICAL - TOLERANCE, seen.fraction > _CRITICAL + TOLERANCE
    sizes = np.unique(seen.fraction)
    rates = ", ".join(f"{size:.2f}: {reached[seen.fraction == size].mean():.0%}" for size in sizes)
    medians = ", ".join(f"{np.median(seen.rqi[seen.fraction == size]):.2f}" for size in sizes)
    return Findings(
        {
            _RISES: bootstrap(spearman, seen.rqi, seen.fraction, bounds=(0, 1)),
            _BEFORE: _share(reached[before]),
            _BEYOND: _share(reached[beyond]),
        },
        f"Share that reach it within {evidence.about(GROUPS).steps:,} steps, by data fraction: "
        f"{rates or 'none, all networks diverged'}. Median RQI of these sizes: {medians or 'none'}. The penalty "
        "takes matrices that no training pair contains to zero, where products agree, which raises the RQI of the "
        "smallest sets. "
        f"{_settings(evidence.record(GROUPS))}",
    )


_BELOW = Check(
    "share with Acc ≥ predicted Acc, where more than memory is predicted", "nearly all", NEARLY_ALL, mature=_TRAINED
)
_EXCESS = Check("mean of Acc minus predicted Acc", "> 0", Region.above(0), Threshold.PAPER, mature=_TRAINED)


def _lower_bound(evidence: Evidence) -> Findings:
    seen = evidence.once(readings.group_qualities)
    excess = (seen.accuracy - seen.predicted_accuracy)[seen.fitted]
    # A network that has fitted its training set knows that much; only what is predicted beyond it can be too high.
    tested = (seen.predicted_accuracy > seen.fraction + _ROUNDING)[seen.fitted]
    return Findings(
        {
            _BELOW: _share(excess[tested] >= -_ROUNDING),
            _EXCESS: bootstrap(np.mean, excess, bounds=(-1, 1)),
        },
        f"{len(excess)} of {len(seen.fitted)} networks have fitted their training set, as the prediction assumes; for "
        f"{int(tested.sum())} of them more than that is predicted. {_settings(evidence.record(GROUPS))}",
    )


_HEXAGONS = Check(
    "share of generalising networks that form a hexagon",
    "at least one of 11",
    Region.at_least(_ONE_IN_ELEVEN),
    mature=Steps(10_000, (GROUPS, GROUPS_PHASES)),
)
_CHANCE = 0.01


def _hexagons(evidence: Evidence) -> Findings:
    found = [readings.polygons(evidence.record(name)) for name in (GROUPS, GROUPS_PHASES)]
    residual = np.concatenate([each.best[each.generalises] for each in found])
    embedding = evidence.record(GROUPS).embedding
    chance = readings.random_polygons(embedding.sizes["token"], embedding.sizes["row"], evidence.effort.representations)
    limit = float(np.quantile(chance, _CHANCE))
    best = f"; the best has {residual.min():.3f}" if len(residual) else ""
    return Findings(
        {_HEXAGONS: _share(residual < limit)},
        "A hexagon: in one of the planes of the first three principal components, the six points are closer to a "
        f"regular hexagon, stretched or not, than in {1 - _CHANCE:.0%} of random embeddings (residual < {limit:.3f})"
        f"{best}. {len(residual)} networks of both fleets generalise; their median residual is "
        f"{_median(residual):.3f}, that of random embeddings {np.median(chance):.3f}. The paper shows one network, in "
        "the plane of PC1 and PC3.",
    )


def _share(hits: np.ndarray):
    return share(int(np.sum(hits)), len(hits))


def _median(values: np.ndarray) -> float:
    return float(np.median(values)) if len(values) else float("nan")


def _settings(record: xr.Dataset) -> str:
    rates = ", ".join(f"{rate:g}" for rate in np.unique(record.eta_dec.values))
    return f"Learning rates: matrices {float(record.eta_repr.values[0]):g}, decoder {rates}; the paper gives none."


CLAIMS = (
    Claim(
        "grokking/28",
        "Fig. 18ab",
        "For S3, RQI rises with the size of the training set, and the number of steps to RQI > 0.95 has a phase "
        "transition at r_c = 0.5.",
        (_RISES, _BEFORE, _BEYOND),
        _transition,
        (GROUPS,),
        quote="RQI increases as training set becomes larger. […] we show the steps to reach RQI > 0.95 as a function "
        "of training data fraction, and find a phase transition at r = r_c = 0.5. The blue line corresponds to the "
        "best model (smallest number of steps).",
    ),
    Claim(
        "grokking/29",
        "Fig. 18e",
        "For S3, the accuracy predicted from the representation is a lower bound of the network's accuracy.",
        (_BELOW, _EXCESS),
        _lower_bound,
        (GROUPS,),
        quote="Acc-hat is a lower bound of Acc, implying that there must be some generalization mechanism beyond RQI.",
    ),
    Claim(
        "grokking/30",
        "Fig. 17",
        "The six matrices of S3 form a hexagon in the plane of two of their first three principal components.",
        (_HEXAGONS,),
        _hexagons,
        (GROUPS, GROUPS_PHASES),
        quote="On the plane of PC1 and PC3, the six points are organized as a hexagon.",
    ),
)
