"""Evidence for the grokking paper's claims 25-30, planted at the sizes of the standard budget: where each holds, and
where it fails."""

from collections.abc import Callable

import numpy as np
from planted import PlantedRun
from plants_grokking import C, G, M, evidence, phased, plan, run

from nucleate.claims import Evidence
from nucleate.observables import Phase
from nucleate.papers.grokking import readings
from nucleate.papers.grokking.experiments import (
    BATCH,
    BATCH_CLASSES,
    CORNERS_BATCH,
    CORNERS_BATCH_CLASSES,
    GROUPS,
    INIT,
    INIT_CLASSES,
    REPR_DECAY,
    REPR_DECAY_CLASSES,
)
from nucleate.record import NEVER

# --- the toy model's other hyperparameters, from small to large ------------------------------------------------------

Cells = list[list[Phase]]


def batches(full: Phase, small: Phase, **how) -> Evidence:
    """Slow decoders that have these phases with the full batch, everywhere, and with small batches."""
    corners = [[full], [small], [small]]  # a full batch is called 0
    return evidence(
        batch=phased(BATCH, corners, "batch"),
        batch_classes=phased(BATCH_CLASSES, corners, "batch"),
        corners_batch=phased(CORNERS_BATCH, corners, "batch", **how),
        corners_batch_classes=phased(CORNERS_BATCH_CLASSES, corners, "batch", **how),
        **_both(INIT, INIT_CLASSES, [[full]], "init_scale"),
        **_both(REPR_DECAY, REPR_DECAY_CLASSES, [[full]], "wd_repr"),
    )


def scales(cells: Cells, **how) -> Evidence:
    return evidence(**_both(INIT, INIT_CLASSES, cells, "init_scale", **how))


def representation_decays(cells: Cells, **how) -> Evidence:
    return evidence(**_both(REPR_DECAY, REPR_DECAY_CLASSES, cells, "wd_repr", **how))


def _both(regression: str, classification: str, cells: Cells, y: str, **how) -> dict[str, PlantedRun]:
    """The same phases over (`y`, decoder learning rate) in both tasks."""
    names = (regression, classification)
    return {name.split("/")[1].replace("-", "_"): phased(name, cells, y, **how) for name in names}


# --- S3 --------------------------------------------------------------------------------------------------------------


def qualities(**changes: np.ndarray) -> Evidence:
    """Networks whose RQI follows the size of their training set, and that know no more than is predicted."""
    columns = plan(GROUPS).members
    fraction = columns["train_size"] / 36
    luck = np.random.default_rng(18).uniform(0, 0.1, len(fraction))
    given = {
        "fraction": fraction,
        "rqi": np.clip(fraction - luck, 0, 1),
        "accuracy": np.clip(fraction + 0.2 + luck, 0, 1),
        "predicted_accuracy": np.clip(fraction + 0.1, 0, 1),
        "fitted": np.ones(len(fraction), bool),
        "steps": np.full(len(fraction), np.inf),
    }
    found = readings.GroupQualities(**given | changes)
    return evidence({readings.group_qualities: found}, groups=run(GROUPS))


def reached(chosen: Callable[[np.ndarray], np.ndarray]) -> Evidence:
    """Every third network with these fractions of the data reaches RQI > 0.95."""
    fraction = plan(GROUPS).members["train_size"] / 36
    arrives = chosen(fraction) & (np.arange(len(fraction)) % 3 == 0)
    return qualities(steps=np.where(arrives, 2000.0, np.inf))


def boastful() -> Evidence:
    """All is predicted to be known, little is."""
    fraction = plan(GROUPS).members["train_size"] / 36
    return qualities(predicted_accuracy=np.ones(len(fraction)), accuracy=fraction)


def shapes(hexagons: bool) -> Evidence:
    """Networks that all generalise, with hexagons or anything else in their first principal components."""
    angle = np.pi * np.arange(6) / 3
    hexagon = np.stack([3 * np.cos(angle), 2 * np.sin(angle)], axis=1) @ np.eye(2, 9)

    count = plan(GROUPS).members.count
    noise = np.random.default_rng(0).normal(size=(count, 6, 9))
    embedding = (hexagon + 0.01 * noise if hexagons else noise).reshape(count, 1, 6, 3, 3)
    return evidence(
        groups=run(
            GROUPS,
            embedding=(("member", "step", "token", "row", "column"), embedding),
            valid90_step=("member", np.full(count, 500)),
        )
    )


def nothing_generalises() -> Evidence:
    record = shapes(hexagons=True).record(GROUPS)
    return evidence(groups=PlantedRun(record.assign(valid90_step=("member", np.full(record.sizes["member"], NEVER)))))


PLANTS: dict[str, tuple[Callable[[], Evidence] | None, Callable[[], Evidence] | None]] = {
    "grokking/25": (lambda: batches(full=C, small=G), lambda: batches(full=G, small=C)),
    "grokking/26": (lambda: scales([[C], [C], [M]]), lambda: scales([[M], [C], [C]])),
    "grokking/27": (
        lambda: representation_decays([[C, C, M, M]]),
        lambda: representation_decays([[M, M, M, M], [C, C, C, M], [C, C, C, M]]),
    ),
    "grokking/28": (lambda: reached(lambda r: r > 0.55), lambda: reached(lambda r: r < 0.45)),
    "grokking/29": (qualities, boastful),
    "grokking/30": (lambda: shapes(hexagons=True), lambda: shapes(hexagons=False)),
}
