"""Scan & Snap: which tokens attention prefers, how well the theory describes that, and how sparse attention becomes."""

from dataclasses import dataclass

import numpy as np
import xarray as xr

from nucleate.claims import Evidence, spearman
from nucleate.papers.attention.experiments.scanning import ENTROPY, LENGTHS, RATIOS, STEP_SIZES, TOKENS
from nucleate.record import Outcome, at_the_end, stayed_finite
from nucleate.theories import ScanSnap
from nucleate.theories.scanning import Scans, two_regimes

LATER = 0.1
"""Signs of motion are asked of the first tenth of training, and of the rest, so that neither can hide the other."""


@dataclass(frozen=True)
class TokenDynamics:
    """Of each network: the share of common tokens that fell, and of distinct tokens that rose, in the worse of two
    periods; the rank correlation of z with P(l|n) over distinct tokens, and the share of classes whose most frequent
    distinct token has won, at the end."""

    momentum: np.ndarray
    common_fell: np.ndarray
    distinct_rose: np.ndarray
    order: np.ndarray
    won: np.ndarray


def token_dynamics(evidence: Evidence) -> TokenDynamics:
    """How attention moved in each network of the talk's token dynamics."""
    record = stayed_finite(evidence.record(TOKENS))
    seen = Scans.read(record)
    middle = int(np.searchsorted(record.step.values, LATER * record.step.values[-1]))
    z = seen.logits[:, [0, middle, -1]]  # member, three times, class, token
    common, distinct = (seen.probability > 0) & ~seen.is_distinct, seen.is_distinct
    moved = np.diff(z, axis=1)
    rank = [
        np.mean([spearman(z[member, -1, n, own], seen.probability[n, own]) for n, own in enumerate(distinct)])
        for member in range(len(z))
    ]
    end = np.where(distinct, z[:, -1], -np.inf).argmax(-1)
    most = np.where(distinct, seen.probability, 0).argmax(-1)
    return TokenDynamics(
        record.momentum.values,
        (moved < 0)[..., common].mean(-1).min(1),
        (moved > 0)[..., distinct].mean(-1).min(1),
        np.array(rank),
        (end == most).mean(-1),
    )


# --- the theory against networks -------------------------------------------------------------------------------------


def ratio_scores(evidence: Evidence) -> xr.Dataset:
    """Scores of networks that differ in η_Z/η_Y."""
    return _scores(evidence.record(RATIOS))


def length_scores(evidence: Evidence) -> xr.Dataset:
    """Scores of networks that differ in η_Z/η_Y and in the length of their sequences."""
    return _scores(evidence.record(LENGTHS))


def step_size_scores(evidence: Evidence) -> xr.Dataset:
    """Scores of networks that differ in η_Z/η_Y and in the size of their steps."""
    return _scores(evidence.record(STEP_SIZES))


def _scores(record: xr.Dataset) -> xr.Dataset:
    """What `ScanSnapFit.score` says of each network, with its logarithm of χ; clocks are fitted on every other one.

    `clock_predicted`, `C0` and `amplitude` are of the theory's clock with a free amplitude; `clock_fixed` and
    `C0_fixed` of the theory's own, whose amplitude is 1.
    """
    record = stayed_finite(record)
    told = record.isel(member=np.flatnonzero(record.repeat.values % 2 == 0))
    free, fixed = ScanSnap(amplitude=None).fit(told), ScanSnap().fit(told)
    scores = free.score(record)
    seen = Scans.read(record)
    scores["ln_chi"] = (("member", "step"), seen.gained.mean(-1))
    laws = [fixed.clock(time, ratio) for time, ratio in zip(seen.time, seen.ratio.tolist(), strict=True)]
    scores["clock_fixed"] = (("member", "step"), np.stack(laws))
    return scores.assign_attrs(
        C0_fixed=fixed.C0, identified=int(fixed.identified), classes=seen.classes, tokens=seen.tokens
    )


def at_time(scores: xr.Dataset, name: str, time: float) -> np.ndarray:
    """Each network's value of a score at the same η_Y t, interpolated in ln(1 + η_Y t); NaN if it never got there."""
    times = np.log1p(scores.step.values * (scores.eta_z * scores.mult).values[:, None])
    rows = zip(times, scores[name].values, strict=True)
    return np.array(
        [np.interp(np.log1p(time), t, v) if t[-1] >= np.log1p(time) * (1 - 1e-9) else np.nan for t, v in rows]
    )


def shared_time(scores: xr.Dataset) -> float:
    """The largest η_Y t that all networks reach."""
    return float(scores.step.values[-1] * (scores.eta_z * scores.mult).min())


def cells(scores: xr.Dataset, values: np.ndarray, x: str, y: str) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """The median of `values` for each pair of the columns `y` and `x`, and the two axes."""
    xs, ys = np.unique(scores[x].values), np.unique(scores[y].values)
    table = np.full((len(ys), len(xs)), np.nan)
    for row, col in np.ndindex(table.shape):
        here = values[(scores[x].values == xs[col]) & (scores[y].values == ys[row])]
        if np.any(~np.isnan(here)):
            table[row, col] = np.nanmedian(here)
    return table, xs, ys


@dataclass(frozen=True)
class Regimes:
    """Scanning and snapping of each network: see `nucleate.theories.scanning.TwoRegimes`."""

    ratio: np.ndarray
    turn: np.ndarray
    slowing: np.ndarray
    straighter: np.ndarray
    """What a line in ln ln t misses of the clock after the turn, over what a line in ln t misses."""
    rate: np.ndarray


def regimes(evidence: Evidence) -> Regimes:
    """Where the clock of each network turns, and how it goes on."""
    scores = evidence.once(ratio_scores)
    times = scores.step.values * (scores.eta_z * scores.mult).values[:, None]
    found = [two_regimes(time, clock) for time, clock in zip(times, scores.clock.values, strict=True)]
    with np.errstate(divide="ignore", invalid="ignore"):
        straighter = np.divide([f.missed_loglog for f in found], [f.missed_log for f in found])
    return Regimes(
        scores.ratio.values,
        np.array([f.turn for f in found]),
        np.array([f.slowing for f in found]),
        straighter,
        np.array([f.rate for f in found]),
    )


# --- entropy ---------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Entropies:
    """Entropy of attention over distinct tokens at the end: [lasts, eta_z, mult, repeat]; NaN if a network diverged."""

    lasts: np.ndarray
    eta_z: np.ndarray
    mult: np.ndarray
    value: np.ndarray

    @property
    def trend_eta_z(self) -> np.ndarray:
        """Rank correlation of entropy with η_Z at fixed η_Y/η_Z: [lasts, mult, repeat]."""
        return _trends(np.moveaxis(self.value, 1, -1), self.eta_z)

    @property
    def trend_mult(self) -> np.ndarray:
        """Rank correlation of entropy with η_Y/η_Z at fixed η_Z: [lasts, eta_z, repeat]."""
        return _trends(np.moveaxis(self.value, 2, -1), self.mult)


def entropies(evidence: Evidence) -> Entropies:
    """The entropies of the talk's maps."""
    record = evidence.record(ENTROPY)
    end = np.where(
        record.outcome.values == Outcome.DIVERGED, np.nan, at_the_end(record, "entropy_distinct").astype(float)
    )
    names = ("lasts", "eta_z", "mult", "repeat")
    axes = [np.unique(record[name].values) for name in names]
    value = np.full([len(axis) for axis in axes], np.nan)
    value[tuple(np.searchsorted(axis, record[name].values) for axis, name in zip(axes, names, strict=True))] = end
    return Entropies(*axes[:3], value)  # type: ignore[call-arg]


def _trends(value: np.ndarray, axis: np.ndarray) -> np.ndarray:
    """Rank correlation of the last axis with `axis`; NaN where a network is missing."""
    flat = value.reshape(-1, value.shape[-1])
    found = [spearman(axis, row) if np.isfinite(row).all() else np.nan for row in flat]
    return np.array(found).reshape(value.shape[:-1])
