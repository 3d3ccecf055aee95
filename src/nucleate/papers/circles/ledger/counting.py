"""Claims 1, 2, 9, 10, 14, 23 and 25: how many circles survive."""

import numpy as np
import xarray as xr

from nucleate.claims import Check, Claim, Estimate, Evidence, Findings, Region, bootstrap, share, spearman
from nucleate.papers.circles import readings

# From here on nine networks of ten no longer change their survivors.
SETTLED = 2000
# The paper trains for so long; the dead decay slowly.
_LONG_STEPS = 30_000
_RISES, _FALLS = Region(1e-9, 1), Region(-1, -1e-9)
_NEARLY_ALL = Region(0.8, 1)


def _three_to_five(evidence: Evidence) -> Findings:
    record = evidence.record(readings.COMPETITION)
    found = readings.survival(record)
    hits = (found.count >= 3) & (found.count <= 5)
    numbers, times = np.unique(found.count, return_counts=True)
    spread = ", ".join(f"{number} circles: {time}" for number, time in zip(numbers, times, strict=True))
    return Findings(
        {
            "share of networks with 3 to 5 survivors": readings.enough(
                record, SETTLED, share(int(hits.sum()), len(hits))
            )
        },
        f"{spread}. {found.caveat()} {_clear(record)}",
    )


def _clear(record: xr.Dataset) -> str:
    """How often the survivors were already known when all signals first were clear of the line: the rule by which
    other fleets stop early, checked where no network was stopped."""
    lived, clear = readings.alive(record), record.clear_step.values
    there = np.flatnonzero(clear >= 0)
    rows = np.searchsorted(record.step.values, clear[there])
    same = [np.array_equal(lived[m, row], lived[m, -1]) for m, row in zip(there, rows, strict=True)]
    median = f", at a median of {np.median(clear[there]):.0f} steps" if len(there) else ""
    return (
        f"{len(there)} networks became clear (every signal far from the line{median}); of these "
        f"{sum(same)} had by then the survivors that they had at the end."
    )


def _separate(evidence: Evidence) -> Findings:
    record, long = evidence.record(readings.COMPETITION), evidence.record(readings.LONG)
    found = readings.survival(record)
    lived, signals = readings.final_alive(record), readings.final(record, "signal")
    weakest = np.where(lived, signals, np.inf).min(1)
    strongest_dead = np.where(lived, -np.inf, signals).max(1)
    apart = found.trusted & (weakest > 2 * strongest_dead)
    dead = ~readings.final_alive(long)
    left = np.array(
        [
            np.median(readings.final(long, "signal")[m, dead[m]] / long.signal.values[m, 0, dead[m]])
            for m in range(len(dead))
        ]
    )
    early = np.where(lived, np.nan, signals / record.signal.values[:, 0])
    return Findings(
        {
            "share of networks whose weakest survivor is twice the strongest of the dead": share(
                int(apart.sum()), len(apart)
            ),
            f"median dead signal over its initial value after {_LONG_STEPS:,} steps": _at(
                long, bootstrap(np.median, left)
            ),
        },
        f"Median ratio of the weakest survivor to the strongest of the dead: {np.median(weakest / strongest_dead):.1f} "
        f"after {int(record.steps)} steps, when the dead still have {np.nanmedian(early):.0%} of their initial signal. "
        f"The long runs had {int(long.steps)} steps.",
    )


def _at(record: xr.Dataset, estimate: Estimate) -> Estimate:
    """Shorter runs than the paper's leave the number open below."""
    finished = int(record.steps) >= _LONG_STEPS
    return estimate if finished else Estimate(estimate.value, 0.0, estimate.high)


def _trend(evidence: Evidence, column: str, label: str, *fleets: str) -> Findings:
    """How the number of circles goes with a column, over the networks of one or more fleets."""
    records = [evidence.record(name) for name in fleets]
    found = readings.merged(*map(readings.survival, records))
    values = np.concatenate([record[column].values for record in records])
    rise = bootstrap(spearman, values[found.trusted], found.count[found.trusted])
    return Findings(
        {label: readings.enough(min(records, key=lambda record: int(record.steps)), SETTLED, rise)},
        f"Mean number for each value: {readings.counts_by(values, found)}. {found.caveat()}",
    )


def _never_one(evidence: Evidence) -> Findings:
    lone, total, where = 0, 0, []
    for name in _ANY:
        record = evidence.record(name)
        learned = readings.generalised(record)
        alone = learned & (readings.survival(record).count == 1)
        lone, total = lone + int(alone.sum()), total + int(learned.sum())
        if alone.any():
            where.append(f"{int(alone.sum())} in {name}")
    return Findings(
        {"share of networks that learned the task and end with one circle": share(lone, total)},
        f"{total} networks with at least 99 % test accuracy, of fleets with random and with ablated starts; "
        f"{'none ends' if not where else ', '.join(where) + ' end'} with a single circle.",
    )


def _composites(evidence: Evidence) -> Findings:
    primes, composites = evidence.record(readings.PRIMES), evidence.record(readings.COMPOSITES)
    rise = _trend(evidence, "p", "rise", readings.COMPOSITES)
    found, prime = readings.survival(composites), readings.survival(primes)
    low, high = composites.p.values.min(), composites.p.values.max()
    near = prime.trusted & (primes.p.values >= low) & (primes.p.values <= high)
    means = [
        _means(composites.p.values[found.trusted], found.count[found.trusted]),
        _means(primes.p.values[near], prime.count[near]),
    ]
    # A unit is a modulus: what is said to vary more is the number from one p to the next.
    ratio = bootstrap(
        lambda chosen, others: _off_line(means[0][chosen]) / _off_line(means[1][others]),
        *(np.arange(len(part)) for part in means),
        apart=True,
    )
    return Findings(
        {
            "rank correlation of composite p and number of circles": rise.estimates["rise"],
            "spread of the mean number around a line in p, composite over prime": readings.enough(
                composites, SETTLED, ratio
            ),
        },
        f"{rise.note} Spread: {_off_line(means[0]):.2f} circles for {len(means[0])} composite p, "
        f"{_off_line(means[1]):.2f} for {len(means[1])} primes of {low} ≤ p ≤ {high}.",
    )


def _means(p: np.ndarray, count: np.ndarray) -> np.ndarray:
    """Rows (p, mean count)."""
    return np.array([(value, count[p == value].mean()) for value in np.unique(p)]).reshape(-1, 2)


def _off_line(means: np.ndarray) -> float:
    """Root mean square distance of the means from the straight line through them; NaN without three different p."""
    p, count = means.T
    if len(np.unique(p)) < 3:
        return np.nan
    return float(np.std(count - np.polyval(np.polyfit(p, count, 1), p)))


_ANY = (
    readings.COMPETITION,
    readings.PRIMES,
    readings.COMPOSITES,
    readings.DIMENSIONS,
    readings.DECAY,
    readings.LINES,
    readings.ABLATED,
)

CLAIMS = (
    Claim(
        "circles/1",
        "Sec. 1",
        "Only 3 to 5 circles survive training at (p, d) = (59, 128).",
        (Check("share of networks with 3 to 5 survivors", "nearly all", _NEARLY_ALL),),
        _three_to_five,
        (readings.COMPETITION,),
    ),
    Claim(
        "circles/2",
        "Fig. 2",
        "Surviving circles separate clearly from the rest, whose signals decay to almost zero.",
        (
            Check(
                "share of networks whose weakest survivor is twice the strongest of the dead", "nearly all", _NEARLY_ALL
            ),
            Check(
                f"median dead signal over its initial value after {_LONG_STEPS:,} steps", "almost zero", Region(0, 0.1)
            ),
        ),
        _separate,
        (readings.COMPETITION, readings.LONG),
    ),
    Claim(
        "circles/9",
        "Fig. 5 (left)",
        "The number of surviving circles rises with p.",
        (Check("rank correlation of p and number of circles", "clearly positive", _RISES),),
        lambda evidence: _trend(evidence, "p", "rank correlation of p and number of circles", readings.PRIMES),
        (readings.PRIMES,),
    ),
    Claim(
        "circles/10",
        "Fig. 5 (right)",
        "The number of surviving circles rises with the embedding dimension d.",
        (Check("rank correlation of d and number of circles", "positive", _RISES),),
        lambda evidence: _trend(
            evidence, "dim", "rank correlation of d and number of circles", readings.DIMENSIONS, readings.COMPETITION
        ),
        (readings.DIMENSIONS, readings.COMPETITION),
    ),
    Claim(
        "circles/14",
        "Fig. 10",
        "The number of surviving circles falls as weight decay rises.",
        (Check("rank correlation of weight decay and number of circles", "negative", _FALLS),),
        lambda evidence: _trend(
            evidence,
            "wd",
            "rank correlation of weight decay and number of circles",
            readings.DECAY,
            readings.COMPETITION,
        ),
        (readings.DECAY, readings.COMPETITION),
    ),
    Claim(
        "circles/23",
        "App. C",
        "No network forms a single-circle representation.",
        (Check("share of networks that learned the task and end with one circle", "none", Region(0, 0.05)),),
        _never_one,
        _ANY,
    ),
    Claim(
        "circles/25",
        "Fig. 14",
        "For composite p the number of circles varies more, but still rises with p.",
        (
            Check("rank correlation of composite p and number of circles", "positive", _RISES),
            Check(
                "spread of the mean number around a line in p, composite over prime",
                "more than 1",
                Region(low=1 + 1e-9),
            ),
        ),
        _composites,
        (readings.PRIMES, readings.COMPOSITES),
    ),
)
