"""Evidence for the claims about GaLore on text, planted at the sizes of the standard budget."""

from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import cache

import numpy as np
import xarray as xr
from planted import PlantedRun

from nucleate.claims import Evidence
from nucleate.papers import Budget
from nucleate.papers.attention.experiments.galore import BEST, EXPERIMENTS, RATES, TextFleet
from nucleate.papers.attention.recipe.galore import METHODS
from nucleate.record import Outcome

# In the order of the talk's table.
TALK = {"adam": 2.300, "galore": 2.305, "low-rank": 2.8, "lora": 2.35, "relora": 2.4}


@cache
def fleet(name: str, budget: Budget = Budget.STANDARD) -> TextFleet:
    """The experiment, with every method's best rate filled in."""
    found = EXPERIMENTS[name].at(budget)
    return replace(found, best=(0.01,) * len(METHODS)) if found.source else found


def run(name: str, bits: Mapping[str, float], spread: float = 0.001, outcome: Outcome = Outcome.OK) -> PlantedRun:
    """A run whose networks end at about these bits per byte; the middle of all learning rates is best."""
    config = fleet(name)
    members = config.members()
    count, rng = members.count, np.random.default_rng(28)
    rates = np.unique(members["eta"])
    worse = 0.1 * np.abs(np.searchsorted(rates, members["eta"]) - len(rates) // 2)
    end = np.array([bits[METHODS[method]] for method in members["method"]]) + worse
    end = end + rng.uniform(-spread, spread, count)
    steps = np.array([0, config.steps // 2, config.steps])
    course = np.stack([np.full(count, 8.0), end + 0.3, end], axis=1)
    ranks = rng.uniform(1, 6, (count, len(steps), 6 * config.blocks))
    record = xr.Dataset(
        {
            "valid_bits": (("member", "step"), course),
            "train_bits": (("member", "step"), course),
            "gradient_rank": (("member", "step", "matrix"), ranks),
            "outcome": ("member", np.full(count, outcome)),
            "last_step": ("member", np.full(count, config.steps)),
        },
        coords={name: ("member", values) for name, values in members.items()} | {"step": steps},
        attrs={"steps": config.steps},
    )
    return PlantedRun(record, config.to_json())


def compared(**bits: float) -> Evidence:
    """Both fleets, with these bits per byte instead of those in the order of the talk."""
    these = TALK | {name.replace("_", "-"): value for name, value in bits.items()}
    return Evidence({RATES: run(RATES, these), BEST: run(BEST, these)}, None)


PLANTS: dict[str, tuple[Callable[[], Evidence] | None, Callable[[], Evidence] | None]] = {
    "attention/28": (compared, lambda: compared(galore=2.85)),
}
