"""Claims 14, 15 and 23: accuracy and representation quality after training."""

import numpy as np

from nucleate.claims import Check, Claim, Estimate, Evidence, Findings, Region, bootstrap, pearson, share
from nucleate.observables import Distance, MeanSquare
from nucleate.papers.grokking import readings

# Recorded accuracies are single precision.
_ROUNDING = 1e-6


def _agreement(evidence: Evidence) -> Findings:
    record = evidence.record(readings.DATA_SIZE)
    found = readings.qualities(record, MeanSquare())
    acc, predicted, fraction = found["accuracy"], found["predicted accuracy"], found["fraction"]
    unfinished = int(np.sum(readings.final(record, "train_accuracy") < 1))
    return Findings(
        {
            "correlation of Acc and predicted Acc, both above the diagonal": bootstrap(
                pearson, acc - fraction, predicted - fraction
            ),
            "mean absolute difference": bootstrap(lambda a, b: np.mean(np.abs(a - b)), acc, predicted),
        },
        f"{len(acc)} networks. The training fraction is subtracted from both, since it alone correlates with Acc at "
        f"{pearson(acc, fraction):.2f}; without subtraction the correlation is {pearson(acc, predicted):.3f}. "
        f"{unfinished} networks had not fitted their whole training set at the end.",
    )


def _above_diagonal(evidence: Evidence) -> Findings:
    record = evidence.record(readings.DATA_SIZE)
    found = readings.qualities(record, MeanSquare())
    fraction = found["fraction"]
    above = {name: found[name] > fraction + _ROUNDING for name in ("accuracy", "predicted accuracy")}
    not_above = sorted(set(record.train_size.values[~above["accuracy"]].tolist()))
    return Findings(
        {
            "share of networks with Acc above the diagonal": _share(above["accuracy"]),
            "share with predicted Acc above the diagonal": _share(above["predicted accuracy"]),
        },
        f"Training sizes of the networks that are not above it: {not_above or 'none'}.",
    )


def _upper_bounds(evidence: Evidence) -> Findings:
    record = evidence.record(readings.DATA_SIZE)
    strict, loose = (readings.qualities(record, closeness) for closeness in (Distance(0.01), MeanSquare()))
    estimates = {}
    for label, real, ideal in _BOUNDS:
        # Where the ideal is 1 nothing could exceed it.
        testable = strict[ideal] < 1 - _ROUNDING
        estimates[label] = _share(strict[real][testable] <= strict[ideal][testable] + _ROUNDING)
    testable = loose["ideal rqi"] < 1 - _ROUNDING
    loosely = np.mean(loose["rqi"][testable] <= loose["ideal rqi"][testable] + _ROUNDING) if testable.any() else np.nan
    return Findings(
        estimates,
        f"{len(testable)} networks, of which only those with an ideal value below 1 can exceed it: {testable.sum()} "
        "for RQI. With the authors' threshold |d| < 0.1 in the place of |d| ≤ 0.01 the share for RQI is "
        f"{loosely:.0%}.",
    )


def _share(hits: np.ndarray) -> Estimate:
    return share(int(np.sum(hits)), len(hits))


_BOUNDS = (
    ("share with RQI ≤ ideal RQI (Eq. 16)", "rqi", "ideal rqi"),
    ("share with predicted Acc ≤ ideal Acc (Eq. 17)", "predicted accuracy", "ideal accuracy"),
    ("share with Acc ≤ ideal Acc (Fig. 10f)", "accuracy", "ideal accuracy"),
)

CLAIMS = (
    Claim(
        "grokking/14",
        "Fig. 3c",
        "The accuracy predicted from the representation aligns well with the network's accuracy.",
        (
            Check("correlation of Acc and predicted Acc, both above the diagonal", "near 1", Region(0.9, 1)),
            Check("mean absolute difference", "small", Region(0, 0.1)),
        ),
        _agreement,
        (readings.DATA_SIZE,),
    ),
    Claim(
        "grokking/15",
        "Fig. 3ab",
        "Accuracy and predicted accuracy lie above the diagonal of pure memorisation.",
        (
            Check("share of networks with Acc above the diagonal", "nearly all", Region(0.8, 1)),
            Check("share with predicted Acc above the diagonal", "nearly all", Region(0.8, 1)),
        ),
        _above_diagonal,
        (readings.DATA_SIZE,),
    ),
    Claim(
        "grokking/23",
        "Fig. 10, Eqs. 16-17",
        "RQI and accuracy of a trained model stay below those of the ideal model, but for very rare cases.",
        tuple(Check(label, "nearly all", Region(0.9, 1)) for label, *_ in _BOUNDS),
        _upper_bounds,
        (readings.DATA_SIZE,),
    ),
)
