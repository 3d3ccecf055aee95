"""Claims 7, 8, 10 and 11: how few samples determine a representation, and which parallelograms follow from others.
Exact."""

from itertools import combinations

import numpy as np

from nucleate.claims import Check, Claim, Estimate, Evidence, Findings, Region, Revision, Threshold
from nucleate.observables import implied, is_linear, known, nullity
from nucleate.papers.grokking import readings
from nucleate.papers.grokking.experiments import EXPERIMENTS, FOUR_SYMBOLS
from nucleate.papers.grokking.recipe import P, Structure

_LEFT = Check("degrees of freedom that the listed samples leave, p = 6", "2", Region.exactly(2), Threshold.PAPER)
_FEWEST = Check("fewest samples that determine the line, p = 6", "8", Region.at_most(8), Threshold.PAPER)


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
    left = int(nullity(structure.equations, known(structure.quads, listed)))
    note = (
        f"The paper's 8 samples are enough, and more than needed. Its list names (2,4) twice, so that it has "
        f"{listed.sum()} different samples; an exhaustive search shows that {size} are enough, in {int(linear.sum())} "
        f"ways, for example {example}."
    )
    return Findings({_LEFT: Estimate.exact(left), _FEWEST: Estimate.exact(size)}, note)


_SMALLEST_FRACTION = Check("smallest data fraction with ideal RQI = 1", "< 0.4", Region.below(0.4), Threshold.PAPER)


def _below_critical(evidence: Evidence) -> Findings:
    seen = evidence.once(readings.survey)
    total = len(seen.fraction)
    at_random = int(np.flatnonzero(seen.linear.any(1))[0]) + 1 if seen.linear.any() else total
    two_sums = _smallest_set(Structure(P))
    return Findings(
        {_SMALLEST_FRACTION: Estimate.exact(min(at_random, two_sums) / total)},
        f"The smallest random set with ideal RQI = 1 has {at_random} of {total} samples; the pairs of two sums "
        f"({two_sums} samples) are enough, too.",
    )


def _smallest_set(structure: Structure) -> int:
    """Samples in the smallest set that determines the line and consists of all pairs of two sums."""
    label = structure.task.label
    best = len(label)
    for one, other in combinations(range(2 * structure.p - 1), 2):
        in_train = (label == one) | (label == other)
        mask = known(structure.quads, in_train)
        if implied(structure.equations, mask).all():
            best = min(best, int(in_train.sum()))
    return best


_COUNT = Check("parallelograms at p = 4", "3", Region.exactly(3), Threshold.PAPER)
_IMPLIED = Check("parallelograms implied by the training set of Eq. 21", "3", Region.exactly(3), Threshold.PAPER)
_FREEDOM_OF_LINE = Check("degrees of freedom, linear structure", "2", Region.exactly(2), Threshold.PAPER)
_FREEDOM_OF_NONE = Check("degrees of freedom, no equation", "p = 4, by definition", None)


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
    training = structure.training_set(*EXPERIMENTS[FOUR_SYMBOLS].paper.training_set)
    ideal = int(implied(equations, known(structure.quads, training)).sum())
    levels = ", ".join(f"{' or '.join(map(str, sorted(v)))} with {k} equations" for k, v in freedom.items())
    note = (
        f"Degrees of freedom: {levels}. Any two of the three equations imply the third, so there are {len(closed)} "
        "different representations. Eq. 19 is misprinted: its tuples, such as (0,1,1,2), do not satisfy "
        "i + j = m + n; Eq. 20 has the right equations."
    )
    return Findings(
        {
            _COUNT: Estimate.exact(count),
            _IMPLIED: Estimate.exact(ideal),
            _FREEDOM_OF_LINE: Estimate.exact(max(freedom[count])),
            _FREEDOM_OF_NONE: Estimate.exact(max(freedom[0])),
        },
        note,
    )


_ABELIAN = Check("parallelograms needed, abelian", "2", Region.exactly(2), Threshold.PAPER)
_FROM_TWO = Check("smallest error of a parallelogram deduced from two, non-abelian", "> 0", Region.at_least(1e-3))
_FROM_THREE = Check(
    "largest error of one deduced from three, non-abelian",
    "0",
    Region.at_most(1e-8),  # rounding, after three inversions
    Threshold.PAPER,
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
            _ABELIAN: Estimate.exact(min(enough, default=3)),
            _FROM_TWO: Estimate.exact(two.min()),
            _FROM_THREE: Estimate.exact(three.max()),
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
        "For p = 6, 8 of the 21 training samples are enough to determine the linear structure.",
        (_LEFT, _FEWEST),
        _fewest_samples,
        quote="although we have p(p+1)/2 = 21 different training samples for p = 6, we only need 8 training samples to "
        "uniquely determine the perfect linear structure (up to linear transformation).",
        history=(
            Revision(
                "The fewest samples that determine the line are 8.",
                "contradicted",
                "“we only need 8” says that 8 are enough, which they are, and not that fewer would not be; 6 are.",
            ),
        ),
    ),
    Claim(
        "grokking/8",
        "App. E",
        "Ideal RQI = 1 is possible with less than 40 % of the data.",
        (_SMALLEST_FRACTION,),
        _below_critical,
        quote="it is possible to have RQI-bar = 1 only with < 40% training data, i.e., 55 × 0.4 = 22 samples.",
    ),
    Claim(
        "grokking/10",
        "Fig. 11, Eqs. 18-21",
        "For p = 4 the sets of equations form a hierarchy from the linear structure down.",
        (_COUNT, _IMPLIED, _FREEDOM_OF_LINE, _FREEDOM_OF_NONE),
        _hierarchy,
        quote="The parallelogram set contains only three elements […] Suppose we have a training set D = {(0, 2), "
        "(1, 1), (0, 3), (1, 2), (1, 3), (2, 2)}, and correspondingly P(D) = P0 […] Equation set A (or geometrically, "
        "representation) has a hierarchy: a → b means a is a parent of b, and b is a child of a.",
        history=(
            Revision(
                "The same, with the degrees of freedom without any equation, 4, as a check.",
                "replicated",
                "four numbers without an equation have four degrees of freedom whatever the paper says: that is shown "
                "and not judged.",
            ),
        ),
    ),
    Claim(
        "grokking/11",
        "App. H, Fig. 16",
        "A new parallelogram is deduced from two others in an abelian group, from three in a non-abelian one.",
        (_ABELIAN, _FROM_TWO, _FROM_THREE),
        _deduction,
        quote="for Abelian groups, two parallelograms are needed to deduce a new parallelogram. […] for non-Abelian "
        "groups, three parallelograms are needed to deduce a new parallelogram.",
    ),
)
