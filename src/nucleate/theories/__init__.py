"""Laws fitted to records: a `Theory` reads a record and becomes a `Fit`, which predicts and is scored.

A theory sees records only, so that a prediction cannot peek at a network. The flows that theories are made
of can be used on their own.
"""

from nucleate.theories.adiabatic import DecoderFlow, DecoderState, DrivenFlow, adiabatic_difference
from nucleate.theories.collapse import collapse_loss, collapse_trajectory, collapse_velocity
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
from nucleate.theories.flow import decay, integrate
from nucleate.theories.protocol import Fit, Theory

__all__ = [
    "AllParallelograms",
    "DecoderFlow",
    "DecoderState",
    "DrivenFlow",
    "EffectiveLoss",
    "EffectiveLossFit",
    "ExactFlow",
    "Fit",
    "Flow",
    "KnownParallelograms",
    "LinearizedFlow",
    "ParallelogramSet",
    "Theory",
    "adiabatic_difference",
    "collapse_loss",
    "collapse_trajectory",
    "collapse_velocity",
    "conserved",
    "decay",
    "effective_loss",
    "exact_velocity",
    "integrate",
]
