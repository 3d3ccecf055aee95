"""Evidence for the claims about attention on text, planted at the sizes of the standard budget: where each holds, and
where it fails."""

from collections.abc import Callable

import numpy as np
import plants_attention_trees as trees
import xarray as xr
from planted import PlantedRun

from nucleate.claims import Evidence
from nucleate.papers import Budget
from nucleate.papers.attention.experiments.text import ADAM, EXPERIMENTS, SGD
from nucleate.papers.attention.experiments.trees import TREES
from nucleate.record import Outcome

RECORDS = 31


def run(
    name: str,
    entropy=(2.5, 1.5, 1.5),
    cosine: float = 1.5,
    budget: Budget = Budget.STANDARD,
    loss: tuple[float, float] = (1.5, 1.5),
) -> PlantedRun:
    """Networks whose entropy goes from the first of these numbers to the second in a third of the time, and then to the
    third, give or take a little, whose vectors have so many times the cosine of random ones, and whose held-out loss
    goes from the first number to the second."""
    experiment = EXPERIMENTS[name].at(budget)
    planned = experiment.plan(name)
    members, steps = planned.members, planned.steps
    count, rng = members.count, np.random.default_rng(17)
    depth = int(members["blocks"].max())
    course = np.interp(np.linspace(0, 1, RECORDS), [0, 1 / 3, 1], entropy)
    histories = course[None, :, None] + rng.uniform(-0.02, 0.02, (count, 1, 1)) * np.ones((1, 1, depth))
    random = 0.6745 / np.sqrt(members["dim"])  # the median of a normal distribution, for many dimensions
    cosines = cosine * random[:, None, None] * rng.uniform(0.95, 1.05, (count, RECORDS, depth + 1))
    lacking = np.arange(depth) >= members["blocks"][:, None]
    histories = np.where(lacking[:, None], np.nan, histories)
    cosines[:, :, 1:] = np.where(lacking[:, None], np.nan, cosines[:, :, 1:])
    step_map = np.linspace(0, steps, 6).astype(int)
    context = int(members["context"][0])
    uniform = np.tri(context) / np.arange(1, context + 1)[:, None]
    variables = {
        "outcome": ("member", np.full(count, Outcome.OK)),
        "last_step": ("member", np.full(count, steps)),
        "valid_loss": (("member", "step"), np.tile(np.linspace(*loss, RECORDS), (count, 1))),
        "entropy": (("member", "step", "block"), histories),
        "cosine": (("member", "step", "layer"), cosines),
        "attention": (("member", "step_map", "query", "key"), np.broadcast_to(uniform, (count, 6, context, context))),
        "window": ("key", np.frombuffer(b"what a window of text can be, and more of it."[:context], np.uint8)),
    }
    columns = {column: ("member", values) for column, values in members.items()}
    recorded = {"step": np.linspace(0, steps, RECORDS).astype(int), "step_map": step_map}
    record = xr.Dataset(variables, coords={**columns, **recorded}, attrs={"steps": steps})
    return PlantedRun(record, experiment.to_json())


def sgd(*entropy: float) -> Evidence:
    return Evidence({SGD: run(SGD, entropy)}, None)


def adam(*entropy: float) -> Evidence:
    return Evidence({ADAM: run(ADAM, entropy)}, None)


def orthogonal(cosine: float) -> Evidence:
    runs = {name: run(name, cosine=cosine) for name in (ADAM, SGD)}
    return Evidence({**runs, TREES: trees.run(0.0, 0.0, cosine)}, None)


PLANTS: dict[str, tuple[Callable[[], Evidence] | None, Callable[[], Evidence] | None]] = {
    "attention/17": (lambda: sgd(2.5, 2.0, 1.5), lambda: sgd(2.5, 2.5, 2.6)),
    "attention/18": (lambda: adam(2.5, 1.8, 2.2), lambda: adam(2.5, 1.8, 1.8)),
    "attention/32": (lambda: orthogonal(1.2), lambda: orthogonal(4.0)),
}
