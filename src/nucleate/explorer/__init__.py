"""The web page: what was claimed, what was found, and everything needed to see for oneself."""

from nucleate.explorer.report import FigureEntry, write_report

__all__ = ["FigureEntry", "write_report"]
