"""Claims 9, 10, 14 and 25: what the number of circles rises and falls with."""

import numpy as np

from nucleate.claims import Check, Claim, Estimate, Evidence, Findings, Region, Steps, bootstrap, ratio, spearman
from nucleate.papers.circles import readings
from nucleate.papers.circles.experiments import COMPETITION, COMPOSITES, DECAY, DIMENSIONS, PRIMES

_SETTLED = 2000  # steps; from here on nine networks of ten no longer change their survivors
_RISES, _FALLS = Region.above(0), Region.below(0)
_ON_THE_LINE = 1e-9  # circles: a mean number this close to the line is on it, up to rounding

WITH_P = Check(
    "rank correlation of p and number of circles", "clearly positive", _RISES, mature=Steps(_SETTLED, PRIMES)
)
WITH_D = Check(
    "rank correlation of d and number of circles",
    "positive",
    _RISES,
    mature=Steps(_SETTLED, (DIMENSIONS, COMPETITION)),
)
WITH_DECAY = Check(
    "rank correlation of weight decay and number of circles",
    "negative",
    _FALLS,
    mature=Steps(_SETTLED, (DECAY, COMPETITION)),
)
WITH_COMPOSITES = Check(
    "rank correlation of composite p and number of circles", "positive", _RISES, mature=Steps(_SETTLED, COMPOSITES)
)
VARIATION = Check(
    "spread of the mean number around a line in p, composite over prime",
    "more than 1",
    Region.above(1),
    mature=Steps(_SETTLED, (COMPOSITES, PRIMES)),
)


def _trend(evidence: Evidence, column: str, *fleets: str) -> tuple[Estimate, str]:
    """How the number of circles goes with a column, over the networks of one or more fleets."""
    records = [evidence.record(name) for name in fleets]
    found = readings.merged(*map(readings.survival, records))
    values = np.concatenate([record[column].values for record in records])
    counts = np.where(found.trusted, found.count, np.nan)
    return (
        bootstrap(spearman, values[found.trusted], found.count[found.trusted]),
        f"Mean number for each value: {readings.by_value(values, counts, '.1f')}. {found.caveat()}",
    )


def _with(check: Check, column: str, *fleets: str):
    """The measurement of a claim that is about one trend."""

    def measure(evidence: Evidence) -> Findings:
        estimate, note = _trend(evidence, column, *fleets)
        return Findings({check: estimate}, note)

    return measure


def _composites(evidence: Evidence) -> Findings:
    rise, note = _trend(evidence, "p", COMPOSITES)
    composites, primes = (_means(evidence, name) for name in (COMPOSITES, PRIMES))
    p = evidence.record(COMPOSITES).p.values
    primes = primes[(primes[:, 0] >= p.min()) & (primes[:, 0] <= p.max())]
    # The unit is a modulus, given by its row: what is said to vary more is the number from one p to the next.
    spread = bootstrap(
        lambda some, others: ratio(off_line(composites[some]), off_line(primes[others])),
        np.arange(len(composites)),
        np.arange(len(primes)),
        apart=True,
    )
    return Findings(
        {WITH_COMPOSITES: rise, VARIATION: spread},
        f"{note} Spread: {readings.told(off_line(composites), '.2f')} circles for {len(composites)} composite p, "
        f"{readings.told(off_line(primes), '.2f')} for {len(primes)} primes between {p.min()} and {p.max()}.",
    )


def _means(evidence: Evidence, name: str) -> np.ndarray:
    """Rows (p, mean number of circles)."""
    record = evidence.record(name)
    found = readings.survival(record)
    p, count = record.p.values[found.trusted], found.count[found.trusted]
    return np.array([(value, count[p == value].mean()) for value in np.unique(p)]).reshape(-1, 2)


def off_line(means: np.ndarray) -> float:
    """Root mean square distance of rows (p, number) from the straight line through them; NaN without three different p.

    Exactly 0 where all lie on one line, whatever the rounding of a machine.

    >>> off_line(np.array([(20, 3.1), (30, 4.1), (50, 6.1)]))
    0.0
    """
    p, number = means.T
    if len(np.unique(p)) < 3:
        return np.nan
    distance = number - np.polyval(np.polyfit(p, number, 1), p)
    return float(np.sqrt(np.mean(np.square(np.where(np.abs(distance) < _ON_THE_LINE, 0, distance)))))


CLAIMS = (
    Claim(
        "circles/9",
        "Fig. 5 (left)",
        "The number of surviving circles rises with p.",
        (WITH_P,),
        _with(WITH_P, "p", PRIMES),
        (PRIMES,),
        quote="we identify clear positive correlation between p and the number of circles the model learns",
    ),
    Claim(
        "circles/10",
        "Fig. 5 (right)",
        "The number of surviving circles rises with the embedding dimension d.",
        (WITH_D,),
        _with(WITH_D, "dim", DIMENSIONS, COMPETITION),
        (DIMENSIONS, COMPETITION),
        quote="As the embedding dimension increases, the number of circles (algorithm redundancy) increases.",
    ),
    Claim(
        "circles/14",
        "Fig. 10",
        "The number of surviving circles falls as weight decay rises.",
        (WITH_DECAY,),
        _with(WITH_DECAY, "wd", DECAY, COMPETITION),
        (DECAY, COMPETITION),
        quote="As weight decay slightly increases, the different frequencies pose a competitive dynamic against each "
        "other. The number of final circular representations gradually drops",
    ),
    Claim(
        "circles/25",
        "Fig. 14",
        "For composite p the number of circles varies more, but still rises with p.",
        (WITH_COMPOSITES, VARIATION),
        _composites,
        (PRIMES, COMPOSITES),
        quote="Compared with Figure 5(Left), one can observe more variation in Figure 14, but an upward trend can "
        "still be observed.",
    ),
)
