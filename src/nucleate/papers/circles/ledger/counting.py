"""Claims 1, 2 and 23: how many circles survive, and how clearly."""

import numpy as np
import xarray as xr

from nucleate.claims import Check, Claim, Evidence, Findings, Region, Revision, Steps, bootstrap, ratio, share, words
from nucleate.papers.circles import readings
from nucleate.papers.circles.experiments import COMPETITION, DECAY, DIMENSIONS, LINES, LONG, STRONGEST
from nucleate.papers.circles.ledger.maturity import COUNTS, RATES, TRAINED
from nucleate.record import at_the_end

_AT_THE_END = Steps(TRAINED, LONG)
_ANY = (COMPETITION, DIMENSIONS, DECAY, LINES, STRONGEST)  # all have p = 59

THREE_TO_FIVE = Check(
    "share of networks with 3 to 5 survivors", "all", words.NEARLY_ALL, mature=Steps(COUNTS, COMPETITION)
)
APART = Check(
    "median ratio of the weakest survivor to the strongest of the dead",
    "clearly separate",
    Region.above(words.COMPARABLE.high),
    mature=_AT_THE_END,
)
DECAYED = Check("median dead signal over its initial value", "almost zero", words.NEGLIGIBLE, mature=_AT_THE_END)
LONE = Check(
    "share of networks that learned the task and end with one circle", "none", words.NONE, mature=Steps(RATES, _ANY)
)


def _three_to_five(evidence: Evidence) -> Findings:
    record = evidence.record(COMPETITION)
    found = readings.survival(record)
    hits = (found.count >= 3) & (found.count <= 5)
    numbers, times = np.unique(found.count, return_counts=True)
    spread = ", ".join(f"{number} circles: {time}" for number, time in zip(numbers, times, strict=True))
    return Findings(
        {THREE_TO_FIVE: share(int(hits.sum()), len(hits))},
        f"Networks by their number of circles: {spread}. {found.caveat()} {_clear(record)}",
    )


def _clear(record: xr.Dataset) -> str:
    """How often the survivors were already known when all signals were first clear of the line: the rule by which
    other fleets stop early, checked where no network was stopped."""
    lived, clear = readings.alive(record), record.clear_step.values
    there = np.flatnonzero(clear >= 0)
    rows = np.searchsorted(record.step.values, clear[there])
    same = [np.array_equal(lived[m, row], lived[m, -1]) for m, row in zip(there, rows, strict=True)]
    median = f", at a median of {np.median(clear[there]):.0f} steps" if len(there) else ""
    return (
        f"{len(there)} networks became clear (every signal far from the line{median}); {sum(same)} of these already "
        "had the survivors that they ended with."
    )


def _separate(evidence: Evidence) -> Findings:
    record = evidence.record(LONG)
    lived, signals = readings.final_alive(record), at_the_end(record, "signal")
    weakest = np.where(lived, signals, np.inf).min(1)[lived.any(1)]
    strongest_dead = np.where(lived, -np.inf, signals).max(1)[lived.any(1)]
    gaps = np.array([ratio(*pair) for pair in zip(weakest.tolist(), strongest_dead.tolist(), strict=True)])
    left = _left_of_the_dead(record)
    told = ", ".join(readings.told(gap, ".1f") for gap in np.sort(gaps).tolist())
    return Findings(
        {APART: bootstrap(np.median, gaps), DECAYED: bootstrap(np.median, left)},
        f"{len(lived)} networks after {int(record.steps):,} steps. Weakest survivor over strongest dead: {told}. A "
        "unit is one network: of its dead frequencies the median counts.",
    )


def _left_of_the_dead(record: xr.Dataset) -> np.ndarray:
    """The median over dead frequencies of the final signal over the initial one, for each network that has any."""
    with np.errstate(divide="ignore", invalid="ignore"):
        left = at_the_end(record, "signal") / record.signal.values[:, 0]
    medians = np.array(
        [readings.median(row[dead]) for row, dead in zip(left, ~readings.final_alive(record), strict=True)]
    )
    return medians[~np.isnan(medians)]


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
        {LONE: share(lone, total)},
        f"{total} networks with p = 59 and at least 99 % test accuracy, from random, constructed and ablated starts; "
        f"{'none ends' if not where else ', '.join(where) + ' end'} with a single circle.",
    )


CLAIMS = (
    Claim(
        "circles/1",
        "Sec. 1",
        "Only 3 to 5 circles survive training at (p, d) = (59, 128).",
        (THREE_TO_FIVE,),
        _three_to_five,
        (COMPETITION,),
        quote="However, only 3-5 circles survive after training, while some frequencies do not form circles",
        history=(
            Revision(
                "Share of networks with 3 to 5 survivors, of 16, at least 0.8.",
                "inconclusive",
                "a law without exceptions now has one reading for all papers, nine in ten.",
            ),
        ),
    ),
    Claim(
        "circles/2",
        "Fig. 2",
        "Surviving circles separate clearly from the rest, whose signals decay to almost zero.",
        (APART, DECAYED),
        _separate,
        (LONG,),
        quote="The surviving frequencies clearly separate themselves from the rest of the frequencies that quickly go "
        "to 0. … the signals of all other circles decay to almost zero",
        history=(
            Revision(
                "In at least 0.8 of 16 networks the weakest survivor is twice the strongest of the dead after 4,000 "
                "steps; median dead signal at most 0.1 of its initial value after 8,000, in four.",
                "replicated",
                "the paper trains for 30,000 steps, and shows one network: six are now read at that length.",
            ),
        ),
    ),
    Claim(
        "circles/23",
        "App. C",
        "No network forms a single-circle representation.",
        (LONE,),
        _never_one,
        _ANY,
        quote="In none of our experiments were we able to construct a model that naturally forms a single-circle "
        "representation.",
        history=(
            Revision(
                "Share of networks that learned the task and end with one circle, of all fleets, at most 0.05.",
                "replicated",
                "there were two with one circle, at small p; Appendix C is about (p, d) = (59, 128), so fleets with "
                "other p no longer count. “None” has one reading for all papers, a tenth.",
            ),
        ),
    ),
)
