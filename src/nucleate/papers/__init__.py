"""One folder per paper: its experiments, claims and figures, wired from the rooms below."""

from typing import TYPE_CHECKING

from nucleate.rooms import on_demand

if TYPE_CHECKING:
    from nucleate.papers.config import Config, Later
    from nucleate.papers.description import Description, description
    from nucleate.papers.library import paper
    from nucleate.papers.names import PAPERS
    from nucleate.papers.paper import Experiment, Figure, Paper, Sequel, awaited, ready
    from nucleate.papers.portraits import write_experiment_report
    from nucleate.papers.replicate import replicate
    from nucleate.papers.replication import Replication, write_replication_report
    from nucleate.papers.sizes import Budget, Sizes
    from nucleate.papers.stages import UntilDecided

__all__ = [
    "PAPERS",
    "Budget",
    "Config",
    "Description",
    "Experiment",
    "Figure",
    "Later",
    "Paper",
    "Replication",
    "Sequel",
    "Sizes",
    "UntilDecided",
    "awaited",
    "description",
    "paper",
    "ready",
    "replicate",
    "write_experiment_report",
    "write_replication_report",
]

on_demand(__name__)
