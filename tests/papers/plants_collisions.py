"""Evidence for the claims of the collisions paper, planted at the sizes of the standard budget."""

from collections.abc import Callable, Mapping
from functools import cache

import numpy as np
import xarray as xr
from planted import PlantedRun

from nucleate.claims import Evidence
from nucleate.papers.collisions.experiments import BOX, EFFORT, EXPERIMENTS
from nucleate.papers.collisions.readings import power_laws
from nucleate.papers.collisions.readings.learning_coefficients import HeadCoefficients, of_heads
from nucleate.papers.collisions.readings.rollouts import Energies, energies
from nucleate.record import Outcome

TRUE, PARTIAL, NOBODY = 0.95, 0.6, 0.0
MIXED = [[NOBODY] * 4, [NOBODY, PARTIAL, NOBODY, NOBODY], [NOBODY, TRUE, TRUE, TRUE]]
STANDARD = EXPERIMENTS[BOX].standard
NETWORKS, LAST = STANDARD.seeds, STANDARD.steps
STEPS = np.array(STANDARD.recipe().looks)
FORMED = 5000  # the step at which heads jump to their score
FITS = (power_laws.of_correlation, power_laws.of_distance_to_limit, power_laws.of_score)

Curve = Callable[[np.ndarray], np.ndarray]


def falling(step: np.ndarray) -> np.ndarray:
    """A power law: to −0.28 at step 128,000."""
    return -0.9 * np.maximum(step, 1.0) ** -0.1


def at_rest(step: np.ndarray) -> np.ndarray:
    return -0.45 + np.random.default_rng(0).normal(0, 0.003, len(step))


def steep(step: np.ndarray) -> np.ndarray:
    """A power law that is steeper than any of the paper's."""
    return -0.9 * np.maximum(step, 1.0) ** -1.2


def breaking(step: np.ndarray) -> np.ndarray:
    """A power law with another exponent from step 10,000 on."""
    slow, fast = np.maximum(step, 1.0) ** -0.06, (np.maximum(step, 1) / 1e4) ** -0.6 * 1e4**-0.06
    return -0.9 * np.where(step < 10_000, slow, fast)


def falls_once(step: np.ndarray) -> np.ndarray:
    """A single law, from step 40,000 on: |c| rises before."""
    t = np.maximum(step, 1.0) / 40_000
    return -0.4 * np.where(t < 1, t**0.3, t**-0.2)


def history(score) -> np.ndarray:
    """Heads that have their score from step `FORMED` on, [member, step, block, head]."""
    return np.where(STEPS[None, :, None, None] >= FORMED, np.asarray(score, float)[:, None], 0.0)


def record(score: np.ndarray, correlation: np.ndarray, limit: float = -0.31, fvu=0.05) -> xr.Dataset:
    """Networks whose heads have these scores and correlations, [member, step, block, head]."""
    axes, members = ("member", "step", "block", "head"), np.arange(len(score))
    return xr.Dataset(
        {
            "frac": (axes, score),
            "raw": (axes, score),
            "total": (axes, np.ones(score.shape)),
            "correlation": (axes, correlation),
            "fvu": (("member", "step"), np.broadcast_to(np.reshape(fvu, (-1, 1)), score.shape[:2])),
            "uniform_score": ((), 0.0),
            "contact_limit": ((), limit),
            "outcome": ("member", np.full(len(score), Outcome.OK, np.int8)),
        },
        coords={
            "step": STEPS,
            "member": members,
            "seed": ("member", STANDARD.first_seed + members),
            "seed_data": ("member", STANDARD.first_seed + members),
            "eta": ("member", np.full(len(members), STANDARD.eta)),
        },
        attrs={"steps": LAST},
    )


@cache
def fitted(fit: Callable, correlation: Curve, limit: float) -> xr.Dataset:
    """The laws of one head. Many heads of a plant have one history, so its laws are found once."""
    one = record(history([[[TRUE]]]), correlation(STEPS)[None, :, None, None], limit)
    return fit(Evidence({BOX: PlantedRun(one)}, EFFORT.standard)).isel(member=0, block=0, head=0, drop=True)


def evidence(
    score,
    correlation: Curve = falling,
    limit: float = -0.31,
    fvu=0.05,
    known: Mapping | None = None,
    others: Curve | None = None,
) -> Evidence:
    """Networks with these scores [member, block, head], or histories [member, step, block, head], and their laws;
    `others`: the correlation of heads that detect no collisions, if it is not that of all."""
    score = np.asarray(score, float)
    score = history(score) if score.ndim == 3 else score
    detects = (score[:, -1] >= 0.3) | (others is None)
    curves = correlation(STEPS), (others or correlation)(STEPS)
    made = np.where(detects[:, None], *(curve[None, :, None, None] for curve in curves))
    planted = record(score, made, limit, fvu)
    laws = {}
    for fit in FITS:
        sizes = {axis: planted.sizes[axis] for axis in ("member", "block", "head")}
        each = [fitted(fit, curve, limit).expand_dims(sizes) for curve in (correlation, others or correlation)]
        first, second = xr.align(*(one.assign_coords(regime=one.regime) for one in each), join="outer")
        chosen = xr.where(xr.DataArray(detects, dims=("member", "block", "head")), first, second)
        laws[fit] = chosen.drop_vars("regime").assign_coords(member=planted.member)
    return Evidence({BOX: PlantedRun(planted)}, EFFORT.standard, known=laws | dict(known or {}))


def alike(score, networks: int = NETWORKS) -> np.ndarray:
    """Networks with heads of the same scores [block, head]."""
    return np.stack([np.asarray(score, float)] * networks)


def mixed(**more) -> Evidence:
    return evidence(alike(MIXED), **more)


def one_true_head_among_partial_ones() -> np.ndarray:
    scores = alike([[PARTIAL] * 4] * 3)
    scores[0, 2, 1] = TRUE
    return scores


def moving() -> np.ndarray:
    """Networks with one head each that is partial from step 2,000 on and true from 10,000 on."""
    score = np.zeros((NETWORKS, len(STEPS), 3, 4))
    score[:, :, 2, 1] = np.select([STEPS < 2000, STEPS < 10_000], [0.1, 0.6], 0.95)
    return score


def rollouts(gains: int, off: float, networks: int = NETWORKS) -> dict:
    """Every network is off by about `off` in energy; of the first, `gains` of 20 rollouts gain energy."""
    truth = np.broadcast_to(10 - 5 * np.linspace(0, 1, 50), (networks, 20, 50))
    network = truth * (1 + off * np.linspace(0.9, 1.1, networks))[:, None, None]
    network[0, :gains] = network[0, :gains, ::-1]
    return {energies: Energies(truth, network)}


CHECKPOINTS = np.geomspace(LAST / 2**EFFORT.standard.chains.octaves, LAST, EFFORT.standard.chains.checkpoints).astype(
    int
)
DETECTING = ((2, 1), (2, 2), (2, 3), (1, 1))  # the collision heads of `MIXED`
UNITS = np.array([(m, *at) for m in range(NETWORKS) for at in DETECTING[: EFFORT.standard.chains.heads]])


def coefficients(value, error: float = 0.01, doubt: int = 0) -> dict:
    """Of the collision heads of every network, [head, checkpoint], and of no others."""
    every = np.broadcast_to(np.asarray(value, float), (len(UNITS), len(CHECKPOINTS)))
    found = HeadCoefficients(
        *UNITS.T,
        collision=np.ones(len(UNITS), bool),
        step=CHECKPOINTS,
        value=every,
        error=np.full(every.shape, error),
        statistical=np.full(every.shape, error / 2),
        doubt=np.full(every.shape, int(doubt)),
        trace=np.zeros((len(UNITS), 2, 4)),
        burn_in=2,
    )
    return {of_heads: found}


RESTING, RISING = np.full(len(CHECKPOINTS), 5.0), CHECKPOINTS / 1000

PLANTS = {
    "collisions/1": (mixed, lambda: evidence(one_true_head_among_partial_ones())),
    "collisions/2": (mixed, lambda: evidence(alike([[NOBODY] * 4, [NOBODY] * 4, [TRUE] * 4]))),
    "collisions/3": (mixed, lambda: evidence(alike([[PARTIAL] * 4, [TRUE] * 4, [TRUE] * 4]))),
    "collisions/4": (mixed, lambda: mixed(correlation=at_rest)),
    "collisions/5": (lambda: mixed(others=at_rest), mixed),
    "collisions/6": (mixed, lambda: mixed(correlation=steep)),
    "collisions/7": (lambda: mixed(known=coefficients(RESTING)), lambda: mixed(known=coefficients(RISING))),
    "collisions/8": (
        lambda: mixed(correlation=falls_once, known=coefficients(RISING)),
        lambda: mixed(correlation=falls_once, known=coefficients(RESTING)),
    ),
    "collisions/9": (lambda: evidence(moving(), breaking), lambda: evidence(moving())),
    "collisions/10": (lambda: mixed(known=rollouts(1, 0.1)), lambda: mixed(known=rollouts(1, 0.5))),
}
