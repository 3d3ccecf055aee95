"""Claims 16-18 and 24: how representations form while networks train."""

import numpy as np
from scipy.stats import binom, rankdata

from nucleate.claims import Check, Claim, Estimate, Evidence, Findings, Region, bootstrap, pearson, share, spearman
from nucleate.papers.grokking import readings
from nucleate.papers.grokking.structure import ABOUT_THREE, CRITICAL, TOLERANCE, half_crossing
from nucleate.record import NEVER

# "More than nothing", for a correlation or a difference.
_POSITIVE, _NEGATIVE = Region(1e-9, 1), Region(-1, -1e-9)
# Fig. 12 shows so many networks for each setting; with fewer, an absent representation proves nothing.
_PAPER_SEEDS = 200


def _rqi_transition(evidence: Evidence) -> Findings:
    record = evidence.record(readings.TRANSITION)
    fraction = record.in_train.values.mean(1)
    reached = record.rqi95_step.values != NEVER

    def crossing(fraction: np.ndarray, reached: np.ndarray) -> float:
        sizes, inverse = np.unique(fraction, return_inverse=True)
        return half_crossing(sizes, np.bincount(inverse, reached) / np.bincount(inverse))

    rates = ", ".join(f"{size:.2f}: {reached[fraction == size].mean():.0%}" for size in np.unique(fraction))
    few = fraction < 0.35
    return Findings(
        {
            "fraction at which half of the networks reach RQI > 0.95": bootstrap(
                crossing, fraction, reached, resamples=1000
            ),
            "share that reach it with less than 35 % of the data": share(int(reached[few].sum()), int(few.sum())),
        },
        f"Share that reach it within {int(record.steps)} steps at learning rates ({float(record.eta_repr[0]):g}, "
        f"{float(record.eta_dec[0]):g}), by data fraction: {rates}.",
    )


def _trajectory_agreement(evidence: Evidence) -> Findings:
    record = readings.with_normalized_embedding(evidence.record(readings.TRAJECTORIES))
    seen, unseen = readings.split_by_member(record)
    fit = readings.fit_theory(seen)
    score = fit.score(unseen)
    skill = score.skill.values[np.isfinite(score.skill.values)]
    n_h = fit.timescale(record.embedding.values[0, 0]) * fit.rate / float(record.eta_repr[0])
    steps = record.rqi95_step.values
    ratio = np.where(steps == NEVER, np.inf, steps / n_h)
    note = (
        f"{len(ratio)} networks. The one fitted number, the rate of theory time, is {fit.rate:.3f} on half of them "
        "(1 by the theory; Adam is not gradient flow). On the other half the mean Procrustes error is "
        f"{float(score.error_mean.mean()):.3f}, against {float(score.error_constant_mean.mean()):.3f} for a theory "
        f"in which nothing moves. n_h = {n_h:.0f} steps. {np.mean(np.isfinite(ratio)):.0%} of the networks reach the "
        f"line (RQI > 0.95) within {int(record.steps)} steps; those that do, at a median of "
        f"{np.median(ratio[np.isfinite(ratio)]) if np.isfinite(ratio).any() else np.nan:.1f} n_h."
    )
    return Findings(
        {
            "skill on unseen networks (1: perfect, 0: as good as nothing moving)": bootstrap(np.mean, skill),
            "median time to RQI > 0.95 over n_h": bootstrap(np.median, ratio),
        },
        note,
    )


def _grokking_time(evidence: Evidence) -> Findings:
    record = evidence.record(readings.TRANSITION)
    predicted, fraction = readings.theory_steps(record), record.in_train.values.mean(1)
    steps = record.rqi95_step.values.astype(float)
    determined = np.isfinite(predicted)
    arrived = determined & (steps != NEVER)
    # A network that did not arrive comes after all that did.
    order = np.where(steps == NEVER, np.inf, steps)

    def beyond_size(steps: np.ndarray, predicted: np.ndarray, size: np.ndarray) -> float:
        """Rank correlation of steps and prediction, with what data size explains of both taken out."""
        ranks = [rankdata(column) for column in (steps, predicted, size)]
        centred = [rank - rank.mean() for rank in ranks]
        scale = centred[2] @ centred[2]
        if scale == 0:
            return float("nan")
        return pearson(*(part - centred[2] * (part @ centred[2]) / scale for part in centred[:2]))

    ratio = np.median(steps[arrived] / predicted[arrived]) if arrived.any() else np.nan
    return Findings(
        {
            "rank correlation of steps with data size": bootstrap(spearman, order[determined], fraction[determined]),
            "rank correlation of steps with 1/(λ3 η)": bootstrap(spearman, order[determined], predicted[determined]),
        },
        f"{determined.sum()} of {len(steps)} training sets have λ3 > 0; {arrived.sum()} of these networks reach RQI "
        f"> 0.95, in a median of {ratio:.2f}/(λ3 η) steps. With data size taken out of both, the rank correlation "
        f"with 1/(λ3 η) is {beyond_size(order[determined], predicted[determined], fraction[determined]):.2f}: that "
        f"is what λ3 knows beyond the size. Learning rates ({float(record.eta_repr[0]):g}, "
        f"{float(record.eta_dec[0]):g}); the figure's caption has η = 1e-3.",
    )


def _descendants(evidence: Evidence) -> Findings:
    record = evidence.record(readings.FOUR_SYMBOLS)
    first = readings.four_symbol_classes(record.embedding.values[:, 0])
    last = readings.four_symbol_classes(readings.final(record, "embedding"))
    quality = readings.final(record, "rqi").astype(float)
    slow = record.eta_repr.values > record.eta_dec.values
    names = {0: "none", 1: "A1", 2: "A2", 4: "A3", 7: "all"}  # any two equations imply the third
    count = len(last)
    counts = {code: (int(np.sum(first == code)), int(np.sum(last == code))) for code in names}

    def occurs(code: int) -> bool:
        """More often than by chance, which is what the untrained networks show (1 % level)."""
        before, after = counts[code]
        return after > 0 and (code == 0 or bool(binom.sf(after - 1, count, (before + 1) / (count + 2)) < 0.01))

    found = sum(occurs(code) for code in names)
    most = len(names) if count < 2 * _PAPER_SEEDS else found
    listed = ", ".join(f"{names[code]} {before} → {after}" for code, (before, after) in counts.items())
    note = (
        f"{count} networks; equations that hold (|d| ≤ 0.01), before → after training: {listed}. A representation "
        f"counts as found if it is more frequent than by chance before training. Mean RQI {quality[slow].mean():.2f} "
        f"at (1e-2, 1e-3), {quality[~slow].mean():.2f} at (1e-3, 1e-2)."
    )
    return Findings(
        {
            "mean RQI at (1e-2, 1e-3) minus at (1e-3, 1e-2)": bootstrap(
                lambda difference: difference.mean(), quality[slow] - quality[~slow]
            ),
            "different representations found, of 5": Estimate(float(found), float(found), float(most)),
        },
        note,
    )


CLAIMS = (
    Claim(
        "grokking/16",
        "Fig. 4b",
        "The number of steps to RQI > 0.95 has a phase transition at r_c = 0.4.",
        (
            Check("fraction at which half of the networks reach RQI > 0.95", "0.4", Region.around(CRITICAL, TOLERANCE)),
            Check("share that reach it with less than 35 % of the data", "none", Region(0, 0.1)),
        ),
        _rqi_transition,
        (readings.TRANSITION,),
    ),
    Claim(
        "grokking/17",
        "Fig. 4cd",
        "Theory and network trajectories agree, and become linear after about 3 n_h steps.",
        (
            Check("skill on unseen networks (1: perfect, 0: as good as nothing moving)", "agrees", Region(0.5, 1)),
            Check("median time to RQI > 0.95 over n_h", "about 3", ABOUT_THREE),
        ),
        _trajectory_agreement,
        (readings.TRAJECTORIES,),
    ),
    Claim(
        "grokking/18",
        "Fig. 5b",
        "Grokking steps fall with data size and follow 1/(λ3 η).",
        (
            Check("rank correlation of steps with data size", "negative", _NEGATIVE),
            Check("rank correlation of steps with 1/(λ3 η)", "positive", _POSITIVE),
        ),
        _grokking_time,
        (readings.TRANSITION,),
    ),
    Claim(
        "grokking/24",
        "Fig. 12",
        "With p = 4 a slow decoder gives better representations than a fast one, and every descendant of the linear "
        "structure occurs.",
        (
            Check("mean RQI at (1e-2, 1e-3) minus at (1e-3, 1e-2)", "> 0", _POSITIVE),
            Check("different representations found, of 5", "5", Region(5, 5)),
        ),
        _descendants,
        (readings.FOUR_SYMBOLS,),
    ),
)
