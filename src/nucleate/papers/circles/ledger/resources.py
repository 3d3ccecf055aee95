"""Claims 11 to 13: frozen embeddings, and no weight decay."""

import numpy as np

from nucleate.claims import Check, Claim, Evidence, Findings, Region, Steps, bootstrap, ratio
from nucleate.papers.circles import readings
from nucleate.papers.circles.experiments import FROZEN, FROZEN_LARGE, NO_DECAY
from nucleate.record import at_the_end, stayed_finite

# Claim 11 is read where all frozen fleets have been; claim 12 where the paper reads it.
_READ, _READ_LATE = 5000, 10_000
_SMALL = 20
# With the usual weight decay a network has long generalised by then, and its survivors are settled.
_LONG_ENOUGH = 4000

SHARPLY = Check(
    "median test loss at d < p over that at d > p",
    "sharply above 1",
    Region.at_least(2),
    mature=Steps(_READ, (FROZEN, FROZEN_LARGE)),
)
SMALL_AND_MEDIUM = Check(
    "median test loss at d ≤ 20 minus that at 20 < d < p", "negative", Region.below(0), mature=Steps(_READ_LATE, FROZEN)
)
FAILS = Check(
    "median test accuracy without weight decay", "low", Region.at_most(0.5), mature=Steps(_LONG_ENOUGH, NO_DECAY)
)
ALL_SURVIVE = Check(
    "share of frequencies that keep half of their signal",
    "all",
    Region.at_least(0.95),
    mature=Steps(_LONG_ENOUGH, NO_DECAY),
)


def _losses(evidence: Evidence, step: int, *fleets: str) -> tuple[np.ndarray, np.ndarray]:
    """Dimension and test loss of each network that stayed finite, at a step."""
    records = [stayed_finite(evidence.record(name)) for name in fleets]
    return (
        np.concatenate([record.dim.values for record in records]),
        np.concatenate([readings.loss_at(record, step) for record in records]),
    )


def _frozen(evidence: Evidence) -> Findings:
    step = min(_READ, *(evidence.about(name).steps for name in (FROZEN, FROZEN_LARGE)))
    dim, loss = _losses(evidence, step, FROZEN, FROZEN_LARGE)
    p = int(evidence.record(FROZEN).p[0])

    def fall(low: np.ndarray, high: np.ndarray) -> float:
        return ratio(float(np.median(low)), float(np.median(high)))

    nearest = ""
    if (dim < p).any() and (dim > p).any():
        below, above = dim[dim < p].max(), dim[dim > p].min()
        nearest = (
            f" From d = {below} to {above}, the nearest on either side of p, the loss falls by a factor of "
            f"{readings.told(fall(loss[dim == below], loss[dim == above]), '.1f')}."
        )
    return Findings(
        {SHARPLY: bootstrap(fall, loss[dim < p], loss[dim > p], apart=True)},
        f"Median test loss for each d after {step} steps: {_medians(dim, loss)}. Chance is ln {p} = {np.log(p):.2f}."
        + nearest,
    )


def _medians(dim: np.ndarray, loss: np.ndarray) -> str:
    return readings.by_value(dim, loss, ".3g", readings.median)


def _small_and_medium(evidence: Evidence) -> Findings:
    step = min(_READ_LATE, evidence.about(FROZEN).steps)
    dim, loss = _losses(evidence, step, FROZEN)
    p = int(evidence.record(FROZEN).p[0])
    difference = bootstrap(
        lambda a, b: np.median(a) - np.median(b), loss[dim <= _SMALL], loss[(dim > _SMALL) & (dim < p)], apart=True
    )
    return Findings(
        {SMALL_AND_MEDIUM: difference}, f"Median test loss for each d after {step} steps: {_medians(dim, loss)}."
    )


def _no_decay(evidence: Evidence) -> Findings:
    record = evidence.record(NO_DECAY)
    zero = stayed_finite(record)
    zero = zero.isel(member=np.flatnonzero(zero.wd.values == 0))
    kept = np.mean(at_the_end(zero, "signal") >= 0.5 * zero.signal.values[:, 0], axis=1)
    found, wd = readings.survival(record), record.wd.values
    return Findings(
        {
            FAILS: bootstrap(np.median, at_the_end(zero, "test_accuracy"), bounds=(0, 1)),
            ALL_SURVIVE: bootstrap(np.mean, kept, bounds=(0, 1)),
        },
        f"{int(record.steps)} steps. Mean number of circles by weight decay: "
        f"{readings.by_value(wd, found.count, '.1f')}; strongest signal over the mean signal, on average: "
        f"{readings.by_value(wd, found.separation, '.1f')}. Where that is below 2, nothing stands out, and a count of "
        "0 says nothing.",
    )


CLAIMS = (
    Claim(
        "circles/11",
        "Fig. 4",
        "With a frozen embedding the test loss is sharply better for d > p than for d < p.",
        (SHARPLY,),
        _frozen,
        (FROZEN, FROZEN_LARGE),
        quote="we indeed notice a phase transition around d = p—the test loss is sharply better when d > p than when "
        "d < p",
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
    ),
    Claim(
        "circles/13",
        "App. A",
        "Without weight decay no network generalises and all frequencies survive.",
        (FAILS, ALL_SURVIVE),
        _no_decay,
        (NO_DECAY,),
        quote="there is no resource limit and it is not surprising that all the frequencies survive while the neural "
        "network fails to generalize",
    ),
)
