"""Claims 16-18 and 24: how representations form while networks train."""

import numpy as np
import xarray as xr
from scipy.stats import binom

from nucleate.claims import (
    Check,
    Claim,
    Estimate,
    Evidence,
    Findings,
    Reason,
    Region,
    Steps,
    Threshold,
    bootstrap,
    partial_spearman,
    share,
    spearman,
)
from nucleate.papers.grokking import readings
from nucleate.papers.grokking.experiments import FOUR_SYMBOLS, TRAJECTORIES, TRANSITION
from nucleate.papers.grokking.ledger.words import ABOUT_THREE, AROUND_CRITICAL, CRITICAL, TOLERANCE
from nucleate.record import stayed_finite

_TRAINED = Steps(10_000, TRANSITION)  # as in Fig. 4b: later, more networks would have arrived

_HALF = Check("fraction at which half of the networks reach RQI > 0.95", "0.4", AROUND_CRITICAL, mature=_TRAINED)
_EARLY = Check(
    "share that reach it with less than 35 % of the data",
    "a phase transition at r_c = 0.4",
    Region.at_most(0.1),
    mature=_TRAINED,
)


def _rqi_transition(evidence: Evidence) -> Findings:
    record = stayed_finite(evidence.record(TRANSITION))
    fraction = record.in_train.values.mean(1)
    reached = np.isfinite(readings.steps_to(record, "rqi95"))

    def crossing(fraction: np.ndarray, reached: np.ndarray) -> float:
        sizes, inverse = np.unique(fraction, return_inverse=True)
        return readings.half_crossing(sizes, np.bincount(inverse, reached) / np.bincount(inverse))

    rates = ", ".join(f"{size:.2f}: {reached[fraction == size].mean():.0%}" for size in np.unique(fraction))
    few = fraction < CRITICAL - TOLERANCE
    return Findings(
        {
            _HALF: bootstrap(crossing, fraction, reached, bounds=(0, 1), resamples=1000),
            _EARLY: share(int(reached[few].sum()), int(few.sum())),
        },
        f"Share that reach it within {int(record.steps):,} steps at learning rates {_learning_rates(record)}, by data "
        f"fraction: {rates or 'none, all networks diverged'}.",
    )


_SKILL = Check(
    "skill on unseen networks (1: perfect, 0: as good as nothing moving)", "agree qualitatively", Region.at_least(0.5)
)
_ARRIVAL = Check(
    "median time to RQI > 0.95 over n_h",
    "about 3",
    ABOUT_THREE,
    mature=Steps(5000, TRAJECTORIES),  # as in Fig. 4c
)


def _trajectory_agreement(evidence: Evidence) -> Findings:
    test = evidence.once(readings.theory_test)
    if test is None:
        return Findings.none((_SKILL, _ARRIVAL), "Every network diverged at once: there is nothing to fit.")
    record, score = stayed_finite(evidence.record(TRAJECTORIES)), test.score
    arrival = readings.steps_to(record, "rqi95") / test.n_h
    arrived = np.isfinite(arrival)
    note = (
        f"{len(arrival)} networks. The one fitted number, the rate of theory time, is {test.fit.rate:.3f} on half of "
        "them (1 by the theory; Adam is not gradient flow). On the other half the mean Procrustes error is "
        f"{float(score.error_mean.mean()):.3f}, against {float(score.error_constant_mean.mean()):.3f} for a theory "
        f"in which nothing moves. n_h = {test.n_h:.0f} steps. {arrived.sum()} of the networks reach the line "
        f"(RQI > 0.95) within {int(record.steps):,} steps"
        + (f", at a median of {np.median(arrival[arrived]):.1f} n_h." if arrived.any() else ".")
    )
    skill = score.skill.values[np.isfinite(score.skill.values)]
    return Findings(
        {_SKILL: bootstrap(np.mean, skill), _ARRIVAL: bootstrap(np.median, arrival)},
        note,
    )


_WITH_SIZE = Check("rank correlation of steps with data size", "decreasing", Region.below(0), Threshold.PAPER)
_WITH_THEORY = Check(
    "rank correlation of steps with 1/(λ3 η)", "agrees qualitatively", Region.above(0), Threshold.PAPER
)


def _grokking_time(evidence: Evidence) -> Findings:
    record = stayed_finite(evidence.record(TRANSITION))
    predicted = readings.theory_steps(record)
    determined = np.isfinite(predicted)
    if not determined.any():
        return Findings.none(
            (_WITH_SIZE, _WITH_THEORY), "No training set determines the line: λ3 = 0 in all.", Reason.TOO_FEW
        )
    # A network that did not arrive comes after all that did: its number of steps is infinite.
    steps, predicted = readings.steps_to(record, "rqi95")[determined], predicted[determined]
    fraction = record.in_train.values.mean(1)[determined]
    arrived = np.isfinite(steps)
    pace = (
        f", in a median of {np.median(steps[arrived] / predicted[arrived]):.2f}/(λ3 η) steps" if arrived.any() else ""
    )
    return Findings(
        {
            _WITH_SIZE: bootstrap(spearman, steps, fraction),
            _WITH_THEORY: bootstrap(spearman, steps, predicted),
        },
        f"{len(steps)} of {record.sizes['member']} training sets have λ3 > 0; {arrived.sum()} of these networks reach "
        f"RQI > 0.95{pace}. With the effect of data size removed from both, the rank correlation with 1/(λ3 η) is "
        f"{partial_spearman(steps, predicted, fraction):.2f}: that is what λ3 knows beyond the size. Learning rates "
        f"{_learning_rates(record)}; the figure's caption has η = 1e-3.",
    )


def _learning_rates(record: xr.Dataset) -> str:
    pairs = sorted(set(zip(record.eta_repr.values.tolist(), record.eta_dec.values.tolist(), strict=True)))
    return ", ".join(f"({representation:g}, {decoder:g})" for representation, decoder in pairs)


_PAPER_SEEDS = 200
"""Networks per setting in Fig. 12; with fewer, an absent representation proves nothing."""

_FORMED = Steps(3000, FOUR_SYMBOLS)
_BETTER = Check(
    "mean RQI at (1e-2, 1e-3) minus at (1e-3, 1e-2)", "> 0", Region.above(0), Threshold.PAPER, mature=_FORMED
)
_FOUND = Check("different representations found, of 5", "5", Region.exactly(5), mature=_FORMED)


def _descendants(evidence: Evidence) -> Findings:
    seen = evidence.once(readings.four_symbols)
    slow, count = seen.slow_decoder, len(seen.after)
    counts = {
        code: (int(np.sum(seen.before == code)), int(np.sum(seen.after == code))) for code in readings.REPRESENTATIONS
    }

    def occurs(code: int) -> bool:
        """More often than by chance, which is what the untrained networks show (1 % level)."""
        before, after = counts[code]
        return after > 0 and (code == 0 or bool(binom.sf(after - 1, count, (before + 1) / (count + 2)) < 0.01))

    found = sum(occurs(code) for code in counts)
    most = len(counts) if count < 2 * _PAPER_SEEDS else found
    listed = ", ".join(f"{readings.EQUATION_SETS[code]} {a} → {b}" for code, (a, b) in counts.items())
    better = bootstrap(
        lambda slow, fast: slow.mean() - fast.mean(), seen.rqi[slow], seen.rqi[~slow], apart=True, bounds=(0, 1)
    )
    note = (
        f"{count} networks; equations that hold (|d| ≤ 0.01), before → after training: {listed}. A representation "
        "counts as found if it is more frequent than chance, as measured before training. The difference in RQI is "
        f"that between {_mean(seen.rqi[slow]):.2f} and {_mean(seen.rqi[~slow]):.2f}."
    )
    return Findings({_BETTER: better, _FOUND: Estimate(float(found), float(found), float(most))}, note)


def _mean(values: np.ndarray) -> float:
    return float(values.mean()) if len(values) else float("nan")


CLAIMS = (
    Claim(
        "grokking/16",
        "Fig. 4b",
        "The number of steps to RQI > 0.95 has a phase transition at r_c = 0.4.",
        (_HALF, _EARLY),
        _rqi_transition,
        (TRANSITION,),
        quote="The number of steps to reach RQI > 0.95 is seen to have a phase transition at r_c = 0.4, agreeing with "
        "the proposed effective theory and with the empirical findings in [1].",
    ),
    Claim(
        "grokking/17",
        "Fig. 4cd",
        "Theory and network trajectories agree, and become linear after about 3 n_h steps.",
        (_SKILL, _ARRIVAL),
        _trajectory_agreement,
        (TRAJECTORIES,),
        quote="The two trajectories agree qualitatively, and it takes about 3n_h steps for two trajectories to "
        "converge to the linear structure.",
    ),
    Claim(
        "grokking/18",
        "Fig. 5b",
        "Grokking steps fall with data size and follow 1/(λ3 η).",
        (_WITH_SIZE, _WITH_THEORY),
        _grokking_time,
        (TRANSITION,),
        quote="The theory agrees qualitatively with neural networks, showing the trend of decreasing grokking steps as "
        "increasing data size.",
    ),
    Claim(
        "grokking/24",
        "Fig. 12",
        "With p = 4 a slow decoder gives better representations than a fast one, and every descendant of the linear "
        "structure occurs.",
        (_BETTER, _FOUND),
        _descendants,
        (FOUR_SYMBOLS,),
        quote="our algorithms actually generates all possible representations. […] The relatively slow decoder "
        "produces better representations (in the sense of higher RQI) than a fast decoder.",
    ),
)
