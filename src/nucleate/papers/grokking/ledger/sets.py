"""Claims 1-4 and 7-11: what training sets determine. Exact, or by drawing random sets; no network is trained."""

from itertools import combinations

import jax
import numpy as np

from nucleate.claims import Check, Claim, Estimate, Evidence, Findings, Region, bootstrap, share, spearman
from nucleate.observables import Distance, MeanSquare, implied, known, nullity, rqi
from nucleate.papers.grokking.structure import CRITICAL, P, Structure, half_crossing, survey


def _propositions(evidence: Evidence) -> Findings:
    """On random integer embeddings, where sums coincide by chance, let an ideal decoder fit as well as any can: it
    answers each distinct input with the mean of its targets."""
    rng = np.random.default_rng(1)
    structure = Structure(P)
    label = structure.pairs.sum(1)
    first = second = cases_first = cases_second = 0
    for _ in range(evidence.samples):
        if rng.random() < 0.5:  # a line with a defect now and then: generic integers almost never fit
            embedding = rng.integers(1, 4) * np.arange(P) + rng.integers(0, 2, P) * rng.integers(0, 2)
        else:
            embedding = rng.integers(0, 40, P)
        sums = embedding[structure.pairs].sum(1)
        in_train = rng.random(len(sums)) < rng.uniform(0.1, 0.9)
        together = sums[:, None] == sums[None, :]
        same_label = label[:, None] == label[None, :]
        both = in_train[:, None] & in_train[None, :]
        zero_loss = not np.any(together & both & ~same_label)
        injective = not np.any(~together & both & same_label)
        if zero_loss and np.any(together & both & ~np.eye(len(sums), dtype=bool)):
            cases_first += 1
            first += bool(np.any(together & both & ~same_label))
        if zero_loss and injective:
            mask = known(structure.quads, in_train)
            cases_second += bool(mask.any())
            second += not np.all(structure.equations[mask] @ embedding == 0)
    note = (
        f"Of {evidence.samples} random integer embeddings with random training sets, {cases_first} tested "
        "Proposition 1 "
        f"(zero loss and at least one parallelogram) and {cases_second} Proposition 2 (zero loss, injective decoder, "
        "at least one parallelogram known from the data)."
    )
    enough = min(cases_first, cases_second) > 0
    return Findings(
        {
            "violations of Proposition 1": Estimate.exact(first) if enough else Estimate.unknown(),
            "violations of Proposition 2": Estimate.exact(second) if enough else Estimate.unknown(),
        },
        note,
    )


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
        f"{evidence.samples} random training sets of each size. The probability exceeds 1 % from r = {first:.2f} "
        "on, is "
        f"{at_critical:.3f} at r = 0.4 and crosses one half at r = {estimate.value:.3f}."
    )
    return Findings({"fraction at which half of all sets determine a line": estimate}, note)


def _grokking_rate(evidence: Evidence) -> Findings:
    seen = survey(P, evidence.samples)
    below = seen.fraction < CRITICAL
    zero = seen.rate[below] == 0
    above = seen.rate[~below].T  # set, size
    size = np.arange(above.shape[1])
    trend = bootstrap(lambda sets: spearman(size, sets.mean(0)), above, resamples=500)
    note = (
        f"Sizes below r = 0.4 pooled: λ3 vanishes for {zero.mean():.1%} of the sets. Just below it, at r = "
        f"{seen.fraction[below][-1]:.2f}, for {zero[-1].mean():.1%}."
    )
    return Findings(
        {
            "share of sets with λ3 = 0 below r = 0.4": share(int(zero.sum()), zero.size),
            "rank correlation of mean λ3 with size above r = 0.4": trend,
        },
        note,
    )


def _fewest_samples(evidence: Evidence) -> Findings:
    structure = Structure(6)
    listed = structure.training_set((0, 4), (1, 3), (1, 5), (2, 4), (0, 2), (1, 1), (2, 4), (3, 3))
    for size in range(1, 9):
        chosen = np.asarray(list(combinations(range(len(structure.pairs)), size)))
        sets = np.zeros((len(chosen), len(structure.pairs)), bool)
        sets[np.arange(len(chosen))[:, None], chosen] = True
        linear = nullity(structure.equations, known(structure.quads, sets)) == 2
        if linear.any():
            break
    example = ", ".join(f"{i}+{j}" for i, j in structure.pairs[sets[np.argmax(linear)]])
    sufficient = int(nullity(structure.equations, known(structure.quads, listed))) == 2
    note = (
        f"The list in Appendix C names (2,4) twice: it has {listed.sum()} different samples, which "
        f"{'do' if sufficient else 'do not'} determine the line. Trying all sets, {size} samples are enough, in "
        f"{int(linear.sum())} ways, for example {example}."
    )
    return Findings({"fewest samples that determine the line, p = 6": Estimate.exact(size)}, note)


def _below_critical(evidence: Evidence) -> Findings:
    seen = survey(P, evidence.samples)
    smallest = int(np.flatnonzero(seen.linear.any(1))[0]) + 1 if seen.linear.any() else 55
    structure = Structure(P)
    greedy = _smallest_set(structure)
    return Findings(
        {"smallest data fraction with ideal RQI = 1": Estimate.exact(min(smallest, greedy) / 55)},
        f"Random sets: {smallest} of 55 samples. Two neighbouring sums alone ({greedy} samples) already do it.",
    )


def _smallest_set(structure: Structure) -> int:
    """Samples in the smallest union of sums that determines the line, trying all pairs of sums."""
    label = structure.pairs.sum(1)
    best = len(label)
    for one, other in combinations(range(2 * structure.p - 1), 2):
        in_train = (label == one) | (label == other)
        mask = known(structure.quads, in_train)
        if implied(structure.equations, mask).all():
            best = min(best, int(in_train.sum()))
    return best


def _linear_and_random(evidence: Evidence) -> Findings:
    equations = Structure(P).equations
    rng = np.random.default_rng(9)
    linear = min(float(rqi(a + b * np.arange(P, dtype=float)[:, None], equations)) for a, b in rng.normal(size=(20, 2)))
    draws = rng.normal(size=(min(evidence.samples, 2000), P, 1)).astype(np.float32)

    def quality(closeness):
        return np.asarray(jax.jit(jax.vmap(lambda E: rqi(E, equations, closeness)))(draws))

    loose, strict = quality(MeanSquare(0.01)), quality(Distance(0.01))
    note = (
        f"A random 1-D embedding has RQI exactly 0 in {np.mean(loose == 0):.0%} of cases with the authors' threshold "
        f"|d| < 0.1 and in {np.mean(strict == 0):.0%} with the paper's |d| ≤ 0.01: close to zero, but not zero."
    )
    return Findings(
        {
            "RQI of linear representations": Estimate.exact(linear),
            "mean RQI of random ones, |d| < 0.1": bootstrap(np.mean, loose, resamples=500),
            "mean RQI of random ones, |d| ≤ 0.01": bootstrap(np.mean, strict, resamples=500),
        },
        note,
    )


def _hierarchy(evidence: Evidence) -> Findings:
    structure = Structure(4)
    equations = structure.equations
    count = len(equations)
    freedom, closed = {}, set()
    for size in range(count + 1):
        for chosen in combinations(range(count), size):
            mask = np.zeros(count, bool)
            mask[list(chosen)] = True
            freedom.setdefault(size, set()).add(int(nullity(equations, mask)))
            closed.add(tuple(implied(equations, mask).tolist()))
    training = structure.training_set((0, 2), (1, 1), (0, 3), (1, 2), (1, 3), (2, 2))
    ideal = int(implied(equations, known(structure.quads, training)).sum())
    note = (
        "Degrees of freedom by level: "
        + ", ".join(f"{k} equations {sorted(v)}" for k, v in freedom.items())
        + ". Any two "
        f"of the three equations imply the third, so there are {len(closed)} different representations. Eq. 19 is "
        "misprinted: its tuples, such as (0,1,1,2), do not satisfy i + j = m + n; Eq. 20 has the right equations."
    )
    return Findings(
        {
            "parallelograms at p = 4": Estimate.exact(count),
            "parallelograms implied by the training set of Eq. 21": Estimate.exact(ideal),
            "degrees of freedom, linear structure": Estimate.exact(max(freedom[count])),
            "degrees of freedom, no equation": Estimate.exact(max(freedom[0])),
        },
        note,
    )


def _deduction(evidence: Evidence) -> Findings:
    # Abelian: tokens a..f; (a,d,b,c) and (c,f,d,e) against (a,f,b,e).
    rows = np.array([[1, -1, -1, 1, 0, 0], [0, 0, 1, -1, -1, 1], [1, -1, 0, 0, -1, 1]], float)
    abelian = [bool(implied(rows, np.array(mask, bool))[2]) for mask in ([1, 0, 0], [0, 1, 0], [1, 1, 0])]
    rng = np.random.default_rng(11)

    def residual(equations: int) -> float:
        """How far E_a E_h = E_b E_g is from holding, for random 3×3 matrices that obey the first `equations` of
        E_a E_d = E_b E_c, E_f E_c = E_e E_d and E_e E_h = E_f E_g."""
        a, b, c, d, e, f, g, h = rng.normal(size=(8, 3, 3))
        a = b @ c @ np.linalg.inv(d)
        if equations >= 2:
            e = f @ c @ np.linalg.inv(d)
        if equations >= 3:
            h = np.linalg.inv(e) @ f @ g
        left, right = a @ h, b @ g
        return float(np.linalg.norm(left - right) / np.linalg.norm(right))

    three = np.max([residual(3) for _ in range(50)])
    two = np.min([residual(2) for _ in range(50)])
    return Findings(
        {
            "parallelograms needed, abelian": Estimate.exact(2 if abelian == [False, False, True] else np.nan),
            "error of the deduced parallelogram from three, non-abelian": Estimate.exact(three),
            "smallest error from two only, non-abelian": Estimate.exact(two),
        },
        "Abelian case by rank; non-abelian case on random invertible 3×3 matrices that satisfy the given equations.",
    )


CLAIMS = (
    Claim(
        "grokking/1",
        "Props. 1, 2",
        "At zero training loss every parallelogram is permissible, and an injective decoder forms every "
        "parallelogram "
        "known from the data.",
        (
            Check("violations of Proposition 1", "0", Region(0, 0)),
            Check("violations of Proposition 2", "0", Region(0, 0)),
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
        (Check("fraction at which half of all sets determine a line", "around 0.4", Region(0.35, 0.45)),),
        _critical_fraction,
    ),
    Claim(
        "grokking/4",
        "Fig. 5a",
        "λ3 is zero with high probability below r = 0.4 and increases with data above.",
        (
            Check("share of sets with λ3 = 0 below r = 0.4", "high", Region(0.9, 1)),
            Check("rank correlation of mean λ3 with size above r = 0.4", "increasing", Region(0.9, 1)),
        ),
        _grokking_rate,
    ),
    Claim(
        "grokking/7",
        "App. C",
        "For p = 6, 8 training samples are needed to determine the linear structure.",
        (Check("fewest samples that determine the line, p = 6", "8", Region(8, 8)),),
        _fewest_samples,
    ),
    Claim(
        "grokking/8",
        "App. E",
        "Ideal RQI = 1 is possible with less than 40 % of the data.",
        (Check("smallest data fraction with ideal RQI = 1", "< 0.4", Region(0, 0.4 - 1e-9)),),
        _below_critical,
    ),
    Claim(
        "grokking/9",
        "Sec. 3.1",
        "A linear representation has RQI 1, a random one about 0.",
        (
            Check("RQI of linear representations", "1", Region(1, 1)),
            # "0" to the one decimal in which the paper speaks of RQI.
            Check("mean RQI of random ones, |d| < 0.1", "0", Region(0, 0.05)),
            Check("mean RQI of random ones, |d| ≤ 0.01", "0", Region(0, 0.05)),
        ),
        _linear_and_random,
    ),
    Claim(
        "grokking/10",
        "Fig. 11, Eqs. 18-21",
        "For p = 4 the sets of equations form a hierarchy from the linear structure down.",
        (
            Check("parallelograms at p = 4", "3", Region(3, 3)),
            Check("parallelograms implied by the training set of Eq. 21", "3", Region(3, 3)),
            Check("degrees of freedom, linear structure", "2", Region(2, 2)),
            Check("degrees of freedom, no equation", "4", Region(4, 4)),
        ),
        _hierarchy,
    ),
    Claim(
        "grokking/11",
        "App. H, Fig. 16",
        "A new parallelogram is deduced from two others in an abelian group, from three in a non-abelian one.",
        (
            Check("parallelograms needed, abelian", "2", Region(2, 2)),
            Check("error of the deduced parallelogram from three, non-abelian", "0", Region(0, 1e-8)),
            Check("smallest error from two only, non-abelian", "> 0", Region(low=1e-3)),
        ),
        _deduction,
    ),
)
