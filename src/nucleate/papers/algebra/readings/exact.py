"""What the algebra says exactly, tried on random and on constructed solutions: nothing is trained."""

from dataclasses import dataclass
from functools import cache

import numpy as np

from nucleate.algebra import (
    Characters,
    Monomials,
    Solution,
    decompose,
    from_weights,
    memorising,
    mixed,
    monomials,
    order_six,
    to_weights,
)
from nucleate.claims import Evidence
from nucleate.tasks import Group

GROUPS = ("C5", "C7", "C11", "C2xC3", "C3xC3")
MODULI = (5, 7, 11, 23)
_NODES = 4


@cache  # a group's characters compute their tables once
def characters(name: str) -> Characters:
    """Those of a group of the group task."""
    return Characters.of(Group.named(name).products)


def random_solution(group: Characters, nodes: int, rng: np.random.Generator) -> Solution:
    """The solution of random normal weights."""
    d = group.order
    return from_weights(group, *(rng.normal(size=shape) for shape in ((d, nodes), (d, nodes), (nodes, d))))


@dataclass(frozen=True)
class Identities:
    """Errors of identities, relative to the largest number in them: [group, solution]."""

    one: np.ndarray
    """Of r(1) = 1, [group]."""
    sums: np.ndarray
    """Of r(z₁ + z₂) = r(z₁) + r(z₂)."""
    products: np.ndarray
    """Of r(z₁ * z₂) = r(z₁) r(z₂)."""
    loss: np.ndarray
    """Of the talk's sum over frequencies against the loss of the network, whose weights have no mean."""
    with_mean: np.ndarray
    """Of the talk's sum, where weights have a mean."""
    extended: np.ndarray
    """The same, with the cross terms of that mean added."""


def identities(evidence: Evidence) -> Identities:
    """The homomorphism and the decomposition of the loss, on random solutions."""
    rng, rows = np.random.default_rng(1), []
    for group in map(characters, GROUPS):
        rows.append([_errors(group, rng) for _ in range(evidence.effort.solutions)])
    one = [_apart(_flat(monomials(Solution.one(characters(name)))), np.ones(1)) for name in GROUPS]
    return Identities(np.array(one), *np.moveaxis(np.array(rows), -1, 0))


def _errors(group: Characters, rng: np.random.Generator) -> tuple[float, ...]:
    first, second = (random_solution(group, _NODES, rng) for _ in range(2))
    r1, r2 = (_flat(monomials(z)) for z in (first, second))
    printed, _ = _loss_errors(without_mean(first))
    return (
        _apart(_flat(monomials(first + second)), r1 + r2),
        _apart(_flat(monomials(first * second)), r1 * r2),
        printed,
        *_loss_errors(first),
    )


def without_mean(z: Solution) -> Solution:
    """The solution whose weights have their mean over elements taken away, z_p0 = 0."""
    return Solution(z.characters, np.where(np.arange(z.characters.order)[:, None] == 0, 0, z.z))


def _loss_errors(z: Solution) -> tuple[float, float]:
    """Relative errors of the talk's sum over frequencies, and of the sum with the part of the mean of weights."""
    direct, terms = to_weights(z).loss(z.characters), decompose(z)
    printed = float((terms.goal + terms.cross + terms.constant + terms.squares).mean())
    return abs(printed - direct) / direct, abs(terms.total - direct) / direct


def _flat(r: Monomials) -> np.ndarray:
    return np.concatenate([r.cross.ravel(), r.squares.ravel()])


def _apart(found: np.ndarray, expected: np.ndarray) -> float:
    return float(np.abs(found - expected).max() / np.abs(expected).max())


@dataclass(frozen=True)
class Constructed:
    """Of constructed optimisers, [modulus, kind]: loss of the network, hidden nodes and ‖z‖²."""

    modulus: np.ndarray
    loss: np.ndarray
    nodes: np.ndarray
    norm: np.ndarray


KINDS = {"z_F6": order_six, "z_F4/6": mixed, "z_M": memorising}


def constructed(evidence: Evidence) -> Constructed:
    """The losses of the talk's constructed optimisers, as networks in double precision."""
    made = [[make(characters(f"C{d}")) for make in KINDS.values()] for d in MODULI]
    measured = lambda measure: np.array([[measure(z) for z in row] for row in made])
    return Constructed(
        np.array(MODULI),
        measured(lambda z: to_weights(z).loss(z.characters)),
        measured(lambda z: z.nodes),
        measured(lambda z: z.norm**2),
    )
