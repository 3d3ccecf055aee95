"""Claims 36-39: digits.

The paper gives neither the scale of the initial weights nor the ranges of Fig. 8b nor the weight decay of Fig. 20. They
are those of the authors' published configurations where there are any (8 for Fig. 8a, 9 for the others), and ours
otherwise. With 9, networks in the lowest corner of Fig. 8b come to 60 % after about as many steps as Table 1 allows,
10⁵: whether that corner is called memorisation or grokking rests on a number that the paper does not give. It is
therefore reported and not judged; what is judged does not rest on it.
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
    Region,
    Steps,
    Threshold,
    When,
    bootstrap,
    partial_spearman,
    share,
    spearman,
)
from nucleate.observables import Phase
from nucleate.papers.grokking import readings
from nucleate.papers.grokking.experiments import TABLE_1_STEPS
from nucleate.papers.grokking.experiments.images import DIGITS, DIGITS_CORNERS, DIGITS_PHASES, DIGITS_SIZES
from nucleate.papers.grokking.ledger.words import MOST
from nucleate.papers.grokking.readings.images import SCALES, collapse, image_delays, image_phases
from nucleate.record import Outcome, at_the_end, stayed_finite

_LATE = 1000
"""Table 1: generalisation this many steps after the training set is learned is grokking."""

_WHOLE = Steps(TABLE_1_STEPS, DIGITS)
_GENERALISE = Check("share that reach 60 % on validation images", "most", MOST, mature=_WHOLE)
_DELAY = Check(
    "median steps from 90 % on training to 60 % on validation images",
    "much later",
    Region.at_least(_LATE),
    Threshold.PAPER,
    mature=_WHOLE,
)


def _grokking(evidence: Evidence) -> Findings:
    record = stayed_finite(evidence.record(DIGITS))
    train, valid = (readings.steps_to(record, name) for name in ("train90", "valid60"))
    arrived = np.isfinite(valid)
    norm = record.weight_norm.values[:, 0], at_the_end(record, "weight_norm")
    right = _range(100 * at_the_end(record, "valid_accuracy"))
    note = (
        f"{len(train)} networks: 90 % on training images after {_range(train)} steps, 60 % on validation images after "
        f"{_range(valid)}; at the end {right} % of these are right. The norm of all parameters falls from "
        f"{_range(norm[0])} to {_range(norm[1])}."
    )
    return Findings(
        {_GENERALISE: share(int(arrived.sum()), len(arrived)), _DELAY: bootstrap(np.median, image_delays(record))}, note
    )


def _range(values: np.ndarray) -> str:
    """The least and the largest, as whole numbers; never is ∞."""
    if not len(values):
        return "–"
    low, high = (f"{value:,.0f}" if np.isfinite(value) else "∞" for value in (np.min(values), np.max(values)))
    return low if low == high else f"{low}-{high}"


_LEARNING = When(
    "some network has learned its training images",
    DIGITS_CORNERS,
    lambda record: bool(np.isfinite(readings.steps_to(record, "train90")).any()),
)
_CONFUSED = Check("highest learning rate and decay: share confused", "most", MOST, mature=_LEARNING)
_COMPREHEND = Check("between them (η last 0.001, decay 1): share that comprehend", "most", MOST, mature=_LEARNING)
_GROK = Check("lowest learning rate and decay: share that grok or memorise", "most", MOST, mature=_LEARNING)
_MAPPED = Steps(10_000, DIGITS_PHASES)
_WITH_DECAY = Check(
    "rank correlation of delay with weight decay, given the learning rate",
    "negative",
    Region.below(0),
    Threshold.PAPER,
    mature=_MAPPED,
)
_WITH_RATE = Check(
    "rank correlation of delay with the learning rate, given weight decay",
    "negative",
    Region.below(0),
    Threshold.PAPER,
    mature=_MAPPED,
)


def _layout(evidence: Evidence) -> Findings:
    corners, plane = evidence.record(DIGITS_CORNERS), evidence.record(DIGITS_PHASES)
    low, high = (corners.decay.values == end for end in (corners.decay.values.min(), corners.decay.values.max()))
    learned = np.isfinite(readings.steps_to(plane, "train90"))
    delay = image_delays(plane)[learned]
    decay, rate = plane.decay.values[learned], plane.eta_last.values[learned]
    reached = _range(100 * at_the_end(corners, "valid_accuracy")[low])
    note = (
        f"Map: {_census(plane)} Lowest corner: {_census(corners.isel(member=low))} Its networks end with {reached} % "
        f"of the validation images right. Highest corner: {_census(corners.isel(member=high))} A network that diverged "
        "before it had learned its training images counts as confused, by Table 1. Before 100,000 steps, one that has "
        "not generalised is listed as memorising and may still grok."
    )
    return Findings(
        {
            _CONFUSED: _share_in(corners, high, Phase.CONFUSION),
            _COMPREHEND: _share_in(corners, ~low & ~high, Phase.COMPREHENSION),
            _GROK: _share_in(corners, low, Phase.GROKKING, Phase.MEMORIZATION),
            _WITH_DECAY: bootstrap(partial_spearman, delay, decay, rate),
            _WITH_RATE: bootstrap(partial_spearman, delay, rate, decay),
        },
        note,
    )


def _share_in(record: xr.Dataset, chosen: np.ndarray, *wanted: Phase) -> Estimate:
    """The share of the chosen networks that are in these phases: too early while any may still change into one of
    them, or out of all."""
    record = record.isel(member=chosen)
    hits = np.isin(image_phases(record), wanted)
    found = share(int(hits.sum()), len(hits))
    return found if _is_settled(record).all() else found.too_early()


def _is_settled(record: xr.Dataset) -> np.ndarray:
    """Whether each network's phase is known, but for grokking and memorising, which are told apart later."""
    train, valid = readings.steps_to(record, "train90"), readings.steps_to(record, "valid60")
    over = (record.outcome.values == Outcome.DIVERGED) | (record.last_step.values >= TABLE_1_STEPS)
    return over | np.isfinite(train) & (np.isfinite(valid) | (record.last_step.values - train >= _LATE))


def _census(record: xr.Dataset) -> str:
    codes = image_phases(record)
    counts = ", ".join(f"{int(np.sum(codes == p))} {p.name.lower()}" for p in Phase)
    diverged = int((record.outcome.values == Outcome.DIVERGED).sum())
    return f"{len(codes)} networks within {int(record.steps):,} steps: {counts}; {diverged} diverged."


_LARGEST = 32_768
"""Images in the largest training set of the authors' configuration: where ours end, a knee may lie beyond."""


def _have_arrived(record: xr.Dataset) -> bool:
    """Whether most networks of the middle and largest sizes have generalised: there is a time to compare with."""
    _, middle, large = _three(np.unique(record.train_size.values))
    steps = readings.steps_to(record, "valid60")
    return all(np.isfinite(np.median(steps[record.train_size.values == size])) for size in (middle, large))


def _three(sizes: np.ndarray) -> tuple[int, int, int]:
    return int(sizes[0]), int(sizes[len(sizes) // 2]), int(sizes[-1])


_ARRIVED = When("networks with much data have generalised", DIGITS_SIZES, _have_arrived)
_WITH_SIZE = Check(
    "rank correlation of steps to 60 % with training size",
    "negative",
    Region.below(0),
    Threshold.PAPER,
    mature=_ARRIVED,
)
_STEEPER = Check("exponent of steps in 1/size, small sizes minus large sizes", "> 0", Region.above(0), mature=_ARRIVED)


def _with_size(evidence: Evidence) -> Findings:
    record = stayed_finite(evidence.record(DIGITS_SIZES))
    size, steps = record.train_size.values, readings.steps_to(record, "valid60")
    sizes = np.unique(size)
    best = record.valid_accuracy.max("step").values
    medians = "; ".join(
        f"{n}: {_range(np.median(steps[size == n], keepdims=True))} steps, at best "
        f"{100 * np.median(best[size == n]):.0f} %"
        for n in sizes
    )
    note = (
        f"Weight decay {float(record.decay[0]) if len(size) else np.nan:g}, {int(record.steps):,} steps. Median of "
        f"the networks of each size: {medians}. A size at which few networks can reach 60 % at all takes infinitely "
        "long by this measure. A power law, which has no knee, would have the exponents equal."
    )
    return Findings({_WITH_SIZE: bootstrap(spearman, steps, size), _STEEPER: _steeper(size, steps, record)}, note)


def _steeper(size: np.ndarray, steps: np.ndarray, record: xr.Dataset) -> Estimate:
    """How much faster log T rises with −log n below the middle size than above it.

    A network that has not arrived counts as one that arrives at once, which makes the difference a lower bound.
    """
    sizes = np.unique(size)
    if len(sizes) < 3:
        return Estimate.unknown()
    small, middle, large = _three(sizes)

    def exponents(*times: np.ndarray) -> float:
        slow, half, fast = (np.log(np.median(time)) for time in times)
        return float((slow - half) / np.log(middle / small) - (half - fast) / np.log(large / middle))

    times = (np.minimum(steps[size == small], int(record.steps)), steps[size == middle], steps[size == large])
    found = bootstrap(exponents, *times, apart=True)
    certain = np.isfinite(steps[size == small]).all() and large >= _LARGEST
    return found if certain else replace(found, high=float("inf"))


_COLLAPSED = 0.1
"""A spread has collapsed if less than a tenth of it is left."""

_WITHIN = Check("median share of the spread within classes left", "collapses", Region.below(_COLLAPSED))
_BETWEEN = Check("median share of the spread of class means left", "does not collapse", Region.at_least(_COLLAPSED))
_SEPARATE = Check("median share of images nearest to their class's mean", "separable", Region.at_least(0.9))
_KEPT = Check("relative change of Z in gradient flow", "0", Region.at_most(1e-6), Threshold.PAPER)


def _collapse(evidence: Evidence) -> Findings:
    seen = evidence.once(collapse)
    within, between = (spread[:, -1] / spread[:, 0] for spread in (seen.within, seen.between))
    change = seen.size[:, -1] / seen.size[:, 0] - 1
    left = ", ".join(f"{scale:g}: {100 * np.median(row):.0f} %" for scale, row in zip(SCALES, seen.left, strict=True))
    note = (
        f"{len(within)} random encoders 784-200-200-2 with the usual initial weights, each with "
        f"{seen.label.shape[1]:,} digits. At the start {100 * np.median(seen.nearest[:, 0]):.0f} % of the images are "
        f"nearest to their class's mean. Adam is not gradient flow: it changes Z, by {100 * np.median(change):+.0f} % "
        "(median). It moves a coordinate by at most about 0.001 a step, so all rests on the scale of the encoder, "
        f"which the paper does not give. Share of the spread within classes that is left, by factor on weights: {left}."
    )
    return Findings(
        {
            _WITHIN: bootstrap(np.median, within),
            _BETWEEN: bootstrap(np.median, between),
            _SEPARATE: bootstrap(np.median, seen.nearest[:, -1]),
            _KEPT: Estimate.exact(float(seen.flow_change.max())),
        },
        note,
    )


CLAIMS = (
    Claim(
        "grokking/36",
        "Fig. 8a, App. J",
        "With large initial weights, networks grok on 1,000 digits: they learn the training images quickly and "
        "generalise much later.",
        (_GENERALISE, _DELAY),
        _grokking,
        (DIGITS,),
        quote="With this setup, we find that the network quickly fits the train set, and then much later in training "
        "validation accuracy improves, as shown in Figure 8a.",
    ),
    Claim(
        "grokking/37",
        "Fig. 8b, App. J",
        "Where the last layer's learning rate and weight decay are high, networks are confused; next to that they "
        "comprehend; and the lower both are, the later they generalise.",
        (_CONFUSED, _COMPREHEND, _GROK, _WITH_DECAY, _WITH_RATE),
        _layout,
        (DIGITS_PHASES, DIGITS_CORNERS),
        quote="We observe a “confusion” phase in the bottom right (high learning rate and high weight decay), a "
        "“comprehension” phase bordering it, a “grokking” phase as one decreases weight decay and decoder learning "
        "rate, and a “memorization” phase at low weight decay and low learning rate. […] This phase diagram "
        "demonstrates that with sufficient regularization, we can again “de-grok” learning.",
    ),
    Claim(
        "grokking/38",
        "Fig. 20, App. J",
        "The fewer training images, the later networks generalise, and below a certain number the time rises rapidly.",
        (_WITH_SIZE, _STEEPER),
        _with_size,
        (DIGITS_SIZES,),
        quote="generalization time increases rapidly once one drops below a certain amount of training data.",
    ),
    Claim(
        "grokking/39",
        "Fig. 19, App. I",
        "Under the effective loss alone, embeddings of images collapse to their class means, which stay apart.",
        (_WITHIN, _BETWEEN, _SEPARATE, _KEPT),
        _collapse,
        quote="Images of the same class collapse to their class-means, and different class-means do not collapse. […] "
        "the gradient flow on ℓ_eff preserve Z (variance of representations) so that global collapse is avoided "
        "provably.",
    ),
)
