"""One folder a paper: its claims, experiments and figures, wired from the rooms below."""

from nucleate.papers.grokking import PAPER as _GROKKING
from nucleate.papers.paper import Budget, Effort, Experiment, Paper
from nucleate.papers.replicate import Replication, describe, replicate, write_replication_report, write_run_report

PAPERS = {paper.name: paper for paper in (_GROKKING,)}

__all__ = [
    "PAPERS",
    "Budget",
    "Effort",
    "Experiment",
    "Paper",
    "Replication",
    "describe",
    "replicate",
    "write_replication_report",
    "write_run_report",
]
