"""The toy model. Measurements of `evidence` are made for `Evidence.once`: computed one time for claims and figures."""

from dataclasses import dataclass

import jax
import numpy as np
import xarray as xr

from nucleate.claims import Evidence
from nucleate.observables import (
    Distance,
    MeanSquare,
    formed,
    grokking_rate,
    ideal_accuracy,
    ideal_rqi,
    is_linear,
    known,
    normalized,
    predicted_accuracy,
)
from nucleate.papers.grokking.experiments.toy import DATA_SIZE, FOUR_SYMBOLS, TRAJECTORIES
from nucleate.papers.grokking.recipe import P, Structure
from nucleate.record import at_the_end, stayed_finite
from nucleate.theories import AllParallelograms, EffectiveLoss
from nucleate.theories.effective import EffectiveLossFit

# --- random training sets --------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Survey:
    """Random training sets of every size: whether each determines a line, its λ3 at Z0 = 1 as in the authors' code, and
    how many parallelograms it has."""

    fraction: np.ndarray  # size
    linear: np.ndarray  # size, set
    rate: np.ndarray  # size, set
    known: np.ndarray  # size, set

    @property
    def averaged_rate(self) -> np.ndarray:
        """λ3 as in Eq. 5, whose loss is an average over the parallelograms: [size, set]."""
        return self.rate / np.maximum(self.known, 1)

    @property
    def critical(self) -> float:
        """The fraction of the data with which half of the training sets determine a line."""
        return half_crossing(self.fraction, self.linear.mean(1))


def survey(evidence: Evidence) -> Survey:
    """The survey of the paper's task behind Figs. 4a and 5a."""
    return drawn_survey(P, evidence.effort.training_sets)


def drawn_survey(p: int, count: int) -> Survey:
    """`count` random training sets of each size 1..p(p+1)/2."""
    structure = Structure(p)
    total = len(structure.pairs)
    linear, rate, count_known = [], [], []
    for size in range(1, total + 1):
        sets = known(structure.quads, random_sets(p, size, count))
        linear.append(is_linear(structure.equations, sets))
        rate.append(grokking_rate(structure.equations, sets, 1.0))
        count_known.append(sets.sum(1))
    return Survey(np.arange(1, total + 1) / total, *map(np.asarray, (linear, rate, count_known)))


def random_sets(p: int, size: int, count: int) -> np.ndarray:
    """`count` uniformly random training sets of `size` pairs, as masks: [set, pair]."""
    total = len(Structure(p).pairs)
    ranks = np.random.default_rng((p, size)).random((count, total)).argsort(axis=1)
    return ranks < size


def half_crossing(fraction: np.ndarray, probability: np.ndarray) -> float:
    """Where an increasing curve first reaches one half, by linear interpolation; infinite if it never does.

    >>> half_crossing(np.array([0.0, 0.5, 1.0]), np.array([0.0, 0.0, 1.0]))
    0.75
    """
    above = np.flatnonzero(probability >= 0.5)
    if len(above) == 0 or above[0] == 0:
        return float("inf") if len(above) == 0 else float(fraction[0])
    i = above[0]
    weight = (0.5 - probability[i - 1]) / (probability[i] - probability[i - 1])
    return float(fraction[i - 1] + weight * (fraction[i] - fraction[i - 1]))


def learning_rates(record: xr.Dataset) -> np.ndarray:
    """Each network's learning rates in words: (representation, decoder)."""
    pairs = zip(record.eta_repr.values.tolist(), record.eta_dec.values.tolist(), strict=True)
    return np.array([f"({representation:g}, {decoder:g})" for representation, decoder in pairs], dtype=str)


# --- accuracy and representation quality -----------------------------------------------------------------------------


@dataclass(frozen=True)
class Qualities:
    """Per network that stayed finite: the fraction of the data it saw, and accuracy and RQI: as trained, as predicted
    from its embedding, and of the ideal model."""

    fraction: np.ndarray
    accuracy: np.ndarray
    predicted_accuracy: np.ndarray
    ideal_accuracy: np.ndarray
    rqi: np.ndarray
    ideal_rqi: np.ndarray


def loose_qualities(evidence: Evidence) -> Qualities:
    """By the threshold of the authors' code, |d| < 0.1."""
    return qualities(stayed_finite(evidence.record(DATA_SIZE)), MeanSquare())


def strict_qualities(evidence: Evidence) -> Qualities:
    """By the threshold of the paper's text, |d| ≤ 0.01."""
    return qualities(stayed_finite(evidence.record(DATA_SIZE)), Distance(0.01))


def qualities(record: xr.Dataset, closeness: MeanSquare | Distance) -> Qualities:
    """What the networks of a record ended with; `closeness` decides which parallelograms count."""
    structure = Structure(record.sizes["token"])
    in_train = record.in_train.values.astype(bool)
    made = jax.vmap(lambda E: formed(E, structure.equations, closeness))(at_the_end(record, "embedding"))
    predicted = jax.vmap(lambda f, d: predicted_accuracy(f, structure.quads, d))(made, in_train)
    return Qualities(
        fraction=in_train.mean(1),
        accuracy=at_the_end(record, "accuracy").astype(float),
        predicted_accuracy=np.asarray(predicted, float),
        ideal_accuracy=np.asarray(ideal_accuracy(structure.equations, structure.quads, in_train)),
        rqi=np.asarray(made, float).mean(1),
        ideal_rqi=np.asarray(ideal_rqi(structure.equations, known(structure.quads, in_train))),
    )


# --- the effective theory --------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class TheoryTest:
    """The effective theory, fitted to half of the networks, and its errors on the other half.

    `n_h`: steps in which the slowest departure from the line falls by e, with all parallelograms.
    """

    fit: EffectiveLossFit
    score: xr.Dataset
    n_h: float


def theory_test(evidence: Evidence) -> TheoryTest | None:
    """The theory as the authors' code has it: all parallelograms, normalised embeddings, the time scale alone is
    fitted. None if no network can be followed."""
    record = normalized_trajectories(evidence)
    seen, unseen = record.isel(member=slice(0, None, 2)), record.isel(member=slice(1, None, 2))
    first, second = (seen.embedding.values[:, i] for i in (0, 1))
    if not (np.isfinite(first + second).all((1, 2)) & first.any((1, 2))).any():
        return None
    fit = EffectiveLoss(quads=AllParallelograms()).fit(seen)
    rate = grokking_rate(fit.equations, np.ones(len(fit.equations), bool), _normalized_z0(record))
    return TheoryTest(fit, fit.score(unseen), float(1 / (rate * record.eta_repr.values[0])))


def normalized_trajectories(evidence: Evidence) -> xr.Dataset:
    """The record of trajectories with Ẽ in the place of E, which is what the effective theory speaks of."""
    record = evidence.record(TRAJECTORIES)
    values = jax.vmap(jax.vmap(normalized))(record.embedding.values)
    return record.assign(embedding=(record.embedding.dims, np.asarray(values)))


def theory_steps(record: xr.Dataset, averaged: bool = False) -> np.ndarray:
    """1/(λ3 η) of each member's training set, for normalised embeddings; infinite where λ3 = 0.

    λ3 is that of the authors' code or, with the loss `averaged` over parallelograms, that of Eq. 5.
    """
    structure = Structure(record.sizes["token"])
    mask = known(structure.quads, record.in_train.values.astype(bool))
    rate = grokking_rate(structure.equations, mask, _normalized_z0(record), per_parallelogram=averaged)
    with np.errstate(divide="ignore"):
        return 1 / (rate * record.eta_repr.values)


def _normalized_z0(record: xr.Dataset) -> int:
    return (record.sizes["token"] - 1) * record.sizes["dim"]


# --- four symbols ----------------------------------------------------------------------------------------------------

EQUATION_SETS = ("none", "A1", "A2", "A1, A2", "A3", "A1, A3", "A2, A3", "all three")
"""Which of A1, A2 and A3 hold, by the bits of a code."""

REPRESENTATIONS = (0, 1, 2, 4, 7)
"""The codes of the representations that differ: any two equations imply the third."""


@dataclass(frozen=True)
class FourSymbols:
    """Networks on four symbols that stayed finite, each with its code in `EQUATION_SETS` before and after training."""

    slow_decoder: np.ndarray
    before: np.ndarray
    after: np.ndarray
    embedding: np.ndarray
    rqi: np.ndarray


def four_symbols(evidence: Evidence) -> FourSymbols:
    """The representations of Fig. 12."""
    record = stayed_finite(evidence.record(FOUR_SYMBOLS))
    embedding = at_the_end(record, "embedding")
    return FourSymbols(
        slow_decoder=record.eta_repr.values > record.eta_dec.values,
        before=equation_codes(record.embedding.values[:, 0]),
        after=equation_codes(embedding),
        embedding=embedding[..., 0],
        rqi=at_the_end(record, "rqi").astype(float),
    )


def equation_codes(embedding: np.ndarray) -> np.ndarray:
    """Which equations hold (|d| ≤ 0.01) in each embedding [member, token, dim] of four symbols, as a code 0..7."""
    equations = Structure(4).equations
    made = np.asarray(jax.vmap(lambda E: formed(E, equations, Distance(0.01)))(embedding))
    return made @ (1 << np.arange(made.shape[1]))
