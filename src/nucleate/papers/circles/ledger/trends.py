"""Claims 9, 10, 14 and 25: what the number of circles rises and falls with."""

import numpy as np

from nucleate.claims import Check, Claim, Estimate, Evidence, Findings, Revision, Steps, bootstrap, spearman, words
from nucleate.papers.circles import readings
from nucleate.papers.circles.experiments import COMPETITION, COMPOSITES, DECAY, DIMENSIONS, PRIMES
from nucleate.papers.circles.ledger.maturity import COUNTS, RATES, any_length
from nucleate.record import column

_COUNTED = Steps(COUNTS, (DECAY, COMPETITION))  # little decay takes long, and would seem to leave many circles
_ON_THE_CURVE = 1e-9  # circles: a mean number this close to the curve is on it, up to rounding
_DEGREE = 2  # of the curve

WITH_P = Check(
    "rank correlation of p and number of circles",
    "clear positive correlation",
    words.POSITIVE,
    mature=Steps(RATES, PRIMES),
)
WITH_D = Check(
    "rank correlation of d and number of circles",
    "increases",
    words.POSITIVE,
    mature=Steps(RATES, (DIMENSIONS, COMPETITION)),
)
WITH_DECAY = Check("rank correlation of weight decay and number of circles", "drops", words.NEGATIVE, mature=_COUNTED)
WITH_COMPOSITES = Check(
    "rank correlation of composite p and number of circles",
    "an upward trend",
    words.POSITIVE,
    mature=Steps(RATES, COMPOSITES),
)
VARIATION = Check(
    "variance of the mean number around a smooth curve in p, without that of its sampling: composite minus prime",
    "more variation",
    words.POSITIVE,
    mature=Steps(RATES, (COMPOSITES, PRIMES)),
)


def _trend(evidence: Evidence, by: str, *fleets: str) -> tuple[Estimate, str]:
    """How the number of circles goes with a column, over the networks of one or more fleets."""
    records = [evidence.record(name) for name in fleets]
    found = readings.merged(*map(readings.survival, records))
    values = np.concatenate([column(record, by).values for record in records])
    counts = np.where(found.trusted, found.count, np.nan)
    return (
        bootstrap(spearman, values[found.trusted], found.count[found.trusted]),
        f"Mean number for each value: {readings.by_value(values, counts, '.1f')}. {found.caveat()}",
    )


def _with(check: Check, by: str, *fleets: str):
    """The measurement of a claim that is about one trend."""

    def measure(evidence: Evidence) -> Findings:
        estimate, note = _trend(evidence, by, *fleets)
        return Findings({check: estimate}, note)

    return measure


def _composites(evidence: Evidence) -> Findings:
    rise, note = _trend(evidence, "p", COMPOSITES)
    composites, primes = (_counted(evidence, name) for name in (COMPOSITES, PRIMES))
    low, high = _range(composites), _range(primes)
    low, high = max(low[0], high[0]), min(low[1], high[1])
    # The unit is a modulus: what is said to vary more is the number from one p to the next.
    parts = [wandering(*_within(part, low, high)) for part in (composites, primes)]
    more = bootstrap(lambda some, others: some.mean() - others.mean(), *parts, apart=True)
    return Findings(
        {WITH_COMPOSITES: rise, VARIATION: more},
        f"{note} Variance for p from {low} to {high}: {readings.told(readings.mean(parts[0]), '.2f')} for "
        f"{len(parts[0])} composite p and {readings.told(readings.mean(parts[1]), '.2f')} for {len(parts[1])} primes; "
        "the paper compares means over 20 networks with means over 100, of which the former vary more for any p.",
    )


def _counted(evidence: Evidence, name: str) -> tuple[np.ndarray, np.ndarray]:
    """p and number of circles of each network in which that can be told."""
    record = evidence.record(name)
    found = readings.survival(record)
    return record.p.values[found.trusted], found.count[found.trusted]


def _range(counted: tuple[np.ndarray, np.ndarray]) -> tuple[int, int]:
    p, _ = counted
    return (int(p.min()), int(p.max())) if len(p) else (0, 0)


def _within(counted: tuple[np.ndarray, np.ndarray], low: int, high: int) -> tuple[np.ndarray, np.ndarray]:
    p, count = counted
    inside = (p >= low) & (p <= high)
    return p[inside], count[inside]


def wandering(p: np.ndarray, count: np.ndarray) -> np.ndarray:
    """The variance of each p's mean count around a parabola through all means that sampling does not explain.

        (m_p − f(p))² · n / (n − 3) − s_p² / t_p

    m_p, s_p², t_p: mean, variance and number of the counts at p; f: the parabola of least squares through the n means.
    Values of p with fewer than two counts are left out; nothing is left if fewer than four remain. Exactly the
    negative of the second term for means that lie on the curve, whatever the rounding of a machine.

    >>> wandering(np.repeat([10, 20, 30, 40], 2), np.repeat([1, 4, 9, 16], 2)).tolist()
    [0.0, 0.0, 0.0, 0.0]
    >>> wandering(np.repeat([10, 20, 30, 40], 2), np.repeat([1, 3, 0, 2], 2)).round(3).tolist()
    [1.0, 9.0, 9.0, 1.0]
    """
    groups = {value: count[p == value] for value in np.unique(p).tolist()}
    groups = {value: group for value, group in groups.items() if len(group) > 1}
    if len(groups) <= _DEGREE + 1:
        return np.empty(0)
    where, means = np.array(list(groups), float), np.array([group.mean() for group in groups.values()])
    where = (where - where.mean()) / where.std()
    distance = means - np.polyval(np.polyfit(where, means, _DEGREE), where)
    distance = np.where(np.abs(distance) < _ON_THE_CURVE, 0, distance)
    sampling = np.array([group.var(ddof=1) / len(group) for group in groups.values()])
    return distance**2 * len(means) / (len(means) - _DEGREE - 1) - sampling


CLAIMS = (
    Claim(
        "circles/9",
        "Fig. 5 (left)",
        "The number of surviving circles rises with p.",
        (WITH_P,),
        _with(WITH_P, "p", PRIMES),
        (PRIMES,),
        quote="we identify clear positive correlation between p and the number of circles the model learns",
        history=(any_length("replicated"),),
    ),
    Claim(
        "circles/10",
        "Fig. 5 (right)",
        "The number of surviving circles rises with the embedding dimension d.",
        (WITH_D,),
        _with(WITH_D, "dim", DIMENSIONS, COMPETITION),
        (DIMENSIONS, COMPETITION),
        quote="As the embedding dimension increases, the number of circles (algorithm redundancy) increases.",
        history=(any_length("replicated"),),
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
        history=(any_length("replicated"),),
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
        history=(
            Revision(
                "The same trend; spread of the mean number around a line in p, composite over prime, above 1.",
                "inconclusive",
                "four primes were too few, the spread was mostly that of means over four networks, the number bends "
                "with p, and a spread of 0 has no ratio.",
            ),
        ),
    ),
)
