"""The fleets behind the paper's figures, a module for each of its systems."""

from nucleate.papers.grokking.experiments import groups, images, toy, toy_maps, transformer
from nucleate.papers.grokking.experiments.effort import EFFORT, Effort
from nucleate.papers.grokking.experiments.groups import GROUPS, GROUPS_CORNERS, GROUPS_PHASES, GroupFleet
from nucleate.papers.grokking.experiments.toy import (
    CORNERS,
    CORNERS_DECAY,
    CORNERS_DECAY_CLASSES,
    DATA_SIZE,
    FEASIBLE,
    FOUR_SYMBOLS,
    PHASE_DECAY,
    PHASE_DECAY_CLASSES,
    PHASE_RATES,
    TABLE_1_DELAY,
    TABLE_1_STEPS,
    TRAJECTORIES,
    TRANSITION,
    ToyFleet,
)
from nucleate.papers.grokking.experiments.toy_maps import (
    BATCH,
    BATCH_CLASSES,
    CORNERS_BATCH,
    CORNERS_BATCH_CLASSES,
    INIT,
    INIT_CLASSES,
    REPR_DECAY,
    REPR_DECAY_CLASSES,
)
from nucleate.papers.grokking.experiments.transformer import (
    DECAY,
    DROPOUT,
    LOTTERY,
    PHASE_TRANSFORMER,
    TRANSFORMER,
    TransformerFleet,
)

EXPERIMENTS = toy.EXPERIMENTS | toy_maps.EXPERIMENTS | groups.EXPERIMENTS | transformer.EXPERIMENTS | images.EXPERIMENTS

__all__ = [
    "BATCH",
    "BATCH_CLASSES",
    "CORNERS",
    "CORNERS_BATCH",
    "CORNERS_BATCH_CLASSES",
    "CORNERS_DECAY",
    "CORNERS_DECAY_CLASSES",
    "DATA_SIZE",
    "DECAY",
    "DROPOUT",
    "EFFORT",
    "EXPERIMENTS",
    "FEASIBLE",
    "FOUR_SYMBOLS",
    "GROUPS",
    "GROUPS_CORNERS",
    "GROUPS_PHASES",
    "INIT",
    "INIT_CLASSES",
    "LOTTERY",
    "PHASE_DECAY",
    "PHASE_DECAY_CLASSES",
    "PHASE_RATES",
    "PHASE_TRANSFORMER",
    "REPR_DECAY",
    "REPR_DECAY_CLASSES",
    "TABLE_1_DELAY",
    "TABLE_1_STEPS",
    "TRAJECTORIES",
    "TRANSFORMER",
    "TRANSITION",
    "Effort",
    "GroupFleet",
    "ToyFleet",
    "TransformerFleet",
]
