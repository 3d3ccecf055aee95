"""Claims 11 to 13: frozen embeddings, and no weight decay."""

import numpy as np
import xarray as xr

from nucleate.claims import Check, Claim, Evidence, Findings, Region, bootstrap
from nucleate.papers.circles import readings

# Claim 11 is read here, where all frozen fleets have been; claim 12 where the paper reads it.
_READ, _READ_LATE = 5000, 10_000
_SMALL = 20


def loss_at(record: xr.Dataset, step: int) -> np.ndarray:
    """Each network's test loss at the last record up to `step`."""
    row = int(np.searchsorted(record.step_test.values, step, side="right")) - 1
    return record.test_loss.values[:, row]


def _frozen(evidence: Evidence) -> Findings:
    records = [evidence.record(name) for name in (readings.FROZEN, readings.FROZEN_LARGE)]
    step = min(_READ, *(int(record.steps) for record in records))
    loss = np.concatenate([loss_at(record, step) for record in records])
    dim = np.concatenate([record.dim.values for record in records])
    p = int(records[0].p[0])
    medium, large = loss[(dim > _SMALL) & (dim < p)], loss[dim > p]
    medians = ", ".join(f"{d}: {np.median(loss[dim == d]):.3g}" for d in np.unique(dim))
    return Findings(
        {
            "median test loss at 20 < d < p over that at d > p": bootstrap(
                lambda a, b: np.median(a) / np.median(b), medium, large, apart=True
            )
        },
        f"Median test loss for each d after {step} steps: {medians}. Chance is ln {p} = {np.log(p):.2f}.",
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
        {"median test loss at d ≤ 20 minus that at 20 < d < p": difference},
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
            "median test accuracy without weight decay": bootstrap(np.median, accuracy),
            "share of frequencies that keep half of their signal": bootstrap(np.mean, kept),
        },
        f"{int(record.steps)} steps. By weight decay: {others}. Where the strongest is below 2 × mean nothing "
        "stands out, "
        "and the rule 's > 2 × mean' reads 0 although all live.",
    )


CLAIMS = (
    Claim(
        "circles/11",
        "Fig. 4",
        "With a frozen embedding the test loss is sharply better for d > p than for d < p.",
        (Check("median test loss at 20 < d < p over that at d > p", "sharply above 1", Region(low=2)),),
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
