"""Claims 7, 8 and 24: gradients, and what the first of them tell about survival."""

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
    Revision,
    Steps,
    bootstrap,
    pearson,
    ratio,
    spearman,
    words,
)
from nucleate.papers.circles import readings
from nucleate.papers.circles.experiments import SURVIVAL
from nucleate.papers.circles.ledger.maturity import RATES, any_length
from nucleate.papers.circles.readings import told
from nucleate.record import stayed_finite
from nucleate.theories import Features, Fitness, LinearSVM, Logistic
from nucleate.theories.fitness import cross_validated, random_split

_EARLY = (1, 2, 3, 4)  # the steps of Figure 7
_AFTER = 1000  # steps; Fig. 13: the gradient is small from here on
_SPLITS = 20  # of each embedding's frequencies, so that the accuracy is not that of one lucky split
_SETTLED = Steps(RATES, SURVIVAL)

GRADIENT = Check(
    "lowest rank correlation of gradient and survival, of steps 1 to 4", "increases", words.POSITIVE, mature=_SETTLED
)
ACCURACY = Check(
    "accuracy on a fifth of an embedding's frequencies", "0.838", Region.around(0.838, 0.03), mature=_SETTLED
)
GAIN = Check("accuracy minus that of always answering 'dead'", "not said", None)
PEAK = Check("median step of the largest embedding gradient", "around 100", words.about(100), mature=_SETTLED)
SMALL = Check(
    f"typical gradient after {_AFTER:,} steps over the largest", "negligibly small", words.NEGLIGIBLE, mature=_SETTLED
)


def _gradient(evidence: Evidence) -> Findings:
    record = readings.usable(evidence.record(SURVIVAL))
    if not record.sizes["member"]:
        return Findings.none((GRADIENT,), readings.NOTHING_STANDS_OUT, Reason.TOO_EARLY)
    lived, seeds = readings.final_alive(record), record.seed_embedding.values
    groups = np.unique(seeds)
    slope = {at: readings.gradients(record, at) for at in _EARLY}

    def lowest(chosen: np.ndarray) -> float:
        members = np.concatenate([np.flatnonzero(seeds == seed) for seed in chosen])
        return float(np.min([spearman(slope[at][members].ravel(), lived[members].ravel()) for at in _EARLY]))

    start = record.signal.values[:, 0]
    with_signal = ", ".join(told(pearson(slope[at].ravel(), start.ravel()), ".2f") for at in _EARLY)
    each = ", ".join(told(spearman(slope[at].ravel(), lived.ravel()), ".2f") for at in _EARLY)
    return Findings(
        {GRADIENT: bootstrap(lowest, groups)},
        f"Correlation at steps {_EARLY}: {each}. The gradient is not independent of the initial signal: their "
        f"correlation at these steps is {with_signal}. Interval over {len(groups)} embeddings.",
    )


def _svm(evidence: Evidence) -> Findings:
    record = readings.usable(evidence.record(SURVIVAL))
    if not record.sizes["member"]:
        return Findings.none((ACCURACY, GAIN), readings.NOTHING_STANDS_OUT, Reason.TOO_EARLY)
    theory, seeds = Fitness(LinearSVM(), rule=readings.RULE), record.seed_embedding.values
    groups = np.unique(seeds)
    right, dead = np.array([_split(theory, record.isel(member=np.flatnonzero(seeds == seed))) for seed in groups]).T
    return Findings(
        {
            ACCURACY: bootstrap(np.mean, right, bounds=(0, 1)),
            GAIN: bootstrap(np.mean, right - dead, bounds=(-1, 1)),
        },
        "As the authors do, an SVM on signal and gradient as they are is trained on four fifths of the frequencies of "
        f"one embedding's networks; mean over {_SPLITS} splits, interval over {len(groups)} embeddings. Always "
        f"answering 'dead' is right in {told(readings.mean(dead), '.3f')}. Networks that share an embedding are on "
        f"both sides of the split. {_unseen(record)}",
    )


def _split(theory: Fitness, record: xr.Dataset) -> list[float]:
    """Accuracy in one embedding, and that of always answering 'dead'."""
    found = [random_split(theory, record, seed=seed) for seed in range(_SPLITS)]
    return [float(np.mean([split[name] for split in found])) for name in ("accuracy", "accuracy_majority")]


def _unseen(record: xr.Dataset) -> str:
    """What linear classifiers know about embeddings that they were not trained on, in words."""
    if len(np.unique(record.seed_embedding.values)) < 2:
        return "One embedding leaves none to predict it from."
    beside = {
        "the same SVM": Fitness(LinearSVM(), rule=readings.RULE),
        "standardised": Fitness(LinearSVM(), Features(standardize=True), readings.RULE),
        "signal alone": Fitness(LinearSVM(), Features(gradient=False), readings.RULE),
        "logistic, standardised": Fitness(Logistic(), Features(standardize=True), readings.RULE),
    }
    scores = {name: cross_validated(other, record) for name, other in beside.items()}
    return (
        "On unseen embeddings: "
        + "; ".join(
            f"{name} {float(score.accuracy.mean()):.3f} (AUC {told(float(score.auc.mean()), '.2f')})"
            for name, score in scores.items()
        )
        + "."
    )


def _decline(evidence: Evidence) -> Findings:
    record = stayed_finite(evidence.record(SURVIVAL))
    if not record.sizes["member"]:
        return Findings.none((PEAK, SMALL), "No network stayed finite.")
    size, step = np.linalg.norm(record.gradient_spectrum.values, axis=-1), record.step.values
    seeds, after = record.seed_embedding.values, step > _AFTER
    peak = step[np.argmax(size, axis=1)]
    later = Estimate.unknown(Reason.TOO_EARLY)
    if after.any():
        typical, largest = np.median(size[:, after], axis=1), size.max(1)
        left = np.array([ratio(*pair) for pair in zip(typical.tolist(), largest.tolist(), strict=True)])
        later = bootstrap(np.median, _by_embedding(left, seeds))
    return Findings(
        {PEAK: bootstrap(np.median, _by_embedding(peak, seeds)), SMALL: later},
        f"{len(peak)} networks, recorded every {np.diff(step).min()} steps up to {int(record.steps):,}; a unit is an "
        "embedding, of whose networks the median counts. The gradient's size is its norm over all frequencies. The "
        f"largest came between steps {peak.min()} and {peak.max()}.",
    )


def _by_embedding(values: np.ndarray, seeds: np.ndarray) -> np.ndarray:
    found = [values[seeds == seed] for seed in np.unique(seeds)]
    return np.array([np.median(group) for group in found if not np.isnan(group).any()])


CLAIMS = (
    Claim(
        "circles/7",
        "Fig. 7",
        "Frequencies with larger initial gradients, at steps 1 to 4, survive more often.",
        (GRADIENT,),
        _gradient,
        (SURVIVAL,),
        quote="as the initial gradient increases, the survival rate of those frequencies increases",
        history=(any_length("replicated"),),
    ),
    Claim(
        "circles/8",
        "Sec. 3.2.2",
        "A linear SVM on initial signal and gradient tells survivors from the dead with 83.8 % accuracy.",
        (ACCURACY, GAIN),
        _svm,
        (SURVIVAL,),
        quote="we train a linear support vector machine (SVM) that separates the dead and survived frequencies, "
        "achieving an 83.8% accuracy",
        history=(
            Revision(
                "Accuracy on unseen embeddings within 0.03 of 0.838, and above that of always answering 'dead'.",
                "inconclusive",
                "the authors split the frequencies of one embedding, and say nothing of a gain: their protocol is "
                "judged, and the gain and unseen embeddings are shown beside it.",
            ),
        ),
    ),
    Claim(
        "circles/24",
        "App. D, Fig. 13",
        "The embedding's gradient peaks at about step 100 and is negligible after 1,000.",
        (PEAK, SMALL),
        _decline,
        (SURVIVAL,),
        quote="The Fourier gradient spikes around 100 steps and quickly diminishes to near zero after 1000 steps. "
        "After this point, the gradient becomes negligibly small",
        history=(
            Revision(
                "Median step of the largest gradient, of records every 20 steps, between 50 and 200; typical gradient "
                "after 1,000 steps at most 0.05 of the largest.",
                "contradicted",
                "networks whose every step is recorded are read instead; “around” and “negligibly small” have one "
                "reading for all papers, a quarter and a tenth.",
            ),
        ),
    ),
)
