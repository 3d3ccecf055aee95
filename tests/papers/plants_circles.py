"""Evidence at the sizes of the standard budget from which each claim of the circles paper comes out either way."""

import dataclasses
from collections.abc import Callable

import numpy as np
import xarray as xr
from circle_records import (
    FREQ,
    constructed,
    evidence,
    fleet,
    with_ablated_losses,
    with_counts,
    with_embedding,
    with_gradient,
    with_losses,
)

from nucleate.claims import Evidence
from nucleate.papers.circles import readings
from nucleate.papers.circles.experiments import (
    ABLATED,
    COMPETITION,
    COMPOSITES,
    DECAY,
    DIMENSIONS,
    DYNAMICS,
    EXPERIMENTS,
    FROZEN,
    FROZEN_LARGE,
    LINES,
    LONG,
    PERTURBED,
    PRIMES,
    ROUND,
    SURVIVAL,
)


def columns(name: str) -> dict:
    """The steps and member columns of an experiment at its standard size."""
    experiment = EXPERIMENTS[name].standard
    if experiment.awaits:
        experiment = dataclasses.replace(experiment, kept=((1, 2),) * experiment.embeddings)
    return {"steps": experiment.steps, **experiment.members()}


def standard(name: str, counts=4) -> xr.Dataset:
    """Networks of the standard size that end with so many circles each."""
    given = columns(name)
    return fleet(with_counts(np.broadcast_to(counts, len(given["seed"]))), **given)


def counts_along(name: str, column: str, rises: bool) -> np.ndarray:
    """Numbers of circles from 2 to 5 that rise, or fall, with a column."""
    values = columns(name)[column]
    rank = np.searchsorted(np.unique(values), values) / (len(np.unique(values)) - 1)
    return np.round(2 + 3 * (rank if rises else 1 - rank)).astype(int)


def trend(column: str, rises: bool, name: str, rest: int | None = None) -> Callable[[], Evidence]:
    """Counts along a column; the competition, if `rest` is given, ends with that many."""

    def make() -> Evidence:
        records = {name: standard(name, counts_along(name, column, rises))}
        return evidence(records if rest is None else records | {COMPETITION: standard(COMPETITION, rest)})

    return make


def seven_circles() -> Evidence:
    return evidence({COMPETITION: standard(COMPETITION, 7)})


def crowded() -> Evidence:
    """Survivors at 80, the strongest of the dead at 42, with the line between them at 45."""
    record = standard(COMPETITION)
    record["signal"][:, -1, 4] = 42
    record["mean_signal"][:] = 22.5
    return evidence({COMPETITION: record, LONG: standard(LONG)})


def embeddings(embedding: np.ndarray) -> Callable[[], Evidence]:
    """Survivors 5 and 23, and an embedding that may or may not show them."""

    def make() -> Evidence:
        given = columns(COMPETITION)
        alive = np.zeros((len(given["seed"]), FREQ), bool)
        alive[:, [4, 22]] = True
        return evidence({COMPETITION: with_embedding(fleet(alive, **given), embedding)})

    return make


def perturbed(raised: tuple[int, ...], lowered: tuple[int, ...]) -> Callable[[], Evidence]:
    """In how many of the three trials of each embedding the raised and the lowered frequency survives."""

    def make() -> Evidence:
        given = columns(PERTURBED)
        hits = {1.15: raised, 1.0: (1,) * 6, 0.85: lowered}
        alive = with_counts([3] * len(given["seed"]))
        for row, (factor, number, trial) in enumerate(
            zip(given["factor"], given["repeat"], given["trial"], strict=True)
        ):
            alive[row, 24] = trial < hits[float(factor)][number]
        return evidence({PERTURBED: fleet(alive, **given)})

    return make


def larger_dies() -> Evidence:
    records = {}
    for name in (LINES, ROUND):
        given = columns(name)
        some = np.arange(len(given["seed"])) % 4 == 0
        records[name] = constructed(given["ratio"] > 0.5, ~some, larger=some, **given)
    return evidence(records)


def frozen(large: float) -> Callable[[], Evidence]:
    losses = {16: 3.0, 20: 3.0, 32: 6.0, 48: 6.0, 64: large, 96: large, 128: large}
    return lambda: evidence({name: with_losses(standard(name), losses) for name in (FROZEN, FROZEN_LARGE)})


def ablated_losses(*losses: float) -> Callable[[], Evidence]:
    return lambda: evidence({COMPETITION: with_ablated_losses(standard(COMPETITION), losses)})


def dynamics(known: dict) -> Evidence:
    """Networks recorded at every step; what laws make of them is known."""
    record = standard(DYNAMICS)
    dense = record.isel(step=slice(0, 1)).reindex(step=np.arange(int(record.steps) + 1), method="ffill")
    return evidence({DYNAMICS: dense}, known=known)


def per_network(low: float, high: float) -> np.ndarray:
    return np.linspace(low, high, EXPERIMENTS[DYNAMICS].standard.members().count)


def linear(lost: float) -> Callable[[], Evidence]:
    """R² of the linear laws, of which Lasso loses some."""
    r2 = per_network(0.98, 0.99)
    scores = {
        readings.LINEAR_NAME: readings.Scores(r2, r2 - 1, r2 - 2),
        readings.LASSO_NAME: readings.Scores(r2 - lost, r2 - 1, r2 - 2),
        readings.SELF_NAME: readings.Scores(r2 - 0.5, r2 - 1, r2 - 2),
    }
    sparsity = readings.Sparsity(per_network(0.7, 0.8), np.ones(len(r2), bool))
    return lambda: dynamics({readings.linear_scores: scores, readings.lasso_sparsity: sparsity})


def volterra(rollout: float) -> Callable[[], Evidence]:
    found = readings.Volterra(per_network(0.9999, 1.0), per_network(rollout, 2 * rollout), per_network(20, 21))
    return lambda: dynamics({readings.volterra_scores: found})


def analytic(over: float) -> Callable[[], Evidence]:
    rollout = per_network(1.0, 2.0)
    errors = readings.Errors(over * rollout, rollout, per_network(20, 21), per_network(0.001, 0.002))
    return lambda: dynamics(
        {readings.trajectory_errors: dict.fromkeys((readings.LINEAR_NAME, readings.LASSO_NAME), errors)}
    )


def less_circular_noise() -> Evidence:
    """Random embeddings that are the less circular the more dimensions they have."""
    record = standard(SURVIVAL)
    noise = np.linspace(0.8, 0.2, 6)[:, None, None] + 0.01 * np.random.default_rng(0).normal(size=(6, 50, FREQ))
    start = {seed: np.linspace(0.1, 0.9, FREQ) for seed in record.seed_embedding.values.tolist()}
    return evidence({SURVIVAL: record}, known={readings.noise_circularity: noise, readings.start_circularity: start})


def lone_circles(count: int) -> Callable[[], Evidence]:
    """The constructed networks end with `count` circles, all others with four."""
    names = (COMPETITION, PRIMES, COMPOSITES, DIMENSIONS, DECAY, LINES, ABLATED)
    return lambda: evidence({name: standard(name, count if name == LINES else 4) for name in names})


def gradient(peak: int, after: float) -> Callable[[], Evidence]:
    return lambda: evidence({COMPETITION: with_gradient(standard(COMPETITION), peak, after)})


def falling_composites() -> Evidence:
    return evidence({PRIMES: standard(PRIMES), COMPOSITES: standard(COMPOSITES, counts_along(COMPOSITES, "p", False))})


_NOISE = np.random.default_rng(0).normal(size=(16, 59, 4))

PLANTS: dict[str, tuple[Callable[[], Evidence] | None, Callable[[], Evidence] | None]] = {
    "circles/1": (None, seven_circles),  # 16 of 16 networks begin at 0.794 < 0.8
    "circles/2": (None, crowded),  # 16 of 16 networks begin at 0.794 < 0.8; 8,000 steps are fewer than 30,000
    # 16 networks that all agree begin at 0.794 < 0.8.
    "circles/3": (None, embeddings(_NOISE)),
    "circles/4": (None, None),  # five embeddings are fewer than six
    # Six embeddings that all agree begin at 0.545; if one differs by a trial, resampling it reaches below 0.8.
    "circles/5": (None, perturbed((0, 0, 0, 0, 0, 1), (3, 3, 3, 3, 3, 2))),
    "circles/6": (None, larger_dies),  # 30 of 30 networks begin at 0.884 < 0.95
    "circles/7": (None, None),  # five embeddings are fewer than six
    "circles/8": (None, None),  # five embeddings are fewer than six
    "circles/9": (trend("p", True, PRIMES), trend("p", False, PRIMES)),
    "circles/10": (trend("dim", True, DIMENSIONS, rest=6), trend("dim", False, DIMENSIONS, rest=1)),
    "circles/11": (frozen(large=0.1), frozen(large=5.0)),
    "circles/12": (None, None),  # four networks on either side are fewer than six
    "circles/13": (None, None),  # four networks without weight decay are fewer than six
    "circles/14": (trend("wd", False, DECAY, rest=4), trend("wd", True, DECAY, rest=4)),
    "circles/15": (ablated_losses(3.0, 1.0, 0.01, 0, 0), ablated_losses(3.0, 1.0, 0.7, 0, 0)),
    "circles/16": (linear(lost=0.05), linear(lost=0.2)),
    "circles/17": (volterra(rollout=40.0), volterra(rollout=2.0)),
    "circles/18": (analytic(over=1.1), analytic(over=4.7)),
    "circles/19": (None, None),  # five embeddings are fewer than six
    "circles/20": (None, less_circular_noise),  # five embeddings are fewer than six
    "circles/21": (None, None),  # four ablated networks are fewer than six
    "circles/22": (None, None),  # 4 of 4 begin at 0.398, 0 of 4 end at 0.602: both straddle 0.5
    "circles/23": (lone_circles(4), lone_circles(1)),
    "circles/24": (gradient(peak=100, after=1e-3), gradient(peak=20, after=1e-3)),
    "circles/25": (None, falling_composites),  # four primes between the composites are fewer than six
}
