"""Claims 14, 15 and 23: accuracy and representation quality after training."""

import numpy as np
import xarray as xr

from nucleate.claims import Check, Claim, Evidence, Findings, Region, bootstrap, pearson, share
from nucleate.observables import Distance, MeanSquare
from nucleate.papers.grokking import readings


def _agreement(evidence: Evidence) -> Findings:
    found = readings.qualities(evidence.record(readings.DATA_SIZE), MeanSquare())
    acc, predicted = found["accuracy"], found["predicted accuracy"]
    unfinished = int(np.sum(readings.final(evidence.record(readings.DATA_SIZE), "train_accuracy") < 1))
    return Findings(
        {
            "correlation of Acc and predicted Acc": bootstrap(pearson, acc, predicted),
            "mean absolute difference": bootstrap(lambda a, b: np.mean(np.abs(a - b)), acc, predicted),
        },
        f"{len(acc)} networks. {unfinished} of them had not fitted their whole training set at the end, which "
        "lowers Acc "
        "but not the prediction, for which training pairs always count.",
    )


def _above_diagonal(evidence: Evidence) -> Findings:
    found = readings.qualities(evidence.record(readings.DATA_SIZE), MeanSquare())
    fraction = found["fraction"]
    acc, predicted = (found[name] >= fraction - 1e-6 for name in ("accuracy", "predicted accuracy"))
    strictly = np.mean(found["accuracy"] > fraction + 1e-6)
    return Findings(
        {
            "share of networks with Acc on or above the diagonal": share(int(acc.sum()), len(acc)),
            "share with predicted Acc on or above it": share(int(predicted.sum()), len(predicted)),
        },
        f"Acc is strictly above for {strictly:.0%}. Predicted Acc is never below by definition. Networks below it "
        "have not "
        "fitted their training set when training ends.",
    )


def _upper_bounds(evidence: Evidence) -> Findings:
    estimates, notes = {}, []
    record = evidence.record(readings.DATA_SIZE)
    strict, loose = readings.qualities(record, Distance(0.01)), readings.qualities(record, MeanSquare())
    count = len(strict["rqi"])
    below = strict["rqi"] <= strict["ideal rqi"] + 1e-9
    estimates["share with RQI ≤ ideal RQI, |d| ≤ 0.01"] = share(int(below.sum()), count)
    acc = strict["accuracy"] <= strict["ideal accuracy"] + 1e-6
    estimates["share with Acc ≤ ideal Acc"] = share(int(acc.sum()), count)
    loosely = np.mean(loose["rqi"] <= loose["ideal rqi"] + 1e-9)
    chance = 1 - below
    notes.append(
        f"{count} networks. With the authors' threshold |d| < 0.1 the share for RQI is {loosely:.0%}: "
        "parallelograms also "
        f"close by chance. The {int(np.sum(chance))} exceptions at |d| ≤ 0.01 have {_listed(record, ~below)} "
        "training pairs; "
        f"those for Acc have {_listed(record, ~acc)}."
    )
    return Findings(estimates, " ".join(notes))


def _listed(record: xr.Dataset, chosen: np.ndarray) -> str:
    sizes = sorted(set(record.train_size.values[chosen].tolist()))
    return ", ".join(map(str, sizes)) if sizes else "no"


CLAIMS = (
    Claim(
        "grokking/14",
        "Fig. 3c",
        "The accuracy predicted from the representation aligns well with the network's accuracy.",
        (
            Check("correlation of Acc and predicted Acc", "near 1", Region(0.9, 1)),
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
            Check("share of networks with Acc on or above the diagonal", "nearly all", Region(0.8, 1)),
            Check("share with predicted Acc on or above it", "all", Region(0.8, 1)),
        ),
        _above_diagonal,
        (readings.DATA_SIZE,),
    ),
    Claim(
        "grokking/23",
        "Fig. 10, Eqs. 16-17",
        "RQI and Acc of a trained model stay below those of the ideal model, but for very rare cases.",
        (
            Check("share with RQI ≤ ideal RQI, |d| ≤ 0.01", "nearly all", Region(0.9, 1)),
            Check("share with Acc ≤ ideal Acc", "nearly all", Region(0.9, 1)),
        ),
        _upper_bounds,
        (readings.DATA_SIZE,),
    ),
)
