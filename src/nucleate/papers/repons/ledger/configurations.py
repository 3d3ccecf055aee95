"""Claims 32 to 37: canonical and other configurations in d = 1."""

import numpy as np

from nucleate.claims import Check, Claim, Evidence, Findings, Region, Revision, Threshold, bootstrap, spearman, words
from nucleate.observables import displacement_clusters, displacement_purity, in_well_fraction, is_canonical
from nucleate.papers.repons import readings
from nucleate.papers.repons.experiments import LINE, SMALL
from nucleate.papers.repons.ledger import estimates
from nucleate.papers.repons.ledger.estimates import where_fitted
from nucleate.papers.repons.ledger.maturity import SETTLED, SMALL_SETTLED

_BINS = np.array([0.0, 0.2, 0.4, 0.6, 0.8, 1.0])
_FEWEST = 0.02  # of all networks in a bin, for its share to count
_RESAMPLES = 500  # of thousands of ranks, which are slow; the interval of so many networks is narrow
_CLUSTERS = 18  # differences that two sums of 0 to 9 can have

CANONICAL = Check("share of canonical configurations", "some, not all", None)

FALL = Check(
    "largest fall of the canonical share from one bin of the in-well fraction to the next",
    "none",
    words.NONE,
    mature=SETTLED,
)
AT_THE_END = Check(
    "rank correlation of in-well fraction and being canonical", "positive", words.POSITIVE, mature=SETTLED
)
AT_THE_START = Check("the same, for the in-well fraction at the start", "not said", None)

QUADRATIC = Check("share of simulations that end canonical", "all", words.NEARLY_ALL, mature=SETTLED)
SMALL_START = Check(
    "share of canonical configurations from the small start", "all", words.NEARLY_ALL, mature=SMALL_SETTLED
)

CLUSTERS = Check(
    "median number of clusters in canonical networks",
    "18",
    Region.around(_CLUSTERS, 0.5),
    Threshold.PAPER,
    mature=SETTLED,
)
PURE = Check(
    "share of displacements in the cluster of their label difference, median of canonical networks",
    "all",
    words.NEARLY_ALL,
    mature=SETTLED,
)
CHAOTIC = Check("the same of the others, minus that of canonical networks", "below 0", words.NEGATIVE, mature=SETTLED)
PATTERN = Check("share of the others in which it is nearly all", "none", words.NONE, mature=SETTLED)

LESS_ENERGY = Check(
    "probability that a canonical network has less energy than another",
    "more than one half",
    words.MOST,
    mature=SETTLED,
)
DEEPER = Check("rank correlation of in-well fraction and energy", "negative", words.NEGATIVE, mature=SETTLED)


def _mix(evidence: Evidence) -> Findings:
    record = readings.networks(evidence, LINE)
    hits = is_canonical(readings.final_embedding(record))
    return Findings(
        {CANONICAL: estimates.share_of(hits)},
        f"{len(hits)} networks; {int((record.accuracy.values[:, -1] == 1).sum())} of them answer every pair correctly "
        f"at the end. At the start {int(is_canonical(readings.first_embedding(record)).sum())} are canonical.",
    )


def bin_shares(inside: np.ndarray, canonical: np.ndarray) -> np.ndarray:
    """Share of canonical networks per bin of the in-well fraction; NaN for a bin with too few of the networks."""
    which = np.clip(np.digitize(inside, _BINS) - 1, 0, len(_BINS) - 2)
    count = np.bincount(which, minlength=len(_BINS) - 1)
    hits = np.bincount(which, weights=canonical, minlength=len(_BINS) - 1)
    return np.where(count >= max(_FEWEST * len(inside), 1), hits / np.maximum(count, 1), np.nan)


def largest_fall(inside: np.ndarray, canonical: np.ndarray) -> float:
    """The largest fall of that share from one bin to the next; below 0 if it always rises, NaN for a single bin."""
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
            FALL: bootstrap(largest_fall, end, canonical, bounds=(0, 1)),
            AT_THE_END: bootstrap(spearman, end, canonical, bounds=(0, 1), resamples=_RESAMPLES),
            AT_THE_START: bootstrap(spearman, start, canonical, bounds=(0, 1), resamples=_RESAMPLES),
        },
        f"Well: |r| ≤ {evidence.once(readings.line_potentials).well:.2f}. Share of canonical networks by in-well "
        f"fraction at the end: {told}. At the end this is nearly a tautology, because the displacements of a canonical "
        "network are small; the fraction at the start is not.",
    )


@where_fitted(QUADRATIC)
def _quadratic(evidence: Evidence) -> Findings:
    flows = evidence.once(readings.quadratic_flows)
    if flows is None:
        return Findings.none((QUADRATIC,), "The fitted potential is quadratic nowhere around 0.")
    before = int(is_canonical(evidence.once(readings.line_flows).ends).sum())
    return Findings(
        {QUADRATIC: estimates.share_of_flows(is_canonical(flows.ends), flows)},
        f"{len(flows.ends)} starts of held-out runs, simulated for as long as the networks trained: "
        f"{estimates.at_rest(flows)}. With the fitted potential {before} end canonical.",
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
    count, pure = displacement_clusters(ends, different), displacement_purity(ends, different)
    ordered, other = pure[canonical], pure[~canonical]
    less = lambda one, another: float(np.median(one) - np.median(another))
    told = lambda values: f"{np.median(values):.2f}" if len(values) else "–"
    return Findings(
        {
            CLUSTERS: bootstrap(np.median, count[canonical]),
            PURE: bootstrap(np.median, ordered, bounds=(0, 1)),
            CHAOTIC: bootstrap(less, other, ordered, apart=True, bounds=(0, 1)),
            PATTERN: estimates.share_of(other >= words.NEARLY_ALL.low),
        },
        f"{len(ordered)} canonical networks, of which {int((count[canonical] == _CLUSTERS).sum())} have exactly "
        f"{_CLUSTERS} clusters, and {len(other)} others, of which {int((count[~canonical] == _CLUSTERS).sum())} do. A "
        "new cluster begins where the next |displacement| is larger by more than a quarter of the mean token spacing. "
        f"In canonical networks {told(ordered)} of the displacements (median) are where those with their label "
        f"difference would be if lengths were sorted by it, in the others {told(other)}, by chance 0.10.",
    )


@where_fitted(LESS_ENERGY, DEEPER)
def _energy(evidence: Evidence) -> Findings:
    energy, tested = evidence.once(readings.line_energies), readings.line_parts(evidence).tested
    ends = readings.final_embedding(tested)
    inside = in_well_fraction(ends, readings.displacement_maps(tested)[0], evidence.once(readings.line_potentials).well)
    canonical = is_canonical(ends)
    low, high = energy[canonical], energy[~canonical]
    below = lambda one, other: float(np.mean(one[:, None] < other))
    average = lambda values: f"{values.mean():.4g}" if len(values) else "–"
    return Findings(
        {LESS_ENERGY: bootstrap(below, low, high, apart=True), DEEPER: bootstrap(spearman, inside, energy)},
        f"{len(low)} canonical and {len(high)} other held-out networks; U of the best potential where they end is "
        f"{average(low)} and {average(high)} on average.",
    )


_OURS = "0.95 was made for this paper: “all” has one reading for all papers."

CLAIMS = (
    Claim(
        "repons/32",
        "Fig. 1c, d",
        "There are canonical and several non-canonical final configurations.",
        (CANONICAL,),
        _mix,
        (LINE,),
        quote="There is a (c) “canonical” ground state as well as several (d) “non-canonical” metastable states.",
        history=(
            Revision(
                "The share is between 0.05 and 0.95.",
                "replicated",
                "the hyperparameters were chosen in a pilot so that there is a mix: it is so by our choice.",
            ),
        ),
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
        history=(
            Revision(
                "The largest fall is at most 0.05, and both rank correlations are positive.",
                "replicated",
                "the paper does not speak of the fraction at the start, which is shown, and “none” has one reading for "
                "all papers. In a quick run the interval was [0, 1], because a bin of ten networks counted, and a few "
                "unseen ones could fill it: a bin has 2 % of the networks now.",
            ),
        ),
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
        history=(Revision("The share is at least 0.95.", "replicated", _OURS),),
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
        history=(Revision("The share is at least 0.95.", "replicated", _OURS),),
    ),
    Claim(
        "repons/36",
        "App. A, Fig. 1b",
        "Displacements of different-label pairs form 18 clusters in canonical configurations, one for each difference "
        "of labels, and have no such pattern in others.",
        (CLUSTERS, PURE, CHAOTIC, PATTERN),
        _clusters,
        (LINE,),
        quote="Different-label repon pairs form 18 different clusters, spaced out along the length of the potential, "
        "such that the first cluster contains all repon pairs whose labels differ by 1, the second all pairs whose "
        "labels differ by 2, etc. … The different-label repon pairs for non-canonical configurations (plotted in "
        "green) are more chaotic, without any apparent pattern.",
        history=(
            Revision(
                "The median number of clusters in canonical networks is 18, and at most 0.05 of the others have 18.",
                "replicated",
                "a network without 18 clusters may still have a pattern: it is asked now whether clusters are label "
                "differences.",
            ),
        ),
    ),
    Claim(
        "repons/37",
        "App. A",
        "Canonical configurations have lower energy, and so have those with more same-label pairs in the well.",
        (LESS_ENERGY, DEEPER),
        _energy,
        (LINE,),
        quote="The two canonical configurations … represent the global minimum of the system. … Configurations with "
        "values of f_r closer to 1 have lower energy",
        history=(
            Revision(
                "The probability that a canonical network has less energy than another is above one half.",
                "replicated",
                "the second half of the quotation was not judged.",
            ),
        ),
    ),
)
