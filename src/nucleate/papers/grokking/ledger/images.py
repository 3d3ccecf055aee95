"""Claims 36-38: digits.

The paper gives neither the scale of the initial weights nor the ranges of Fig. 8b nor the weight decay of Fig. 20. They
are those of the authors' published configurations where there are any (8 for Fig. 8a, 9 for the others), and ours
otherwise. With 9, networks in the lowest corner of Fig. 8b come to 60 % after about as many steps as Table 1 allows,
10⁵: whether that corner is called memorisation or grokking rests on a number that the paper does not give. It is
therefore reported and not judged; what is judged does not rest on it. The cells that are judged for confusion and
comprehension are ours, too: the paper gives no values.
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
    Revision,
    Steps,
    Threshold,
    When,
    bootstrap,
    partial_spearman,
    share,
    spearman,
    unexplained_ranks,
)
from nucleate.claims.words import MOST
from nucleate.observables import Phase
from nucleate.papers.grokking import readings
from nucleate.papers.grokking.experiments import TABLE_1_DELAY, TABLE_1_STEPS
from nucleate.papers.grokking.experiments.images import DIGITS, DIGITS_CORNERS, DIGITS_PHASES, DIGITS_SIZES
from nucleate.papers.grokking.readings.images import GENERALISED, image_delays
from nucleate.record import Outcome, at_the_end, stayed_finite

_POOL = (
    "All networks draw their images from the same pool, and those with many share most of them: intervals are for "
    "other networks on these images, not for other images."
)

_WHOLE = Steps(TABLE_1_STEPS, DIGITS)
_GENERALISE = Check("share that reach 60 % on validation images", "validation accuracy improves", MOST, mature=_WHOLE)
_DELAY = Check(
    "median steps from 90 % on training to 60 % on validation images",
    "much later",
    Region.at_least(TABLE_1_DELAY),
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
        f"{_range(norm[0])} to {_range(norm[1])}. {_POOL}"
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


_LONG = 5
"""How many times as many steps as other networks needed to learn count as long enough to call a network confused."""


def _is_long(record: xr.Dataset) -> bool:
    low, high = _corners(record)
    learned = readings.steps_to(record, "train90")[~low & ~high & _finite(record)]
    return bool(len(learned) and _LONG * np.median(learned) <= int(record.steps))


def _finite(record: xr.Dataset) -> np.ndarray:
    return record.outcome.values != Outcome.DIVERGED


def _corners(record: xr.Dataset) -> tuple[np.ndarray, np.ndarray]:
    """Which networks have the lowest, and which the highest, decay and learning rate."""
    return record.decay.values == record.decay.min().item(), record.decay.values == record.decay.max().item()


_CONFUSED = Check(
    "high learning rate and decay (η last 0.1, decay 10, which are ours): share that do not learn their training "
    "images",
    "a “confusion” phase",
    MOST,
    mature=When(
        f"networks between the corners have learned their training images, in a {_LONG}th of the steps or less",
        DIGITS_CORNERS,
        _is_long,
    ),
)
_COMPREHEND = Check(
    "between the corners (η last 0.001, decay 1, which are ours): share that comprehend",
    "a “comprehension” phase bordering it",
    MOST,
)
_GROK = Check(
    "lowest learning rate and decay: share that grok or memorise",
    "a “grokking” phase … and a “memorization” phase",
    MOST,
)
_DELAYS = {
    column: Check(
        f"networks that have learned: rank correlation of delay with {name}, given {other}",
        "a “grokking” phase as one decreases weight decay and decoder learning rate",
        Region.below(0),
        Threshold.PAPER,
    )
    for column, name, other in (
        ("decay", "weight decay", "the learning rate"),
        ("eta_last", "the learning rate", "weight decay"),
    )
}


def _layout(evidence: Evidence) -> Findings:
    corners, plane = evidence.record(DIGITS_CORNERS), evidence.record(DIGITS_PHASES)
    low, high = _corners(corners)
    reached = _range(100 * at_the_end(corners, "valid_accuracy")[low])
    lowest, highest = (readings.census(corners.isel(member=end), GENERALISED) for end in (low, high))
    note = (
        f"Map: {readings.census(plane, GENERALISED)} Lowest corner: {lowest} Its networks end with {reached} % "
        f"of the validation images right. Highest corner: {highest} Networks that diverge are left out. Table 1 "
        f"allows {TABLE_1_STEPS:,} steps: before, a network that is listed as confused may still learn, and one "
        f"listed as memorising may still grok. Correlations allow for any order in which those may. {_POOL}"
    )
    learned = np.isfinite(readings.steps_to(corners, "train90"))[high & _finite(corners)]
    return Findings(
        {
            _CONFUSED: share(int(np.sum(~learned)), len(learned)),
            _COMPREHEND: _share_in(corners, ~low & ~high, Phase.COMPREHENSION),
            _GROK: _share_in(corners, low, Phase.GROKKING, Phase.MEMORIZATION),
            _DELAYS["decay"]: _with(plane, "decay", "eta_last"),
            _DELAYS["eta_last"]: _with(plane, "eta_last", "decay"),
        },
        note,
    )


def _share_in(record: xr.Dataset, chosen: np.ndarray, *wanted: Phase) -> Estimate:
    return readings.Hits.of(record, chosen, *wanted, valid=GENERALISED).share()


def _with(plane: xr.Dataset, column: str, given: str) -> Estimate:
    """The partial rank correlation of delays with a column, of networks that have learned their training images.

    Before Table 1 ends, those that have not generalised may still do so, now or later and in any order: the interval
    is for all, from the arrivals that make the correlation least to those that make it largest.
    """
    record = stayed_finite(plane)
    train = readings.steps_to(record, "train90")
    record, train = record.isel(member=np.flatnonzero(np.isfinite(train))), train[np.isfinite(train)]
    delay, x, z = image_delays(record), record[column].values, record[given].values
    found, waiting = bootstrap(partial_spearman, delay, x, z), np.isinf(delay)
    if not readings.is_short(record) or not waiting.any():
        return found
    at_once, place = int(record.steps) - train, unexplained_ranks(x, z)
    ends = (np.where(place * sign > 0, TABLE_1_STEPS + place * sign, at_once) for sign in (-1, 1))
    return found.or_later(*(bootstrap(partial_spearman, np.where(waiting, end, delay), x, z) for end in ends))


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
    "generalization time increases … once one drops below a certain amount",
    Region.below(0),
    Threshold.PAPER,
    mature=_ARRIVED,
)
_STEEPER = Check(
    "exponent of steps in 1/size, below the middle one of the sizes tried minus above it",
    "increases rapidly once one drops below a certain amount",
    Region.above(0),
    mature=_ARRIVED,
)


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
        "long by this measure. A power law, which has no knee, would have the exponents equal; a knee outside the "
        f"sizes tried cannot be seen. {_POOL}"
    )
    return Findings({_WITH_SIZE: bootstrap(spearman, steps, size), _STEEPER: _steeper(size, steps, record)}, note)


def _steeper(size: np.ndarray, steps: np.ndarray, record: xr.Dataset) -> Estimate:
    """How much faster log T rises with −log n below the middle size than above it.

    A network with few images that has not arrived counts as one that arrives at once, which makes the difference a
    lower bound.
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
    return found if np.isfinite(steps[size == small]).all() else replace(found, high=float("inf"), pending=True)


_MORE_THAN_HALF = "“most” now means the same for all papers: more than half."

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
        history=(Revision("The same, with a share ≥ 0.5.", "replicated", _MORE_THAN_HALF),),
    ),
    Claim(
        "grokking/37",
        "Fig. 8b, App. J",
        "Where the last layer's learning rate and weight decay are high, networks are confused; next to that they "
        "comprehend; and the lower both are, the later they generalise.",
        (_CONFUSED, _COMPREHEND, _GROK, *_DELAYS.values()),
        _layout,
        (DIGITS_PHASES, DIGITS_CORNERS),
        quote="We observe a “confusion” phase in the bottom right (high learning rate and high weight decay), a "
        "“comprehension” phase bordering it, a “grokking” phase as one decreases weight decay and decoder learning "
        "rate, and a “memorization” phase at low weight decay and low learning rate. […] This phase diagram "
        "demonstrates that with sufficient regularization, we can again “de-grok” learning.",
        history=(Revision("The same, with shares ≥ 0.5.", "inconclusive", _MORE_THAN_HALF),),
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
)
