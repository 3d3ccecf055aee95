"""Evidence for the claims on quadratic networks, planted at the sizes of the standard budget, or of the paper's where
that leaves an experiment out: where each holds, and where it fails."""

from collections.abc import Callable
from functools import cache

import numpy as np
import xarray as xr
from planted import PlantedRun

from nucleate.claims import Evidence
from nucleate.observables import FactorClass, Factorisation
from nucleate.papers.algebra.experiments.network import (
    ADAMW,
    C7,
    C11,
    C23,
    C71,
    C127,
    DECAY,
    EXPERIMENTS,
    OCCAM,
    GroupFleet,
)
from nucleate.papers.algebra.readings import network, occam, solutions
from nucleate.papers.algebra.readings.solutions import FACTORABLE, SLIDE, Course, Variants, slide_shares
from nucleate.record import Outcome

READINGS = {
    C7: solutions.c7,
    C11: solutions.c11,
    C23: solutions.c23,
    C71: solutions.c71,
    C127: solutions.c127,
    DECAY: solutions.decays,
    ADAMW: solutions.decoupled,
    OCCAM: occam.decayed,
}


def fleet(name: str) -> GroupFleet:
    return EXPERIMENTS[name].standard or EXPERIMENTS[name].paper


@cache
def run(name: str, accuracy: float = 1.0) -> PlantedRun:
    """A run recorded at the start and at the end, with this accuracy on held-out pairs there."""
    planned = fleet(name)
    members, count = planned.members(), planned.members().count
    course = {"test_accuracy": (0.05, accuracy), "train_loss": (1.0, 1e-5), "test_loss": (1.0, 1e-4)}
    given = {key: (("member", "step"), np.tile(pair, (count, 1))) for key, pair in course.items()}
    given |= {"outcome": ("member", np.full(count, Outcome.OK)), "last_step": ("member", np.full(count, planned.steps))}
    columns = {column: ("member", values) for column, values in members.items()}
    record = xr.Dataset(given, coords=columns | {"step": [0, planned.steps]}, attrs={"steps": planned.steps})
    return PlantedRun(record, planned.to_json())


def course(
    name: str, kinds: dict[FactorClass, float], order: Callable | None = None, xi: float = 0.01, nu: float = 0.01
) -> Course:
    """Solutions of all networks of a fleet in these shares, as even as they can be; `order`: by weight decay."""
    planned = fleet(name)
    members, halves = planned.members(), (int(planned.group[1:]) - 1) // 2
    kind = evenly(kinds, members.count * halves).reshape(members.count, halves)
    sizes = np.where(kind == FactorClass.XI_NU, 4, np.where(kind == FactorClass.NEITHER_4_NOR_6, 9, 6))
    if order:
        sizes = np.broadcast_to(order(members["wd"])[:, None], kind.shape)
    both = lambda values: np.stack([values, values], axis=1)
    rest = {key: both(np.full(kind.shape, 0.01)) for key in ("error", "alpha", "beta")}
    spread = np.linspace(-0.02, 0.02, halves)
    rest |= {key: both(np.broadcast_to(angle + spread, kind.shape)) for key, angle in (("xi", xi), ("nu", nu))}
    shape = (members.count, 2, halves)
    factors = {key: np.full((*shape, 3, nodes), np.nan, complex) for key, nodes in (("first", 2), ("second", 3))}
    nodes = np.zeros((members.count, 2, 1), int)
    found = Factorisation(nodes, np.arange(1, halves + 1), both(sizes), both(kind).astype(np.int8), **rest, **factors)
    norm = np.tile([2.0, 1.0], (members.count, 1))
    return Course(np.array([0, planned.steps]), members["wd"], norm, found)


def evenly(kinds: dict[FactorClass, float], count: int) -> np.ndarray:
    """A row of kinds in which every stretch has these shares: next is always the one that lags most."""
    shares = np.array([*kinds.values()]) / sum(kinds.values())
    row, given = [], np.zeros(len(shares))
    for number in range(1, count + 1):
        row.append(np.argmax(shares * number - given))
        given[row[-1]] += 1
    return np.array([*kinds])[row]


def found(kinds: Callable[[int], dict[FactorClass, float]], *names: str) -> Evidence:
    """Fleets whose solutions are of these kinds, by the number of elements."""
    known = {READINGS[name]: course(name, kinds(int(fleet(name).group[1:]))) for name in names}
    known[solutions.variants] = Variants(*np.full((2, 4), 0.25), 0.05)
    return Evidence({name: run(name) for name in names}, None, known=known)


def table(d: int) -> dict[FactorClass, float]:
    """The talk's shares."""
    return dict(zip(FACTORABLE, slide_shares(d if d in SLIDE else 23), strict=True))


def another(d: int) -> dict[FactorClass, float]:
    """None of the talk's shares, solutions of other orders, and less of order 4 in larger groups."""
    shares = {23: (0.1, 0.5, 0.05, 0.15), 71: (0.3, 0.5, 0.9, 0.15), 127: (0.1, 0.5, 0.9, 0.15)}
    kinds = dict(zip(FACTORABLE, shares.get(d, shares[23]), strict=True))
    return kinds | {FactorClass.NEITHER_4_NOR_6: 0.3}


def decays(order: Callable[[np.ndarray], np.ndarray]) -> Evidence:
    """Networks whose solutions have orders that depend on weight decay."""
    names = (C23, DECAY, ADAMW, OCCAM)
    known = {READINGS[name]: course(name, table(23), order) for name in names}
    return Evidence({name: run(name) for name in names}, None, known=known)


def residuals(end: float) -> Evidence:
    """Networks that are so far from each condition at the end."""
    count = fleet(C23).members().count
    part = np.stack([np.ones(count), end * np.linspace(0.9, 1.1, count)], axis=1)
    return Evidence({C23: run(C23)}, None, known={network.residuals: network.Residuals(*[part] * 7)})


def angles(xi: float, nu: float) -> Evidence:
    """Factors with angles about these."""
    return Evidence({C23: run(C23)}, None, known={solutions.c23: course(C23, table(23), xi=xi, nu=nu)})


def accurate(accuracy: float) -> Evidence:
    return Evidence({C23: run(C23, accuracy)}, None)


NEVER_PRODUCTS = {FactorClass.XI_NU: 0.3, FactorClass.OTHER: 0.3, FactorClass.NONFACTORABLE: 0.4}

PLANTS: dict[str, tuple[Callable[[], Evidence] | None, Callable[[], Evidence] | None]] = {
    "algebra/20": (lambda: accurate(1.0), lambda: accurate(0.9)),
    "algebra/21": (lambda: found(table, C23, C7, C11), lambda: found(another, C23, C7, C11)),
    "algebra/22": (lambda: found(table, C71, C127), lambda: found(another, C71, C127)),
    "algebra/23": (lambda: found(table, C23, DECAY), lambda: found(lambda _: NEVER_PRODUCTS, C23, DECAY)),
    "algebra/24": (
        lambda: decays(lambda wd: np.where(wd < 5e-5, 40, np.where(wd < 1e-4, 9, 6))),
        lambda: decays(lambda wd: np.where(wd < 5e-5, 6, np.where(wd < 1e-4, 9, 40))),
    ),
    "algebra/25": (lambda: residuals(0.01), lambda: residuals(0.5)),
    "algebra/26": (lambda: angles(-np.pi / 4, 2 * np.pi / 3), lambda: angles(0.0, np.pi / 12)),
}
