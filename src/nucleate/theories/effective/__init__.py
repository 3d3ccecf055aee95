"""The effective theory of representation learning: embeddings slide down an effective loss.

`EffectiveLoss` is the theory; its flows can be used on their own. `DecoderFlow` shows where the effective loss comes
from, and `collapse_loss` is its form for labelled points. Source: [liu2022grokking].
"""

from nucleate.theories.effective.adiabatic import DecoderFlow, DecoderState, DrivenFlow, adiabatic_difference
from nucleate.theories.effective.collapse import collapse_loss, collapse_trajectory, collapse_velocity
from nucleate.theories.effective.flow import (
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
from nucleate.theories.effective.theory import EffectiveLoss, EffectiveLossFit

__all__ = [
    "AllParallelograms",
    "DecoderFlow",
    "DecoderState",
    "DrivenFlow",
    "EffectiveLoss",
    "EffectiveLossFit",
    "ExactFlow",
    "Flow",
    "KnownParallelograms",
    "LinearizedFlow",
    "ParallelogramSet",
    "adiabatic_difference",
    "collapse_loss",
    "collapse_trajectory",
    "collapse_velocity",
    "conserved",
    "effective_loss",
    "exact_velocity",
]
