"""Embeddings as interacting particles: potentials between pairs of pairs, fitted to recorded forces.

`PairPotential` is the theory. `pair_terms` lists the pairs that interact; `pair_energies`, `pair_gradients` and
`pair_flow` compute the consequences of two potentials; `landmarks` and its neighbours describe the shape of one. The
machinery of the fit is in the modules `basis`, `normal_equations`, `solvers` and `curl`. Source: [mehta2024repons].
"""

from nucleate.theories.pairs.anatomy import (
    aligned_potentials,
    bow,
    bow_place,
    co_location,
    crater,
    landmarks,
    quadratic_region,
    with_quadratic_attraction,
)
from nucleate.theories.pairs.curl import CurlTest
from nucleate.theories.pairs.flow import pair_energies, pair_flow, pair_gradients, representation_loss, trajectory_loss
from nucleate.theories.pairs.solvers import ClosedForm, Neural, PotentialSolver
from nucleate.theories.pairs.symmetry import NoSymmetry, Parity, Rotation, Symmetry, Translation
from nucleate.theories.pairs.terms import PairTerms, pair_terms
from nucleate.theories.pairs.theory import PairPotential, PairPotentialFit, PairValues

__all__ = [
    "ClosedForm",
    "CurlTest",
    "Neural",
    "NoSymmetry",
    "PairPotential",
    "PairPotentialFit",
    "PairTerms",
    "PairValues",
    "Parity",
    "PotentialSolver",
    "Rotation",
    "Symmetry",
    "Translation",
    "aligned_potentials",
    "bow",
    "bow_place",
    "co_location",
    "crater",
    "landmarks",
    "pair_energies",
    "pair_flow",
    "pair_gradients",
    "pair_terms",
    "quadratic_region",
    "representation_loss",
    "trajectory_loss",
    "with_quadratic_attraction",
]
