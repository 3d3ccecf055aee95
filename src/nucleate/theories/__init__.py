"""Laws fitted to records: a `Theory` reads a record and becomes a `Fit`, which predicts and is scored.

A theory sees records only, so that a prediction cannot peek at a network. The flows that theories are made
of can be used on their own.
"""

from nucleate.theories.adiabatic import DecoderFlow, DecoderState, DrivenFlow, adiabatic_difference
from nucleate.theories.anatomy import (
    CoLocation,
    Landmarks,
    QuadraticPotential,
    QuadraticRegion,
    aligned_potentials,
    bow,
    co_location,
    crater,
    landmarks,
    quadratic_region,
    with_quadratic_attraction,
)
from nucleate.theories.basis import (
    Basis,
    FeatureBasis,
    FeaturePotential,
    SplineBasis,
    SplinePotential,
)
from nucleate.theories.classifiers import Classifier, LinearSVM, Logistic
from nucleate.theories.collapse import collapse_loss, collapse_trajectory, collapse_velocity
from nucleate.theories.curl import (
    CurlTest,
    curl_test,
)
from nucleate.theories.decays import Curve, Decay, Exponential, Power, Stretched, fit_decay
from nucleate.theories.effective_flow import (
    AllParallelograms,
    ExactFlow,
    Flow,
    KnownParallelograms,
    LinearizedFlow,
    ParallelogramSet,
    conserved,
    effective_loss,
    exact_velocity,
)
from nucleate.theories.effective_theory import EffectiveLoss, EffectiveLossFit
from nucleate.theories.fitness import Features, Fitness, FitnessFit, cross_validated, random_split
from nucleate.theories.flow import decay, integrate
from nucleate.theories.force_record import (
    Configurations,
)
from nucleate.theories.pair_flow import (
    pair_energies,
    pair_flow,
    pair_gradients,
    representation_loss,
    trajectory_loss,
)
from nucleate.theories.pair_potential import (
    PairPotential,
    PairPotentialFit,
    PairValues,
)
from nucleate.theories.pair_solvers import (
    ClosedForm,
    Neural,
    NeuralPotential,
    PotentialSolver,
)
from nucleate.theories.pairs import (
    PairTerms,
    Terms,
    brute_force_gradient,
    pair_energy,
    pair_terms,
)
from nucleate.theories.power_law import Free, Known, Limit, PowerLaw, PowerLawFit, Recorded, lojasiewicz
from nucleate.theories.protocol import Fit, Theory
from nucleate.theories.regimes import Regimes, Window, Windows
from nucleate.theories.regression import LeastSquares, Regression, Solver, Sparse
from nucleate.theories.signal_fit import SignalFit, SignalTheory
from nucleate.theories.signal_flow import (
    LinearFlow,
    LinearFlowFit,
    LotkaVolterra,
    LotkaVolterraFit,
    SelfFlow,
    couplings,
)
from nucleate.theories.symmetry import (
    NoSymmetry,
    Parity,
    Rotation,
    Symmetry,
    Translation,
)

__all__ = [
    "AllParallelograms",
    "Basis",
    "Classifier",
    "ClosedForm",
    "CoLocation",
    "Configurations",
    "CurlTest",
    "Curve",
    "Decay",
    "DecoderFlow",
    "DecoderState",
    "DrivenFlow",
    "EffectiveLoss",
    "EffectiveLossFit",
    "ExactFlow",
    "Exponential",
    "FeatureBasis",
    "FeaturePotential",
    "Features",
    "Fit",
    "Fitness",
    "FitnessFit",
    "Flow",
    "Free",
    "Known",
    "KnownParallelograms",
    "Landmarks",
    "LeastSquares",
    "Limit",
    "LinearFlow",
    "LinearFlowFit",
    "LinearSVM",
    "LinearizedFlow",
    "Logistic",
    "LotkaVolterra",
    "LotkaVolterraFit",
    "Neural",
    "NeuralPotential",
    "NoSymmetry",
    "PairPotential",
    "PairPotentialFit",
    "PairTerms",
    "PairValues",
    "ParallelogramSet",
    "Parity",
    "PotentialSolver",
    "Power",
    "PowerLaw",
    "PowerLawFit",
    "QuadraticPotential",
    "QuadraticRegion",
    "Recorded",
    "Regimes",
    "Regression",
    "Rotation",
    "SelfFlow",
    "SignalFit",
    "SignalTheory",
    "Solver",
    "Sparse",
    "SplineBasis",
    "SplinePotential",
    "Stretched",
    "Symmetry",
    "Terms",
    "Theory",
    "Translation",
    "Window",
    "Windows",
    "adiabatic_difference",
    "aligned_potentials",
    "bow",
    "brute_force_gradient",
    "co_location",
    "collapse_loss",
    "collapse_trajectory",
    "collapse_velocity",
    "conserved",
    "couplings",
    "crater",
    "cross_validated",
    "curl_test",
    "decay",
    "effective_loss",
    "exact_velocity",
    "fit_decay",
    "integrate",
    "landmarks",
    "lojasiewicz",
    "pair_energies",
    "pair_energy",
    "pair_flow",
    "pair_gradients",
    "pair_terms",
    "quadratic_region",
    "random_split",
    "representation_loss",
    "trajectory_loss",
    "with_quadratic_attraction",
]
