"""Claims 3 and 20: planes and circularity of the embedding."""

import numpy as np

from nucleate.claims import (
    Check,
    Claim,
    Estimate,
    Evidence,
    Findings,
    Reason,
    Revision,
    Steps,
    bootstrap,
    partial_spearman,
    pearson,
    spearman,
    words,
)
from nucleate.observables import pca_frequencies, spacing
from nucleate.papers.circles import readings
from nucleate.papers.circles.experiments import COMPETITION, SURVIVAL
from nucleate.papers.circles.ledger.maturity import RATES

_SETTLED = Steps(RATES, COMPETITION)

HELD = Check(
    "share of survivors that one principal plane holds, as a skill over chance",
    "a loose approximation",
    words.QUALITATIVELY,
    mature=_SETTLED,
)
SPACED = Check(
    "share of principal planes in which neighbours differ by Δ = 1/k of a survivor, as a skill over chance",
    "a correspondence",
    words.QUALITATIVELY,
    mature=_SETTLED,
)
ROUNDER = Check("rank correlation of d and mean circularity", "increases", words.POSITIVE)
# The paper calls its own evidence inconclusive, which better evidence neither confirms nor refutes.
EFFECT = Check(
    "rank correlation of initial circularity and survival rate, given the initial signal", "inconclusive", None
)


def _principal(evidence: Evidence) -> Findings:
    record = evidence.record(COMPETITION)
    lived, p = readings.final_alive(record), int(record.p[0])
    held, spaced, shares = [], [], []
    for member in np.flatnonzero(lived.any(1)).tolist():
        embedding, alive = readings.final_embedding(record, member), np.flatnonzero(lived[member]) + 1
        frequencies, share = map(np.asarray, pca_frequencies(embedding, len(alive)))
        expected = {min(d, p - d) for d in (spacing(int(k), p) for k in alive)}
        found = [readings.neighbours(points) for points in readings.principal_planes(embedding, len(alive))]
        of = (p - 1) // 2  # frequencies, and differences between neighbours, that chance could choose from
        chance = len(alive) / of * (1 - 1 / of) ** (len(alive) - 1)
        held.append((np.mean([np.sum(frequencies == k) == 1 for k in alive]), chance))
        spaced.append((np.mean([d in expected for d in found]), len(expected) / of))
        shares.append(share.mean())
    told = lambda pairs, column: readings.told(readings.mean([pair[column] for pair in pairs]), ".0%")
    return Findings(
        {HELD: _skill(held), SPACED: _skill(spaced)},
        f"{len(spaced)} networks, with as many principal planes as survivors in each. {told(held, 0)} of the survivors "
        f"are held by one plane (by chance {told(held, 1)}), and {told(spaced, 0)} of the planes have the Δ of a "
        f"survivor ({told(spaced, 1)}). On average {readings.told(readings.mean(shares), '.0%')} of the variance in a "
        "principal plane belongs to one frequency.",
    )


def _skill(pairs: list[tuple[float, float]]) -> Estimate:
    """(share − chance) / (1 − chance), on average over networks."""
    found, chance = np.array(pairs).reshape(-1, 2).T
    return bootstrap(np.mean, (found - chance) / (1 - chance), bounds=(-1, 1))


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
            EFFECT: _effect_of_circularity(evidence),
        },
        "Mean circularity for each d, with (d + 1)/(d + p − 1), the value for independent N(0, 1) numbers, in "
        f"brackets: {expected}. Circles, ellipses and lines all have circularity 1.{_without_partialling(evidence)}",
    )


def _survival(evidence: Evidence) -> tuple[np.ndarray, np.ndarray, np.ndarray] | None:
    """Circularity, survival rate and initial signal, [embedding, freq]; None if nothing stands out."""
    found = readings.rates(evidence.record(SURVIVAL))
    if not len(found.seed):
        return None
    start = evidence.once(readings.start_circularity)
    return np.stack([start[seed] for seed in found.seed.tolist()]), found.rate, found.signal


def _effect_of_circularity(evidence: Evidence) -> Estimate:
    found = _survival(evidence)
    if found is None:
        return Estimate.unknown(Reason.TOO_EARLY)
    return bootstrap(lambda c, r, s: partial_spearman(c.ravel(), r.ravel(), s.ravel()), *found, resamples=500)


def _without_partialling(evidence: Evidence) -> str:
    found = _survival(evidence)
    if found is None:
        return ""
    circular, rate, signal = (part.ravel() for part in found)
    return (
        f" The correlation of circularity and survival rate is {readings.told(pearson(circular, rate), '.2f')} before "
        "the initial signal is taken out; circularity and initial signal correlate at "
        f"{readings.told(pearson(circular, signal), '.2f')}."
    )


CLAIMS = (
    Claim(
        "circles/3",
        "Fig. 3",
        "Principal planes correspond loosely to Fourier planes, with neighbours Δ = k⁻¹ mod p apart.",
        (HELD, SPACED),
        _principal,
        (COMPETITION,),
        quote="The Δ between adjacent tokens shows a correspondence between PCA and FFT. This indicates that PCA is a "
        "loose approximation of circles associated with Fourier frequencies.",
        history=(
            Revision(
                "One principal plane holds at least 0.8 of the survivors, and neighbours differ by the Δ of a survivor "
                "in at least 0.8 of the planes.",
                "inconclusive",
                "the paper calls PCA a loose approximation; 0.8 was a number of ours, and chance was not asked.",
            ),
        ),
    ),
    Claim(
        "circles/20",
        "App. B, Fig. 11",
        "Initial circularity rises with d. Whether it helps a frequency to survive is left open.",
        (ROUNDER, EFFECT),
        _circularity,
        (SURVIVAL,),
        quote="Indeed, circularity increases as dimensionality increases … However, the evidence shown in Figure "
        "11(Right) is inconclusive as to whether larger initial circularity implies a better chance of survival.",
        history=(
            Revision(
                "The same, and the correlation of initial circularity and survival rate, over five embeddings, between "
                "−0.3 and 0.3.",
                "inconclusive",
                "evidence that the paper calls inconclusive is no claim that there is no effect, and 0.3 was a number "
                "of ours; the correlation is shown, without the part that the initial signal explains.",
            ),
        ),
    ),
)
