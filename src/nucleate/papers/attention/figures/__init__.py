"""The talk's figures, drawn from records."""

from nucleate.papers.attention.figures import galore, joint, scanning, text, trees

FIGURES = scanning.FIGURES + joint.FIGURES + text.FIGURES + galore.FIGURES + trees.FIGURES

__all__ = ["FIGURES"]
