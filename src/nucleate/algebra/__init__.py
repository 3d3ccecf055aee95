"""Networks with quadratic nodes as a semi-ring: solutions of group addition that are added, multiplied and composed.

A node is a point (z_a, z_b, z_c) over the frequencies of a finite abelian group. Partial solutions (`syn`, `nu`, `xi`)
are composed with + and *, placed in a group, asked for their loss, order and norm, and made into weights. NumPy in
float64 throughout, without JAX.
"""

from nucleate.algebra.blocks import nu, syn, syn_twisted, unit, xi
from nucleate.algebra.characters import Characters
from nucleate.algebra.loss import LossTerms
from nucleate.algebra.occam import occam_path
from nucleate.algebra.optimality import Conditions
from nucleate.algebra.optimisers import memorising, mixed, order_four, order_six
from nucleate.algebra.partial import Partial
from nucleate.algebra.quantities import conditions, decompose, monomials
from nucleate.algebra.solution import Solution
from nucleate.algebra.sums import Monomials
from nucleate.algebra.weights import Weights, from_weights, to_weights

__all__ = [
    "Characters",
    "Conditions",
    "LossTerms",
    "Monomials",
    "Partial",
    "Solution",
    "Weights",
    "conditions",
    "decompose",
    "from_weights",
    "memorising",
    "mixed",
    "monomials",
    "nu",
    "occam_path",
    "order_four",
    "order_six",
    "syn",
    "syn_twisted",
    "to_weights",
    "unit",
    "xi",
]
