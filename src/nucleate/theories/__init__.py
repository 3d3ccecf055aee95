"""Laws fitted to records: a `Theory` reads a record and becomes a `Fit`, which predicts and is scored.

A theory sees only records, so a prediction cannot peek at a network. This module holds the theories and the choices a
user makes. The packages hold the rest: what the theories become when they are fitted, and what they are made of.

    from nucleate.theories import PairPotential
    from nucleate.theories.pairs import landmarks
"""

from nucleate.theories.ancestry import Ancestry
from nucleate.theories.effective import (
    AllParallelograms,
    EffectiveLoss,
    ExactFlow,
    KnownParallelograms,
    LinearizedFlow,
)
from nucleate.theories.fitness import Features, Fitness, LinearSVM, Logistic
from nucleate.theories.flow import integrate
from nucleate.theories.joint import (
    ApproachFlow,
    ClusterFlow,
    ExpLaw,
    JointInvariant,
    LinearLaw,
    SaliencyFlow,
    SoftmaxLaw,
)
from nucleate.theories.pairs import (
    ClosedForm,
    Neural,
    NoSymmetry,
    PairPotential,
    Parity,
    Rotation,
    Translation,
)
from nucleate.theories.power_laws import FreeLimit, KnownLimit, PowerLaw, RecordedLimit, Regimes, Window
from nucleate.theories.protocol import Fit, Theory
from nucleate.theories.scanning import ScanSnap
from nucleate.theories.signals import (
    LeastSquares,
    LinearFlow,
    LotkaVolterra,
    SelfFlow,
    Sparse,
)

__all__ = [
    "AllParallelograms",
    "Ancestry",
    "ApproachFlow",
    "ClosedForm",
    "ClusterFlow",
    "EffectiveLoss",
    "ExactFlow",
    "ExpLaw",
    "Features",
    "Fit",
    "Fitness",
    "FreeLimit",
    "JointInvariant",
    "KnownLimit",
    "KnownParallelograms",
    "LeastSquares",
    "LinearFlow",
    "LinearLaw",
    "LinearSVM",
    "LinearizedFlow",
    "Logistic",
    "LotkaVolterra",
    "Neural",
    "NoSymmetry",
    "PairPotential",
    "Parity",
    "PowerLaw",
    "RecordedLimit",
    "Regimes",
    "Rotation",
    "SaliencyFlow",
    "ScanSnap",
    "SelfFlow",
    "SoftmaxLaw",
    "Sparse",
    "Theory",
    "Translation",
    "Window",
    "integrate",
]
