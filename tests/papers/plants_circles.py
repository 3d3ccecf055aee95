"""Evidence at the sizes of the standard budget, or of the paper's, from which each claim of the circles paper comes out
either way."""

import dataclasses
from collections.abc import Callable

import numpy as np
import xarray as xr
from circle_records import (
    FREQ,
    constructed,
    early,
    evidence,
    fleet,
    survival_fleet,
    waves,
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
    NO_DECAY,
    PERTURBED,
    PRIMES,
    ROUND,
    STRONGEST,
    SURVIVAL,
)
from nucleate.record import NEVER


def columns(name: str) -> dict:
    """The steps and member columns of an experiment at its standard size, or the paper's."""
    experiment = EXPERIMENTS[name].standard or EXPERIMENTS[name].paper
    if experiment.awaits:
        experiment = dataclasses.replace(experiment, kept=((1, 2),) * experiment.embeddings)
    return {"steps": experiment.steps, **experiment.members()}


def standard(name: str, counts=4, **more) -> xr.Dataset:
    """Networks of that size that end with so many circles each."""
    given = columns(name)
    return fleet(with_counts(np.broadcast_to(counts, len(given["seed"]))), **given, **more)


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


def survivors(number: int) -> Callable[[], Evidence]:
    return lambda: evidence({COMPETITION: standard(COMPETITION, number)})


def decayed(dead: float) -> Callable[[], Evidence]:
    return lambda: evidence({LONG: standard(LONG, dead=dead)})


def embeddings(*shown: int) -> Callable[[], Evidence]:
    """Survivors 5 and 23, and 29 in every other network; the embeddings show circles, of these or others."""

    def make() -> Evidence:
        given = columns(COMPETITION)
        alive = np.zeros((len(given["seed"]), FREQ), bool)
        alive[:, [4, 22]] = True
        alive[::2, 28] = True
        embedding = waves({k: 4.0 - number for number, k in enumerate(shown)})
        return evidence({COMPETITION: with_embedding(fleet(alive, **given), embedding)})

    return make


def rates(slope: float) -> Callable[[], Evidence]:
    """Survival that follows the initial signal, or does not."""
    return lambda: evidence({SURVIVAL: survival_fleet(slope, 10, 10, own=0.2, **columns(SURVIVAL))})


def perturbed(raised: bool) -> Callable[[], Evidence]:
    """Frequency 25 survives where it was raised, or where it was lowered."""

    def make() -> Evidence:
        given = columns(PERTURBED)
        above = given["factor"] > 1
        start = 87 + 4 * np.random.default_rng(0).normal(size=(len(above), FREQ))
        start[:, 24] *= given["factor"]
        alive = with_counts([3] * len(above))
        alive[:, 24] = above == raised
        return evidence({PERTURBED: fleet(alive, start=start, **given)})

    return make


def contest(larger: int) -> Callable[[], Evidence]:
    """Of ten networks the larger of two constructed frequencies survives in so many."""

    def make() -> Evidence:
        records = {}
        for name in (LINES, ROUND):
            given = columns(name)
            number = np.arange(len(given["seed"]))
            records[name] = constructed(given["ratio"] > 0.2, number % 3 == 0, larger=number % 10 < larger, **given)
        return evidence(records)

    return make


def telling(gradient: float, signal: float) -> Callable[[], Evidence]:
    """Five random survivors in every network, that may be told by their gradients or initial signals."""

    def make() -> Evidence:
        given, rng = columns(SURVIVAL), np.random.default_rng(0)
        alive = rng.random((len(given["seed"]), FREQ)).argsort(axis=1) < 5
        start = 87 + signal * alive + rng.normal(size=alive.shape)
        noise = 1e-3 * rng.normal(size=alive.shape)
        return evidence({SURVIVAL: early(fleet(alive, start=start, **given), gradient * alive + noise)})

    return make


def frozen(*losses: float) -> Callable[[], Evidence]:
    """Test losses for d = 18, 38, 52, 66 and 80."""
    by_dim = dict(zip((18, 38, 52, 66, 80), losses, strict=True))
    return lambda: evidence({name: with_losses(standard(name), by_dim) for name in (FROZEN, FROZEN_LARGE)})


def without_decay(learned: bool) -> Callable[[], Evidence]:
    def make() -> Evidence:
        record = standard(NO_DECAY, 4 if learned else 0, look=1000, dead=9.0 if learned else 87.0)
        record["test99_step"][:] = 300 if learned else NEVER
        return evidence({NO_DECAY: record})

    return make


def ablated_losses(*losses: float) -> Callable[[], Evidence]:
    return lambda: evidence({LONG: with_ablated_losses(standard(LONG), losses)})


def dynamics(known: dict) -> Evidence:
    """Networks recorded at every step; what laws make of them is known."""
    record = standard(DYNAMICS)
    dense = record.isel(step=slice(0, 1)).reindex(step=np.arange(int(record.steps) + 1), method="ffill")
    return evidence({DYNAMICS: dense}, known=known)


def per_network(low: float, high: float) -> np.ndarray:
    return np.linspace(low, high, EXPERIMENTS[DYNAMICS].standard.members().count)


def errors(analytic: float, rollout: float, apart: float) -> readings.Errors:
    """Errors of trajectories, where that of nothing moving is 20."""
    wide = per_network(1.0, 1.1)
    return readings.Errors(analytic * wide, rollout * wide, 20 * wide, apart * wide)


def linear(lasso: float) -> Callable[[], Evidence]:
    """Linear laws of which least squares is nearly perfect; the error of Lasso's rollout."""
    r2 = per_network(0.98, 0.99)
    scores = dict.fromkeys((readings.LINEAR_NAME, readings.LASSO_NAME), readings.Scores(r2, r2 - 1, r2 - 2))
    known = {
        readings.linear_scores: scores,
        readings.lasso_sparsity: readings.Sparsity(per_network(0.7, 0.8), np.ones(len(r2), bool)),
        readings.trajectory_errors: {
            readings.LINEAR_NAME: errors(0.1, 0.1, 0.001),
            readings.LASSO_NAME: errors(lasso, lasso, 0.001),
        },
    }
    return lambda: dynamics(known)


def volterra(rollout: float) -> Callable[[], Evidence]:
    found = readings.Volterra(per_network(0.9999, 1.0), per_network(rollout, 2 * rollout), per_network(20, 21))
    return lambda: dynamics({readings.volterra_scores: found})


def analytic(apart: float) -> Callable[[], Evidence]:
    found = errors(2.0, 1.0, apart)
    return lambda: dynamics(
        {readings.trajectory_errors: dict.fromkeys((readings.LINEAR_NAME, readings.LASSO_NAME), found)}
    )


def couplings(competitive: float) -> Callable[[], Evidence]:
    """Couplings of which so large a share is negative."""

    def make() -> Evidence:
        record = standard(SURVIVAL)
        drawn = np.random.default_rng(0).random((record.sizes["member"], FREQ, FREQ))
        known = {readings.survival_couplings: np.where(drawn < competitive, -1.0, 1.0)}
        return evidence({SURVIVAL: record}, known=known)

    return make


def noise(first: float, last: float) -> Callable[[], Evidence]:
    """Random embeddings whose circularity goes from one number to another as their dimension rises."""

    def make() -> Evidence:
        record = standard(SURVIVAL)
        found = np.linspace(first, last, 6)[:, None, None] + 0.01 * np.random.default_rng(0).normal(size=(6, 50, FREQ))
        start = {seed: np.linspace(0.1, 0.9, FREQ) for seed in record.seed_embedding.values.tolist()}
        return evidence(
            {SURVIVAL: record}, known={readings.noise_circularity: found, readings.start_circularity: start}
        )

    return make


def ablated(loss_of_b: float) -> Callable[[], Evidence]:
    """A to D end with 4, 2, 3 and 4 circles; two or three slingshots in all but B."""

    def make() -> Evidence:
        variant = columns(ABLATED)["variant"]
        record = standard(ABLATED, np.array([4, 2, 3, 4])[variant])
        record["test_loss"][variant == 1] = np.geomspace(4, loss_of_b, record.sizes["step_test"])
        for row in (100, 150):
            record["test_loss"][variant != 1, row] = 30.0
        record["test_loss"][: len(variant) // 2, 200] = 30.0
        return evidence({ABLATED: record})

    return make


def first_there(two: float) -> Callable[[], Evidence]:
    """Two circles have this loss from the start; the originals reach a low one in half of the time."""

    def make() -> Evidence:
        record, original = standard(STRONGEST), standard(COMPETITION)
        record["test_loss"][:] = two
        original["test_loss"][:, original.step_test.values >= 1000] = 1e-4
        return evidence({STRONGEST: record, COMPETITION: original})

    return make


def lone_circles(count: int) -> Callable[[], Evidence]:
    """The constructed networks end with `count` circles, all others with four."""
    names = (COMPETITION, DIMENSIONS, DECAY, LINES, STRONGEST)
    return lambda: evidence({name: standard(name, count if name == LINES else 4) for name in names})


def gradient(peak: int, after: float) -> Callable[[], Evidence]:
    return lambda: evidence({SURVIVAL: with_gradient(standard(SURVIVAL), peak, after)})


def composites(rises: bool) -> Callable[[], Evidence]:
    """Primes that end with four circles; composites whose number goes up and down around a trend."""

    def make() -> Evidence:
        p = columns(COMPOSITES)["p"]
        wild = np.where(np.searchsorted(np.unique(p), p) % 2, 2, 0)
        counts = counts_along(COMPOSITES, "p", rises) + wild
        return evidence({PRIMES: standard(PRIMES), COMPOSITES: standard(COMPOSITES, counts)})

    return make


PLANTS: dict[str, tuple[Callable[[], Evidence] | None, Callable[[], Evidence] | None]] = {
    "circles/1": (survivors(4), survivors(7)),
    "circles/2": (decayed(1.0), decayed(30.0)),
    "circles/3": (embeddings(5, 23, 29), embeddings(7, 11, 13)),
    "circles/4": (rates(0.05), rates(0.0)),
    "circles/5": (perturbed(raised=True), perturbed(raised=False)),
    "circles/6": (contest(larger=10), contest(larger=6)),
    "circles/7": (telling(2e-3, 0), telling(-2e-3, 0)),
    "circles/8": (telling(0, 0), telling(0, 4)),
    "circles/9": (trend("p", True, PRIMES), trend("p", False, PRIMES)),
    "circles/10": (trend("dim", True, DIMENSIONS, rest=6), trend("dim", False, DIMENSIONS, rest=1)),
    "circles/11": (frozen(3.0, 1.0, 0.8, 0.01, 0.008), frozen(3.0, 1.0, 0.5, 0.4, 0.2)),
    "circles/12": (frozen(3.0, 6.0, 6.0, 1.0, 1.0), frozen(6.0, 3.0, 3.0, 1.0, 1.0)),
    "circles/13": (without_decay(learned=False), without_decay(learned=True)),
    "circles/14": (trend("wd", False, DECAY, rest=4), trend("wd", True, DECAY, rest=4)),
    "circles/15": (ablated_losses(3.0, 1.0, 0.01, 0, 0), ablated_losses(3.0, 1.0, 0.7, 0, 0)),
    "circles/16": (linear(lasso=2.0), linear(lasso=18.0)),
    "circles/17": (volterra(rollout=40.0), volterra(rollout=2.0)),
    "circles/18": (analytic(apart=0.002), analytic(apart=0.3)),
    "circles/19": (couplings(competitive=0.5), couplings(competitive=0.003)),
    "circles/20": (noise(0.2, 0.8), noise(0.8, 0.2)),
    "circles/21": (ablated(loss_of_b=1e-8), ablated(loss_of_b=1.0)),
    "circles/22": (first_there(two=1e-3), first_there(two=4.0)),
    "circles/23": (lone_circles(4), lone_circles(1)),
    "circles/24": (gradient(peak=100, after=1e-3), gradient(peak=20, after=1e-3)),
    "circles/25": (composites(rises=True), composites(rises=False)),
}
