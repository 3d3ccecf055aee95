"""Attention on text: how many tokens a query attends to over training, and how near to orthogonal tokens stay."""

from dataclasses import dataclass

import numpy as np
import xarray as xr
from scipy.ndimage import median_filter

from nucleate.claims import Evidence
from nucleate.observables import random_cosine
from nucleate.papers.attention.experiments.text import ADAM, SGD
from nucleate.papers.attention.experiments.trees import TREES
from nucleate.record import at_the_end, last_row, stayed_finite

SMOOTHED = 5
"""Records over which an entropy is smoothed, by their median, before its lowest value is looked for."""


def of_depth(record: xr.Dataset, *blocks: int) -> xr.Dataset:
    """The networks of these depths that did not diverge."""
    finite = stayed_finite(record)
    return finite.isel(member=np.flatnonzero(np.isin(finite.blocks.values, blocks)))


def blocks_in_words(count: int) -> str:
    """
    >>> blocks_in_words(1), blocks_in_words(3)
    ('1 block', '3 blocks')
    """
    return "1 block" if count == 1 else f"{count} blocks"


def attended(record: xr.Dataset) -> np.ndarray:
    """e^H of the lowest block, the number of tokens that a query attends to: at the end over at the start."""
    return np.exp(at_the_end(record, "entropy")[:, 0].astype(float) - record.entropy.values[:, 0, 0])


@dataclass(frozen=True)
class Dips:
    """The entropy of the lowest block of each network at the start, at its lowest and at the end, and the step of the
    lowest."""

    start: np.ndarray
    lowest: np.ndarray
    end: np.ndarray
    step: np.ndarray

    @property
    def depth(self) -> np.ndarray:
        """e^H at its lowest over the start."""
        return np.exp(self.lowest - self.start)

    @property
    def bounce(self) -> np.ndarray:
        """The share of the dip that is made up for by the end: 0 if the entropy ends at its lowest; NaN if it never
        fell."""
        fell = self.start - self.lowest
        return np.where(fell > 0, (self.end - self.lowest) / np.where(fell > 0, fell, 1), np.nan)


def dips(record: xr.Dataset) -> Dips:
    """How the entropy of the lowest block falls and rises again."""
    history = record.entropy.values[:, :, 0].astype(float)
    rows = last_row(record)
    smooth = median_filter(history, size=(1, SMOOTHED), mode="nearest")
    smooth[:, 0] = history[:, 0]
    late = np.arange(history.shape[1]) > rows[:, None]
    lowest = np.where(late, np.inf, smooth).argmin(1) if len(history) else np.zeros(0, int)
    members = np.arange(len(history))
    return Dips(history[:, 0], smooth[members, lowest], smooth[members, rows], record.step.values[lowest])


SHALLOW = (1, 2)
"""Numbers of blocks of the networks that the talk calls shallow."""


def shallow(record: xr.Dataset) -> xr.Dataset:
    """The shallow networks that did not diverge."""
    return of_depth(record, *SHALLOW)


SETTLED = 0.02
"""A fall of the held-out loss in the last quarter of training, as a share of it, that is called none."""


def has_settled(record: xr.Dataset) -> bool:
    """Whether the held-out loss of most shallow networks hardly falls any more after 3,000 steps or more."""
    steps, few = int(record.steps), shallow(record)
    if steps < 3000 or not few.sizes["member"]:
        return False
    loss = few.valid_loss.values.astype(float)
    before = loss[:, np.searchsorted(few.step.values, 0.75 * steps)]
    return bool(np.median(1 - at_the_end(few, "valid_loss") / before) < SETTLED)


def over_random(record: xr.Dataset) -> np.ndarray:
    """Median |cosine| of each layer at the end over that of random vectors of the same dimension: [member, layer]."""
    random = np.array([random_cosine(int(dim)) for dim in record.dim.values])
    return at_the_end(record, "cosine").astype(float) / random[:, None]


@dataclass(frozen=True)
class Orthogonality:
    """Median |cosine| at the end over that of random vectors [network, layer], of transformers on text and on trees;
    NaN for layers that a network does not have."""

    text: np.ndarray
    trees: np.ndarray


def orthogonality(evidence: Evidence) -> Orthogonality:
    """The assumption of orthogonal embeddings, in every transformer of this paper that has blocks."""
    text = [over_random(stayed_finite(evidence.record(name))) for name in (ADAM, SGD)]
    layers = max(found.shape[1] for found in text)
    wide = [np.pad(found, ((0, 0), (0, layers - found.shape[1])), constant_values=np.nan) for found in text]
    return Orthogonality(np.concatenate(wide), over_random(stayed_finite(evidence.record(TREES))))
