"""Latents and hidden units: how well they match at the start and at the end, beside the talk's table; Theorem 5."""

from dataclasses import dataclass

import numpy as np
import xarray as xr

from nucleate.claims import Evidence
from nucleate.papers.attention.experiments.trees import TREES
from nucleate.record import at_the_end, stayed_finite
from nucleate.tasks import LatentTree
from nucleate.theories.ancestry import co_occurrence, nearly_deterministic

Setting = tuple[int, int, int, int]
"""Classes, parts of a latent, latents of the lower and of the upper level."""

TALK: dict[Setting, tuple[float, float]] = {
    (20, 2, 10, 20): (0.99, 0.81),
    (20, 2, 20, 30): (0.97, 0.80),
    (20, 3, 10, 20): (1.00, 0.69),
    (20, 3, 20, 30): (0.96, 0.68),
    (30, 2, 10, 20): (0.99, 0.73),
    (30, 2, 20, 30): (0.94, 0.74),
    (30, 3, 10, 20): (0.99, 0.72),
    (30, 3, 20, 30): (0.95, 0.66),
    (50, 2, 10, 20): (0.99, 0.58),
    (50, 2, 20, 30): (0.95, 0.55),
    (50, 3, 10, 20): (0.99, 0.64),
    (50, 3, 20, 30): (0.95, 0.61),
}
"""NCorr of the lower and of the upper level in the talk's Table 1."""


def settings(record: xr.Dataset) -> list[Setting]:
    """The setting of each network."""
    columns = (record[name].values for name in ("classes", "parts", "lower", "upper"))
    return [tuple(map(int, row)) for row in zip(*columns, strict=True)]  # type: ignore[misc]


def names_every_class(record: xr.Dataset) -> bool:
    """Whether most networks name as many classes as can be told apart by their tokens, after 1,000 steps or more."""
    share = at_the_end(record, "accuracy") / record.best_accuracy.values
    return int(record.steps) >= 1000 and bool(np.median(share) >= 0.999)


@dataclass(frozen=True)
class Matches:
    """NCorr of both levels [network, level] at initialisation and at the end, and in the talk (NaN where it has none),
    of the networks that did not diverge."""

    setting: np.ndarray  # network, 4
    start: np.ndarray
    end: np.ndarray
    talk: np.ndarray
    accuracy: np.ndarray

    @property
    def settings(self) -> list[Setting]:
        """Every setting that some network has, in ascending order."""
        return [(int(a), int(b), int(c), int(d)) for a, b, c, d in np.unique(self.setting, axis=0)]

    def of(self, setting: Setting) -> np.ndarray:
        """Which networks have this setting."""
        return (self.setting == np.array(setting)).all(1)


def matches(evidence: Evidence) -> Matches:
    """NCorr of every network of the table."""
    record = stayed_finite(evidence.record(TREES))
    found = settings(record)
    return Matches(
        np.array(found).reshape(-1, 4),
        record.ncorr.values[:, 0].astype(float),
        at_the_end(record, "ncorr").astype(float),
        np.array([TALK.get(setting, (np.nan, np.nan)) for setting in found]).reshape(-1, 2),
        at_the_end(record, "accuracy").astype(float),
    )


# --- Theorem 5 -------------------------------------------------------------------------------------------------------

HEIGHTS = (2, 3, 4)
RHOS = (-0.9, -0.5, 0.0, 0.3, 0.7, 0.95, 0.999)
BIASES = (-1.0, -0.4, 0.0, 0.6, 1.0)
NEARLY = 1 - 1e-7
"""ρ where its limit is looked at."""


@dataclass(frozen=True)
class Theorem5:
    """Largest errors of Theorem 5 over all pairs of tokens of small trees, of its limit, and of the talk's limit."""

    exact: float
    limit: float
    talk: float
    trees: int


def theorem_5(evidence: Evidence) -> Theorem5:
    """Theorem 5 against the enumeration of every assignment of every small tree."""
    trees = [LatentTree(height, 2, rho, bias) for height in HEIGHTS for rho in RHOS for bias in BIASES]
    errors = [np.abs(enumerated(tree) - law(tree)).max() for tree in trees]
    limits, talks = [], []
    for height in HEIGHTS:
        tree = LatentTree(height, 2, NEARLY, 1.0)
        found, ancestor = enumerated(tree), tree.ancestors.astype(float)
        limits.append(np.abs(found - nearly_deterministic(ancestor, height)).max())
        talks.append(np.abs(found - (1 - ancestor / height)).max())
    return Theorem5(float(max(errors)), float(max(limits)), float(max(talks)), len(trees))


def law(tree: LatentTree) -> np.ndarray:
    """Theorem 5 for all pairs of tokens [l, m]."""
    return co_occurrence(tree.ancestors.astype(float), tree.height, tree.rho, tree.bias)


def enumerated(tree: LatentTree) -> np.ndarray:
    """P[y_l = 1 | y_m = 1] for all pairs of tokens [l, m], from the probability of every assignment."""
    tokens = tree.assignments()
    both = tokens.T @ (tree.probability(tokens)[:, None] * tokens)
    return both / np.diag(both)
