"""Evidence for the claims of Scan & Snap, planted at the sizes of the standard budget: where each holds, and where it
fails."""

from collections.abc import Callable
from functools import cache

import numpy as np
import xarray as xr
from planted import PlantedRun

from nucleate.claims import Evidence
from nucleate.fleet import LogSpaced, Plan
from nucleate.papers import Budget
from nucleate.papers.attention.experiments.scanning import ENTROPY, EXPERIMENTS, LENGTHS, RATIOS, STEP_SIZES, TOKENS
from nucleate.papers.attention.readings import scanning as readings
from nucleate.papers.attention.recipe.scanning import mixture
from nucleate.record import Outcome


@cache
def plan(name: str, budget: Budget = Budget.STANDARD) -> Plan:
    return EXPERIMENTS[name].at(budget).plan(name)


def run(name: str, **variables) -> PlantedRun:
    """A run of an experiment with these variables, recorded at ten steps."""
    planned = plan(name)
    count, steps = planned.members.count, planned.steps
    given = {"outcome": ("member", np.full(count, Outcome.OK)), "last_step": ("member", np.full(count, steps))}
    columns = {column: ("member", values) for column, values in planned.members.items()}
    record = xr.Dataset(given | variables, coords=columns | {"step": LogSpaced(10).at(steps)}, attrs={"steps": steps})
    return PlantedRun(record, EXPERIMENTS[name].at(Budget.STANDARD).to_json())


def noise(*shape: int) -> np.ndarray:
    return np.random.default_rng(13).uniform(0.95, 1.05, shape)


def tokens(common: float, distinct: float, by_probability: float = 1.0) -> Evidence:
    """Networks whose logits end near these, on common tokens and on distinct ones, which differ by their P(l|n)."""
    task, count = mixture(2, 1, 128), plan(TOKENS).members.count
    own = np.where(task.is_distinct, task.matrix / task.matrix.max(), 1)
    order = np.where(task.is_distinct, own**by_probability, 0)
    end = np.where(task.is_common, common, distinct * order)
    growth = np.linspace(0, 1, 10)[:, None, None]
    scores = noise(count, 1, 1, task.contextual) * growth * end
    given = {
        "scores": (("member", "step", "last", "token"), scores),
        "probability": (("class", "token"), task.matrix),
        "last_token": ("class", np.array(task.last)),
        "vocabulary": ((), task.tokens),
    }
    return Evidence({TOKENS: run(TOKENS, **given)}, None)


def scores(name: str, error: Callable, clock: Callable, inside: float = 1.0) -> xr.Dataset:
    """Scores of a fleet with these errors of the closed form by η_Z/η_Y, and clocks by η_Y t and η_Z/η_Y."""
    members, step = plan(name).members, LogSpaced(60).at(plan(name).steps)
    time, ratio = step * members["eta_y"][:, None], members["ratio"][:, None]
    wobble = noise(members.count, 1)
    by_step = {
        "closed_form_error": error(ratio) * wobble * np.ones_like(time),
        "within_bounds": np.full(time.shape, inside),
        "ln_chi": np.log1p(time) * ratio,
        "clock": clock(np.maximum(time, 1), ratio) * wobble,
        "clock_predicted": np.ones_like(time),
        "clock_fixed": np.ones_like(time),
    }
    return xr.Dataset(
        {key: (("member", "step"), values) for key, values in by_step.items()}
        | dict.fromkeys(("skill", "skill_on_clock"), ("member", 0.9 * wobble[:, 0])),
        coords={key: ("member", values) for key, values in members.items()} | {"step": step},
        attrs={"C0": 1.0, "amplitude": 1.5, "C0_fixed": 1.0, "identified": 1, "classes": 2, "tokens": 34},
    )


def snaps(time: np.ndarray, ratio: np.ndarray) -> np.ndarray:
    """A clock that grows as ln ln t after it has turned, sooner for a larger ratio."""
    turn = 20 / ratio
    after = np.log(turn) * (1 + 1.5 * np.log(np.maximum(np.log(time), 1e-9) / np.log(turn)))
    return np.where(time < turn, np.log(time) ** 3 / np.log(turn) ** 2, after)


def scans(time: np.ndarray, ratio: np.ndarray) -> np.ndarray:
    """A clock that grows as ln t for ever, and ever faster for a smaller ratio."""
    return np.log(time) + 0.01 * np.maximum(np.log(time) - np.log(200 * ratio), 0) ** 2


def theory(error: Callable = lambda ratio: 0.3 * ratio, clock: Callable = snaps, inside: float = 1.0) -> Evidence:
    """Networks with these scores, whatever they differ in."""
    named = {
        readings.ratio_scores: RATIOS,
        readings.length_scores: LENGTHS,
        readings.step_size_scores: STEP_SIZES,
    }
    known = {reading: scores(name, error, clock, inside) for reading, name in named.items()}
    return Evidence({name: run(name) for name in named.values()}, None, known=known)


def entropies(by_eta_z: float, by_mult: float) -> Evidence:
    """Networks whose entropy depends so much on the logarithms of η_Z and η_Y/η_Z."""
    members = plan(ENTROPY).members
    end = 2 + by_eta_z * np.log(members["eta_z"]) + by_mult * np.log(members["mult"])
    end = end + 0.02 * (noise(members.count) - 1)
    course = np.linspace(2.1, end, 10, axis=1)
    return Evidence({ENTROPY: run(ENTROPY, entropy_distinct=(("member", "step"), course))}, None)


PLANTS: dict[str, tuple[Callable[[], Evidence] | None, Callable[[], Evidence] | None]] = {
    "attention/13": (lambda: tokens(-0.5, 1.0), lambda: tokens(0.5, 1.0, by_probability=-0.5)),
    "attention/14": (theory, lambda: theory(error=lambda ratio: 0.5 - 0.2 * ratio, inside=0.3)),
    "attention/15": (theory, lambda: theory(clock=scans)),
    "attention/16": (lambda: entropies(-0.2, 0.1), lambda: entropies(0.2, -0.1)),
}
