"""Claims 32 to 37: canonical and other configurations in d = 1."""

import numpy as np

from nucleate.claims import Check, Claim, Evidence, Findings, Region, Threshold, bootstrap, spearman
from nucleate.observables import displacement_clusters, is_canonical
from nucleate.papers.repons import readings
from nucleate.papers.repons.experiments import LINE, SMALL
from nucleate.papers.repons.ledger import estimates
from nucleate.papers.repons.ledger.estimates import where_fitted

_BINS = np.array([0.0, 0.2, 0.4, 0.6, 0.8, 1.0])
_FEWEST = 10  # networks in a bin, for its share to count
_RESAMPLES = 500  # of thousands of ranks, which are slow; the interval of so many networks is narrow
_CLUSTERS = 18  # differences that two sums of 0 to 9 can have

CANONICAL = Check("share of canonical configurations", "some, not all", Region.between(0.05, 0.95))

FALL = Check(
    "largest fall of the canonical share from one bin of the in-well fraction to the next",
    "none",
    Region.at_most(0.05),
)
AT_THE_END = Check("rank correlation of in-well fraction and being canonical", "positive", Region.above(0))
AT_THE_START = Check("the same, for the in-well fraction at the start", "positive", Region.above(0))

QUADRATIC = Check("share of simulations that end canonical", "all", Region.at_least(0.95))
SMALL_START = Check("share of canonical configurations from the small start", "all", Region.at_least(0.95))

CLUSTERS = Check(
    "median number of clusters in canonical networks", "18", Region.around(_CLUSTERS, 0.5), Threshold.PAPER
)
OTHERS = Check("share of the others that have 18 clusters", "none", Region.at_most(0.05))

LESS_ENERGY = Check(
    "probability that a canonical network has less energy than another", "well above one half", Region.above(0.5)
)


def _mix(evidence: Evidence) -> Findings:
    record = readings.networks(evidence, LINE)
    hits = is_canonical(readings.final_embedding(record))
    return Findings(
        {CANONICAL: estimates.share_of(hits)},
        f"{len(hits)} networks; {int((record.accuracy.values[:, -1] == 1).sum())} of them answer every pair correctly "
        f"at the end. At the start {int(is_canonical(readings.first_embedding(record)).sum())} are canonical.",
    )


def bin_shares(inside: np.ndarray, canonical: np.ndarray) -> np.ndarray:
    """Share of canonical networks per bin of the in-well fraction; NaN for a bin with too few networks."""
    which = np.clip(np.digitize(inside, _BINS) - 1, 0, len(_BINS) - 2)
    count = np.bincount(which, minlength=len(_BINS) - 1)
    hits = np.bincount(which, weights=canonical, minlength=len(_BINS) - 1)
    return np.where(count >= _FEWEST, hits / np.maximum(count, 1), np.nan)


def _largest_fall(inside: np.ndarray, canonical: np.ndarray) -> float:
    known = bin_shares(inside, canonical)
    known = known[np.isfinite(known)]
    return 0.0 - float(np.min(np.diff(known))) if len(known) > 1 else float("nan")


@where_fitted(FALL, AT_THE_END, AT_THE_START)
def _rises(evidence: Evidence) -> Findings:
    start, end = evidence.once(readings.line_wells)
    canonical = is_canonical(readings.final_embedding(readings.networks(evidence, LINE)))
    told = ", ".join(
        f"{low:.1f}–{high:.1f}: {value:.2f}" if np.isfinite(value) else f"{low:.1f}–{high:.1f}: –"
        for low, high, value in zip(_BINS[:-1], _BINS[1:], bin_shares(end, canonical), strict=True)
    )
    return Findings(
        {
            FALL: bootstrap(_largest_fall, end, canonical, bounds=(0, 1)),
            AT_THE_END: bootstrap(spearman, end, canonical, bounds=(0, 1), resamples=_RESAMPLES),
            AT_THE_START: bootstrap(spearman, start, canonical, bounds=(0, 1), resamples=_RESAMPLES),
        },
        f"Well: |r| ≤ {evidence.once(readings.line_potentials).well:.2f}. Share of canonical networks by in-well "
        f"fraction at the end: {told}. At the end this is nearly a tautology, because the displacements of a canonical "
        "network are small; the fraction at the start is not.",
    )


@where_fitted(QUADRATIC)
def _quadratic(evidence: Evidence) -> Findings:
    ends = evidence.once(readings.quadratic_ends)
    if ends is None:
        return Findings.none((QUADRATIC,), "The fitted potential is quadratic nowhere around 0.")
    lost = int((~np.isfinite(ends).all(axis=(1, 2))).sum())
    before = int(is_canonical(evidence.once(readings.line_ends)).sum())
    return Findings(
        {QUADRATIC: estimates.share_of(is_canonical(ends))},
        f"{len(ends)} starts of held-out runs, simulated for as long as the networks trained; {lost} flows ran away. "
        f"With the fitted potential {before} end canonical.",
    )


def _small(evidence: Evidence) -> Findings:
    record = readings.networks(evidence, SMALL)
    scales = ", ".join(f"{scale:g}" for scale in np.unique(record.init_scale.values))
    return Findings(
        {SMALL_START: estimates.share_of(is_canonical(readings.final_embedding(record)))},
        f"{record.sizes['member']} networks whose embeddings start with standard deviation {scales or '–'}, otherwise "
        "the same.",
    )


def _clusters(evidence: Evidence) -> Findings:
    record = readings.networks(evidence, LINE)
    ends = readings.final_embedding(record)
    canonical = is_canonical(ends)
    _, different = readings.displacement_maps(record)
    count = displacement_clusters(ends, different)
    ordered, other = count[canonical], count[~canonical]
    return Findings(
        {CLUSTERS: bootstrap(np.median, ordered), OTHERS: estimates.share_of(other == _CLUSTERS)},
        f"{len(ordered)} canonical networks, of which {int((ordered == _CLUSTERS).sum())} have exactly {_CLUSTERS}; "
        f"the median of the others is {f'{np.median(other):.0f}' if len(other) else '–'}. A new cluster begins where "
        "the next |displacement| is larger by more than a quarter of the mean token spacing.",
    )


@where_fitted(LESS_ENERGY)
def _energy(evidence: Evidence) -> Findings:
    energy = evidence.once(readings.line_energies)
    canonical = is_canonical(readings.final_embedding(readings.line_parts(evidence).tested))
    low, high = energy[canonical], energy[~canonical]
    below = lambda one, other: float(np.mean(one[:, None] < other))
    average = lambda values: f"{values.mean():.4g}" if len(values) else "–"
    return Findings(
        {LESS_ENERGY: bootstrap(below, low, high, apart=True)},
        f"{len(low)} canonical and {len(high)} other held-out networks; U of the best potential where they end is "
        f"{average(low)} and {average(high)} on average.",
    )


CLAIMS = (
    Claim(
        "repons/32",
        "Fig. 1c, d",
        "There are canonical and several non-canonical final configurations.",
        (CANONICAL,),
        _mix,
        (LINE,),
        quote="There is a (c) “canonical” ground state as well as several (d) “non-canonical” metastable states.",
    ),
    Claim(
        "repons/33",
        "App. A, Fig. 1e",
        "The frequency of canonical configurations rises monotonically with the fraction of same-label pairs in the "
        "well.",
        (FALL, AT_THE_END, AT_THE_START),
        _rises,
        (LINE,),
        quote="the cumulative frequency of canonical configurations rises monotonically with the fraction of "
        "same-label repos situated within the quadratic, f_r",
    ),
    Claim(
        "repons/34",
        "App. A",
        "With the attractive potential replaced by its quadratic fit, all simulations end canonical.",
        (QUADRATIC,),
        _quadratic,
        (LINE,),
        quote="if we intervene on the potential, and replace it with the fit of its quadratic region, all simulations "
        "yield a canonical configuration",
    ),
    Claim(
        "repons/35",
        "App. A",
        "With initial embeddings ten times smaller, networks learn only canonical configurations.",
        (SMALL_START,),
        _small,
        (SMALL,),
        quote="by decreasing the initialization scale of the repos by an order of magnitude, the network learns only "
        "canonical configurations",
    ),
    Claim(
        "repons/36",
        "App. A, Fig. 1b",
        "Displacements of different-label pairs form 18 clusters in canonical configurations, and none in others.",
        (CLUSTERS, OTHERS),
        _clusters,
        (LINE,),
        quote="Different-label repon pairs form 18 different clusters … The different-label repon pairs for "
        "non-canonical configurations (plotted in green) are more chaotic, without any apparent pattern.",
    ),
    Claim(
        "repons/37",
        "App. A",
        "Canonical configurations have lower energy.",
        (LESS_ENERGY,),
        _energy,
        (LINE,),
        quote="The two canonical configurations … represent the global minimum of the system. … Configurations with "
        "values of f_r closer to 1 have lower energy",
    ),
)
