"""The fleets behind the talk's figures, a module for each of its parts."""

from nucleate.papers.algebra.experiments import network, paths
from nucleate.papers.algebra.experiments.effort import EFFORT

EXPERIMENTS = network.EXPERIMENTS | paths.EXPERIMENTS

__all__ = ["EFFORT", "EXPERIMENTS"]
