"""Claims 14, 15 and 23: accuracy and representation quality after training."""

import numpy as np

from nucleate.claims import Check, Claim, Estimate, Evidence, Findings, Region, bootstrap, pearson, share
from nucleate.papers.grokking import readings
from nucleate.papers.grokking.experiments import DATA_SIZE
from nucleate.record import at_the_end, stayed_finite

_ROUNDING = 1e-6  # recorded accuracies are single precision

_CORRELATION = Check(
    "correlation of Acc and predicted Acc, both above the diagonal", "aligns well", Region.at_least(0.9)
)
_DIFFERENCE = Check("mean absolute difference", "aligns well", Region.at_most(0.1))


def _agreement(evidence: Evidence) -> Findings:
    found = evidence.once(readings.loose_qualities)
    acc, predicted, fraction = found.accuracy, found.predicted_accuracy, found.fraction
    unfinished = int(np.sum(at_the_end(stayed_finite(evidence.record(DATA_SIZE)), "train_accuracy") < 1))
    return Findings(
        {
            _CORRELATION: bootstrap(pearson, acc - fraction, predicted - fraction, bounds=(-1, 1)),
            _DIFFERENCE: bootstrap(lambda a, b: np.mean(np.abs(a - b)), acc, predicted, bounds=(0, 1)),
        },
        f"{len(acc)} networks. The training fraction is subtracted from both, since it alone correlates with Acc at "
        f"{pearson(acc, fraction):.2f}; without subtraction the correlation is {pearson(acc, predicted):.3f}. "
        f"{unfinished} networks had not fitted their whole training set at the end.",
    )


_ACC_ABOVE = Check(
    "share of networks with Acc above the diagonal", "the vertical gap refers to generalization", Region.at_least(0.8)
)
_PREDICTED_ABOVE = Check(
    "share with predicted Acc above the diagonal", "the vertical gap refers to generalization", Region.at_least(0.8)
)


def _above_diagonal(evidence: Evidence) -> Findings:
    found = evidence.once(readings.loose_qualities)
    above, predicted = (acc > found.fraction + _ROUNDING for acc in (found.accuracy, found.predicted_accuracy))
    sizes = stayed_finite(evidence.record(DATA_SIZE)).train_size.values
    not_above = ", ".join(map(str, np.unique(sizes[~above]).tolist()))
    return Findings(
        {_ACC_ABOVE: _share(above), _PREDICTED_ABOVE: _share(predicted)},
        f"Training sizes of the networks whose Acc is not above the diagonal: {not_above or 'none'}.",
    )


_BELOW_IDEAL = {
    ("rqi", "ideal_rqi"): Check(
        "share with RQI ≤ ideal RQI (Eq. 16)", "an upper bound … in very rare cases … violated", Region.at_least(0.9)
    ),
    ("predicted_accuracy", "ideal_accuracy"): Check(
        "share with predicted Acc ≤ ideal Acc (Eq. 17)",
        "an upper bound … in very rare cases … violated",
        Region.at_least(0.9),
    ),
    ("accuracy", "ideal_accuracy"): Check(
        "share with Acc ≤ ideal Acc (Fig. 10f)", "an upper bound … in very rare cases … violated", Region.at_least(0.9)
    ),
}


def _upper_bounds(evidence: Evidence) -> Findings:
    strict, loose = evidence.once(readings.strict_qualities), evidence.once(readings.loose_qualities)

    def below(found: readings.Qualities, real: str, ideal: str) -> np.ndarray:
        """Whether each network stays below the ideal, where that is less than 1 and could be exceeded."""
        bound = getattr(found, ideal)
        testable = bound < 1 - _ROUNDING
        return getattr(found, real)[testable] <= bound[testable] + _ROUNDING

    loosely = below(loose, "rqi", "ideal_rqi")
    return Findings(
        {check: _share(below(strict, *names)) for names, check in _BELOW_IDEAL.items()},
        f"{len(strict.rqi)} networks, of which only those with an ideal value below 1 can exceed it: {len(loosely)} "
        "for RQI. With the authors' threshold |d| < 0.1 in place of |d| ≤ 0.01 the share for RQI is "
        f"{_share(loosely).value:.0%}.",
    )


def _share(hits: np.ndarray) -> Estimate:
    return share(int(np.sum(hits)), len(hits))


CLAIMS = (
    Claim(
        "grokking/14",
        "Fig. 3c",
        "The accuracy predicted from the representation aligns well with the network's accuracy.",
        (_CORRELATION, _DIFFERENCE),
        _agreement,
        (DATA_SIZE,),
        quote="we see that the predicted Acc-hat aligns well with the true accuracy Acc.",
    ),
    Claim(
        "grokking/15",
        "Fig. 3ab",
        "Accuracy and predicted accuracy lie above the diagonal of pure memorisation.",
        (_ACC_ABOVE, _PREDICTED_ABOVE),
        _above_diagonal,
        (DATA_SIZE,),
        quote="The dashed red diagonal corresponds to memorization of the training set, and the vertical gap refers to "
        "generalization.",
    ),
    Claim(
        "grokking/23",
        "Fig. 10, Eqs. 16-17",
        "RQI and accuracy of a trained model stay below those of the ideal model, except in very rare cases.",
        tuple(_BELOW_IDEAL.values()),
        _upper_bounds,
        (DATA_SIZE,),
        quote="In very rare cases when something lucky happens (e.g., neural networks are initialized at approximate "
        "correct weights), Alexander principle may be violated. Alexander principle sets an upper bound for RQI.",
    ),
)
