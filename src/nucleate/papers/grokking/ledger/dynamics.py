"""Claims 16-18 and 24: how representations form while networks train."""

import numpy as np

from nucleate.claims import Check, Claim, Estimate, Evidence, Findings, Region, bootstrap, share, spearman
from nucleate.papers.grokking import readings
from nucleate.papers.grokking.structure import ABOUT_THREE, half_crossing, time_to_line
from nucleate.record import NEVER

# "More than nothing", for a correlation or a difference.
_TINY = 1e-9
# Fig. 12 shows so many networks; with fewer, an absent representation proves nothing.
_PAPER_SEEDS = 200


def _rqi_transition(evidence: Evidence) -> Findings:
    record = evidence.record(readings.TRANSITION)
    fraction = record.in_train.values.mean(1)
    reached = record.rqi95_step.values != NEVER
    sizes = np.unique(fraction)

    def crossing(fraction, reached):
        rate = np.asarray([reached[fraction == size].mean() if np.any(fraction == size) else np.nan for size in sizes])
        known_sizes = np.isfinite(rate)
        return half_crossing(sizes[known_sizes], rate[known_sizes])

    rate = {f"{size:.2f}": f"{reached[fraction == size].mean():.0%}" for size in sizes}
    never = reached[fraction < 0.35].mean() if np.any(fraction < 0.35) else np.nan
    return Findings(
        {
            "fraction at which half of the networks reach RQI > 0.95": bootstrap(
                crossing, fraction, reached, resamples=1000
            ),
            "share that reach it with less than 35 % of the data": share(
                int(reached[fraction < 0.35].sum()), int(np.sum(fraction < 0.35))
            ),
        },
        f"Share that reach it, by data fraction: {rate}. Below 0.35: {never:.0%}. Learning rates (1e-2, 1e-3), "
        "which give "
        "the step counts of the paper's figure; its defaults (1e-3, 1e-4) do not.",
    )


def _trajectory_agreement(evidence: Evidence) -> Findings:
    record = readings.with_normalized_embedding(evidence.record(readings.TRAJECTORIES))
    seen, unseen = readings.split_by_member(record)
    fit = readings.fit_theory(seen)
    score = fit.score(unseen)
    skill = score.skill.values[np.isfinite(score.skill.values)]
    first = time_to_line(record.embedding.values.astype(float), record.step.values)
    n_h = fit.timescale(record.embedding.values[0, 0]) * fit.rate / record.eta_repr.values[0]
    ratio = first / n_h
    note = (
        f"{len(ratio)} networks; the one fitted number, the rate of theory time, is {fit.rate:.3f} on half of them "
        "(1 by the "
        f"theory; Adam is not gradient flow). On the other half the mean Procrustes error is "
        f"{float(score.error_mean.mean()):.3f}, against {float(score.error_constant_mean.mean()):.3f} for a theory "
        "in which "
        f"nothing moves. n_h = {n_h:.0f} steps. {np.mean(np.isfinite(ratio)):.0%} of the networks become linear "
        "(departure "
        f"below e⁻³ of its start) within {int(record.steps)} steps, at a median of {np.median(ratio):.1f} n_h."
    )
    return Findings(
        {
            "skill on unseen networks (1: perfect, 0: as good as nothing moving)": bootstrap(np.mean, skill),
            "median time to the line over n_h": _median_with_censoring(ratio),
        },
        note,
    )


def _median_with_censoring(values: np.ndarray) -> Estimate:
    """A median where some values are only known to be larger than all others."""
    rng = np.random.default_rng(0)
    drawn = np.median(rng.choice(values, (2000, len(values))), axis=1)
    value = float(np.median(values))
    if not np.isfinite(value):
        return Estimate.unknown()
    low, high = np.quantile(drawn, [0.025, 0.975], method="nearest")
    return Estimate(value, float(low), float(high))


def _grokking_time(evidence: Evidence) -> Findings:
    record = evidence.record(readings.TRANSITION)
    steps, predicted = record.rqi95_step.values.astype(float), readings.theory_steps(record)
    fraction = record.in_train.values.mean(1)
    use = (steps != NEVER) & np.isfinite(predicted)
    return Findings(
        {
            "rank correlation of steps with data size": bootstrap(spearman, steps[use], fraction[use]),
            "rank correlation of steps with 1/(λ3 η)": bootstrap(spearman, steps[use], predicted[use]),
        },
        f"{use.sum()} of {len(steps)} networks reach RQI > 0.95 and have λ3 > 0. Median ratio of steps to 1/(λ3 η): "
        f"{np.median(steps[use] / predicted[use]) if use.any() else np.nan:.2f}.",
    )


def _descendants(evidence: Evidence) -> Findings:
    record = evidence.record(readings.FOUR_SYMBOLS)
    code, quality = readings.four_symbol_classes(record)
    slow = record.eta_repr.values > record.eta_dec.values
    possible = {0, 1, 2, 4, 7}  # any two equations imply the third
    seen = {int(c) for c in np.unique(code)} & possible
    difference = quality[slow].mean() - quality[~slow].mean()
    rng = np.random.default_rng(0)
    a, b = quality[slow], quality[~slow]
    drawn = rng.choice(a, (2000, len(a))).mean(1) - rng.choice(b, (2000, len(b))).mean(1)
    low, high = np.quantile(drawn, [0.025, 0.975])
    names = {0: "none", 1: "A1", 2: "A2", 4: "A3", 7: "all"}
    counts = ", ".join(f"{names[c]} {int(np.sum(code == c))}" for c in sorted(possible))
    note = (
        f"{len(code)} networks; equations that hold at the end: {counts}. Mean RQI {a.mean():.2f} at (1e-2, 1e-3), "
        f"{b.mean():.2f} at (1e-3, 1e-2)."
    )
    return Findings(
        {
            "mean RQI at (1e-2, 1e-3) minus at (1e-3, 1e-2)": Estimate(float(difference), float(low), float(high)),
            "different representations found, of 5": Estimate(
                float(len(seen)), float(len(seen)), float(len(possible) if len(code) < 2 * _PAPER_SEEDS else len(seen))
            ),
        },
        note,
    )


CLAIMS = (
    Claim(
        "grokking/16",
        "Fig. 4b",
        "The number of steps to RQI > 0.95 has a phase transition at r_c = 0.4.",
        (
            Check("fraction at which half of the networks reach RQI > 0.95", "0.4", Region(0.35, 0.45)),
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
            Check("median time to the line over n_h", "about 3", Region(*ABOUT_THREE)),
        ),
        _trajectory_agreement,
        (readings.TRAJECTORIES,),
    ),
    Claim(
        "grokking/18",
        "Fig. 5b",
        "Grokking steps fall with data size and follow 1/(λ3 η).",
        (
            Check("rank correlation of steps with data size", "negative", Region(-1, -_TINY)),
            Check("rank correlation of steps with 1/(λ3 η)", "positive", Region(_TINY, 1)),
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
            Check("mean RQI at (1e-2, 1e-3) minus at (1e-3, 1e-2)", "> 0", Region(_TINY, 1)),
            Check("different representations found, of 5", "5", Region(5, 5)),
        ),
        _descendants,
        (readings.FOUR_SYMBOLS,),
    ),
)
