"""Transformers: when they generalise, what their embeddings look like then, and which components they need for it."""

from dataclasses import dataclass
from typing import cast

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
import xarray as xr
from jaxtyping import Array

from nucleate.claims import Evidence
from nucleate.fleet import rebuild
from nucleate.interventions import keep_components
from nucleate.models import PairTransformer
from nucleate.observables import frequency_shares, pca_frequencies, principal_coordinates
from nucleate.papers.grokking.experiments.transformer import LOTTERY, TRANSFORMER, TransformerFleet
from nucleate.papers.grokking.readings.phases import steps_to
from nucleate.record import at_the_end, stayed_finite
from nucleate.tasks import ModularAdditionTask

CIRCLE = 0.5
"""Tokens form a circle in a plane if one frequency has at least half of their variance there."""

FEW = 10
"""How many the "first few" principal components are: as many as the authors' code keeps; the paper does not say."""

_FITTED = 0.99  # accuracy on the training set


def generalised(record: xr.Dataset) -> xr.Dataset:
    """The networks that reached 99 % validation accuracy (App. K: "able to generalize") and did not diverge."""
    finite = stayed_finite(record)
    return finite.isel(member=np.flatnonzero(np.isfinite(steps_to(finite, "valid99"))))


def is_mature(record: xr.Dataset) -> bool:
    """Whether most networks have generalised, and have been trained for as long again since."""
    return bool(np.median(record.last_step.values / steps_to(record, "valid99")) >= 2)


def at_crossing(record: xr.Dataset, name: str, crossing: str) -> np.ndarray:
    """Each network's value of a recorded number when it crossed a threshold; NaN if it did not."""
    step = steps_to(record, crossing)
    rows = np.searchsorted(record.step.values, np.where(np.isfinite(step), step, 0))
    values = record[name].values[np.arange(record.sizes["member"]), rows]
    return np.where(np.isfinite(step), values, np.nan).astype(float)


def circle_step(record: xr.Dataset) -> np.ndarray:
    """The first recorded step at which each network has a circle in its first two principal components; infinite if
    there is none."""
    seen = np.nan_to_num(record.frequency_share.values) >= CIRCLE
    return np.where(seen.any(1), record.step.values[seen.argmax(1)], np.inf)


def peak_step(record: xr.Dataset) -> np.ndarray:
    """The recorded step at which each network's effective dimension is highest."""
    return record.step.values[np.nan_to_num(record.effective_dimension.values).argmax(1)].astype(float)


@dataclass(frozen=True)
class Portrait:
    """Snapshots of the network that ends with the clearest circle: the largest share of one `frequency` in the variance
    of its first two principal components."""

    step: np.ndarray
    embedding: np.ndarray  # snapshot, token, dim
    train_accuracy: np.ndarray
    valid_accuracy: np.ndarray
    fitted: int
    """The first snapshot at which the training set is fitted (99 %); the last if it never is."""
    frequency: int
    share: float

    @property
    def has_fitted(self) -> bool:
        """Whether the training set is fitted at that snapshot."""
        return bool(self.train_accuracy[self.fitted] >= _FITTED)


def portrait(evidence: Evidence) -> Portrait | None:
    """The network of Fig. 1; None if all diverged."""
    record = stayed_finite(evidence.record(TRANSFORMER))
    if record.sizes["member"] == 0:
        return None
    shares, frequencies = at_the_end(record, "frequency_share"), at_the_end(record, "frequency")
    chosen = int(np.argmax(shares))
    member, steps = record.isel(member=chosen), record.step_embedding.values
    train, valid = (
        member[name].sel(step=steps, method="nearest").values for name in ("train_accuracy", "valid_accuracy")
    )
    fitted = int(np.argmax(train >= _FITTED)) if np.any(train >= _FITTED) else len(steps) - 1
    return Portrait(
        steps, member.embedding.values, train, valid, fitted, int(frequencies[chosen]), float(shares[chosen])
    )


def at_best(steps: np.ndarray, values: np.ndarray, repeat: np.ndarray) -> np.ndarray:
    """The steps of networks at the value of a hyperparameter that is best: for each repeat that with which the networks
    of all other repeats have the least median. So no network has a part in the choice by which it is judged.

    >>> steps, values, repeat = np.array([[9, 5, 4, 6], [1, 1, 2, 2], [0, 1, 0, 1]])
    >>> at_best(steps, values, repeat).tolist()
    [9, 6]
    """
    chosen, tried = [], np.unique(values)
    for each in np.unique(repeat):
        others = repeat != each if len(np.unique(repeat)) > 1 else repeat == each
        medians = [np.median(steps[here]) if (here := others & (values == value)).any() else np.inf for value in tried]
        chosen.append(steps[(repeat == each) & (values == tried[int(np.argmin(medians))])])
    return np.concatenate(chosen) if chosen else steps


# --- what components are for -----------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Lottery:
    """Networks that generalised, with their embeddings of some steps projected on the first `count` principal
    components.

    Accuracies are by a network's own weights of that step, over all pairs, training pairs and validation pairs (the
    last axis): with its embedding as it is, on components of its embedding at the end, and on the current ones.
    """

    step: np.ndarray
    count: np.ndarray
    whole: np.ndarray  # member, step, pairs
    final: np.ndarray  # member, step, count, pairs
    current: np.ndarray  # member, step, count, pairs
    start: np.ndarray
    """The embedding at initialisation, [member, token, dim]."""
    end: np.ndarray
    """The embedding at the end."""

    @property
    def gain(self) -> np.ndarray:
        """Per network: accuracy on the largest `count` of final components minus that on current ones, over all pairs;
        the mean over the steps between the first and the last."""
        return (self.final - self.current)[:, 1:-1, -1, 0].mean(1)


def lottery(evidence: Evidence) -> Lottery | None:
    """The projections of Figs. 21 and 22; None if no network has generalised."""
    record = generalised(evidence.record(LOTTERY))
    if record.sizes["member"] == 0:
        return None
    recipe = TransformerFleet.from_json(evidence.about(LOTTERY).config).recipe()
    count = jnp.unique(jnp.minimum(jnp.array([2, FEW // 2, FEW]), min(recipe.p - 1, recipe.size.width)))
    found = []
    for weights, in_train in zip(record.weights.values, jnp.asarray(record.in_train.values, bool), strict=True):
        models = [cast(PairTransformer, rebuild(recipe, {}, row)) for row in weights]
        start, end = models[0].embedding, models[-1].embedding
        seen = [_accuracies(model, end, count, in_train, recipe.task) for model in models]
        found.append((*map(np.stack, zip(*seen, strict=True)), np.asarray(start), np.asarray(end)))
    return Lottery(record.step_weights.values, np.asarray(count), *map(np.stack, zip(*found, strict=True)))


@eqx.filter_jit
def _accuracies(model: PairTransformer, end: Array, count: Array, in_train: Array, task: ModularAdditionTask):
    """With the whole embedding [pairs], on components of `end` [count, pairs], and on its own [count, pairs]."""
    among = jnp.stack([jnp.ones_like(in_train), in_train, ~in_train])

    def accuracy(embedding: Array) -> Array:
        correct = PairTransformer(embedding, model.decoder)(task.pairs).argmax(-1) == task.label
        return jnp.sum(correct & among, axis=1) / jnp.sum(among, axis=1)

    def kept(of: Array) -> Array:
        return jax.lax.map(lambda n: accuracy(keep_components(model.embedding, of, n)), count)

    return accuracy(model.embedding), kept(end), kept(model.embedding)


@dataclass(frozen=True)
class Ticket:
    """The frequency that has most of the variance of each network's first two components at the end, and its share of
    the variance there, of the embedding at initialisation on the same two components, and on its own."""

    frequency: np.ndarray
    at_the_end: np.ndarray
    at_the_start: np.ndarray
    on_its_own: np.ndarray


def ticket(found: Lottery) -> Ticket:
    """How much of the final structure there is at initialisation (Fig. 21)."""
    rows = []
    for start, end in zip(found.start, found.end, strict=True):
        (k,), (share,) = map(np.asarray, pca_frequencies(end, 1))
        shares = [frequency_shares(principal_coordinates(start, of))[k - 1] for of in (end, start)]
        rows.append([k, share, *map(float, shares)])
    return Ticket(*np.array(rows).T)
