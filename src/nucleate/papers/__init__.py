"""One folder a paper: its claims, experiments and figures, wired from the rooms below."""

from nucleate.papers.circles import PAPER as _CIRCLES
from nucleate.papers.collisions import PAPER as _COLLISIONS
from nucleate.papers.grokking import PAPER as _GROKKING
from nucleate.papers.paper import Budget, Effort, Experiment, Paper, Sequel, awaited
from nucleate.papers.replicate import Replication, describe, replicate, write_replication_report, write_run_report
from nucleate.papers.repons import PAPER as _REPONS

PAPERS = {paper.name: paper for paper in (_GROKKING, _CIRCLES, _REPONS, _COLLISIONS)}

__all__ = [
    "PAPERS",
    "Budget",
    "Effort",
    "Experiment",
    "Paper",
    "Replication",
    "Sequel",
    "awaited",
    "describe",
    "replicate",
    "write_replication_report",
    "write_run_report",
]
