"""How networks train: many members in one compiled program, streamed to a record, resumable."""

from nucleate.fleet.interruption import Interruption, resumable
from nucleate.fleet.members import Members, grid, table
from nucleate.fleet.plan import Plan
from nucleate.fleet.progress import Bar, Silent, Watcher
from nucleate.fleet.recipe import (
    Batching,
    Crossing,
    FullBatch,
    Minibatch,
    Probe,
    Recipe,
    Stream,
    View,
    by_field,
)
from nucleate.fleet.replay import replay
from nucleate.fleet.schedule import At, Every, First, Last, LogSpaced, Schedule
from nucleate.fleet.train import train
from nucleate.fleet.weights import flat_weights, rebuild

__all__ = [
    "At",
    "Bar",
    "Batching",
    "Crossing",
    "Every",
    "First",
    "FullBatch",
    "Interruption",
    "Last",
    "LogSpaced",
    "Members",
    "Minibatch",
    "Plan",
    "Probe",
    "Recipe",
    "Schedule",
    "Silent",
    "Stream",
    "View",
    "Watcher",
    "by_field",
    "flat_weights",
    "grid",
    "rebuild",
    "replay",
    "resumable",
    "table",
    "train",
]
