"""The talk's figures, drawn from records."""

from nucleate.papers.algebra.figures import navigator, network, occam, paths, phasors, solutions

FIGURES = network.FIGURES + solutions.FIGURES + phasors.FIGURES + occam.FIGURES + navigator.FIGURES + paths.FIGURES

__all__ = ["FIGURES"]
