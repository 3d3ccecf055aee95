"""The talk's figures, drawn from records."""

FIGURES = ()

__all__ = ["FIGURES"]
