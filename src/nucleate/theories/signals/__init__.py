"""The ecology of circles: laws dx/dt = v(x) for the signals of frequencies (Section 4.2 of [ding2024survival]).

A law is a regression of increments on the state, pooled over the members of a record. A high `r2` of the increments may
be mere interpolation: score a fit on later steps, on other members, and against `SelfFlow`, in which nothing interacts.
"""

from nucleate.theories.signals.fit import SignalFit, SignalTheory
from nucleate.theories.signals.linear import LinearFlow, LinearFlowFit, SelfFlow, couplings
from nucleate.theories.signals.lotka_volterra import LotkaVolterra, LotkaVolterraFit
from nucleate.theories.signals.regression import LeastSquares, RegressionResult, Solver, Sparse

__all__ = [
    "LeastSquares",
    "LinearFlow",
    "LinearFlowFit",
    "LotkaVolterra",
    "LotkaVolterraFit",
    "RegressionResult",
    "SelfFlow",
    "SignalFit",
    "SignalTheory",
    "Solver",
    "Sparse",
    "couplings",
]
