"""One folder per paper: its experiments, claims and figures, wired from the rooms below."""

from nucleate.papers.config import Config, Later
from nucleate.papers.library import PAPERS, paper
from nucleate.papers.paper import Budget, Experiment, Figure, Paper, Sequel, Sizes, awaited, ready
from nucleate.papers.portraits import write_experiment_report
from nucleate.papers.replicate import replicate
from nucleate.papers.replication import Replication, write_replication_report
from nucleate.papers.stages import UntilDecided

__all__ = [
    "PAPERS",
    "Budget",
    "Config",
    "Experiment",
    "Figure",
    "Later",
    "Paper",
    "Replication",
    "Sequel",
    "Sizes",
    "UntilDecided",
    "awaited",
    "paper",
    "ready",
    "replicate",
    "write_experiment_report",
    "write_replication_report",
]
