"""Claims 14, 15 and 23: accuracy and representation quality after training."""

import numpy as np

from nucleate.claims import (
    Check,
    Claim,
    Estimate,
    Evidence,
    Findings,
    Revision,
    Steps,
    bootstrap,
    pearson,
    ratio,
    share,
    words,
)
from nucleate.papers.grokking import readings
from nucleate.papers.grokking.experiments import DATA_SIZE
from nucleate.record import at_the_end, stayed_finite

_ROUNDING = 1e-6  # recorded accuracies are single precision
_TRAINED = Steps(5000, DATA_SIZE)  # as in Fig. 3

_EXPLAINED = Check(
    "share of the variance of Acc that predicted Acc explains, both above the diagonal",
    "aligns well",
    words.EXPLAINS,
    mature=_TRAINED,
)
_CORRELATION = Check("their correlation", "aligns well", None)
_DIFFERENCE = Check("their mean absolute difference", "aligns well", None)


def _agreement(evidence: Evidence) -> Findings:
    found = evidence.once(readings.loose_qualities)
    acc, predicted, fraction = found.accuracy, found.predicted_accuracy, found.fraction
    unfinished = int(np.sum(at_the_end(stayed_finite(evidence.record(DATA_SIZE)), "train_accuracy") < 1))
    gained = acc - fraction, predicted - fraction
    return Findings(
        {
            _EXPLAINED: bootstrap(_explained, *gained, bounds=(-1, 1)),
            _CORRELATION: bootstrap(pearson, *gained, bounds=(-1, 1)),
            _DIFFERENCE: bootstrap(lambda a, b: np.mean(np.abs(a - b)), acc, predicted, bounds=(0, 1)),
        },
        f"{len(acc)} networks. The training fraction is subtracted from both, since it alone correlates with Acc at "
        f"{pearson(acc, fraction):.2f}; without subtraction the correlation is {pearson(acc, predicted):.3f}. "
        f"{unfinished} networks had not fitted their whole training set at the end.",
    )


def _explained(real: np.ndarray, predicted: np.ndarray) -> float:
    """R² of a prediction without free parameters; NaN if there is nothing to explain."""
    spread = float(np.sum((real - np.mean(real)) ** 2))
    return 1 - ratio(float(np.sum((real - predicted) ** 2)), spread) if spread > 0 else np.nan


_GAP = "the vertical gap refers to generalization"
_ABOVE = {
    "accuracy": Check("share of networks with Acc above the diagonal", _GAP, words.MOST, mature=_TRAINED),
    "predicted_accuracy": Check("share with predicted Acc above the diagonal", _GAP, words.MOST, mature=_TRAINED),
}


def _above_diagonal(evidence: Evidence) -> Findings:
    found = evidence.once(readings.loose_qualities)
    possible = found.ideal_accuracy > found.fraction + _ROUNDING
    above = {name: getattr(found, name) > found.fraction + _ROUNDING for name in _ABOVE}
    sizes = stayed_finite(evidence.record(DATA_SIZE)).train_size.values
    not_above = ", ".join(map(str, np.unique(sizes[possible & ~above["accuracy"]]).tolist()))
    return Findings(
        {check: _share(above[name][possible]) for name, check in _ABOVE.items()},
        f"Of {len(possible)} networks, {int(possible.sum())} have training sets from which an ideal model could infer "
        "more than their own pairs: only these can lie above the diagonal. Training sizes of those whose Acc does "
        f"not: {not_above or 'none'}. Of the others, {int(np.sum(above['accuracy'] & ~possible))} have an Acc above "
        "it, by luck.",
    )


_BOUND = "an upper bound … in very rare cases … violated"
_BELOW_IDEAL = {
    ("rqi", "ideal_rqi"): Check(
        "share with RQI ≤ ideal RQI, |d| ≤ 0.01 (Eq. 16)", _BOUND, words.NEARLY_ALL, mature=_TRAINED
    ),
    ("predicted_accuracy", "ideal_accuracy"): Check(
        "share with predicted Acc ≤ ideal Acc (Eq. 17)", _BOUND, words.NEARLY_ALL, mature=_TRAINED
    ),
    ("accuracy", "ideal_accuracy"): Check(
        "share with Acc ≤ ideal Acc (Fig. 10f), where one lucky guess is too many", "an upper bound", None
    ),
}


def _upper_bounds(evidence: Evidence) -> Findings:
    strict, loose = evidence.once(readings.strict_qualities), evidence.once(readings.loose_qualities)
    pairs = evidence.record(DATA_SIZE).sizes["pair"]

    def excess(found: readings.Qualities, real: str, ideal: str) -> np.ndarray:
        """How far each network is above the ideal, where that is less than 1 and could be exceeded."""
        bound = getattr(found, ideal)
        testable = bound < 1 - _ROUNDING
        return getattr(found, real)[testable] - bound[testable]

    below = {names: excess(strict, *names) <= _ROUNDING for names in _BELOW_IDEAL}
    loosely = excess(loose, "rqi", "ideal_rqi") <= _ROUNDING
    lucky = excess(strict, "accuracy", "ideal_accuracy")
    lucky = lucky[lucky > _ROUNDING] * pairs
    guessed = f" by {np.median(lucky):.0f} of {pairs} pairs (median)" if len(lucky) else ""
    return Findings(
        {check: _share(below[names]) for names, check in _BELOW_IDEAL.items()},
        f"{len(strict.rqi)} networks, of which only those with an ideal value below 1 can exceed it: {len(loosely)} "
        "for RQI. With the authors' threshold |d| < 0.1 in place of |d| ≤ 0.01 the share for RQI is "
        f"{_share(loosely).value:.0%}. Appendix E also calls the ideal accuracy an upper bound of the empirical one. "
        f"Acc itself exceeds it in {len(lucky)} networks{guessed}: a network that cannot infer an answer guesses it "
        "now and then, of which Eqs. 15-17 say nothing.",
    )


def _share(hits: np.ndarray) -> Estimate:
    return share(int(np.sum(hits)), len(hits))


CLAIMS = (
    Claim(
        "grokking/14",
        "Fig. 3c",
        "The accuracy predicted from the representation aligns well with the network's accuracy.",
        (_EXPLAINED, _CORRELATION, _DIFFERENCE),
        _agreement,
        (DATA_SIZE,),
        quote="we see that the predicted Acc-hat aligns well with the true accuracy Acc, establishing good evidence "
        "that structured representation of input embeddings leads to generalization.",
        history=(
            Revision(
                "The correlation of Acc and predicted Acc is ≥ 0.9, and their mean absolute difference ≤ 0.1.",
                "not published",
                "the training fraction alone correlates with Acc nearly as well.",
            ),
            Revision(
                "The correlation of both, minus the training fraction, is ≥ 0.9, and the mean absolute difference ≤ "
                "0.1.",
                "replicated",
                "“well” now means the same for all papers: nine tenths of the variance, here without a fitted line.",
            ),
        ),
    ),
    Claim(
        "grokking/15",
        "Fig. 3ab",
        "Where data allow for it, accuracy and predicted accuracy lie above the diagonal of pure memorisation.",
        tuple(_ABOVE.values()),
        _above_diagonal,
        (DATA_SIZE,),
        quote="The dashed red diagonal corresponds to memorization of the training set, and the vertical gap refers to "
        "generalization.",
        history=(
            Revision(
                "A share ≥ 0.8 of the networks is on or above the diagonal.",
                "not published",
                "a network that has fitted its training set is never below it.",
            ),
            Revision(
                "A share ≥ 0.8 of all networks is above the diagonal.",
                "inconclusive",
                "the paper does not say how many are, and from the smallest training sets not even an ideal model can "
                "infer anything, nor from those that leave only pairs without a partner.",
            ),
        ),
    ),
    Claim(
        "grokking/23",
        "Fig. 10, Eqs. 16-17",
        "RQI and predicted accuracy of a trained model stay below those of the ideal model, except in very rare cases.",
        tuple(_BELOW_IDEAL.values()),
        _upper_bounds,
        (DATA_SIZE,),
        quote="In very rare cases when something lucky happens (e.g., neural networks are initialized at approximate "
        "correct weights), Alexander principle may be violated. Alexander principle sets an upper bound for RQI […] "
        "and sets an upper bound for Acc-hat […] We choose δ = 0.01 to compute RQI(R, δ).",
        history=(
            Revision(
                "A share ≥ 0.9 of all networks has RQI ≤ ideal RQI and Acc ≤ ideal Acc.",
                "not published",
                "networks whose ideal value is 1 cannot exceed it, and predicted Acc, of which Eq. 17 speaks, was not "
                "asked.",
            ),
            Revision(
                "The same of networks whose ideal value is below 1, for RQI, predicted Acc and Acc.",
                "contradicted",
                "it was by Acc, which Eq. 17 does not bound: one lucky guess exceeds it. That share is still shown.",
            ),
        ),
    ),
)
