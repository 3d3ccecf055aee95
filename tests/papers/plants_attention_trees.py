"""Evidence for the claims about latent trees, planted at the sizes of the standard budget: where each holds, and where
it fails."""

from collections.abc import Callable

import numpy as np
import xarray as xr
from planted import PlantedRun

from nucleate.claims import Evidence
from nucleate.papers import Budget
from nucleate.papers.attention.experiments.trees import EXPERIMENTS, TREES
from nucleate.papers.attention.readings.trees import TALK
from nucleate.record import Outcome


def run(start: float, end: float, cosine: float = 1.5, budget: Budget = Budget.STANDARD) -> PlantedRun:
    """Networks whose NCorr is off the talk's table by so much at the start and at the end, give or take a little; all
    name every class that they can in the end, and their vectors have so many times the cosine of random ones."""
    experiment = EXPERIMENTS[TREES].at(budget)
    planned = experiment.plan(TREES)
    members, steps = planned.members, planned.steps
    count, rng = members.count, np.random.default_rng(19)
    settings = zip(*(members[name].tolist() for name in ("classes", "parts", "lower", "upper")), strict=True)
    table = np.array([TALK[setting] for setting in settings])
    noise = rng.uniform(-0.02, 0.02, (2, count, 2))
    ncorr = np.stack([table + start + noise[0], table + end + noise[1]], axis=1)
    random = 0.6745 / np.sqrt(members["dim"])  # the median of a normal distribution, for many dimensions
    cosines = cosine * random[:, None, None] * rng.uniform(0.95, 1.05, (count, 2, 4))
    variables = {
        "outcome": ("member", np.full(count, Outcome.OK)),
        "last_step": ("member", np.full(count, steps)),
        "accuracy": (("member", "step"), np.tile([0.05, 0.9], (count, 1))),
        "best_accuracy": ("member", np.full(count, 0.9)),
        "ncorr": (("member", "step", "level"), ncorr),
        "cosine": (("member", "step", "layer"), cosines),
        "entropy": (("member", "step", "block"), np.ones((count, 2, 3))),
    }
    columns = {column: ("member", values) for column, values in members.items()}
    record = xr.Dataset(variables, coords={**columns, "step": [0, steps]}, attrs={"steps": steps})
    return PlantedRun(record, experiment.to_json())


def matched(start: float, end: float) -> Evidence:
    return Evidence({TREES: run(start, end)}, None)


PLANTS: dict[str, tuple[Callable[[], Evidence] | None, Callable[[], Evidence] | None]] = {
    "attention/19": (lambda: matched(-0.3, 0.0), lambda: matched(0.0, -0.3)),
}
