"""Figures 6, 7 and 11: which circles survive."""

from pathlib import Path

import numpy as np
import xarray as xr

from nucleate.claims import Evidence, pearson
from nucleate.papers.circles import readings
from nucleate.papers.circles.experiments import LINES, PERTURBED, ROUND, SURVIVAL
from nucleate.plots import PALETTE, Picture, fitness_plane, panels, rate_curve, save, two_histograms
from nucleate.theories import Features, Fitness, LinearSVM

_BINS = 8
_LINES = 8  # embeddings, as in the paper; more would not be told apart


def figure_6(evidence: Evidence, folder: Path) -> Picture:
    found = readings.rates(evidence.record(SURVIVAL))
    figure, (left, middle, right) = panels(1, 3)
    for number, (signal, rate) in enumerate(zip(found.signal, found.rate, strict=True)):
        left.scatter(signal, rate, s=16, alpha=0.7, lw=0, color=PALETTE[number % len(PALETTE)])
    left.set(xlabel="initial signal", ylabel="survival rate")
    measured = pearson(found.signal.ravel(), found.rate.ravel())
    left.set_title(
        f"r = {measured:.2f} as measured, {len(found.rate)} embeddings", fontsize=9.5, weight="normal", pad=6
    )
    record = evidence.record(PERTURBED)
    k = readings.perturbed_frequency(evidence)
    rate_curve(middle, _perturbed(record, k), xlabel=f"signal of k = {k} minus mean of the others")
    rate_curve(right, _constructed(evidence), xlabel="ratio r of the two signals")
    return Picture(
        save(figure, folder / "figure_6.png"),
        "Fig. 6: the stronger start survives",
        "Left: survival rate of every frequency of several embeddings (colours) over decoders and splits; claim 4 "
        "allows for the noise of these rates. Middle: one frequency made stronger or weaker. Right: two constructed "
        "ones. Bands: 95 %.",
    )


def _perturbed(record: xr.Dataset, k: int) -> dict:
    """Survival by deviation, for each embedding; for all together where each has but a few networks."""
    found, seeds = readings.perturbations(record, k), record.seed_embedding.values
    where = np.unique(seeds)
    if len(where) > _LINES:
        return {f"{len(where)} embeddings": _binned(found.deviation, found.lived)}
    return {
        f"embedding {number}": _counted(found.deviation[seeds == seed], found.lived[seeds == seed])
        for number, seed in enumerate(where, start=1)
    }


def _counted(x: np.ndarray, hits: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """(x, hits, trials) of every distinct x; equal to within rounding counts as equal."""
    where, group = np.unique(x.round(3), return_inverse=True)
    return where, np.bincount(group, hits), np.bincount(group)


def _constructed(evidence: Evidence) -> dict:
    groups = {}
    for name, shape in ((LINES, "line"), (ROUND, "circle")):
        found = readings.contest(evidence.record(name))
        groups[f"larger {shape}"] = _counted(found.ratio, found.larger)
        groups[f"smaller {shape}"] = _counted(found.ratio, found.smaller)
    return groups


def figure_7(evidence: Evidence, folder: Path) -> Picture:
    record = evidence.record(SURVIVAL)
    lived, slope = readings.final_alive(record), readings.gradients(record, 4)
    figure, (left, middle, right) = panels(1, 3)
    two_histograms(left, slope.ravel(), lived.ravel(), xlabel="relative gradient at step 4")
    rate_curve(
        middle,
        {f"step {at}": _binned(readings.gradients(record, at).ravel(), lived.ravel()) for at in (1, 2, 3, 4)},
        xlabel="relative gradient",
    )
    fit = Fitness(LinearSVM(), Features(standardize=True), readings.RULE).fit(record)
    separable = np.isfinite(fit.intercept)  # not if all share one fate
    slopes = fit.weights
    boundary = (float(slopes[0]), float(slopes[1]), float(fit.intercept)) if separable else None
    start = record.signal.values[:, 0]
    fitness_plane(right, start.ravel(), slope.ravel(), lived.ravel(), boundary=boundary)
    return Picture(
        save(figure, folder / "figure_7.png"),
        "Fig. 7: initial gradients and survival",
        "Left: relative change of the signal at step 4, for frequencies that die and those that survive. Middle: "
        "survival rate by gradient, in bins of equal size. Right: gradient and initial signal, with the boundary of a "
        "linear SVM on standardised features.",
    )


def _binned(x: np.ndarray, hits: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """(mean x, hits, trials) of bins of equal size."""
    parts = np.array_split(np.argsort(x), _BINS)
    return (
        np.array([x[part].mean() for part in parts]),
        np.array([hits[part].sum() for part in parts]),
        np.array([len(part) for part in parts]),
    )


def figure_11(evidence: Evidence, folder: Path) -> Picture:
    record = evidence.record(SURVIVAL)
    figure, (left, right) = panels(1, 2)
    dims, p = np.array(readings.NOISE_DIMENSIONS), int(record.p[0])
    noise = evidence.once(readings.noise_circularity)
    left.plot(dims, noise.mean((1, 2)), marker="o", ms=4, label="mean over frequencies")
    left.plot(dims, noise.max(2).mean(1), marker="o", ms=4, label="largest")
    left.plot(dims, (dims + 1) / (dims + p - 1), color="0.5", ls=":", label="$(d + 1)/(d + p − 1)$")
    left.set(xlabel="embedding dimension d", ylabel="circularity at the start")
    left.legend()
    of = evidence.once(readings.start_circularity)
    start = np.stack([of[seed] for seed in record.seed_embedding.values.tolist()])
    two_histograms(right, start.ravel(), readings.final_alive(record).ravel(), xlabel="circularity at the start")
    return Picture(
        save(figure, folder / "figure_11.png"),
        "Fig. 11: circularity",
        "Left: of random embeddings, with the value for independent normal numbers (dotted). Right: of frequencies "
        "that die and those that survive.",
    )
