"""Occam's razor: paths of zero loss to simpler solutions, the norm inequality, and networks that weight decay moves."""

from dataclasses import dataclass

import numpy as np

from nucleate.algebra import Characters, Solution, memorising, occam_path, order_six
from nucleate.claims import Evidence
from nucleate.papers.algebra.experiments.network import OCCAM
from nucleate.papers.algebra.readings.exact import characters
from nucleate.papers.algebra.readings.solutions import Course, course

GROUPS = ("C5", "C7", "C3xC3")
PATHS = 4
"""Random paths to each simpler solution of each group."""


def random_factor(group: Characters, nodes: int, rng: np.random.Generator) -> Solution:
    """A random y with r_kkk(y) = 1 at every frequency."""
    z = rng.normal(size=(3, group.order, nodes)) + 1j * rng.normal(size=(3, group.order, nodes))
    z = z + z[:, group.negative].conj()
    z = z / np.cbrt(np.abs(z).prod(0).max(-1)).max()
    z[2] /= z.prod(0).sum(-1)[:, None]
    z[:, 0] = 0
    return Solution(group, z)


@dataclass(frozen=True)
class Paths:
    """Paths from y * z' to e * z': loss and ‖z‖ along each, [path, time]; whether z' is z_M, and not z_F6; how many
    nodes y * z' has."""

    time: np.ndarray
    loss: np.ndarray
    norm: np.ndarray
    is_memorising: np.ndarray
    nodes: np.ndarray


def paths(evidence: Evidence) -> Paths:
    """The talk's theorem, along paths that are written down."""
    rng, times = np.random.default_rng(4), tuple(np.linspace(0, 1, evidence.effort.times).tolist())
    loss, norm, kind, nodes = [], [], [], []
    for group in map(characters, GROUPS):
        for make in (order_six, memorising):
            for number in range(PATHS):
                path = occam_path(random_factor(group, 2 + number % 3, rng), make(group), times)
                loss.append([z.loss for z in path])
                norm.append([z.norm for z in path])
                kind.append(make is memorising)
                nodes.append(path[0].nodes)
    return Paths(np.array(times), np.array(loss), np.array(norm), np.array(kind), np.array(nodes))


@dataclass(frozen=True)
class Inequality:
    """‖y * z'‖ / ‖e * z'‖ for random y: [product]. `balanced`: rows a, b and c of z' have equal norms at each
    frequency; `skewed`: z' is multiplied by a random node before, so that they have not."""

    balanced: np.ndarray
    skewed: np.ndarray


def inequality(evidence: Evidence) -> Inequality:
    """The norm of y * z' against that of e * z'."""
    rng, rows = np.random.default_rng(5), []
    for number in range(evidence.effort.products):
        group = characters(GROUPS[number % len(GROUPS)])
        z = (order_six, memorising)[number % 2](group)
        y, skew = random_factor(group, 1 + number % 4, rng), random_factor(group, 1, rng)
        rows.append([(y * each).norm / _simplest(each) for each in (z, skew * z)])
    return Inequality(*np.array(rows).T)


def _simplest(z: Solution) -> float:
    """‖e * z'‖: e has one node of ones."""
    return float(np.linalg.norm(z.z[:, 1:]))


def decayed(evidence: Evidence) -> Course:
    """Networks that start as a memorising solution, by weight decay."""
    return course(evidence.record(OCCAM))
