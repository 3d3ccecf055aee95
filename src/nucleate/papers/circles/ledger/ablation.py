"""Claims 15, 21 and 22: what circles do together, and networks that are given only one or two."""

import numpy as np
import xarray as xr

from nucleate.claims import Check, Claim, Evidence, Findings, Region, bootstrap, share
from nucleate.papers.circles import readings
from nucleate.papers.circles.experiments import VARIANTS

# Losses in nats: ln 59 = 4.1 is chance.
_FAILS, _HIGH, _NEAR_ZERO = Region(low=1), Region(low=0.1), Region(0, 0.1)
_LOW_LOSS = 1e-2
_TRAINED = 2000  # steps; earlier, survivors have not settled


def _collaborate(evidence: Evidence) -> Findings:
    record = evidence.record(readings.COMPETITION)
    enough = readings.final_alive(record).sum(1) >= 3
    loss = readings.final(record, "ablated_loss")[enough]
    medians = ", ".join(f"{n}: {value:.3g}" for n, value in enumerate(np.median(loss, axis=0), start=1))
    return Findings(
        {
            f"median loss with the strongest {words} alone": readings.enough(
                record, _TRAINED, bootstrap(np.median, loss[:, n])
            )
            for n, words in _KEPT
        },
        f"{len(loss)} networks with at least three survivors; loss on all pairs with only the strongest circles "
        "(and the "
        f"mean) left after training. Median for each number of circles: {medians}.",
    )


_KEPT = ((0, "circle"), (1, "two circles"), (2, "three circles"))


def of_variant(record: xr.Dataset, variant: int) -> xr.Dataset:
    return record.isel(member=np.flatnonzero(record.variant.values == variant))


def _fewer(evidence: Evidence) -> Findings:
    record = evidence.record(readings.ABLATED)
    parts = [of_variant(record, variant) for variant in range(len(VARIANTS))]
    counts = [readings.survival(part).count for part in parts]
    lowest = np.nanmin(parts[1].test_loss.values, axis=1)
    jumps = [np.array([readings.slingshots(loss) for loss in part.test_loss.values]) for part in parts]
    told = ", ".join(f"{name}: {sorted(count.tolist())}" for name, count in zip(VARIANTS, counts, strict=True))
    # One network gives each variant once, in the same order: a row is a network.
    several = np.mean([jumps[0], *jumps[2:]], axis=0)
    estimates = {
        "median number of circles in A": bootstrap(np.median, counts[0]),
        "median number of circles in B": bootstrap(np.median, counts[1]),
        "median of log10 of the lowest test loss in B": bootstrap(np.median, np.log10(lowest)),
        "median of the fewer circles of C and D": bootstrap(np.median, np.minimum(*counts[2:])),
        "mean number of slingshots in A, C and D": bootstrap(np.mean, several),
    }
    return Findings(
        {label: readings.enough(record, _TRAINED, estimate) for label, estimate in estimates.items()},
        f"A slingshot is a rise of the test loss to ten times its lowest value so far; B has {jumps[1].mean():.1f} on "
        f"average. Number of circles after {int(record.steps)} steps, by what was left at the start: {told}. Test "
        f"accuracy of B: {np.median(readings.final(parts[1], 'test_accuracy')):.3f} (median).",
    )


def _faster(evidence: Evidence) -> Findings:
    ablated, original = evidence.record(readings.ABLATED), evidence.record(readings.COMPETITION)
    two = of_variant(ablated, 1)
    end = min(int(ablated.steps), int(original.steps))
    time, before = readings.reached(two, _LOW_LOSS), readings.reached(original, _LOW_LOSS)[two.seed.values]
    # What one of them reaches after the other has stopped says nothing.
    time, before = (np.where(step <= end, step, np.inf) for step in (time, before))
    # Only where one of the two arrived there is something to compare.
    known = np.isfinite(time) | np.isfinite(before)
    return Findings(
        {"share of networks in which B is first": share(int((time < before)[known].sum()), int(known.sum()))},
        f"First recorded step with a test loss below {_LOW_LOSS:g}, B and original, network by network: "
        + ", ".join(f"{_step(t)} and {_step(b)}" for t, b in zip(time, before, strict=True))
        + ".",
    )


def _step(value: float) -> str:
    return f"{value:.0f}" if np.isfinite(value) else "never"


CLAIMS = (
    Claim(
        "circles/15",
        "Fig. 8",
        "One circle fails at the task, two have considerably high loss, three reach near-zero loss.",
        tuple(
            Check(f"median loss with the strongest {words} alone", expected, region)
            for (_, words), expected, region in zip(
                _KEPT, ("fails", "considerably high", "near zero"), (_FAILS, _HIGH, _NEAR_ZERO), strict=True
            )
        ),
        _collaborate,
        (readings.COMPETITION,),
    ),
    Claim(
        "circles/21",
        "App. C, Fig. 12",
        "Started with its strongest circle alone a network ends with four; with its two strongest it ends with "
        "two and a "
        "loss of 1e-7; with random ones it ends with three or more; A, C and D show slingshots.",
        (
            Check("median number of circles in A", "4", Region.around(4, 1)),
            Check("median number of circles in B", "2", Region(2, 2)),
            Check("median of log10 of the lowest test loss in B", "−7", Region(high=-6)),
            Check("median of the fewer circles of C and D", "at least 3", Region(low=3)),
            Check("mean number of slingshots in A, C and D", "several", Region(low=1)),
        ),
        _fewer,
        (readings.ABLATED,),
    ),
    Claim(
        "circles/22",
        "App. C, Fig. 12",
        "Started with its two strongest circles a network reaches a low loss sooner than the original.",
        (Check("share of networks in which B is first", "all", Region(0.5 + 1e-9, 1)),),
        _faster,
        (readings.ABLATED, readings.COMPETITION),
    ),
)
