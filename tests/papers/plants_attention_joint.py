"""Evidence for JoMA's claims, planted at the sizes of the standard budget: where each holds, and where it fails."""

from collections.abc import Callable
from functools import cache

import numpy as np
import xarray as xr
from planted import PlantedRun

from nucleate.claims import Evidence
from nucleate.fleet import Plan
from nucleate.papers import Budget
from nucleate.papers.attention.experiments.joint import (
    EXPERIMENTS,
    JOINT,
    JOINT_LONG,
    JOINT_MAP,
    JOINT_RELU,
    JOINT_UNITS,
)
from nucleate.papers.attention.readings import joint as readings
from nucleate.papers.attention.readings import joint_fields
from nucleate.papers.attention.readings import joint_flows as flows
from nucleate.record import Outcome


@cache
def plan(name: str) -> Plan:
    return EXPERIMENTS[name].at(Budget.STANDARD).plan(name)


def about(value: float, *shape: int, spread: float = 0.02) -> np.ndarray:
    """Numbers about a value."""
    return value + spread * np.random.default_rng(5).uniform(-1, 1, shape)


def run(name: str, **ends: tuple[float, float]) -> PlantedRun:
    """A run recorded at the start and at the end, with these numbers about there."""
    planned = plan(name)
    count, steps = planned.members.count, planned.steps
    given = {"outcome": ("member", np.full(count, Outcome.OK)), "last_step": ("member", np.full(count, steps))}
    values = {key: (("member", "step"), np.array(pair) * about(1, count, 2)) for key, pair in ends.items()}
    columns = {column: ("member", value) for column, value in planned.members.items()}
    record = xr.Dataset(given | values, coords=columns | {"step": [0, steps]}, attrs={"steps": steps})
    return PlantedRun(record, EXPERIMENTS[name].at(Budget.STANDARD).to_json())


def estimated(cosine: float, first: float) -> Evidence:
    """Networks that have learned, whose logits have these cosines with their estimate and with its first term."""
    count = plan(JOINT).members.count
    made = [about(value, count, 2, spread=0.01) for value in (cosine, first, 0.1, 0.5, 0.2)]
    found = readings.Estimates(
        np.array([0, 2000]), *made, np.ones((count, 2), bool), np.ones((count, 2)), *np.ones((2, count, 20))
    )
    cells = readings.EstimateMap(*np.ones((2, 2)), *np.ones((3, 2, 2)))
    runs = {JOINT: run(JOINT, accuracy=(0.05, 0.9)), JOINT_MAP: run(JOINT_MAP)}
    return Evidence(runs, None, known={readings.estimates: found, readings.estimate_map: cells})


def bouncing(nonlinear: tuple[float, ...], linear: tuple[float, ...]) -> Evidence:
    """Flows whose entropies pass through these values."""
    curves = [np.array(course) + about(0, 100, 1) for course in (nonlinear, linear)]
    found = flows.Dips(np.arange(3), *curves, np.ones(10), np.ones((3, 10)))
    runs = {name: run(name, entropy=(2.0, 1.5)) for name in (JOINT_LONG, JOINT_RELU)}
    return Evidence(runs, None, known={flows.dips: found})


def ranked(flow: float, flow_gradient: float, trained: float, gradient: float) -> Evidence:
    """Flows and networks whose stable ranks go to these numbers, steadily, from 6."""
    time = np.append(np.linspace(0.01, 0.9, 10), 0.999)
    values, velocity = (np.linspace(6.0, end, len(time)) * about(1, 100, 1) for end in (flow, flow_gradient))
    ends = {"stable_rank": (6.0, trained), "stable_rank_gradient": (6.0, gradient)}
    ends |= {"effective_rank": (9.0, 5.0), "effective_rank_gradient": (9.0, 5.0), "accuracy": (0.05, 0.9)}
    known = {flows.flow_ranks: flows.FlowRanks(time, values, velocity, values, velocity)}
    return Evidence({JOINT: run(JOINT, **ends)}, None, known=known)


def on_clusters(error: float) -> Evidence:
    """Units that miss Theorem 3 by this much."""
    units, count = 20, plan(JOINT_UNITS).members.count
    missed = about(error, 3, units, spread=error / 5)
    known = {
        joint_fields.fields: joint_fields.Fields(missed, missed, np.ones(units), *np.ones((2, units, 10))),
        readings.followed: readings.Followed(
            1.0, about(error, count, spread=error / 5), *np.ones((6, count)), np.arange(2), *np.ones((2, count, 2, 10))
        ),
    }
    return Evidence({JOINT_UNITS: run(JOINT_UNITS)}, None, known=known)


PLANTS: dict[str, tuple[Callable[[], Evidence] | None, Callable[[], Evidence] | None]] = {
    "attention/7": (lambda: estimated(0.98, 0.8), lambda: estimated(0.7, 0.9)),
    "attention/10": (
        lambda: bouncing((2.3, 0.8, 1.5), (2.3, 1.0, 0.2)),
        lambda: bouncing((2.3, 1.0, 1.0), (2.3, 1.0, 2.0)),
    ),
    "attention/11": (lambda: ranked(1.5, 1.1, 2.0, 1.5), lambda: ranked(6.5, 7.0, 6.5, 7.5)),
    "attention/31": (lambda: on_clusters(0.005), lambda: on_clusters(0.3)),
}
