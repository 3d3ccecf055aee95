"""Evidence for the claims about transformers, planted at the sizes of the standard budget: where each holds, and where
it fails."""

from collections.abc import Callable
from functools import cache

import numpy as np
import xarray as xr
from planted import PlantedRun

from nucleate.claims import Evidence
from nucleate.fleet import Plan
from nucleate.papers import Budget
from nucleate.papers.grokking import readings
from nucleate.papers.grokking.experiments import (
    DECAY,
    DROPOUT,
    EXPERIMENTS,
    LOTTERY,
    PHASE_TRANSFORMER,
    TRANSFORMER,
)
from nucleate.record import NEVER, Outcome

FITTED, GENERALISED = 200, 1500


@cache
def plan(name: str, budget: Budget = Budget.STANDARD) -> Plan:
    return EXPERIMENTS[name].at(budget).plan(name)


def run(name: str, budget: Budget = Budget.STANDARD, **variables) -> PlantedRun:
    """A run of an experiment with these variables, recorded at the start, when the training set was fitted, at
    generalisation and at the end."""
    planned = plan(name, budget)
    count, steps = planned.members.count, planned.steps
    given = {"outcome": ("member", np.full(count, Outcome.OK)), "last_step": ("member", np.full(count, steps))}
    columns = {column: ("member", values) for column, values in planned.members.items()}
    recorded = {"step": [0, FITTED, GENERALISED, steps]}
    record = xr.Dataset(given | variables, coords=columns | recorded, attrs={"steps": steps})
    return PlantedRun(record, EXPERIMENTS[name].at(budget).to_json())


def crossed(name: str, budget: Budget = Budget.STANDARD, **steps) -> dict:
    """Crossings of all networks at about these steps, or at one for each."""
    count = plan(name, budget).members.count
    noise = np.random.default_rng(31).uniform(0.95, 1.05, count)
    around = {key: np.where(np.asarray(step) == NEVER, NEVER, step * noise).astype(int) for key, step in steps.items()}
    return {f"{key}_step": ("member", values) for key, values in around.items()}


def course(*values: float, spread: float = 0.05) -> tuple[tuple[str, str], np.ndarray]:
    """Numbers of all networks at the four recorded steps, about these."""
    noise = np.random.default_rng(32).uniform(-spread, spread, (plan(TRANSFORMER).members.count, 4))
    return ("member", "step"), np.array(values) * (1 + noise)


def learned(share=(0.2, 0.2, 0.6, 0.8), dimension=(24.0, 24.5, 27.0, 15.0), valid: int = GENERALISED) -> Evidence:
    """Transformers with these shares of the strongest frequency, and these effective dimensions, on their way."""
    count = plan(TRANSFORMER).members.count
    planted = run(
        TRANSFORMER,
        train99_step=("member", np.full(count, FITTED)),
        valid99_step=("member", np.full(count, valid)),
        frequency=(("member", "step"), np.full((count, 4), 3)),
        frequency_share=course(*share),
        effective_dimension=course(*dimension, spread=0.01),
    )
    return Evidence({TRANSFORMER: planted}, None)


def dropout(without: int, some: int, budget: Budget = Budget.STANDARD) -> PlantedRun:
    """Transformers that generalise in about so many steps without dropout, and with it."""
    rates = plan(DROPOUT, budget).members["dropout"]
    return run(DROPOUT, budget, **crossed(DROPOUT, budget, train99=100, valid99=np.where(rates == 0, without, some)))


def dropped(without: int, some: int, budget: Budget = Budget.STANDARD) -> Evidence:
    return Evidence({DROPOUT: dropout(without, some, budget)}, None)


def decayed(without: int, some: int) -> Evidence:
    """Transformers that generalise in about so many steps without weight decay, and with it."""
    return Evidence(
        {
            DROPOUT: dropout(without, without),
            DECAY: run(DECAY, **crossed(DECAY, train99=100, valid99=some)),
            PHASE_TRANSFORMER: run(PHASE_TRANSFORMER, **crossed(PHASE_TRANSFORMER, train90=100, valid90=NEVER)),
        },
        None,
    )


def wave(k: int, dim: int, shift: float = 0.0) -> np.ndarray:
    """A circle of frequency k in the first two of `dim` dimensions, or in others."""
    angle = 2 * np.pi * k * np.arange(31) / 31
    embedding = np.zeros((31, dim))
    embedding[:, 0], embedding[:, 1] = np.cos(angle + shift), np.sin(angle + shift)
    return embedding


def tickets(start: float, enough: float, gain: float) -> Evidence:
    """Transformers that end with a circle, of which this much is there at the start, and whose first components give
    this accuracy at the end and gain so much before."""
    count, rng = plan(LOTTERY).members.count, np.random.default_rng(35)
    size = (count, 4, 3, 3)
    final = np.full(size, enough) + rng.uniform(-0.001, 0.001, size)
    current = final - gain * rng.uniform(0.9, 1.1, (count, 1, 1, 1)) * np.array([0, 1, 1, 0])[None, :, None, None]
    circle, noise = wave(3, 8), rng.normal(size=(count, 31, 8)) * [1, 1, 1, 1, 2, 2, 2, 2]
    noise[..., :2] *= 1 - start
    found = readings.Lottery(
        step=np.array([0, FITTED, GENERALISED, plan(LOTTERY).steps]),
        count=np.array([2, 5, 10]),
        whole=np.ones((count, 4, 3)),
        final=final,
        current=current,
        start=noise + start * circle,
        end=5 * circle + 0.1 * noise,
    )
    networks = run(LOTTERY, valid99_step=("member", np.full(count, GENERALISED)))
    return Evidence({LOTTERY: networks}, None, known={readings.lottery: found})


def called_generalised(run) -> PlantedRun:
    """A run of transformers that would take longer to generalise than a test has; they are said to have."""
    record = run.record().load()
    early = ("member", np.full(record.sizes["member"], 20))
    return PlantedRun(record.assign(valid99_step=early), run.about.config)


PLANTS: dict[str, tuple[Callable[[], Evidence] | None, Callable[[], Evidence] | None]] = {
    "grokking/31": (learned, lambda: learned(share=(0.2, 0.2, 0.2, 0.2))),
    "grokking/32": (learned, lambda: learned(dimension=(24.0, 23.0, 22.0, 25.0))),
    "grokking/33": (lambda: dropped(NEVER, 700), lambda: dropped(300, 900)),
    "grokking/34": (lambda: decayed(NEVER, 700), lambda: decayed(300, 900)),
    "grokking/35": (
        lambda: tickets(start=0.8, enough=0.995, gain=0.2),
        lambda: tickets(start=0.0, enough=0.7, gain=-0.2),
    ),
}
