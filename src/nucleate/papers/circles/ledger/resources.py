"""Claims 11 to 13: frozen embeddings, and no weight decay."""

import numpy as np
import xarray as xr

from nucleate.claims import Check, Claim, Evidence, Findings, Region, bootstrap
from nucleate.papers.circles import readings

# Claim 11 is read here, where all frozen fleets have been; claim 12 where the paper reads it.
_READ, _READ_LATE = 5000, 10_000
_SMALL = 20
# With the usual weight decay a network has long generalised, and its survivors are settled, by then.
_LONG_ENOUGH = 4000


def loss_at(record: xr.Dataset, step: int) -> np.ndarray:
    """Each network's test loss at the last record up to `step`."""
    row = int(np.searchsorted(record.step_test.values, step, side="right")) - 1
    return record.test_loss.values[:, row]


def _frozen(evidence: Evidence) -> Findings:
    records = [evidence.record(name) for name in (readings.FROZEN, readings.FROZEN_LARGE)]
    shorter = min(records, key=lambda record: int(record.steps))
    step = min(_READ, int(shorter.steps))
    loss = np.concatenate([loss_at(record, step) for record in records])
    dim = np.concatenate([record.dim.values for record in records])
    p = int(records[0].p[0])
    below, above = dim[dim < p].max(), dim[dim > p].min()
    medians = ", ".join(f"{d}: {np.median(loss[dim == d]):.3g}" for d in np.unique(dim))

    def fall(low: np.ndarray, high: np.ndarray) -> float:
        return float(np.median(low) / np.median(high))

    return Findings(
        {
            "median test loss at d < p over that at d > p": readings.enough(
                shorter, _READ, bootstrap(fall, loss[dim < p], loss[dim > p], apart=True)
            )
        },
        f"Median test loss for each d after {step} steps: {medians}. Chance is ln {p} = {np.log(p):.2f}. From d = "
        f"{below} to "
        f"{above}, the nearest on either side of p, the loss falls by a factor of "
        f"{fall(loss[dim == below], loss[dim == above]):.1f}.",
    )


def _small_and_medium(evidence: Evidence) -> Findings:
    record = evidence.record(readings.FROZEN)
    step = min(_READ_LATE, int(record.steps))
    loss, dim, p = loss_at(record, step), record.dim.values, int(record.p[0])
    medians = ", ".join(f"{d}: {np.median(loss[dim == d]):.3g}" for d in np.unique(dim))
    difference = bootstrap(
        lambda a, b: np.median(a) - np.median(b), loss[dim <= _SMALL], loss[(dim > _SMALL) & (dim < p)], apart=True
    )
    early = "" if step == _READ_LATE else f" The paper reads this at {_READ_LATE} steps."
    return Findings(
        {"median test loss at d ≤ 20 minus that at 20 < d < p": readings.enough(record, _READ_LATE, difference)},
        f"Median test loss for each d after {step} steps: {medians}.{early}",
    )


def _no_decay(evidence: Evidence) -> Findings:
    record = evidence.record(readings.NO_DECAY)
    zero = record.isel(member=np.flatnonzero(record.wd.values == 0))
    start, end = zero.signal.values[:, 0], readings.final(zero, "signal")
    kept = np.mean(end >= 0.5 * start, axis=1)
    accuracy = readings.final(zero, "test_accuracy")
    found = readings.survival(record)
    of = lambda values, wd: values[record.wd.values == wd].mean()
    others = ", ".join(
        f"{wd:g}: {of(found.count, wd):.1f} circles, strongest {of(found.separation, wd):.1f} × mean"
        for wd in np.unique(record.wd.values)
    )
    return Findings(
        {
            "median test accuracy without weight decay": readings.enough(
                record, _LONG_ENOUGH, bootstrap(np.median, accuracy)
            ),
            "share of frequencies that keep half of their signal": readings.enough(
                record, _LONG_ENOUGH, bootstrap(np.mean, kept)
            ),
        },
        f"{int(record.steps)} steps. By weight decay: {others}. Where the strongest is below "
        "2 × mean nothing stands out, and a count of 0 says nothing.",
    )


CLAIMS = (
    Claim(
        "circles/11",
        "Fig. 4",
        "With a frozen embedding the test loss is sharply better for d > p than for d < p.",
        (Check("median test loss at d < p over that at d > p", "sharply above 1", Region(low=2)),),
        _frozen,
        (readings.FROZEN, readings.FROZEN_LARGE),
    ),
    Claim(
        "circles/12",
        "Fig. 4",
        "With a frozen embedding, after 10,000 steps, d ≤ 20 has a lower test loss than 20 < d < 59.",
        (Check("median test loss at d ≤ 20 minus that at 20 < d < p", "negative", Region(high=-1e-9)),),
        _small_and_medium,
        (readings.FROZEN,),
    ),
    Claim(
        "circles/13",
        "App. A",
        "Without weight decay no network generalises and all frequencies survive.",
        (
            Check("median test accuracy without weight decay", "low", Region(0, 0.5)),
            Check("share of frequencies that keep half of their signal", "all", Region(0.95, 1)),
        ),
        _no_decay,
        (readings.NO_DECAY,),
    ),
)
