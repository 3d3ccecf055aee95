"""Claims 3, 20 and 24: planes, roundness and gradients of the embedding."""

import numpy as np
import xarray as xr

from nucleate.claims import Check, Claim, Evidence, Findings, Region, bootstrap, pearson, spearman
from nucleate.observables import circularity, pca_frequencies, spacing
from nucleate.papers.circles import readings

_DIMENSIONS = (16, 32, 48, 64, 96, 128)
# Fig. 13: the gradient is large at about this step, and small after the second.
_PEAK, _AFTER = Region(50, 200), 1000


def final_embedding(record: xr.Dataset, member: int) -> np.ndarray:
    """The last snapshot of a network's embedding."""
    return record.embedding.values[member, readings.last_row(record, "step_embedding")[member]]


def principal_planes(embedding: np.ndarray, planes: int) -> np.ndarray:
    """Tokens on the leading pairs of principal components, [plane, token, 2]."""
    centred = embedding - embedding.mean(0)
    left, size, _ = np.linalg.svd(centred, full_matrices=False)
    scores = (left * size)[:, : 2 * planes]
    return scores.reshape(len(embedding), planes, 2).swapaxes(0, 1)


def neighbours(points: np.ndarray) -> int:
    """The difference between tokens that are neighbours by angle: the most common one, up to its sign modulo p."""
    p = len(points)
    order = np.argsort(np.arctan2(points[:, 1], points[:, 0]))
    step = np.diff(order, append=order[:1]) % p
    return int(np.bincount(np.minimum(step, p - step)).argmax())


def _principal(evidence: Evidence) -> Findings:
    record = evidence.record(readings.COMPETITION)
    lived, p = readings.final_alive(record), int(record.p[0])
    held_by_survivor, spaced, shares = [], [], []
    for member in np.flatnonzero(lived.any(1)).tolist():
        embedding, alive = final_embedding(record, member), np.flatnonzero(lived[member]) + 1
        held, share = map(np.asarray, pca_frequencies(embedding, len(alive)))
        expected = {min(d, p - d) for d in (spacing(int(k), p) for k in alive)}
        found = [neighbours(points) for points in principal_planes(embedding, len(alive))]
        held_by_survivor.append(np.mean([np.sum(held == k) == 1 for k in alive]))
        spaced.append(np.mean([d in expected for d in found]))
        shares.append(share.mean())
    return Findings(
        {
            "share of survivors that one principal plane holds": bootstrap(np.mean, np.array(held_by_survivor)),
            "share of principal planes in which neighbours differ by Δ = 1/k of a survivor": bootstrap(
                np.mean, np.array(spaced)
            ),
        },
        f"{len(spaced)} networks, as many principal planes as survivors in each. On average {np.mean(shares):.0%} "
        "of the "
        "variance of a principal plane belongs to one frequency.",
    )


def _circularity(evidence: Evidence) -> Findings:
    record = readings.usable(evidence.record(readings.SURVIVAL))
    p = int(record.p[0])
    mean = {dim: readings.noise_circularity(p, dim).mean(1) for dim in _DIMENSIONS}
    seeds = record.seed_embedding.values
    round_ = np.stack([np.asarray(circularity(readings.initial_embedding(record, m))) for m in _firsts(seeds).tolist()])
    rates = readings.rates(record)
    predicted = {dim: (dim + 1) / (dim + p - 1) for dim in _DIMENSIONS}
    return Findings(
        {
            "rank correlation of d and mean circularity": bootstrap(
                spearman, np.repeat(_DIMENSIONS, len(mean[_DIMENSIONS[0]])), np.concatenate(list(mean.values()))
            ),
            "correlation of initial circularity and survival rate": bootstrap(
                lambda c, r: pearson(c.ravel(), r.ravel()), round_, rates.rate
            ),
        },
        "Mean circularity for each d, and (d + 1)/(d + p − 1), which is what independent N(0, 1) numbers give: "
        + ", ".join(f"{dim}: {mean[dim].mean():.3f} ({predicted[dim]:.3f})" for dim in _DIMENSIONS)
        + ". Circles, ellipses and lines all have circularity 1.",
    )


def _firsts(seeds: np.ndarray) -> np.ndarray:
    return np.unique(seeds, return_index=True)[1]


def _gradient(evidence: Evidence) -> Findings:
    record = evidence.record(readings.COMPETITION)
    size = np.linalg.norm(record.gradient_spectrum.values, axis=-1)
    step = record.step.values
    after = step > _AFTER
    peak = step[np.nanargmax(size, axis=1)]
    later = np.nanmedian(size[:, after], axis=1) / np.nanmax(size, axis=1) if after.any() else np.empty(0)
    return Findings(
        {
            "median step of the largest embedding gradient": readings.enough(
                record, _AFTER, bootstrap(np.median, peak)
            ),
            f"typical gradient after {_AFTER:,} steps over the largest": bootstrap(np.median, later),
        },
        f"{len(peak)} networks, looked at every {step[1] - step[0]} steps up to {int(record.steps)}. The largest "
        f"gradient came between steps {peak.min()} and {peak.max()}.",
    )


CLAIMS = (
    Claim(
        "circles/3",
        "Fig. 3",
        "Principal planes correspond to Fourier planes, with neighbours Δ = k⁻¹ mod p apart.",
        (
            Check("share of survivors that one principal plane holds", "all", Region(0.8, 1)),
            Check(
                "share of principal planes in which neighbours differ by Δ = 1/k of a survivor", "all", Region(0.8, 1)
            ),
        ),
        _principal,
        (readings.COMPETITION,),
    ),
    Claim(
        "circles/20",
        "App. B, Fig. 11",
        "Initial circularity rises with d, and has no clear effect on survival.",
        (
            Check("rank correlation of d and mean circularity", "positive", Region(1e-9, 1)),
            Check("correlation of initial circularity and survival rate", "none", Region(-0.3, 0.3)),
        ),
        _circularity,
        (readings.SURVIVAL,),
    ),
    Claim(
        "circles/24",
        "App. D, Fig. 13",
        "The embedding's gradient peaks at about step 100 and is negligible after 1,000.",
        (
            Check("median step of the largest embedding gradient", "about 100", _PEAK),
            Check(f"typical gradient after {_AFTER:,} steps over the largest", "near 0", Region(0, 0.05)),
        ),
        _gradient,
        (readings.COMPETITION,),
    ),
)
