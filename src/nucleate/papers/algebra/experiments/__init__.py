"""The fleets behind the talk's figures, a module for each of its parts."""

from nucleate.papers.algebra.experiments import network

EXPERIMENTS = network.EXPERIMENTS

__all__ = ["EXPERIMENTS"]
