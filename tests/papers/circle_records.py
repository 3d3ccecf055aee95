"""Records of circle networks, made by hand."""

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
import xarray as xr
from planted import PlantedRun

from nucleate.claims import Evidence
from nucleate.papers.circles.experiments import PERTURBED
from nucleate.record import Outcome

P, FREQ = 59, 29


def evidence(records: Mapping[str, xr.Dataset], *, frequency: int = 25, known: Mapping[Callable, Any] | None = None):
    """Finished runs with these records; `frequency` is the one that was perturbed."""
    config = {PERTURBED: {"frequency": frequency}}
    return Evidence(
        {name: PlantedRun(record, config.get(name, {})) for name, record in records.items()}, None, known=known
    )


def with_counts(counts) -> np.ndarray:
    """Survivor sets of the given sizes."""
    return np.stack([np.arange(FREQ) < count for count in counts])


def fleet(
    alive: np.ndarray, *, steps: int = 4000, look: int = 20, dead: float = 9.0, start=None, **columns
) -> xr.Dataset:
    """Networks that end with the given survivors, alive[member, freq]; every signal moves straight to its end."""
    members, freq = alive.shape
    rng = np.random.default_rng(0)
    step, tested = np.arange(0, steps + 1, look), np.arange(0, steps + 1, max(look, 100))
    first = 87 + 4 * rng.normal(size=alive.shape) if start is None else start
    last = np.where(alive, 80.0, dead) + rng.normal(size=alive.shape) * 0.1
    part = np.minimum(step / (0.2 * steps), 1)[:, None]
    signal = first[:, None] * (1 - part) + last[:, None] * part
    loss = np.broadcast_to(np.geomspace(4, 1e-4, len(tested)), (members, len(tested))).copy()
    given = {"p": P, "dim": 128, "wd": 0.5, "seed": np.arange(members), "seed_embedding": np.arange(members), **columns}
    return xr.Dataset(
        {
            "signal": (("member", "step", "freq"), signal),
            "mean_signal": (("member", "step"), (2 * signal.sum(-1) + 50) / (2 * freq + 1)),
            "gradient_spectrum": (("member", "step", "freq"), np.zeros_like(signal)),
            "test_loss": (("member", "step_test"), loss),
            "test_accuracy": (("member", "step_test"), np.ones_like(loss)),
            "last_step": ("member", np.full(members, steps)),
            "clear_step": ("member", np.full(members, steps // 2)),
            "test99_step": ("member", np.full(members, 300)),
            "outcome": ("member", np.full(members, Outcome.OK)),
        },
        coords={
            "step": step,
            "step_test": tested,
            **{name: ("member", np.broadcast_to(value, members)) for name, value in given.items()},
        },
        attrs={"steps": steps},
    )


def survival_fleet(
    slope: float, embeddings: int = 8, trials: int = 30, *, own: float = 0.6, steps: int = 2000, **columns
) -> xr.Dataset:
    """Frequencies survive with a chance that rises with their initial signal, and has causes of its `own`."""
    rng = np.random.default_rng(1)
    first = 87 + 4 * rng.normal(size=(embeddings, FREQ))
    chance = np.clip(0.18 + slope * (first - 87) + own * abs(slope) * 4 * rng.normal(size=first.shape), 0, 1)
    start, chance = (np.repeat(part, trials, axis=0) for part in (first, chance))
    alive = rng.random(start.shape) < chance
    given = {"seed_embedding": np.repeat(np.arange(embeddings), trials), **columns}
    return fleet(alive, steps=steps, start=start, **given)


def early(record: xr.Dataset, gradient: np.ndarray) -> xr.Dataset:
    """The record with its first steps recorded one by one, at which signals change by `gradient` of their start."""
    dense = np.union1d(np.arange(5), record.step.values)
    record = record.reindex(step=dense).interpolate_na("step", use_coordinate=True)
    start = record.signal.values[:, 0]
    for at in range(1, 5):
        record["signal"][:, at] = start * (1 + at * gradient)
    return record


def constructed(smaller: np.ndarray, revived: np.ndarray, *, larger=True, **columns) -> xr.Dataset:
    """Two constructed frequencies, 2 and 7; `revived`: whether another survives."""
    alive = np.zeros((len(revived), FREQ), bool)
    alive[:, 1], alive[:, 6], alive[:, 11] = larger, smaller, revived
    given = {"ratio": np.repeat([0.1, 0.8], len(revived) // 2), "steps": 2000, **columns}
    return fleet(alive, **given | {"first": 2, "second": 7})


def with_losses(record: xr.Dataset, by_dim: Mapping[int, float]) -> xr.Dataset:
    """The record with about these test losses, by embedding dimension."""
    noise = 1 + np.random.default_rng(0).normal(size=(record.sizes["member"], 1)) * 0.01
    record["test_loss"][:] = np.array([by_dim[dim] for dim in record.dim.values.tolist()])[:, None] * noise
    return record


def frozen(by_dim: Mapping[int, float], steps: int = 10_000) -> xr.Dataset:
    """Four networks of each dimension, with about these test losses."""
    return with_losses(fleet(with_counts([1] * 4 * len(by_dim)), steps=steps, dim=np.repeat(list(by_dim), 4)), by_dim)


def with_ablated_losses(record: xr.Dataset, losses) -> xr.Dataset:
    """The record with these losses when one to five circles are left."""
    steps = int(record.steps)
    values = np.broadcast_to(losses, (record.sizes["member"], 3, 5))
    record["ablated_loss"] = (("member", "step_ablated_loss", "kept"), values)
    return record.assign_coords(step_ablated_loss=[0, steps // 2, steps])


def with_gradient(record: xr.Dataset, peak: int, after: float) -> xr.Dataset:
    """The record with an embedding gradient that is largest at step `peak`, and `after` that after step 1,000."""
    size = np.where(record.step.values < 1000, 0.1, after)
    size[record.step.values == peak] = 1.0
    record["gradient_spectrum"][:] = size[None, :, None]
    return record


def waves(frequencies: Mapping[int, float]) -> np.ndarray:
    """Tokens on one circle of each frequency, with the given radii."""
    angle = 2 * np.pi * np.arange(P) / P
    circles = [radius * np.stack([np.cos(k * angle), np.sin(k * angle)], 1) for k, radius in frequencies.items()]
    return np.concatenate(circles, axis=1)


def with_embedding(record: xr.Dataset, embedding: np.ndarray) -> xr.Dataset:
    """The record with one last snapshot, [token, dim] or [member, token, dim]."""
    whole = np.broadcast_to(embedding, (record.sizes["member"], *embedding.shape[-2:]))[:, None].astype(np.float32)
    record["embedding"] = (("member", "step_embedding", "token", "dim_"), whole)
    return record.assign_coords(step_embedding=[int(record.steps)])


def linear_fleet(members: int = 6, steps: int = 200, p: int = 13) -> xr.Dataset:
    """Signals that follow one sparse linear law, from different starts."""
    rng, freq = np.random.default_rng(0), (p - 1) // 2
    matrix = -0.004 * np.eye(freq)
    matrix[0, 1], matrix[2, 3] = 0.003, -0.002
    record = fleet(with_counts([4] * members)[:, :freq], steps=steps, p=p, seed_embedding=np.arange(members) // 2)
    record = record.isel(step=slice(0, 1)).reindex(step=np.arange(steps + 1))
    signal = np.empty((members, steps + 1, freq))
    signal[:, 0] = 87 + 10 * rng.normal(size=(members, freq))
    for t in range(steps):
        signal[:, t + 1] = signal[:, t] + signal[:, t] @ matrix.T
    record["signal"] = (("member", "step", "freq"), signal)
    return record


def shaken(record: xr.Dataset) -> xr.Dataset:
    """The record with signals that walk at random."""
    noise = np.random.default_rng(0).normal(size=record.signal.shape).cumsum(axis=1)
    return record.assign(signal=(record.signal.dims, 87 + noise))


def blurred(record: xr.Dataset) -> xr.Dataset:
    """The record with signals that are measured with some noise."""
    noise = 0.3 * np.random.default_rng(0).normal(size=record.signal.shape)
    return record.assign(signal=(record.signal.dims, record.signal.values + noise))


def moduli(offset: np.ndarray, p: np.ndarray, each: int = 4) -> xr.Dataset:
    """Networks whose number of circles is on a line in p, but for an offset."""
    counts = np.round(2 + p / 12 + offset).astype(int)
    return fleet(with_counts(np.repeat(counts, each)), steps=2500, p=np.repeat(p, each))
