"""Claims 1-4 and 9: what training sets and representations imply. Exact, or drawn at random; nothing is trained."""

import jax
import numpy as np

from nucleate.claims import (
    Check,
    Claim,
    Estimate,
    Evidence,
    Findings,
    Region,
    Revision,
    Threshold,
    bootstrap,
    share,
    spearman,
    words,
)
from nucleate.observables import Distance, MeanSquare, known, nullity, rqi
from nucleate.papers.grokking import readings
from nucleate.papers.grokking.ledger.critical import AROUND_CRITICAL, CRITICAL
from nucleate.papers.grokking.recipe import P, Structure

_IMPERMISSIBLE = Check(
    "cases with an impermissible parallelogram of training pairs (Proposition 1, as it is proven)",
    "0",
    Region.exactly(0),
    Threshold.PAPER,
)
_PRINTED = Check("cases with one of any pairs (Proposition 1, as it is printed)", "0", None)
_DEPARTURE = Check(
    "largest departure of same-label training pairs from a parallelogram (Proposition 2)",
    "0",
    Region.at_most(1e-9),  # rounding
    Threshold.PAPER,
)


def _propositions(evidence: Evidence) -> Findings:
    """Proposition 1 on random integer embeddings, whose sums coincide now and then: where some decoder has zero loss
    on the training set, is every parallelogram permissible? Proposition 2 on embeddings that are solved for: random
    injective linear decoders, random targets, zero loss; are same-label training pairs parallelograms?"""
    rng = np.random.default_rng(1)
    structure = Structure(P)
    label = structure.task.label
    same_label = label[:, None] == label[None, :]
    within = anywhere = cases = 0
    for _ in range(evidence.effort.embeddings):
        embedding = rng.integers(1, 4) * np.arange(P) + rng.integers(0, 2, P) * rng.integers(0, 2)
        in_train = rng.random(len(label)) < rng.uniform(0.1, 0.9)
        sums = embedding[structure.pairs].sum(1)
        forbidden = (sums[:, None] == sums[None, :]) & ~same_label
        if _least_loss(sums[in_train], label[in_train]) > 0:
            continue
        cases += 1
        within += bool(forbidden[np.ix_(in_train, in_train)].any())
        anywhere += bool(forbidden.any())
    residuals = [_parallelogram_residual(structure, rng) for _ in range(evidence.effort.decoders)]
    note = (
        f"{cases} embeddings with zero training loss. The proof takes the answers to both pairs from the training "
        f"loss, so that both are training pairs. As printed, for any parallelogram in R, the proposition fails in "
        f"{anywhere} cases: one that involves a pair outside the training set can join different labels."
    )
    return Findings(
        {
            _IMPERMISSIBLE: Estimate.exact(within) if cases else Estimate.unknown(),
            _PRINTED: Estimate.exact(anywhere) if cases else Estimate.unknown(),
            _DEPARTURE: Estimate.exact(max(residuals)),
        },
        note,
    )


def _least_loss(inputs: np.ndarray, label: np.ndarray) -> float:
    """The training loss of the best possible decoder: it answers each distinct input with the mean of its targets."""
    targets = np.random.default_rng(0).normal(size=(label.max(initial=0) + 1, 30))[label]
    loss = 0.0
    for value in np.unique(inputs):
        group = targets[inputs == value]
        loss += float(((group - group.mean(0)) ** 2).sum())
    return 0.0 if loss < 1e-20 else loss


def _parallelogram_residual(structure: Structure, rng: np.random.Generator) -> float:
    """How far apart E_i + E_j and E_m + E_n are for same-label training pairs at zero loss of D(x) = w x + b,
    w ≠ 0."""
    label = structure.task.label
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


_NULLITY = Check(f"nullity at p = {P}", "2", Region.exactly(2), Threshold.PAPER)
_LARGEST_NULLITY = Check("largest nullity, p = 3..20", "2", Region.exactly(2), Threshold.PAPER)


def _degrees_of_freedom(evidence: Evidence) -> Findings:
    found = {}
    for p in range(3, 21):
        equations = Structure(p).equations
        found[p] = int(nullity(equations, np.ones(len(equations), bool)))
    return Findings(
        {_NULLITY: Estimate.exact(found[P]), _LARGEST_NULLITY: Estimate.exact(max(found.values()))},
        "Translation and scaling, and nothing else.",
    )


_HALF = Check("fraction at which half of all sets determine a line", "around 0.4", AROUND_CRITICAL)


def _critical_fraction(evidence: Evidence) -> Findings:
    seen = evidence.once(readings.survey)
    columns = np.moveaxis(seen.linear, 0, 1)  # set, size
    crossing = lambda sets: readings.half_crossing(seen.fraction, sets.mean(0))
    estimate = bootstrap(crossing, columns, bounds=(0, 1), resamples=500)
    probability = seen.linear.mean(1)
    first = seen.fraction[np.flatnonzero(probability > 0.01)[0]] if np.any(probability > 0.01) else np.nan
    at_critical = probability[round(CRITICAL * len(probability)) - 1]
    note = (
        f"{len(columns):,} random training sets of each size. The probability exceeds 1 % from r = {first:.2f} on, "
        f"is {at_critical:.3f} at r = {CRITICAL} and crosses one half at r = {estimate.value:.3f}."
    )
    return Findings({_HALF: estimate}, note)


_STUCK = Check(
    f"smallest share of sets with λ3 = 0, of all sizes up to r = {AROUND_CRITICAL.low:g}",
    "zero with high probability",
    words.NEARLY_ALL,
)
_TREND = Check(
    f"rank correlation of mean λ3 with size above r = {CRITICAL}, λ3 as in Eq. 5",
    "an increasing function of data size",
    words.POSITIVE,
)
_TREND_IN_CODE = Check("the same without Eq. 5's factor 1/|P0(D)|, as in the authors' code", "increasing", None)


def _grokking_rate(evidence: Evidence) -> Findings:
    seen = evidence.once(readings.survey)
    zero = (seen.rate == 0).mean(1)
    below = seen.fraction <= AROUND_CRITICAL.low
    hardest = int(np.argmin(np.where(below, zero, 2)))
    near = ", ".join(f"{seen.fraction[i]:.2f}: {zero[i]:.0%}" for i in range(15, 25))
    return Findings(
        {
            _STUCK: share(int((seen.rate[hardest] == 0).sum()), seen.rate.shape[1]),
            _TREND: _trend(seen, seen.averaged_rate),
            _TREND_IN_CODE: _trend(seen, seen.rate),
        },
        f"Share of sets with λ3 = 0, by r: {near}. By Eq. 5 the effective loss is an average over the parallelograms "
        "of the training set. The authors' code has their sum, whose λ3 cannot fall when pairs are added; that of the "
        "average can.",
    )


def _trend(seen: readings.Survey, rate: np.ndarray) -> Estimate:
    """The rank correlation of a mean rate with the size of the training set, above the critical one."""
    above = rate[seen.fraction >= CRITICAL].T  # set, size
    size = np.arange(above.shape[1])
    return bootstrap(
        lambda sets: spearman(size, sets.mean(0)), above, bounds=(0, float(above.max(initial=0))), resamples=500
    )


_NUMERICAL = 1e-4
"""δ "to tolerate numerical errors": those of single precision."""

_LINEAR = Check(f"RQI of linear representations, |d| ≤ {_NUMERICAL:g}", "1", Region.exactly(1), Threshold.PAPER)
_RANDOM = Check(
    f"share of random ones with RQI = 0, |d| ≤ {_NUMERICAL:g}", "RQI = 0 with high probability", words.NEARLY_ALL
)
_RANDOM_STRICT = Check("the same with |d| ≤ 0.01, as in App. E", "high", None)
_RANDOM_LOOSE = Check("the same with |d| < 0.1, as in the authors' code", "high", None)


def _linear_and_random(evidence: Evidence) -> Findings:
    equations = Structure(P).equations
    rng = np.random.default_rng(9)
    lines = (a + b * np.arange(P, dtype=float)[:, None] for a, b in rng.normal(size=(20, 2)))
    linear = min(float(rqi(line, equations, Distance(_NUMERICAL))) for line in lines)
    draws = rng.normal(size=(evidence.effort.representations, P, 1)).astype(np.float32)
    rules = {_RANDOM: Distance(_NUMERICAL), _RANDOM_STRICT: Distance(0.01), _RANDOM_LOOSE: MeanSquare(0.01)}
    found = {
        check: np.asarray(jax.jit(jax.vmap(lambda E, rule=rule: rqi(E, equations, rule)))(draws))
        for check, rule in rules.items()
    }
    return Findings(
        {_LINEAR: Estimate.exact(linear)}
        | {check: share(int(np.sum(quality == 0)), len(quality)) for check, quality in found.items()},
        "One-dimensional embeddings. In the paper's derivations δ is zero, but for numerical errors; its figures and "
        "the authors' code have larger thresholds, by which a few of the 70 parallelograms of a random representation "
        f"close by chance: its mean RQI is {found[_RANDOM_STRICT].mean():.4f} with |d| ≤ 0.01 and "
        f"{found[_RANDOM_LOOSE].mean():.3f} with |d| < 0.1.",
    )


CLAIMS = (
    Claim(
        "grokking/1",
        "Props. 1, 2",
        "At zero training loss every parallelogram of training pairs is permissible, and an injective decoder forms "
        "every parallelogram known from the data.",
        (_IMPERMISSIBLE, _PRINTED, _DEPARTURE),
        _propositions,
        quote="When the training loss is zero, any parallelogram (i, j, m, n) in representation R satisfies "
        "i + j = m + n. […] where the first and last equalities come from the zero training loss assumption. […] If a "
        "training set D contains two samples (i, j) and (m, n) with i + j = m + n, then M* learns a representation R* "
        "such that E_i + E_j = E_m + E_n.",
        history=(
            Revision(
                "No parallelogram of any two pairs, in the training set or not, joins different labels.",
                "contradicted",
                "the proof takes both pairs from the training set, and so does the set of permissible parallelograms "
                "that the paper defines next; the printed form, which fails, is still shown.",
            ),
        ),
    ),
    Claim(
        "grokking/2",
        "Sec. 3.2",
        "All parallelograms together determine the representation up to translation and scaling.",
        (_NULLITY, _LARGEST_NULLITY),
        _degrees_of_freedom,
        quote="Nullity(A(P0)) = 2 which can be attributed to two degrees of freedom (translation and scaling).",
    ),
    Claim(
        "grokking/3",
        "Fig. 4a",
        "The probability that a training set implies a unique linear structure has a transition around r_c = 0.4.",
        (_HALF,),
        _critical_fraction,
        quote="the probability that the training set implies a unique linear structure […] depends on the training "
        "data fraction and has a phase transition around r_c = 0.4.",
        history=(
            Revision(
                "The fraction is 0.4 to the printed decimal, in [0.35, 0.45].",
                "replicated",
                "“around” now means the same for all papers: within a quarter.",
            ),
        ),
    ),
    Claim(
        "grokking/4",
        "Fig. 5a",
        "λ3 is zero with high probability below r = 0.4 and increases with data above.",
        (_STUCK, _TREND, _TREND_IN_CODE),
        _grokking_rate,
        quote="When the data fraction is below some threshold (around 0.4), λ3 is zero with high probability […] When "
        "data size is above the threshold, λ3 (on average) is an increasing function of data size.",
        history=(
            Revision(
                "λ3 = 0 for ≥ 0.9 of the sets of all sizes below r = 0.4, taken together.",
                "not published",
                "sizes far below the threshold, where all sets have λ3 = 0, hid those just below it.",
            ),
            Revision(
                "λ3 = 0 for ≥ 0.9 of the sets of every size up to r = 0.35; rank correlation of mean λ3 with size ≥ "
                "0.9, λ3 without the factor 1/|P0(D)| of Eq. 5.",
                "replicated",
                "without that factor λ3 cannot fall when pairs are added, so that the second check could not fail.",
            ),
        ),
    ),
    Claim(
        "grokking/9",
        "Sec. 3.1",
        "A linear representation has RQI = 1, a random one has RQI = 0 with high probability.",
        (_LINEAR, _RANDOM, _RANDOM_STRICT, _RANDOM_LOOSE),
        _linear_and_random,
        quote="In the following derivations, we can take δ, which is a small threshold to tolerate numerical errors, "
        "to be zero. […] A linear representation has RQI = 1, while a random representation (sampled from, say, a "
        "normal distribution) has RQI = 0 with high probability.",
        history=(
            Revision(
                "The mean RQI of random representations is ≤ 0.05, for |d| < 0.1 and for |d| ≤ 0.01.",
                "not published",
                "the paper says that RQI is zero, not that it is small.",
            ),
            Revision(
                "A share ≥ 0.95 of random representations has RQI = 0, for |d| < 0.1 and for |d| ≤ 0.01.",
                "contradicted",
                "the paper says it of δ = 0, but for numerical errors; the shares by its larger thresholds are still "
                "shown.",
            ),
        ),
    ),
)
