"""Claims 1-4 and 9: what training sets and representations imply. Exact, or by drawing at random; nothing is
trained."""

import jax
import numpy as np

from nucleate.claims import Check, Claim, Estimate, Evidence, Findings, Region, bootstrap, share, spearman
from nucleate.observables import Distance, MeanSquare, known, nullity, rqi
from nucleate.papers.grokking.structure import CRITICAL, TOLERANCE, P, Structure, half_crossing, survey


def _propositions(evidence: Evidence) -> Findings:
    """Proposition 1 on random integer embeddings, whose sums coincide now and then: where some decoder has zero loss
    on the training set, is every parallelogram permissible? Proposition 2 on embeddings that are solved for: random
    injective linear decoders, random targets, zero loss; are same-label training pairs parallelograms?"""
    rng = np.random.default_rng(1)
    structure = Structure(P)
    label = structure.pairs.sum(1)
    same_label = label[:, None] == label[None, :]
    within = anywhere = cases = 0
    for _ in range(evidence.samples):
        embedding = rng.integers(1, 4) * np.arange(P) + rng.integers(0, 2, P) * rng.integers(0, 2)
        in_train = rng.random(len(label)) < rng.uniform(0.1, 0.9)
        sums = embedding[structure.pairs].sum(1)
        forbidden = (sums[:, None] == sums[None, :]) & ~same_label
        if _least_loss(sums[in_train], label[in_train]) > 0:
            continue
        cases += 1
        within += bool(forbidden[np.ix_(in_train, in_train)].any())
        anywhere += bool(forbidden.any())
    residuals = [_parallelogram_residual(structure, rng) for _ in range(min(evidence.samples, 500))]
    note = (
        f"{cases} embeddings with zero training loss. As proven, no parallelogram among training pairs is "
        f"impermissible ({within} cases). As printed, for any parallelogram in R, it fails in {anywhere}: a "
        "parallelogram that involves a pair outside the training set can join different labels."
    )
    return Findings(
        {
            "cases with an impermissible parallelogram (Proposition 1)": Estimate.exact(anywhere)
            if cases
            else Estimate.unknown(),
            "largest departure of same-label training pairs from a parallelogram (Proposition 2)": Estimate.exact(
                max(residuals)
            ),
        },
        note,
    )


def _least_loss(inputs: np.ndarray, label: np.ndarray) -> float:
    """The training loss of the best decoder there is: it answers each distinct input with the mean of its targets."""
    targets = np.random.default_rng(0).normal(size=(label.max(initial=0) + 1, 30))[label]
    loss = 0.0
    for value in np.unique(inputs):
        group = targets[inputs == value]
        loss += float(((group - group.mean(0)) ** 2).sum())
    return 0.0 if loss < 1e-20 else loss


def _parallelogram_residual(structure: Structure, rng: np.random.Generator) -> float:
    """How far E_i + E_j and E_m + E_n are apart for same-label training pairs at zero loss of D(x) = w x + b, w ≠
    0."""
    label = structure.pairs.sum(1)
    chosen = rng.permutation(len(label))[: rng.integers(4, 9)]
    design = np.zeros((len(chosen), structure.p))
    np.add.at(design, (np.arange(len(chosen))[:, None], structure.pairs[chosen]), 1.0)
    if np.linalg.matrix_rank(design) < len(chosen):
        return 0.0  # zero loss is out of reach: the proposition says nothing
    weight, bias = rng.normal(size=30), rng.normal(size=30)
    targets = bias + rng.normal(size=(2 * structure.p - 1, 1)) * weight  # within the decoder's reach
    wanted = (targets[label[chosen]] - bias) @ weight / (weight @ weight)
    embedding = np.linalg.lstsq(design, wanted, rcond=None)[0]
    mask = np.zeros(len(label), bool)
    mask[chosen] = True
    return float(np.abs(structure.equations[known(structure.quads, mask)] @ embedding).max(initial=0))


def _nullity(evidence: Evidence) -> Findings:
    sizes = range(3, 21)
    found = []
    for p in sizes:
        equations = Structure(p).equations
        found.append(int(nullity(equations, np.ones(len(equations), bool))))
    return Findings(
        {
            "nullity at p = 10": Estimate.exact(found[P - 3]),
            "largest nullity, p = 3..20": Estimate.exact(max(found)),
        },
        "Translation and scaling, and nothing else.",
    )


def _critical_fraction(evidence: Evidence) -> Findings:
    seen = survey(P, evidence.samples)
    columns = np.moveaxis(seen.linear, 0, 1)  # set, size
    estimate = bootstrap(lambda sets: half_crossing(seen.fraction, sets.mean(0)), columns, resamples=500)
    probability = seen.linear.mean(1)
    first = seen.fraction[np.flatnonzero(probability > 0.01)[0]] if np.any(probability > 0.01) else np.nan
    at_critical = probability[round(CRITICAL * 55) - 1]
    note = (
        f"{evidence.samples} random training sets of each size. The probability exceeds 1 % from r = {first:.2f} on, "
        f"is {at_critical:.3f} at r = 0.4 and crosses one half at r = {estimate.value:.3f}."
    )
    return Findings({"fraction at which half of all sets determine a line": estimate}, note)


def _grokking_rate(evidence: Evidence) -> Findings:
    seen = survey(P, evidence.samples)
    zero = (seen.rate == 0).mean(1)
    below = seen.fraction <= CRITICAL - TOLERANCE
    hardest = int(np.argmin(np.where(below, zero, 2)))
    above = seen.rate[seen.fraction >= CRITICAL].T  # set, size
    size = np.arange(above.shape[1])
    trend = bootstrap(lambda sets: spearman(size, sets.mean(0)), above, resamples=500)
    near = ", ".join(f"{seen.fraction[i]:.2f}: {zero[i]:.0%}" for i in range(15, 25))
    return Findings(
        {
            "smallest share of sets with λ3 = 0, of all sizes up to r = 0.35": share(
                int((seen.rate[hardest] == 0).sum()), seen.rate.shape[1]
            ),
            "rank correlation of mean λ3 with size above r = 0.4": trend,
        },
        f"Share of sets with λ3 = 0, by r: {near}.",
    )


def _linear_and_random(evidence: Evidence) -> Findings:
    equations = Structure(P).equations
    rng = np.random.default_rng(9)
    linear = min(float(rqi(a + b * np.arange(P, dtype=float)[:, None], equations)) for a, b in rng.normal(size=(20, 2)))
    draws = rng.normal(size=(min(evidence.samples, 2000), P, 1)).astype(np.float32)

    def quality(closeness):
        return np.asarray(jax.jit(jax.vmap(lambda E: rqi(E, equations, closeness)))(draws))

    loose, strict = quality(MeanSquare(0.01)), quality(Distance(0.01))
    return Findings(
        {
            "RQI of linear representations": Estimate.exact(linear),
            "share of random ones with RQI = 0, |d| < 0.1": share(int(np.sum(loose == 0)), len(loose)),
            "share of random ones with RQI = 0, |d| ≤ 0.01": share(int(np.sum(strict == 0)), len(strict)),
        },
        f"1-D embeddings. The mean RQI of random ones is {loose.mean():.3f} with the authors' threshold |d| < 0.1 "
        f"and {strict.mean():.4f} with the paper's |d| ≤ 0.01: close to zero, but zero less often than the paper "
        "says.",
    )


CLAIMS = (
    Claim(
        "grokking/1",
        "Props. 1, 2",
        "At zero training loss every parallelogram is permissible, and an injective decoder forms every "
        "parallelogram known from the data.",
        (
            Check("cases with an impermissible parallelogram (Proposition 1)", "0", Region(0, 0)),
            Check(
                "largest departure of same-label training pairs from a parallelogram (Proposition 2)",
                "0",
                Region(0, 1e-9),
            ),
        ),
        _propositions,
    ),
    Claim(
        "grokking/2",
        "Sec. 3.2",
        "All parallelograms together determine the representation up to translation and scaling.",
        (Check("nullity at p = 10", "2", Region(2, 2)), Check("largest nullity, p = 3..20", "2", Region(2, 2))),
        _nullity,
    ),
    Claim(
        "grokking/3",
        "Fig. 4a",
        "The probability that a training set implies a unique linear structure has a transition around r_c = 0.4.",
        (
            Check(
                "fraction at which half of all sets determine a line", "around 0.4", Region.around(CRITICAL, TOLERANCE)
            ),
        ),
        _critical_fraction,
    ),
    Claim(
        "grokking/4",
        "Fig. 5a",
        "λ3 is zero with high probability below r = 0.4 and increases with data above.",
        (
            Check("smallest share of sets with λ3 = 0, of all sizes up to r = 0.35", "high", Region(0.9, 1)),
            Check("rank correlation of mean λ3 with size above r = 0.4", "increasing", Region(0.9, 1)),
        ),
        _grokking_rate,
    ),
    Claim(
        "grokking/9",
        "Sec. 3.1",
        "A linear representation has RQI = 1, a random one has RQI = 0 with high probability.",
        (
            Check("RQI of linear representations", "1", Region(1, 1)),
            Check("share of random ones with RQI = 0, |d| < 0.1", "high", Region(0.95, 1)),
            Check("share of random ones with RQI = 0, |d| ≤ 0.01", "high", Region(0.95, 1)),
        ),
        _linear_and_random,
    ),
)
