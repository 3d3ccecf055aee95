"""Claims 4 to 8: which circles survive."""

import numpy as np
import xarray as xr

from nucleate.claims import Check, Claim, Evidence, Findings, Region, bootstrap, pearson, share, spearman
from nucleate.observables import TwiceTheMean, signal_gradient
from nucleate.papers.circles import readings
from nucleate.theories import Features, Fitness, LinearSVM, Logistic
from nucleate.theories.fitness import cross_validated, random_split

_RISES = Region(1e-9, 1)
# Figure 7 looks at these steps.
_EARLY = (1, 2, 3, 4)
# The authors call alive what ends above 10. That is for 30,000 steps; after 1,000 the dead are not below it yet.
RULE = TwiceTheMean()


def _initial_signal(evidence: Evidence) -> Findings:
    found = readings.rates(evidence.record(readings.SURVIVAL))
    trials = int(found.trials.min())

    def ceiling(rate: np.ndarray) -> float:
        """What the noise of rates from few trials leaves of a perfect correlation."""
        noise = np.mean(rate * (1 - rate)) / max(trials - 1, 1)
        return float(np.sqrt(max(1 - noise / rate.var(), 0))) if rate.var() > 0 else 0.0

    def corrected(signal: np.ndarray, rate: np.ndarray) -> float:
        return pearson(signal.ravel(), rate.ravel()) / ceiling(rate) if ceiling(rate) > 0 else np.nan

    within = [pearson(s, r) for s, r in zip(found.signal, found.rate, strict=True)]
    return Findings(
        {
            "correlation of initial signal and survival rate, corrected for few trials": bootstrap(
                corrected, found.signal, found.rate
            )
        },
        f"{len(found.rate)} embeddings of {found.rate.shape[1]} frequencies, {trials} networks each; the interval "
        "is over "
        f"embeddings. As measured the correlation is {pearson(found.signal.ravel(), found.rate.ravel()):.2f}; the "
        "noise of "
        f"rates from so few trials alone keeps it below {ceiling(found.rate):.2f}. Within an embedding, as measured: "
        f"{np.nanmin(within):.2f} to {np.nanmax(within):.2f}.",
    )


def perturbations(record: xr.Dataset, k: int) -> tuple[np.ndarray, np.ndarray]:
    """Of every network: deviation of the perturbed signal from the mean of the others, and whether it survived."""
    start = record.signal.values[:, 0]
    others = np.delete(start, k - 1, axis=1).mean(1)
    return start[:, k - 1] - others, readings.final_alive(record)[:, k - 1]


def perturbed_frequency(evidence: Evidence) -> int:
    return evidence.runs[readings.PERTURBED].about["config"]["frequency"]


def _perturbed(evidence: Evidence) -> Findings:
    record = readings.usable(evidence.record(readings.PERTURBED))
    deviation, lived = perturbations(record, perturbed_frequency(evidence))
    factor, seeds = record.factor.values, record.seed_embedding.values
    top, bottom = factor == factor.max(), factor == factor.min()

    def of_embeddings(chosen: np.ndarray) -> np.ndarray:
        """The survival rate in each embedding, the independent unit."""
        return np.array([lived[chosen & (seeds == seed)].mean() for seed in np.unique(seeds[chosen])])

    by_factor = ", ".join(f"{value:.2f}: {lived[factor == value].mean():.0%}" for value in np.unique(factor))
    return Findings(
        {
            f"survival rate with its signal raised by {_RANGE:.0%}": bootstrap(np.mean, of_embeddings(top)),
            f"survival rate with its signal lowered by {_RANGE:.0%}": bootstrap(np.mean, of_embeddings(bottom)),
        },
        f"Rates for each factor: {by_factor}. {len(np.unique(seeds))} embeddings, {len(seeds)} networks. At the "
        "ends the "
        f"signal is {deviation[top].mean():+.1f} and {deviation[bottom].mean():+.1f} from the mean of the others.",
    )


_RANGE = 0.15


def _constructed(evidence: Evidence) -> Findings:
    lines, circles = (_planted(readings.usable(evidence.record(name))) for name in (readings.LINES, readings.ROUND))
    first, second, revived, ratio = lines
    rise = spearman(circles[3], circles[1])
    return Findings(
        {
            "share of networks in which the larger survives": share(int(first.sum()), len(first)),
            "rank correlation of r and survival of the smaller": bootstrap(spearman, ratio, second),
            "share of networks in which a frequency that started near 0 survives": share(
                int(revived.sum()), len(first)
            ),
        },
        f"Survival of the smaller for each r: {_by(ratio, second)}. The authors' constructed circles are lines; "
        "with true "
        f"circles ({len(circles[0])} networks) the larger survives in {circles[0].mean():.0%}, others revive in "
        f"{circles[2].mean():.0%}, and the rank correlation is {rise:.2f}. No second frequency is a harmonic of "
        "the first.",
    )


def _planted(record: xr.Dataset) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    lived, row = readings.final_alive(record), np.arange(record.sizes["member"])
    first, second = (lived[row, record[name].values - 1] for name in ("first", "second"))
    return first, second, lived.sum(1) > first.astype(int) + second, record.ratio.values


def _by(column: np.ndarray, hits: np.ndarray) -> str:
    return ", ".join(f"{value:.2g}: {hits[column == value].mean():.0%}" for value in np.unique(column))


def gradients(record: xr.Dataset, at: int) -> np.ndarray:
    """The relative change of each signal in one early step, [member, freq]."""
    return signal_gradient(record.signal.values, record.step.values, at)


def _gradient(evidence: Evidence) -> Findings:
    record = readings.usable(evidence.record(readings.SURVIVAL))
    lived, seeds = readings.final_alive(record), record.seed_embedding.values
    groups = np.unique(seeds)
    slope = {at: gradients(record, at) for at in _EARLY}

    def lowest(chosen: np.ndarray) -> float:
        members = np.concatenate([np.flatnonzero(seeds == seed) for seed in chosen])
        return min(spearman(slope[at][members].ravel(), lived[members].ravel()) for at in _EARLY)

    start = record.signal.values[:, 0]
    with_signal = ", ".join(f"{pearson(slope[at].ravel(), start.ravel()):.2f}" for at in _EARLY)
    each = ", ".join(f"{spearman(slope[at].ravel(), lived.ravel()):.2f}" for at in _EARLY)
    return Findings(
        {"lowest rank correlation of gradient and survival, of steps 1 to 4": bootstrap(lowest, groups, resamples=400)},
        f"Rank correlation at steps {_EARLY}: {each}. The gradient is not independent of the initial signal: their "
        f"correlation at these steps is {with_signal}. Interval over {len(groups)} embeddings.",
    )


def _svm(evidence: Evidence) -> Findings:
    record = readings.usable(evidence.record(readings.SURVIVAL))
    theory = Fitness(LinearSVM(), rule=RULE)
    split = random_split(theory, record)
    unseen = cross_validated(theory, record)
    gain = unseen.accuracy.values - unseen.accuracy_majority.values
    beside = {
        "standardised": Fitness(LinearSVM(), Features(standardize=True), RULE),
        "signal alone": Fitness(LinearSVM(), Features(gradient=False), RULE),
        "logistic, standardised": Fitness(Logistic(), Features(standardize=True), RULE),
    }
    scores = {name: cross_validated(other, record) for name, other in beside.items()}
    told = "; ".join(f"{n}: {float(s.accuracy.mean()):.3f} (AUC {float(s.auc.mean()):.2f})" for n, s in scores.items())
    return Findings(
        {
            "accuracy on unseen embeddings": bootstrap(np.mean, unseen.accuracy.values),
            "accuracy minus that of always answering 'dead'": bootstrap(np.mean, gain),
        },
        f"The authors' split, over frequencies of all networks, which leaks: {float(split.accuracy):.3f}, and "
        "'dead' for "
        f"all {float(split.accuracy_majority):.3f}. On unseen embeddings 'dead' for all has "
        f"{float(unseen.accuracy_majority.mean()):.3f}; {told}; AUC of the claim's SVM "
        f"{float(unseen.auc.mean()):.2f}.",
    )


CLAIMS = (
    Claim(
        "circles/4",
        "Fig. 6 (left)",
        "Survival rate and initial signal have a Pearson correlation of 0.85.",
        (
            Check(
                "correlation of initial signal and survival rate, corrected for few trials",
                "0.85",
                Region.around(0.85, 0.1),
            ),
        ),
        _initial_signal,
        (readings.SURVIVAL,),
    ),
    Claim(
        "circles/5",
        "Fig. 6 (middle)",
        "A frequency far above the mean nearly always survives, one far below rarely.",
        (
            Check(f"survival rate with its signal raised by {_RANGE:.0%}", "near 100 %", Region(0.8, 1)),
            Check(f"survival rate with its signal lowered by {_RANGE:.0%}", "rare", Region(0, 0.2)),
        ),
        _perturbed,
        (readings.PERTURBED,),
    ),
    Claim(
        "circles/6",
        "Fig. 6 (right)",
        "Of two constructed frequencies the larger always survives, the smaller more often the larger it is; sometimes "
        "others revive.",
        (
            Check("share of networks in which the larger survives", "all", Region(0.95, 1)),
            Check("rank correlation of r and survival of the smaller", "positive", _RISES),
            Check(
                "share of networks in which a frequency that started near 0 survives", "sometimes", Region(0.01, 0.99)
            ),
        ),
        _constructed,
        (readings.LINES, readings.ROUND),
    ),
    Claim(
        "circles/7",
        "Fig. 7",
        "Frequencies with larger initial gradients, at steps 1 to 4, survive more often.",
        (Check("lowest rank correlation of gradient and survival, of steps 1 to 4", "positive", _RISES),),
        _gradient,
        (readings.SURVIVAL,),
    ),
    Claim(
        "circles/8",
        "Sec. 3.2.2",
        "A linear SVM on initial signal and gradient tells survivors from the dead with 83.8 % accuracy.",
        (
            Check("accuracy on unseen embeddings", "0.838", Region.around(0.838, 0.03)),
            Check("accuracy minus that of always answering 'dead'", "more than 0", Region(1e-9, 1)),
        ),
        _svm,
        (readings.SURVIVAL,),
    ),
)
