"""The talk's figures, drawn from records."""

from nucleate.papers.algebra.figures import network, occam, phasors, solutions

FIGURES = network.FIGURES + solutions.FIGURES + phasors.FIGURES + occam.FIGURES

__all__ = ["FIGURES"]
