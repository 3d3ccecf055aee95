"""Evidence for the claim about the graph transformer, planted at the sizes of the standard budget."""

from collections.abc import Callable
from functools import cache

import numpy as np
import xarray as xr
from planted import PlantedRun

from nucleate.claims import Evidence
from nucleate.observables import line_spectrum
from nucleate.papers import Budget
from nucleate.papers.algebra.experiments.paths import EXPERIMENTS, PATHS, PathFleet
from nucleate.papers.algebra.readings.paths import small
from nucleate.record import Outcome

STANDARD: PathFleet = EXPERIMENTS[PATHS].at(Budget.STANDARD)


@cache
def held_out() -> np.ndarray:
    """The graphs that each network is tested on."""
    return np.stack([STANDARD.library.split(seed)[1] for seed in STANDARD.members()["seed"].tolist()])


def spectra(noise: float) -> np.ndarray:
    """Edges at random linear maps of their places in the spectrum, give or take some noise."""
    rng = np.random.default_rng(30)
    graphs = held_out()
    points = np.zeros((*graphs.shape[:2], STANDARD.edges, STANDARD.dim))
    for place in np.ndindex(graphs.shape[:2]):
        values, vectors, _ = line_spectrum(small(graphs[place]))
        edges = len(values)
        # The first eigenvectors are by far the strongest directions.
        turned = vectors[:, 1:] / values[1:] ** 4 @ rng.normal(size=(edges - 1, STANDARD.dim)) / np.sqrt(STANDARD.dim)
        points[*place, :edges] = turned + noise * rng.normal(size=(edges, STANDARD.dim))
    return points


def run(start: float, end: float, optimal: float = 0.99, outcome: Outcome = Outcome.OK) -> PlantedRun:
    """Networks whose embeddings have so much noise at the start and at the end, and with so many optimal answers."""
    members = STANDARD.members()
    count, steps = members.count, STANDARD.steps
    accuracy = np.tile([[0.1, 0.1, 0.0], [optimal, optimal, optimal]], (count, 1, 1))
    variables = {
        "outcome": ("member", np.full(count, outcome)),
        "last_step": ("member", np.full(count, steps)),
        "loss": (("member", "step"), np.tile([2.4, 0.1], (count, 1))),
        "accuracy": (("member", "step", "measure"), accuracy),
        "embedding": (("member", "step_map", "graph", "edge", "dim"), np.stack([spectra(start), spectra(end)], axis=1)),
        "held_out": (("member", "graph", "vertex", "other"), held_out()),
    }
    columns = {column: ("member", values) for column, values in members.items()}
    ticks = {"step": [0, steps], "step_map": [0, steps]}
    record = xr.Dataset(variables, coords=columns | ticks, attrs={"steps": steps})
    return PlantedRun(record, STANDARD.to_json())


def embedded(start: float, end: float) -> Evidence:
    return Evidence({PATHS: run(start, end)}, None)


PLANTS: dict[str, tuple[Callable[[], Evidence] | None, Callable[[], Evidence] | None]] = {
    "algebra/30": (lambda: embedded(5000.0, 1e-4), lambda: embedded(5000.0, 5000.0)),
}
