"""Evidence for the claims of the collisions paper, planted at the sizes of the standard budget."""

from collections.abc import Callable
from functools import cache

import numpy as np
import xarray as xr
from planted import PlantedRun

from nucleate.claims import Evidence
from nucleate.papers.collisions.experiments import BOXES, EFFORT, EXPERIMENTS, LARGE, SMALL
from nucleate.papers.collisions.readings import power_laws
from nucleate.papers.collisions.readings.rollouts import Energies, energies
from nucleate.record import Outcome

TRUE, PARTIAL, NOBODY = 0.95, 0.6, 0.0
MIXED = [[NOBODY] * 4, [NOBODY, PARTIAL, NOBODY, NOBODY], [NOBODY, TRUE, TRUE, TRUE]]
NETWORKS = {name: EXPERIMENTS[name].standard.seeds for name in BOXES}
FORMED = 5000  # the step at which heads jump to their score

Curve = Callable[[np.ndarray], np.ndarray]


@cache
def steps_of(name: str) -> np.ndarray:
    return np.array(EXPERIMENTS[name].standard.recipe().looks)


def falling(step: np.ndarray) -> np.ndarray:
    """A power law: to −0.31 at step 40,000."""
    return -0.9 * np.maximum(step, 1.0) ** -0.1


def record(name: str, score, correlation: Curve = falling, limit: float = -0.31, fvu=0.1) -> xr.Dataset:
    """Networks of a box with heads of `score` [member, block, head], or with a history [member, step, block, head]."""
    score, step = np.asarray(score, float), steps_of(name)
    if score.ndim == 3:
        score = np.where(step[None, :, None, None] >= FORMED, score[:, None], 0.0)
    axes, members = ("member", "step", "block", "head"), np.arange(len(score))
    standard = EXPERIMENTS[name].standard
    return xr.Dataset(
        {
            "frac": (axes, score),
            "raw": (axes, score),
            "total": (axes, np.ones(score.shape)),
            "correlation": (axes, np.broadcast_to(correlation(step)[None, :, None, None], score.shape)),
            "fvu": (("member", "step"), np.broadcast_to(np.reshape(fvu, (-1, 1)), score.shape[:2])),
            "uniform_score": ((), 0.0),
            "contact_limit": ((), limit),
            "outcome": ("member", np.full(len(score), Outcome.OK, np.int8)),
        },
        coords={
            "step": step,
            "member": members,
            "seed": ("member", standard.first_seed + members),
            "seed_data": ("member", standard.first_seed + members),
            "eta": ("member", np.full(len(members), standard.eta)),
        },
        attrs={"steps": standard.steps},
    )


@cache
def fitted(fit: Callable, name: str, correlation: Curve, limit: float) -> xr.Dataset:
    """The laws of one head. All heads of a plant have one history, so its laws are found once."""
    runs = {name: PlantedRun(record(name, [[[TRUE]]], correlation, limit))}
    (other,) = set(BOXES) - {name}
    runs[other] = PlantedRun(runs[name].dataset.isel(member=[]))
    return fit(Evidence(runs, EFFORT.standard))[name].isel(member=0, block=0, head=0, drop=True)


def evidence(
    scores: dict[str, np.ndarray],
    correlation: Curve = falling,
    limit: float = -0.31,
    fvu=0.1,
    known: dict | None = None,
) -> Evidence:
    """Runs whose networks have these scores (see `record`), with their laws."""
    runs = {name: PlantedRun(record(name, score, correlation, limit, fvu)) for name, score in scores.items()}
    laws = {}
    for fit in (power_laws.of_correlation, power_laws.of_distance_to_limit, power_laws.of_score):
        laws[fit] = {}
        for name, run in runs.items():
            sizes = {axis: run.dataset.sizes[axis] for axis in ("member", "block", "head")}
            one = fitted(fit, name, correlation, limit)
            laws[fit][name] = one.expand_dims(sizes).assign_coords(member=run.dataset.member)
    return Evidence(runs, EFFORT.standard, known=laws | (known or {}))


def alike(score, networks: dict[str, int] = NETWORKS) -> dict[str, np.ndarray]:
    """All networks of both boxes with heads of the same scores [block, head]."""
    return {name: np.stack([np.asarray(score, float)] * count) for name, count in networks.items()}


def one_true_head_among_partial_ones() -> dict[str, np.ndarray]:
    scores = alike([[PARTIAL] * 4] * 3)
    scores[LARGE][0, 2, 1] = TRUE
    return scores


def moving(name: str) -> np.ndarray:
    """Networks of a box, each with one head that is partial from step 2,000 on and true from 10,000 on."""
    step = steps_of(name)
    score = np.zeros((NETWORKS[name], len(step), 3, 4))
    score[:, :, 2, 1] = np.select([step < 2000, step < 10_000], [0.1, 0.6], 0.95)
    return score


def breaking(step: np.ndarray) -> np.ndarray:
    """A power law with another exponent from step 10,000 on."""
    slow, fast = np.maximum(step, 1.0) ** -0.05, (np.maximum(step, 1) / 1e4) ** -0.6 * 1e4**-0.05
    return -0.9 * np.where(step < 10_000, slow, fast)


def rollouts(gains: int, off: float) -> dict:
    """Every network is off by about `off` in energy; of the first, `gains` of 20 rollouts gain energy."""
    truth = np.broadcast_to(10 - 5 * np.linspace(0, 1, 50), (4, 20, 50))
    found = {}
    for name in BOXES:
        network = truth * (1 + off * np.linspace(0.9, 1.1, 4))[:, None, None]
        if name == SMALL:
            network[0, :gains] = network[0, :gains, ::-1]
        found[name] = Energies(truth, network)
    return {energies: found}


def mixed(**more) -> Evidence:
    return evidence(alike(MIXED), **more)


PLANTS = {
    "collisions/1": (mixed, lambda: evidence(one_true_head_among_partial_ones())),
    "collisions/2": (mixed, lambda: evidence(alike([[NOBODY] * 4, [NOBODY] * 4, [TRUE] * 4]))),
    "collisions/3": (mixed, lambda: evidence(alike([[PARTIAL] * 4, [TRUE] * 4, [TRUE] * 4]))),
    "collisions/4": (None, None),  # four networks in the large box; shares of heads need six to have an interval
    "collisions/5": (None, None),  # as 4
    "collisions/6": (None, None),  # as 4
    "collisions/7": (None, None),  # four networks: 4/4 begins at 0.40 < 0.5, and 0/4 ends at 0.60 > 0.5
    "collisions/8": (None, None),  # as 7
    "collisions/9": (
        lambda: evidence({name: moving(name) for name in BOXES}, breaking),
        lambda: evidence({name: moving(name) for name in BOXES}),
    ),
    "collisions/10": (lambda: mixed(known=rollouts(1, 0.1)), lambda: mixed(known=rollouts(1, 0.5))),
    "collisions/12": (mixed, lambda: mixed(limit=-0.2)),
}
