"""The static report: one HTML page that shows what was claimed, what was found, and everything behind it."""

from typing import TYPE_CHECKING

from nucleate.rooms import on_demand

if TYPE_CHECKING:
    from nucleate.report.comparison import Comparison, Ending, Setting, compare
    from nucleate.report.comparison_page import told, write_comparison
    from nucleate.report.gallery import Gallery, are_unchanged, listed, pictured
    from nucleate.report.report import Page, Table, write_report
    from nucleate.report.runs import RunSummary, describe, write_run_report

__all__ = [
    "Comparison",
    "Ending",
    "Gallery",
    "Page",
    "RunSummary",
    "Setting",
    "Table",
    "are_unchanged",
    "compare",
    "describe",
    "listed",
    "pictured",
    "told",
    "write_comparison",
    "write_report",
    "write_run_report",
]

on_demand(__name__)
