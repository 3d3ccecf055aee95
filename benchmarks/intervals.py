"""How often the intervals of claims hold the truth: `python -m benchmarks.intervals`, in a quarter of an hour or so.

Evidence is drawn whose truth is known, as the units of one look, or as those of all planned looks, each of which
doubles the units. What counts is that every interval on the way holds the truth: then no verdict, at whichever look
it is reached, can be wrong.
"""

import math
import sys
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from functools import cache, partial
from multiprocessing import get_context

import numpy as np

from nucleate.claims import (
    ERROR,
    ONCE,
    SEQUENTIAL,
    Estimate,
    Looks,
    at_level,
    bootstrap,
    difference_of_shares,
    level,
    partial_spearman,
    pearson,
    ratio,
    share,
    spearman,
)
from nucleate.machine import cores
from nucleate.papers.collisions.ledger.shares import share_in_networks
from nucleate.papers.grokking.readings import half_crossing
from nucleate.papers.repons.ledger.configurations import largest_fall

UNITS = (6, 20, 100)
_MANY, _FEW, _LEAST = 10_000, 600, 100  # samples: where there is a formula, where it is resampled, and of 1,600 units
_Samples = tuple[np.ndarray, ...]
_INSIDE = (0.0, 1.0)


@dataclass(frozen=True)
class Case:
    """A kind of interval: units are drawn (one row each), and estimated."""

    kind: str
    units: str
    draw: Callable[[np.random.Generator, int], _Samples]
    estimate: Callable[..., Estimate]
    truth: float | Callable[[], float]
    formula: bool = False


def _columns(strength: float) -> Callable[[np.random.Generator, int], _Samples]:
    def draw(rng: np.random.Generator, units: int) -> _Samples:
        x, noise = rng.normal(size=(2, units))
        return x, strength * x + math.sqrt(1 - strength**2) * noise

    return draw


def _given(rng: np.random.Generator, units: int) -> _Samples:
    x, y, z = rng.normal(size=(3, units))
    return x + z, y + 0.5 * x + z, z


def _fan(rng: np.random.Generator, units: int) -> _Samples:
    x = rng.random(units)
    return x, (0.3 + x) * rng.exponential(size=units)


def _levels(rng: np.random.Generator, units: int) -> _Samples:
    x = rng.integers(0, 5, units)
    return x, x + 2 * rng.normal(size=units)


def _groups(rng: np.random.Generator, units: int) -> _Samples:
    """Ten pairs in each unit, which are correlated by 1/2 and share a part."""
    own, noise, common = rng.normal(size=(2, units, 10)), rng.normal(size=(units, 10)), rng.normal(size=(2, units, 1))
    x, y = own[0], 0.5 * own[0] + math.sqrt(0.75) * noise
    return (x + common[0]) / math.sqrt(2), (y + 0.5 * common[0] + math.sqrt(0.75) * common[1]) / math.sqrt(2)


def _heads(p: float, alike: float) -> Callable[[np.random.Generator, int], _Samples]:
    """Hits among four heads of each network, any two of which are correlated by `alike`."""

    def draw(rng: np.random.Generator, units: int) -> _Samples:
        many = 1 / alike - 1
        return rng.binomial(4, rng.beta(p * many, (1 - p) * many, units)).astype(float), np.full(units, 4.0)

    return draw


def _waiting(rng: np.random.Generator, units: int) -> _Samples:
    """Whether units are hits in the end, and whether that can be told by now."""
    return rng.random(units) < 0.8, rng.random(units) < 0.7


def _later(ends: np.ndarray, known: np.ndarray) -> Estimate:
    now, lowest, highest = (share(int(hits.sum()), len(ends)) for hits in (ends & known, ends & known, ends | ~known))
    return now.or_later(lowest, highest)


@cache
def _difference(first: tuple[int, int], other: tuple[int, int], _level: float) -> Estimate:
    """Counts of few units are soon drawn again."""
    return difference_of_shares(first, other)


def _rising(rng: np.random.Generator, units: int) -> _Samples:
    return (rng.random((units, len(_SIZES))) < _RISE,)


def _early(rng: np.random.Generator, units: int) -> _Samples:
    """Four numbers that are as closely related to a fifth."""
    y = rng.normal(size=(units, 1))
    return np.concatenate([y, (y + rng.normal(size=(units, 4))) / math.sqrt(2)], axis=1), np.zeros(units)


def _weakest(columns: np.ndarray, _: np.ndarray) -> float:
    return min(spearman(columns[:, 0], column) for column in columns.T[1:])


def _in_wells(rng: np.random.Generator, units: int) -> _Samples:
    """In-well fractions of networks, and whether they are canonical, which is the more likely the higher these are."""
    inside = rng.random(units)
    return inside, rng.random(units) < 0.2 + 0.6 * inside


def _of(statistic: Callable, **options) -> Callable[..., Estimate]:
    """Fewer resamples than in a claim, to save time: intervals are hardly wider for them."""
    return lambda *samples: bootstrap(statistic, *samples, **{"resamples": 500} | options)


def _limit(statistic: Callable, draw: Callable) -> float:
    return float(statistic(*draw(np.random.default_rng(1), 1_000_000)))


def _apart(one: Callable, other: Callable) -> Callable[[np.random.Generator, int], _Samples]:
    return lambda rng, units: (one(rng, units), other(rng, units))


_wide = lambda rng, units: rng.normal(0, 2, units)
_normal = lambda rng, units: rng.normal(0, 1, units)
_skewed = lambda rng, units: rng.exponential(1, units)
_positive = lambda rng, units: rng.lognormal(0, 0.5, units)
_gap = lambda a, b: float(a.mean() - b.mean())
_times = lambda a, b: float(np.median(a) / np.median(b))
_differ = lambda a, b: float(np.abs(a - b).mean())
_median_gap = lambda a, b: float(np.median(a) - np.median(b))
_ratio_of_means = lambda a, b: ratio(a.mean(), b.mean())
_below = lambda a, b: float(np.searchsorted(np.sort(a), b).mean() / len(a))
_over_groups = lambda x, y: pearson(x.ravel(), y.ravel())
_hits = lambda p: lambda rng, units: rng.random(units) < p
_two_shares = lambda a, b: _difference((int(a.sum()), len(a)), (int(b.sum()), len(b)), level())
_two_columns = lambda rng, units: tuple(np.exp(0.5 * rng.normal(size=(2, units)) + 0.5 * rng.normal(size=units)))
_and_whether = lambda rng, units: (x := rng.normal(size=units), 1.0 * (x + rng.normal(size=units) > 0.5))
_SIZES = np.linspace(0.1, 0.9, 9)
_RISE = 1 / (1 + np.exp(-(_SIZES - 0.45) / 0.1))

CASES = (
    *(
        Case(
            "share",
            f"hits of {p:.0%}",
            lambda rng, n, p=p: (rng.random(n) < p,),
            lambda x: share(x.sum(), len(x)),
            p,
            True,
        )
        for p in (0.5, 0.8, 0.97)
    ),
    Case("median", "normal", lambda rng, n: (_normal(rng, n),), _of(np.median), 0.0, True),
    Case("median", "skewed (exponential)", lambda rng, n: (_skewed(rng, n),), _of(np.median), math.log(2), True),
    Case("mean", "normal", lambda rng, n: (_normal(rng, n),), _of(np.mean), 0.0, True),
    Case("mean", "uniform", lambda rng, n: (rng.random(n),), _of(np.mean), 0.5, True),
    Case("mean", "skewed (exponential)", lambda rng, n: (_skewed(rng, n),), _of(np.mean), 1.0, True),
    Case("mean", "skewed, in [0, 1]", lambda rng, n: (rng.beta(0.5, 2, n),), _of(np.mean, bounds=_INSIDE), 0.2, True),
    Case("mean", "hits of 90%", lambda rng, n: (1.0 * (rng.random(n) < 0.9),), _of(np.mean, bounds=_INSIDE), 0.9, True),
    *(
        Case("spearman", f"normal, ρ = {r}", _columns(r), _of(spearman), 6 / math.pi * math.asin(r / 2))
        for r in (0.0, 0.5, 0.9)
    ),
    Case("spearman", "spread grows with x", _fan, _of(spearman), partial(_limit, spearman, _fan)),
    Case("spearman", "five values of x", _levels, _of(spearman), partial(_limit, spearman, _levels)),
    Case("partial_spearman", "normal", _given, _of(partial_spearman), partial(_limit, partial_spearman, _given)),
    *(Case("pearson", f"normal, ρ = {r}", _columns(r), _of(pearson), r) for r in (0.0, 0.5, 0.9)),
    Case("pearson", "spread grows with x", _fan, _of(pearson), partial(_limit, pearson, _fan)),
    Case("difference of means, apart", "normal", _apart(_normal, _wide), _of(_gap, apart=True), 0.0),
    Case("difference of means, apart", "skewed and normal", _apart(_skewed, _normal), _of(_gap, apart=True), 1.0),
    Case("ratio of medians, apart", "log-normal", _apart(_positive, _positive), _of(_times, apart=True), 1.0),
    Case("mean distance of two columns", "normal", _columns(0.5), _of(_differ), math.sqrt(2 / math.pi)),
    Case("spearman", "x, and whether", _and_whether, _of(spearman), partial(_limit, spearman, _and_whether)),
    *(
        Case(
            "difference of shares, apart",
            f"hits of {p:.0%} and {q:.0%}",
            _apart(_hits(p), _hits(q)),
            _two_shares,
            p - q,
        )
        for p, q in ((0.8, 0.1), (0.97, 0.03), (0.5, 0.5))
    ),
    Case("difference of medians, apart", "normal", _apart(_normal, _wide), _of(_median_gap, apart=True), 0.0),
    Case(
        "difference of medians, apart",
        "skewed and normal",
        _apart(_skewed, _normal),
        _of(_median_gap, apart=True),
        math.log(2),
    ),
    Case("ratio of means, two columns", "log-normal", _two_columns, _of(_ratio_of_means), 1.0),
    Case(
        "share of pairs in order, apart",
        "normal, 86%",
        _apart(_normal, lambda rng, n: 1.5 + _normal(rng, n)),
        _of(_below, apart=True),
        0.5 * math.erfc(-0.75),
    ),
    Case("pearson over groups", "normal, ten in a unit", _groups, _of(_over_groups), 0.5),
    Case(
        "crossing of one half",
        "nine sizes",
        _rising,
        _of(lambda sets: half_crossing(_SIZES, sets.mean(0)), bounds=_INSIDE),
        half_crossing(_SIZES, _RISE),
    ),
    Case("largest of all", "uniform", lambda rng, n: (rng.random(n),), _of(np.max), 1.0),
    Case("smallest of four spearman", "normal, all ρ = 0.7", _early, _of(_weakest), 6 / math.pi * math.asin(0.5**1.5)),
    Case(
        "largest fall from bin to bin",
        "shares of 20% to 80%",
        _in_wells,
        _of(largest_fall, bounds=_INSIDE),
        partial(_limit, largest_fall, _in_wells),
    ),
    Case("share, undecided in part", "hits of 80%, of which 70% are known", _waiting, _later, 0.8, True),
    *(
        Case("share of heads in networks", f"hits of {p:.0%}, alike by {a}", _heads(p, a), share_in_networks, p)
        for p, a in ((0.5, 0.3), (0.9, 0.1), (0.9, 0.3), (0.9, 0.7))
    ),
)


def coverage(case: Case, units: int, looks: Looks, repeats: int, seed: int = 0) -> float:
    """The share of samples for which the intervals of all looks hold the truth."""
    rng, held = np.random.default_rng((seed, units)), 0
    truth = case.truth() if callable(case.truth) else case.truth
    for _ in range(repeats):
        samples = case.draw(rng, units * 2 ** (looks.count - 1))
        for look in range(looks.count):
            with at_level(looks.level(look + 1)):
                found = case.estimate(*(sample[: units * 2**look] for sample in samples))
            if not (found.reason or found.low - 1e-12 <= truth <= found.high + 1e-12):
                break
        else:
            held += 1
    return held / repeats


def row(index: int, scale: float = 1.0) -> str:
    """A line of the table."""
    case, cells = CASES[index], []
    for looks in (ONCE, SEQUENTIAL):
        for units in UNITS:
            resampled = _LEAST if looks.count > 1 and units == UNITS[-1] else _FEW
            repeats = round(scale * (_MANY if case.formula else resampled))
            found = coverage(case, units, looks, repeats)
            error = math.sqrt(ERROR * (1 - ERROR) / repeats)
            cells.append(f"{100 * found:.1f} ± {100 * error:.1f} %")
    return f"| {case.kind} | {case.units} | {' | '.join(cells)} |"


def main(scale: str = "1", only: str = "") -> None:
    """The table of `docs/intervals.md`, from `scale` times as many samples, or the rows that begin with `only`."""
    heads = [f"{units} units" for units in UNITS] + [f"{SEQUENTIAL.count} looks from {units} on" for units in UNITS]
    print(f"| interval | units | {' | '.join(heads)} |\n|---|---|{'---|' * len(heads)}", flush=True)
    chosen = [index for index, case in enumerate(CASES) if case.kind.startswith(only)]
    with ProcessPoolExecutor(cores(), get_context("spawn")) as workers:
        for line in workers.map(partial(row, scale=float(scale)), chosen):
            print(line, flush=True)


if __name__ == "__main__":
    main(*sys.argv[1:3])
