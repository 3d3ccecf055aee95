"""Claims 11 to 13: frozen embeddings, and no weight decay."""

import numpy as np

from nucleate.claims import Check, Claim, Evidence, Findings, Region, Revision, Steps, bootstrap, share, words
from nucleate.papers.circles import readings
from nucleate.papers.circles.experiments import FROZEN, FROZEN_LARGE, NO_DECAY
from nucleate.papers.circles.ledger.maturity import TRAINED
from nucleate.record import at_the_end, column, stayed_finite

# Two of the steps at which Fig. 4 shows the losses. Claim 12 names its own.
_READ, _READ_LATE = 5000, 10_000
_SMALL = 20
_BAND = 14  # dimensions: two bands on either side of d = p, with centres 14 apart
_NEAR = Steps(_READ, (FROZEN, FROZEN_LARGE))
_WITHOUT = Steps(TRAINED, NO_DECAY)

SHARPLY = Check(
    f"test loss at most {_BAND} dimensions below d = p, over that as far above it (geometric means)",
    "sharply better",
    Region.above(words.COMPARABLE.high),
    mature=_NEAR,
)
TRANSITION = Check(
    "fall of the logarithm of the loss across d = p, minus its mean fall over equal distances on either side",
    "a phase transition around d = p",
    words.POSITIVE,
    mature=_NEAR,
)
SMALL_AND_MEDIUM = Check(
    "mean logarithm of the test loss at d ≤ 20 minus that at 20 < d < p",
    "lower",
    words.NEGATIVE,
    mature=Steps(_READ_LATE, FROZEN),
)
GENERALISES = Check("share of networks without weight decay that generalise", "fails", words.NONE, mature=_WITHOUT)
ALL_SURVIVE = Check("share of frequencies that keep half of their signal", "all", words.NEARLY_ALL, mature=_WITHOUT)


def _losses(evidence: Evidence, step: int, *fleets: str) -> tuple[np.ndarray, np.ndarray]:
    """Dimension and test loss of each network that stayed finite, at a step."""
    records = [stayed_finite(evidence.record(name)) for name in fleets]
    return (
        np.concatenate([column(record, "dim").values for record in records]),
        np.concatenate([readings.loss_at(record, step) for record in records]),
    )


def _frozen(evidence: Evidence) -> Findings:
    step = min(_READ, *(evidence.about(name).steps for name in (FROZEN, FROZEN_LARGE)))
    dim, loss = _losses(evidence, step, FROZEN, FROZEN_LARGE)
    p, log = int(evidence.record(FROZEN).p[0]), _log(loss)
    before, below, above, after = (
        log[(dim >= p + low) & (dim < p + low + _BAND)] for low in (-2 * _BAND, -_BAND, 0, _BAND)
    )

    def bend(before: np.ndarray, below: np.ndarray, above: np.ndarray, after: np.ndarray) -> float:
        return 1.5 * (below.mean() - above.mean()) - 0.5 * (before.mean() - after.mean())

    return Findings(
        {
            SHARPLY: bootstrap(lambda a, b: np.exp(a.mean() - b.mean()), below, above, apart=True),
            TRANSITION: bootstrap(bend, before, below, above, after, apart=True),
        },
        f"Median test loss for each d after {step:,} steps: {_medians(dim, loss)}. Chance is ln {p} = {np.log(p):.2f}. "
        f"Networks in the four bands of {_BAND} dimensions: {len(before)} and {len(below)} below d = p, {len(above)} "
        f"and {len(after)} above.",
    )


def _log(loss: np.ndarray) -> np.ndarray:
    with np.errstate(divide="ignore"):
        return np.log(loss)


def _medians(dim: np.ndarray, loss: np.ndarray) -> str:
    return readings.by_value(dim, loss, ".3g", readings.median)


def _small_and_medium(evidence: Evidence) -> Findings:
    step = min(_READ_LATE, evidence.about(FROZEN).steps)
    dim, loss = _losses(evidence, step, FROZEN)
    p, log = int(evidence.record(FROZEN).p[0]), _log(loss)
    small, medium = log[dim <= _SMALL], log[(dim > _SMALL) & (dim < p)]
    return Findings(
        {SMALL_AND_MEDIUM: bootstrap(lambda a, b: a.mean() - b.mean(), small, medium, apart=True)},
        f"Median test loss for each d after {step:,} steps: {_medians(dim, loss)}. {len(small)} networks with d ≤ "
        f"{_SMALL}, {len(medium)} with {_SMALL} < d < p.",
    )


def _no_decay(evidence: Evidence) -> Findings:
    record = evidence.record(NO_DECAY)
    zero = stayed_finite(record)
    zero = zero.isel(member=np.flatnonzero(zero.wd.values == 0))
    kept = np.mean(at_the_end(zero, "signal") >= 0.5 * zero.signal.values[:, 0], axis=1)
    found, wd, learned = readings.survival(record), record.wd.values, readings.generalised(zero)
    return Findings(
        {
            GENERALISES: share(int(learned.sum()), len(learned)),
            ALL_SURVIVE: bootstrap(np.mean, kept, bounds=(0, 1)),
        },
        f"{int(record.steps):,} steps; to generalise is to reach 99 % test accuracy at any time. Median test accuracy "
        f"without decay, at the end: {readings.told(readings.median(at_the_end(zero, 'test_accuracy')), '.3f')}. Mean "
        f"number of circles by weight decay: {readings.by_value(wd, found.count, '.1f')}; strongest signal over the "
        f"mean signal, on average: {readings.by_value(wd, found.separation, '.1f')}. Where that is below 2, nothing "
        "stands out, and a count of 0 says nothing.",
    )


CLAIMS = (
    Claim(
        "circles/11",
        "Fig. 4",
        "With a frozen embedding the test loss is sharply better for d > p than for d < p, with a transition at d = p.",
        (SHARPLY, TRANSITION),
        _frozen,
        (FROZEN, FROZEN_LARGE),
        quote="we indeed notice a phase transition around d = p—the test loss is sharply better when d > p than when "
        "d < p",
        history=(
            Revision(
                "Median test loss at all d < p over that at all d > p at least 2.",
                "replicated",
                "any curve that falls would have passed; losses near d = p are now compared with each other, and with "
                "the fall on either side.",
            ),
        ),
    ),
    Claim(
        "circles/12",
        "Fig. 4",
        "With a frozen embedding, after 10,000 steps, d ≤ 20 has a lower test loss than 20 < d < 59.",
        (SMALL_AND_MEDIUM,),
        _small_and_medium,
        (FROZEN,),
        quote="at 10,000 steps, models with the small ds (d ≤ 20) have lower loss than models with “medium” ds "
        "(20 ≤ d ≤ 59)",
        history=(
            Revision(
                "Median test loss at d ≤ 20 minus that at 20 < d < p, of four networks each, below 0.",
                "inconclusive",
                "losses of different d differ by a factor of twenty, so that the median of all fell between them; "
                "logarithms are averaged, of at least six networks on either side.",
            ),
        ),
    ),
    Claim(
        "circles/13",
        "App. A",
        "Without weight decay no network generalises and all frequencies survive.",
        (GENERALISES, ALL_SURVIVE),
        _no_decay,
        (NO_DECAY,),
        quote="there is no resource limit and it is not surprising that all the frequencies survive while the neural "
        "network fails to generalize",
        history=(
            Revision(
                "Median test accuracy at most 0.5 and at least 0.95 of the frequencies with half of their signal after "
                "4,000 steps, in four networks.",
                "replicated",
                "the paper trains for 30,000 steps; “fails” and “all” have one reading for all papers.",
            ),
        ),
    ),
)
