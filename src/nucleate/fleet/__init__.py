"""How networks train: many members in one compiled program, streamed to a record, resumable."""

from nucleate.fleet.allow import Allow
from nucleate.fleet.executor import spread_over
from nucleate.fleet.forecast import Forecast, forecast
from nucleate.fleet.gradient import pieces
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
from nucleate.fleet.trained import Trained, open_run
from nucleate.fleet.weights import flat_weights, kept_model, rebuild

__all__ = [
    "Allow",
    "At",
    "Bar",
    "Batching",
    "Crossing",
    "Every",
    "First",
    "Forecast",
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
    "Trained",
    "View",
    "Watcher",
    "by_field",
    "flat_weights",
    "forecast",
    "grid",
    "kept_model",
    "open_run",
    "pieces",
    "rebuild",
    "replay",
    "resumable",
    "spread_over",
    "table",
    "train",
]
