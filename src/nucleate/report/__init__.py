"""The static report: one HTML page that shows what was claimed, what was found, and everything behind it."""

from typing import TYPE_CHECKING

from nucleate.rooms import on_demand

if TYPE_CHECKING:
    from nucleate.report.gallery import Gallery, are_unchanged, listed, pictured
    from nucleate.report.report import Page, write_report
    from nucleate.report.runs import RunSummary, describe, write_run_report

__all__ = [
    "Gallery",
    "Page",
    "RunSummary",
    "are_unchanged",
    "describe",
    "listed",
    "pictured",
    "write_report",
    "write_run_report",
]

on_demand(__name__)
