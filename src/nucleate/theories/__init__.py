"""Laws fitted to records: a `Theory` reads a record and becomes a `Fit`, which predicts and is scored.

A theory sees only records, so a prediction cannot peek at a network. This module holds the theories, their fits and
the choices a user makes. The five packages hold the rest, such as the flows that the theories are made of:

    from nucleate.theories import PairPotential
    from nucleate.theories.pairs import landmarks
"""

from nucleate.theories.effective import (
    AllParallelograms,
    EffectiveLoss,
    EffectiveLossFit,
    ExactFlow,
    KnownParallelograms,
    LinearizedFlow,
)
from nucleate.theories.fitness import Features, Fitness, FitnessFit, LinearSVM, Logistic
from nucleate.theories.flow import integrate
from nucleate.theories.pairs import (
    ClosedForm,
    Neural,
    NoSymmetry,
    PairPotential,
    PairPotentialFit,
    Parity,
    Rotation,
    Translation,
)
from nucleate.theories.power_laws import FreeLimit, KnownLimit, PowerLaw, PowerLawFit, RecordedLimit, Regimes, Window
from nucleate.theories.protocol import Fit, Theory
from nucleate.theories.signals import (
    LeastSquares,
    LinearFlow,
    LinearFlowFit,
    LotkaVolterra,
    LotkaVolterraFit,
    SelfFlow,
    Sparse,
)

__all__ = [
    "AllParallelograms",
    "ClosedForm",
    "EffectiveLoss",
    "EffectiveLossFit",
    "ExactFlow",
    "Features",
    "Fit",
    "Fitness",
    "FitnessFit",
    "FreeLimit",
    "KnownLimit",
    "KnownParallelograms",
    "LeastSquares",
    "LinearFlow",
    "LinearFlowFit",
    "LinearSVM",
    "LinearizedFlow",
    "Logistic",
    "LotkaVolterra",
    "LotkaVolterraFit",
    "Neural",
    "NoSymmetry",
    "PairPotential",
    "PairPotentialFit",
    "Parity",
    "PowerLaw",
    "PowerLawFit",
    "RecordedLimit",
    "Regimes",
    "Rotation",
    "SelfFlow",
    "Sparse",
    "Theory",
    "Translation",
    "Window",
    "integrate",
]
