"""Claims 28-30: the permutation group S3.

Appendix H gives neither learning rates nor the number of steps nor the threshold δ of a generalised parallelogram. The
threshold is that of the authors' code, whose L1 penalty on the embedding is also kept.
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
    Threshold,
    When,
    bootstrap,
    median,
    share,
    spearman,
)
from nucleate.claims.words import NEARLY_ALL
from nucleate.papers.grokking import readings
from nucleate.papers.grokking.experiments import GROUPS
from nucleate.record import stayed_finite

_CRITICAL, _TOLERANCE = 0.5, 0.05
_PAPER_SEEDS = 11

_ONE_IN_ELEVEN = 1 - 0.5 ** (1 / _PAPER_SEEDS)
"""The figures show the best of 11 networks: with this share, one among 11 is as likely as not."""

_STEPS = 10_000
_TRAINED = When(
    f"every network that did not diverge has been trained for {_STEPS:,} steps",
    GROUPS,
    lambda record: bool((stayed_finite(record).last_step.values >= _STEPS).all()),
)
_ROUNDING = 1e-6  # recorded accuracies are single precision

_RISES = Check("rank correlation of RQI with data size", "increases", Region.above(0), Threshold.PAPER, mature=_TRAINED)
_BEFORE = Check(
    f"share that reach RQI > 0.95 with less than {_CRITICAL - _TOLERANCE:.0%} of the data",
    "a phase transition at r = r_c = 0.5",
    Region.at_most(_ONE_IN_ELEVEN),
    mature=_TRAINED,
)
_BEYOND = Check(
    f"share that reach it with the smallest training set of more than {_CRITICAL + _TOLERANCE:.0%}",
    "a phase transition at r = r_c = 0.5",
    Region.at_least(_ONE_IN_ELEVEN),
    mature=_TRAINED,
)


def _transition(evidence: Evidence) -> Findings:
    seen = evidence.once(readings.group_qualities)
    reached = np.isfinite(seen.steps)
    before, beyond = seen.fraction < _CRITICAL - _TOLERANCE, seen.fraction > _CRITICAL + _TOLERANCE
    sizes = np.unique(seen.fraction)
    rates = ", ".join(f"{size:.2f}: {reached[seen.fraction == size].mean():.0%}" for size in sizes)
    medians = ", ".join(f"{np.median(seen.rqi[seen.fraction == size]):.2f}" for size in sizes)
    return Findings(
        {
            _RISES: bootstrap(spearman, seen.rqi, seen.fraction, bounds=(0, 1)),
            _BEFORE: _share(reached[before]),
            _BEYOND: _just_beyond(seen.fraction[beyond], reached[beyond]),
        },
        f"Share that reach it within {evidence.about(GROUPS).steps:,} steps, by data fraction: "
        f"{rates or 'none, all networks diverged'}. Median RQI of these sizes: {medians or 'none'}. The paper's curve "
        f"is of the best of 11 networks, which is as likely as not to arrive if a share of {_ONE_IN_ELEVEN:.3f} do. "
        "The interval just beyond the transition has the upper end of all larger sizes together, if that is lower, as "
        "more data do not make it harder to arrive. The penalty takes matrices that no training pair contains to zero, "
        f"where products agree, which raises the RQI of the smallest sets. {_settings(evidence.record(GROUPS))}",
    )


def _just_beyond(fraction: np.ndarray, reached: np.ndarray) -> Estimate:
    """The share that arrive with the smallest of these sizes; it is no larger than that with all of them."""
    if not len(fraction):
        return Estimate.unknown(Reason.TOO_FEW)
    first, all_sizes = _share(reached[fraction == fraction.min()]), _share(reached)
    return replace(first, high=max(first.value, min(first.high, all_sizes.high)))


_BELOW = Check(
    "share with Acc ≥ predicted Acc, where more than memory is predicted",
    "a lower bound",
    NEARLY_ALL,
    mature=_TRAINED,
)
_EXCESS = Check(
    "mean of Acc minus predicted Acc, where more than memory is predicted",
    "some generalization mechanism beyond RQI",
    Region.above(0),
    Threshold.PAPER,
    mature=_TRAINED,
)


def _lower_bound(evidence: Evidence) -> Findings:
    seen = evidence.once(readings.group_qualities)
    # A network that has fitted its training set knows that much; only what is predicted beyond it can be too high.
    tested = seen.fitted & (seen.predicted_accuracy > seen.fraction + _ROUNDING)
    excess = (seen.accuracy - seen.predicted_accuracy)[tested]
    return Findings(
        {_BELOW: _share(excess >= -_ROUNDING), _EXCESS: bootstrap(np.mean, excess, bounds=(-1, 1))},
        f"{int(seen.fitted.sum())} of {len(seen.fitted)} networks have fitted their training set, as the prediction "
        f"assumes; for {len(excess)} of them more than that is predicted. {_settings(evidence.record(GROUPS))}",
    )


_HEXAGONS = Check(
    "share of generalising networks that form a hexagon",
    "organized as a hexagon",
    Region.at_least(_ONE_IN_ELEVEN),
    mature=_TRAINED,
)
_CHANCE = 0.01


def _hexagons(evidence: Evidence) -> Findings:
    record = evidence.record(GROUPS)
    found = readings.polygons(record)
    residual = found.best[found.generalises]
    shape = record.embedding.sizes
    chance = readings.random_polygons(shape["token"], shape["row"], evidence.effort.representations)
    limit = float(np.quantile(chance, _CHANCE))
    best = f"; the best has {residual.min():.3f}" if len(residual) else ""
    return Findings(
        {_HEXAGONS: _share(residual < limit)},
        "A hexagon: in one of the planes of the first three principal components, the six points are closer to a "
        f"regular hexagon, stretched or not, than in {1 - _CHANCE:.0%} of random embeddings (residual < {limit:.3f})"
        f"{best}. {len(residual)} networks generalise; their median residual is {median(residual):.3f}, that of random "
        f"embeddings {np.median(chance):.3f}. The paper shows one network, in the plane of PC1 and PC3; if a share of "
        f"{_ONE_IN_ELEVEN:.3f} form a hexagon, one of 11 networks is as likely as not to.",
    )


def _share(hits: np.ndarray) -> Estimate:
    return share(int(np.sum(hits)), len(hits))


def _settings(record: xr.Dataset) -> str:
    rates = ", ".join(f"{rate:g}" for rate in np.unique(record.eta_dec.values))
    return (
        f"Learning rates: matrices {float(record.eta_repr.values[0]):g}, decoder {rates}. For S3 the paper "
        "gives 0.001 for the matrices of Fig. 6d, and none for the figures of Appendix H."
    )


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
        (GROUPS,),
        quote="On the plane of PC1 and PC3, the six points are organized as a hexagon.",
    ),
)
