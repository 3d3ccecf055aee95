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
    """Of the loss as a sum over frequencies, against the loss of the network."""


def identities(evidence: Evidence) -> Identities:
    """The homomorphism and the decomposition of the loss, on random solutions."""
    rng, rows = np.random.default_rng(1), []
    for group in map(characters, GROUPS):
        rows.append([_errors(group, rng) for _ in range(evidence.effort.solutions)])
    one = [_apart(_flat(monomials(Solution.one(characters(name)))), np.ones(1)) for name in GROUPS]
    return Identities(np.array(one), *np.moveaxis(np.array(rows), -1, 0))


def _errors(group: Characters, rng: np.random.Generator) -> tuple[float, float, float]:
    first, second = (random_solution(group, _NODES, rng) for _ in range(2))
    r1, r2 = (_flat(monomials(z)) for z in (first, second))
    direct = to_weights(first).loss(group)
    return (
        _apart(_flat(monomials(first + second)), r1 + r2),
        _apart(_flat(monomials(first * second)), r1 * r2),
        abs(decompose(first).total - direct) / direct,
    )


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
