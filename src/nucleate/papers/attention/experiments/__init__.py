"""The fleets behind the talk's figures, a module for each of its theories."""

from nucleate.papers.attention.experiments import galore, joint, scanning, text, trees
from nucleate.papers.attention.experiments.joint import EFFORT

EXPERIMENTS = scanning.EXPERIMENTS | joint.EXPERIMENTS | text.EXPERIMENTS | trees.EXPERIMENTS | galore.EXPERIMENTS

__all__ = ["EFFORT", "EXPERIMENTS"]
