"""What is asked of a solution: its sums of monomials, its loss in parts, the conditions it meets."""

from nucleate.algebra.loss import LossTerms
from nucleate.algebra.optimality import Conditions
from nucleate.algebra.solution import Solution
from nucleate.algebra.sums import Monomials
from nucleate.checking import checked


@checked
def monomials(solution: Solution) -> Monomials:
    """The sums of monomials r of a solution: see `Monomials`.

    >>> from nucleate.algebra import Characters, order_six
    >>> abs(monomials(order_six(Characters.cyclic(5))).cross[2, 2, 2].round(9)).item()
    1.0
    """
    return Monomials.of(solution.characters, solution.z)


@checked
def decompose(solution: Solution) -> LossTerms:
    """The loss of a solution in parts, for each frequency: see `LossTerms`.

    >>> from nucleate.algebra import Characters, order_four
    >>> four = order_four(Characters.cyclic(5))
    >>> terms = decompose(four)  # everything but R_n holds
    >>> terms.constant.round(9).tolist(), bool(terms.total == four.loss)
    ([0.0, 2.0, 2.0, 2.0, 2.0], True)
    """
    return LossTerms.of(monomials(solution))


@checked
def conditions(solution: Solution) -> Conditions:
    """How far a solution is from the conditions of a global optimum: see `Conditions`.

    >>> from nucleate.algebra import Characters, memorising
    >>> conditions(memorising(Characters.cyclic(5))).hold()
    True
    """
    return Conditions.of(monomials(solution))
