"""The fleets behind the talk's figures, a module for each of its parts."""

from nucleate.papers.algebra.experiments import network
from nucleate.papers.algebra.experiments.effort import EFFORT

EXPERIMENTS = network.EXPERIMENTS

__all__ = ["EFFORT", "EXPERIMENTS"]
