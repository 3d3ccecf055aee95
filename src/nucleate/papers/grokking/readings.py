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
from nucleate.theories import AllParallelograms, EffectiveLoss, EffectiveLossFit

DATA_SIZE = "grokking/data-size"
TRANSITION = "grokking/transition"
TRAJECTORIES = "grokking/trajectories"
PHASE_RATES = "grokking/phase-rates"
PHASE_DECAY_CLASSES = "grokking/phase-decay-classes"
PHASE_DECAY = "grokking/phase-decay"
FOUR_SYMBOLS = "grokking/four-symbols"


def final_embedding(record: xr.Dataset) -> np.ndarray:
    """Each member's last embedding (member, token, dim), wherever it stopped."""
    last = np.searchsorted(record.step.values, record.last_step.values)
    return record.embedding.values[np.arange(record.sizes["member"]), last]


def final(record: xr.Dataset, name: str) -> np.ndarray:
    """Each member's last value of a scalar."""
    last = np.searchsorted(record.step.values, record.last_step.values)
    return record[name].values[np.arange(record.sizes["member"]), last]


def qualities(record: xr.Dataset, closeness: MeanSquare | Distance) -> dict[str, np.ndarray]:
    """Per member: fraction of data, accuracy and RQI as trained, as predicted, and of the ideal model."""
    structure = Structure(record.sizes["token"])
    in_train = record.in_train.values.astype(bool)
    made = jax.vmap(lambda E: formed(E, structure.equations, closeness))(final_embedding(record))
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


def phases(record: xr.Dataset, x: str, y: str) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """The phase of every network on a grid of two hyperparameters: (codes[y, x, seed], x values, y values)."""
    xs, ys, seeds = (np.unique(record[name].values) for name in (x, y, "seed"))
    codes = np.full((len(ys), len(xs), len(seeds)), -1)
    at = tuple(np.searchsorted(v, record[n].values) for v, n in ((ys, y), (xs, x), (seeds, "seed")))
    codes[at] = phase(record.train90_step.values, record.valid90_step.values)
    return codes, xs, ys


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


def four_symbol_classes(record: xr.Dataset) -> tuple[np.ndarray, np.ndarray]:
    """Which of A1..A3 hold in each member's last representation: (code 0..7, RQI)."""
    structure = Structure(4)
    made = np.asarray(jax.vmap(lambda E: formed(E, structure.equations))(final_embedding(record)))
    return made @ (1 << np.arange(made.shape[1])), made.mean(1)
