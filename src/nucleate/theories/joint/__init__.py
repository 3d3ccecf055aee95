"""Joint dynamics of attention and the units that read it: logits follow weights, and what becomes of tokens then.

`JointInvariant` is Theorem 1 (what training conserves), `SaliencyFlow` Theorem 2 and its K units (linear: the winner
takes all), `ClusterFlow` Theorem 3 (nonlinear, on clusters) and `ApproachFlow` Theorem 4 (the others catch up). Source:
[tian2023joma].
"""

from nucleate.theories.joint.approach import ApproachFlow, ApproachFlowFit, approach, convergence_ratio, remaining
from nucleate.theories.joint.cluster_flow import ClusterFlow, ClusterFlowFit
from nucleate.theories.joint.clusters import (
    Clusters,
    ReLUGain,
    SmoothGain,
    UnitGain,
    UnitState,
    cluster_velocity,
    thetas,
)
from nucleate.theories.joint.growth import ExpGrowth, Growth, SoftmaxGrowth
from nucleate.theories.joint.invariants import JointInvariant, JointInvariantFit
from nucleate.theories.joint.laws import ExpLaw, JointLaw, LinearLaw, SoftmaxLaw
from nucleate.theories.joint.saliency import SaliencyFlow, SaliencyFlowFit, erf_ratio, unfolded

__all__ = [
    "ApproachFlow",
    "ApproachFlowFit",
    "ClusterFlow",
    "ClusterFlowFit",
    "Clusters",
    "ExpGrowth",
    "ExpLaw",
    "Growth",
    "JointInvariant",
    "JointInvariantFit",
    "JointLaw",
    "LinearLaw",
    "ReLUGain",
    "SaliencyFlow",
    "SaliencyFlowFit",
    "SmoothGain",
    "SoftmaxGrowth",
    "SoftmaxLaw",
    "UnitGain",
    "UnitState",
    "approach",
    "cluster_velocity",
    "convergence_ratio",
    "erf_ratio",
    "remaining",
    "thetas",
    "unfolded",
]
