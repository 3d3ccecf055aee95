"""Claims 32 to 37: canonical and other configurations in d = 1."""

import numpy as np

from nucleate.claims import Check, Claim, Estimate, Evidence, Findings, Region, bootstrap, share, spearman
from nucleate.observables import displacement_clusters, in_well_fraction, is_canonical
from nucleate.papers.repons import potentials, readings

_BINS = np.array([0.0, 0.2, 0.4, 0.6, 0.8, 1.0])
_FEWEST = 10  # networks in a bin, for its share to be looked at
_CLUSTERS = 18  # differences that two sums of 0 to 9 can have


def rows(evidence: Evidence, kind: str) -> np.ndarray:
    """A row r_i + r_j − r_k − r_l for each two pairs that share a label (`same`) or do not (`different`)."""
    return np.asarray(getattr(evidence.once(potentials.line).best.terms, kind).maps)[:, 0]


def _mix(evidence: Evidence) -> Findings:
    record = readings.whole(evidence.record(readings.LINE))
    hits = is_canonical(readings.final(record))
    return Findings(
        {"share of canonical configurations": share(int(hits.sum()), len(hits))},
        f"{len(hits)} networks; {int((record.accuracy.values[:, -1] == 1).sum())} of them answer every pair at the "
        f"end. At the start {int(is_canonical(readings.first(record)).sum())} are canonical.",
    )


def bin_shares(inside: np.ndarray, canonical: np.ndarray) -> np.ndarray:
    """Share of canonical networks for each bin of the in-well fraction; NaN for a bin with too few."""
    which = np.clip(np.digitize(inside, _BINS) - 1, 0, len(_BINS) - 2)
    count = np.bincount(which, minlength=len(_BINS) - 1)
    hits = np.bincount(which, weights=canonical, minlength=len(_BINS) - 1)
    return np.where(count >= _FEWEST, hits / np.maximum(count, 1), np.nan)


def _largest_fall(inside: np.ndarray, canonical: np.ndarray) -> float:
    known = bin_shares(inside, canonical)
    known = known[np.isfinite(known)]
    return 0.0 - float(np.min(np.diff(known))) if len(known) > 1 else float("nan")


def wells(evidence: Evidence) -> tuple[np.ndarray, np.ndarray]:
    """Share of same-label pairs within the quadratic region, of each network at its start and at its end."""
    record = readings.whole(evidence.record(readings.LINE))
    radius, same = evidence.once(potentials.line).well, rows(evidence, "same")
    return tuple(in_well_fraction(at(record), same, radius) for at in (readings.first, readings.final))  # type: ignore


def _rises(evidence: Evidence) -> Findings:
    record = readings.whole(evidence.record(readings.LINE))
    canonical = is_canonical(readings.final(record))
    start, end = wells(evidence)
    told = ", ".join(
        f"{low:.1f}–{high:.1f}: {value:.2f}" if np.isfinite(value) else f"{low:.1f}–{high:.1f}: –"
        for low, high, value in zip(_BINS[:-1], _BINS[1:], bin_shares(end, canonical), strict=True)
    )
    return Findings(
        {
            "largest fall of the canonical share from one bin of the in-well fraction to the next": bootstrap(
                _largest_fall, end, canonical
            ),
            "rank correlation of in-well fraction and being canonical": bootstrap(spearman, end, canonical),
            "the same, for the in-well fraction at the start": bootstrap(spearman, start, canonical),
        },
        f"Well: |r| ≤ {evidence.once(potentials.line).well:.2f}. Share of canonical networks by in-well fraction at "
        f"the end: {told}. At the end this is nearly a tautology, for the displacements of a canonical network are "
        "small; the fraction at the start is not.",
    )


def _quadratic(evidence: Evidence) -> Findings:
    label = "share of simulations that end canonical"
    ends, before = evidence.once(potentials.quadratic_ends), evidence.once(potentials.line_ends)
    if ends is None:
        return Findings({label: Estimate.unknown()}, "The fitted potential is quadratic nowhere around 0.")
    hits, known = is_canonical(ends), np.isfinite(ends).all(axis=(1, 2))
    return Findings(
        {label: share(int(hits.sum()), len(hits))},
        f"{len(hits)} starts of held-out runs, for as long as the networks trained; {int((~known).sum())} flows ran "
        f"away. With the fitted potential {int(is_canonical(before).sum())} end canonical.",
    )


def _small(evidence: Evidence) -> Findings:
    record = readings.whole(evidence.record(readings.SMALL))
    hits = is_canonical(readings.final(record))
    scale = float(record.init_scale[0])
    return Findings(
        {"share of canonical configurations from the small start": share(int(hits.sum()), len(hits))},
        f"{len(hits)} networks that start N(0, {scale:g}²), otherwise the same.",
    )


def _clusters(evidence: Evidence) -> Findings:
    record = readings.whole(evidence.record(readings.LINE))
    ends = readings.final(record)
    canonical = is_canonical(ends)
    count = displacement_clusters(ends, rows(evidence, "different"))
    other = count[~canonical]
    return Findings(
        {
            "median number of clusters in canonical networks": bootstrap(np.median, count[canonical]),
            "share of the others that have 18 clusters": share(int((other == _CLUSTERS).sum()), len(other)),
        },
        f"{int(canonical.sum())} canonical networks, of which {int((count[canonical] == _CLUSTERS).sum())} have "
        f"exactly {_CLUSTERS}; the others have {f'{np.median(other):.0f}' if len(other) else '–'} on the median. "
        "A new cluster begins where the next |displacement| is more than a quarter of the mean token spacing larger.",
    )


def _energy(evidence: Evidence) -> Findings:
    tested = evidence.once(potentials.line_parts).tested
    ends = readings.final(tested)
    energy, canonical = evidence.once(potentials.line).best.energy(ends), is_canonical(ends)
    below = lambda low, high: float(np.mean(low[:, None] < high))
    return Findings(
        {
            "probability that a canonical network has less energy than another": bootstrap(
                below, energy[canonical], energy[~canonical], apart=True
            )
        },
        f"{int(canonical.sum())} canonical and {int((~canonical).sum())} other held-out networks; U of the best "
        f"potential at their ends, on average {energy[canonical].mean():.4g} and {energy[~canonical].mean():.4g}.",
    )


CLAIMS = (
    Claim(
        "repons/32",
        "Fig. 1c, d",
        "There are canonical and several non-canonical final configurations.",
        (Check("share of canonical configurations", "some, not all", Region(0.05, 0.95)),),
        _mix,
        (readings.LINE,),
    ),
    Claim(
        "repons/33",
        "App. A, Fig. 1e",
        "The frequency of canonical configurations rises monotonically with the fraction of same-label pairs in the "
        "well.",
        (
            Check(
                "largest fall of the canonical share from one bin of the in-well fraction to the next",
                "none",
                Region(high=0.05),
            ),
            Check("rank correlation of in-well fraction and being canonical", "positive", Region(1e-9, 1)),
            Check("the same, for the in-well fraction at the start", "positive", Region(1e-9, 1)),
        ),
        _rises,
        (readings.LINE,),
    ),
    Claim(
        "repons/34",
        "App. A",
        "With the attractive potential replaced by its quadratic fit, all simulations end canonical.",
        (Check("share of simulations that end canonical", "all", Region(0.95, 1)),),
        _quadratic,
        (readings.LINE,),
    ),
    Claim(
        "repons/35",
        "App. A",
        "With initial embeddings ten times smaller, networks learn only canonical configurations.",
        (Check("share of canonical configurations from the small start", "all", Region(0.95, 1)),),
        _small,
        (readings.SMALL,),
    ),
    Claim(
        "repons/36",
        "App. A, Fig. 1b",
        "Displacements of different-label pairs form 18 clusters in canonical configurations, and none in others.",
        (
            Check("median number of clusters in canonical networks", "18", Region.around(18, 0.5)),
            Check("share of the others that have 18 clusters", "none", Region(0, 0.05)),
        ),
        _clusters,
        (readings.LINE,),
    ),
    Claim(
        "repons/37",
        "App. A",
        "Canonical configurations have lower energy.",
        (
            Check(
                "probability that a canonical network has less energy than another",
                "well above one half",
                Region(0.5 + 1e-9, 1),
            ),
        ),
        _energy,
        (readings.LINE,),
    ),
)
