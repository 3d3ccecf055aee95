"""Claims 3, 20 and 24: planes, circularity and gradients of the embedding."""

import numpy as np

from nucleate.claims import (
    Check,
    Claim,
    Estimate,
    Evidence,
    Findings,
    Reason,
    Region,
    Steps,
    Threshold,
    bootstrap,
    pearson,
    ratio,
    spearman,
)
from nucleate.observables import pca_frequencies, spacing
from nucleate.papers.circles import readings
from nucleate.papers.circles.experiments import COMPETITION, SURVIVAL
from nucleate.record import stayed_finite

_AFTER = 1000  # steps; Fig. 13: the gradient is small from here on

_SETTLED = Steps(2000, COMPETITION)  # from here on nine networks of ten no longer change their survivors

HELD = Check("share of survivors that one principal plane holds", "all", Region.at_least(0.8), mature=_SETTLED)
SPACED = Check(
    "share of principal planes in which neighbours differ by Δ = 1/k of a survivor",
    "all",
    Region.at_least(0.8),
    mature=_SETTLED,
)
ROUNDER = Check("rank correlation of d and mean circularity", "positive", Region.above(0))
NO_EFFECT = Check("correlation of initial circularity and survival rate", "none", Region.between(-0.3, 0.3))
PEAK = Check(
    "median step of the largest embedding gradient",
    "about 100",
    Region.between(50, 200),
    Threshold.PAPER,
    mature=Steps(_AFTER, COMPETITION),
)
NEGLIGIBLE = Check(f"typical gradient after {_AFTER:,} steps over the largest", "near 0", Region.at_most(0.05))


def _principal(evidence: Evidence) -> Findings:
    record = evidence.record(COMPETITION)
    lived, p = readings.final_alive(record), int(record.p[0])
    held_by_survivor, spaced, shares = [], [], []
    for member in np.flatnonzero(lived.any(1)).tolist():
        embedding, alive = readings.final_embedding(record, member), np.flatnonzero(lived[member]) + 1
        held, share = map(np.asarray, pca_frequencies(embedding, len(alive)))
        expected = {min(d, p - d) for d in (spacing(int(k), p) for k in alive)}
        found = [readings.neighbours(points) for points in readings.principal_planes(embedding, len(alive))]
        held_by_survivor.append(np.mean([np.sum(held == k) == 1 for k in alive]))
        spaced.append(np.mean([d in expected for d in found]))
        shares.append(share.mean())
    return Findings(
        {
            HELD: bootstrap(np.mean, np.array(held_by_survivor), bounds=(0, 1)),
            SPACED: bootstrap(np.mean, np.array(spaced), bounds=(0, 1)),
        },
        f"{len(spaced)} networks, with as many principal planes as survivors in each. On average "
        f"{readings.told(readings.mean(shares), '.0%')} of the variance in a principal plane belongs to one frequency.",
    )


def _circularity(evidence: Evidence) -> Findings:
    noise = evidence.once(readings.noise_circularity).mean(2)
    dims = np.array(readings.NOISE_DIMENSIONS)
    p = int(evidence.record(SURVIVAL).p[0])
    expected = ", ".join(
        f"{dim}: {found:.3f} ({(dim + 1) / (dim + p - 1):.3f})"
        for dim, found in zip(dims.tolist(), noise.mean(1), strict=True)
    )
    return Findings(
        {
            ROUNDER: bootstrap(spearman, np.repeat(dims, noise.shape[1]), noise.ravel()),
            NO_EFFECT: _effect_of_circularity(evidence),
        },
        "Mean circularity for each d, with (d + 1)/(d + p − 1), the value for independent N(0, 1) numbers, in "
        f"brackets: {expected}. Circles, ellipses and lines all have circularity 1.",
    )


def _effect_of_circularity(evidence: Evidence) -> Estimate:
    found = readings.rates(evidence.record(SURVIVAL))
    if not len(found.seed):
        return Estimate.unknown(Reason.TOO_EARLY)
    start = evidence.once(readings.start_circularity)
    circular = np.stack([start[seed] for seed in found.seed.tolist()])
    return bootstrap(lambda c, r: pearson(c.ravel(), r.ravel()), circular, found.rate)


def _gradient(evidence: Evidence) -> Findings:
    record = stayed_finite(evidence.record(COMPETITION))
    if not record.sizes["member"]:
        return Findings.none((PEAK, NEGLIGIBLE), "No network stayed finite.")
    size, step = np.linalg.norm(record.gradient_spectrum.values, axis=-1), record.step.values
    peak, after = step[np.argmax(size, axis=1)], step > _AFTER
    if after.any():
        typical, largest = np.median(size[:, after], axis=1), size.max(1)
        later = bootstrap(
            np.median, np.array([ratio(*pair) for pair in zip(typical.tolist(), largest.tolist(), strict=True)])
        )
    else:
        later = Estimate.unknown(Reason.TOO_EARLY)
    return Findings(
        {PEAK: bootstrap(np.median, peak), NEGLIGIBLE: later},
        f"{len(peak)} networks, recorded every {np.diff(step).min()} steps up to {int(record.steps)}. The largest "
        f"gradient came between steps {peak.min()} and {peak.max()}.",
    )


CLAIMS = (
    Claim(
        "circles/3",
        "Fig. 3",
        "Principal planes correspond to Fourier planes, with neighbours Δ = k⁻¹ mod p apart.",
        (HELD, SPACED),
        _principal,
        (COMPETITION,),
        quote="The Δ between adjacent tokens shows a correspondence between PCA and FFT. This indicates that PCA is a "
        "loose approximation of circles associated with Fourier frequencies.",
    ),
    Claim(
        "circles/20",
        "App. B, Fig. 11",
        "Initial circularity rises with d, and has no clear effect on survival.",
        (ROUNDER, NO_EFFECT),
        _circularity,
        (SURVIVAL,),
        quote="Indeed, circularity increases as dimensionality increases … However, the evidence shown in Figure "
        "11(Right) is inconclusive as to whether larger initial circularity implies a better chance of survival.",
    ),
    Claim(
        "circles/24",
        "App. D, Fig. 13",
        "The embedding's gradient peaks at about step 100 and is negligible after 1,000.",
        (PEAK, NEGLIGIBLE),
        _gradient,
        (COMPETITION,),
        quote="The Fourier gradient spikes around 100 steps and quickly diminishes to near zero after 1000 steps.",
    ),
)
