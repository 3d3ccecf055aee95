"""Claims 7, 8, 10 and 11: how few samples determine a representation, and what follows from what. Exact."""

from itertools import combinations

import numpy as np

from nucleate.claims import Check, Claim, Estimate, Evidence, Findings, Region
from nucleate.observables import implied, is_linear, known, nullity
from nucleate.papers.grokking.structure import P, Structure, survey


def _fewest_samples(evidence: Evidence) -> Findings:
    structure = Structure(6)
    listed = structure.training_set((0, 4), (1, 3), (1, 5), (2, 4), (0, 2), (1, 1), (2, 4), (3, 3))
    for size in range(1, len(structure.pairs) + 1):
        chosen = np.asarray(list(combinations(range(len(structure.pairs)), size)))
        sets = np.zeros((len(chosen), len(structure.pairs)), bool)
        sets[np.arange(len(chosen))[:, None], chosen] = True
        linear = is_linear(structure.equations, known(structure.quads, sets))
        if linear.any():
            break
    example = ", ".join(f"{i}+{j}" for i, j in structure.pairs[sets[np.argmax(linear)]])
    sufficient = bool(is_linear(structure.equations, known(structure.quads, listed)))
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
        f"Random sets: {smallest} of 55 samples. The pairs of two sums alone ({greedy} samples) already do it.",
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
    enough = [sum(mask) for mask in ([1, 0, 0], [0, 1, 0], [1, 1, 0]) if implied(rows, np.array(mask, bool))[2]]
    rng = np.random.default_rng(11)

    def errors() -> tuple[float, float]:
        """For random 3×3 matrices with E_a E_d = E_b E_c, E_f E_c = E_e E_d and E_e E_h = E_f E_g: how far are
        E_f E_a = E_e E_b, which would follow from the first two, and E_a E_h = E_b E_g, which follows from all three,
        from holding?"""
        b, c, d, f, g = rng.normal(size=(5, 3, 3))
        a, e = b @ c @ np.linalg.inv(d), f @ c @ np.linalg.inv(d)
        h = np.linalg.inv(e) @ f @ g
        return _relative(f @ a, e @ b), _relative(a @ h, b @ g)

    two, three = np.array([errors() for _ in range(50)]).T
    return Findings(
        {
            "parallelograms needed, abelian": Estimate.exact(min(enough, default=3)),
            "smallest error of a parallelogram deduced from two, non-abelian": Estimate.exact(two.min()),
            "largest error of one deduced from three, non-abelian": Estimate.exact(three.max()),
        },
        "Abelian case by rank; non-abelian case on 50 draws of random invertible 3×3 matrices that satisfy the "
        "equations.",
    )


def _relative(left: np.ndarray, right: np.ndarray) -> float:
    return float(np.linalg.norm(left - right) / np.linalg.norm(right))


CLAIMS = (
    Claim(
        "grokking/7",
        "App. C",
        'For p = 6, "we only need 8 training samples" to determine the linear structure.',
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
            Check("smallest error of a parallelogram deduced from two, non-abelian", "> 0", Region(low=1e-3)),
            Check("largest error of one deduced from three, non-abelian", "0", Region(0, 1e-8)),
        ),
        _deduction,
    ),
)
