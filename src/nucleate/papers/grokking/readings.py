"""What the records of the toy fleets say: computed once, for claims and figures alike."""

import jax
import numpy as np
import xarray as xr

from nucleate.observables import (
    Distance,
    MeanSquare,
    formed,
    grokking_rate,
    ideal_accuracy,
    ideal_rqi,
    known,
    normalized,
    phase,
    predicted_accuracy,
)
from nucleate.papers.grokking.structure import Structure
from nucleate.record import Outcome
from nucleate.theories import AllParallelograms, EffectiveLoss, EffectiveLossFit

DATA_SIZE = "grokking/data-size"
TRANSITION = "grokking/transition"
TRAJECTORIES = "grokking/trajectories"
PHASE_RATES = "grokking/phase-rates"
PHASE_DECAY_CLASSES = "grokking/phase-decay-classes"
PHASE_DECAY = "grokking/phase-decay"
FOUR_SYMBOLS = "grokking/four-symbols"
CORNERS = "grokking/corners"
CORNERS_DECAY = "grokking/corners-decay"
CORNERS_DECAY_CLASSES = "grokking/corners-decay-classes"


# Table 1 speaks of what happens within so many steps. Before, "not yet" is not "never".
TABLE_1_STEPS = 100_000


def final(record: xr.Dataset, name: str) -> np.ndarray:
    """Each member's last recorded value of a variable, wherever it stopped."""
    last = np.searchsorted(record.step.values, record.last_step.values, side="right") - 1
    return record[name].values[np.arange(record.sizes["member"]), last]


def qualities(record: xr.Dataset, closeness: MeanSquare | Distance) -> dict[str, np.ndarray]:
    """Per member: fraction of data, accuracy and RQI as trained, as predicted, and of the ideal model."""
    structure = Structure(record.sizes["token"])
    in_train = record.in_train.values.astype(bool)
    made = jax.vmap(lambda E: formed(E, structure.equations, closeness))(final(record, "embedding"))
    predicted = jax.vmap(lambda f, d: predicted_accuracy(f, structure.quads, d))(made, in_train)
    mask = known(structure.quads, in_train)
    return {
        "fraction": in_train.mean(1),
        "accuracy": final(record, "accuracy").astype(float),
        "predicted accuracy": np.asarray(predicted, float),
        "ideal accuracy": np.asarray(ideal_accuracy(structure.equations, structure.quads, in_train)),
        "rqi": np.asarray(made, float).mean(1),
        "ideal rqi": np.asarray(ideal_rqi(structure.equations, mask)),
    }


def theory_steps(record: xr.Dataset) -> np.ndarray:
    """1/(λ3 η) of each member's training set, for normalised embeddings; infinite where λ3 = 0."""
    structure = Structure(record.sizes["token"])
    mask = known(structure.quads, record.in_train.values.astype(bool))
    rate = grokking_rate(structure.equations, mask, (structure.p - 1) * record.sizes["dim"])
    with np.errstate(divide="ignore"):
        return 1 / (rate * record.eta_repr.values)


def on_grid(record: xr.Dataset, values: np.ndarray, x: str, y: str) -> np.ndarray:
    """Members' integers laid out as [y, x, repeat] over two hyperparameters; -1 where there is no member."""
    axes = [np.unique(record[name].values) for name in (y, x, "repeat")]
    laid = np.full([len(axis) for axis in axes], -1)
    names = (y, x, "repeat")
    laid[tuple(np.searchsorted(axis, record[name].values) for axis, name in zip(axes, names, strict=True))] = values
    return laid


def phase_of(record: xr.Dataset) -> np.ndarray:
    """The phase of every member within the run's steps; -1 for one that diverged."""
    found = phase(record.train90_step.values, record.valid90_step.values)
    return np.where(record.outcome.values == Outcome.DIVERGED, -1, found)


def phases(record: xr.Dataset, x: str, y: str) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """The phase of every network on a grid of two hyperparameters: (codes[y, x, repeat], x values, y values)."""
    return on_grid(record, phase_of(record), x, y), np.unique(record[x].values), np.unique(record[y].values)


def split_by_member(record: xr.Dataset) -> tuple[xr.Dataset, xr.Dataset]:
    """Even members to fit a theory on, odd ones to score it on."""
    return record.isel(member=slice(0, None, 2)), record.isel(member=slice(1, None, 2))


def with_normalized_embedding(record: xr.Dataset) -> xr.Dataset:
    """The record with Ẽ in the place of E, as the effective theory speaks of."""
    values = jax.vmap(jax.vmap(normalized))(record.embedding.values)
    return record.assign(embedding=(record.embedding.dims, np.asarray(values)))


def fit_theory(record: xr.Dataset) -> EffectiveLossFit:
    """The paper's theory, as its code has it: all parallelograms; the time scale alone is fitted."""
    return EffectiveLoss(quads=AllParallelograms()).fit(record)


def four_symbol_classes(embedding: np.ndarray) -> np.ndarray:
    """Which of A1, A2, A3 hold in each embedding (member, token, dim) of four symbols, as bits of a code 0..7."""
    equations = Structure(4).equations
    made = np.asarray(jax.vmap(lambda E: formed(E, equations, Distance(0.01)))(embedding))
    return made @ (1 << np.arange(made.shape[1]))
