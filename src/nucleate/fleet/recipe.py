"""How one network is made, trained and probed: the protocol of this room."""

import abc
import operator
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple, final

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
import optax
from jaxtyping import Array, Float, Int, PyTree

from nucleate.checking import Checked, Count
from nucleate.fleet.schedule import Schedule


class View(NamedTuple):
    """What a probe sees of one network just before the update of `step` is applied."""

    model: Any
    grads: PyTree
    batch: PyTree
    step: Int[Array, ""]
    loss: Float[Array, ""]
    outputs: PyTree
    data: PyTree


@dataclass(frozen=True)
class Probe(Checked):
    """A pure function of a `View`, evaluated on a schedule and recorded under a name.

    `dims`: names of the value's axes. `axis`: the record's step dimension; probes on one axis share its schedule.
    """

    name: str
    look: Callable[[View], Array]
    schedule: Schedule
    dims: tuple[str, ...] = ()
    axis: str = "step"
    attrs: Mapping[str, Any] = field(default_factory=dict)

    def check(self) -> None:
        for name, word in [("name", self.name), ("axis", self.axis), *(("dims", dim) for dim in self.dims)]:
            if not word.isidentifier():
                self.refuse(name, f"must be a word that Python could use as a name; got {word!r}")
        if len(set(self.dims)) < len(self.dims):
            self.refuse("dims", f"must name each axis once; got {self.dims}")


@dataclass(frozen=True)
class Crossing(Checked):
    """The first recorded step at which the scalar probe `probe` passes a threshold.

    Give exactly one of `at_least` (≥), `above` (>), `at_most` (≤) and `below` (<). Recorded as `<name>_step(member)`,
    -1 where it never happened. Its resolution is that of its probe's schedule.

    >>> Crossing("grokked", "valid_accuracy", at_least=0.9).rule
    'valid_accuracy >= 0.9'
    """

    name: str
    probe: str
    at_least: float | None = None
    above: float | None = None
    at_most: float | None = None
    below: float | None = None

    def check(self) -> None:
        if not self.name.isidentifier():
            self.refuse("name", f"must be a word that Python could use as a name; got {self.name!r}")
        if len(self._given) != 1:
            raise ValueError(f"Crossing '{self.name}' needs exactly one of at_least, above, at_most and below.")

    @property
    def _given(self) -> list[tuple[str, Callable, float]]:
        thresholds = (
            (">=", operator.ge, self.at_least),
            (">", operator.gt, self.above),
            ("<=", operator.le, self.at_most),
            ("<", operator.lt, self.below),
        )
        return [(sign, compare, value) for sign, compare, value in thresholds if value is not None]

    @property
    def rule(self) -> str:
        """The condition in words, for the record."""
        ((sign, _, threshold),) = self._given
        return f"{self.probe} {sign} {threshold}"

    def crossed(self, value: Float[Array, ""]) -> Array:
        ((_, compare, threshold),) = self._given
        return compare(value, threshold)


class Batching(Checked, abc.ABC):
    """The samples that each step sees."""

    @abc.abstractmethod
    def draw(self, data: PyTree, key: Array, step: Int[Array, ""]) -> PyTree:
        """The batch of `step`; `key` is fresh for every member and step."""


@final
@dataclass(frozen=True)
class FullBatch(Batching):
    """All of `data["train"]` in every step."""

    def draw(self, data: PyTree, key: Array, step: Int[Array, ""]) -> PyTree:
        return data["train"]


@final
@dataclass(frozen=True)
class Minibatch(Batching):
    """`size` distinct samples of `data["train"]`, drawn uniformly and afresh in every step.

    `data["train"]` is a dict of arrays with samples on the first axis; its entry `weight` (1 for a sample, 0 for
    padding) says which may be drawn.
    """

    size: Count

    def draw(self, data: PyTree, key: Array, step: Int[Array, ""]) -> PyTree:
        train = data["train"]
        lottery = jnp.where(train["weight"] > 0, jax.random.uniform(key, train["weight"].shape), -1.0)
        _, chosen = jax.lax.top_k(lottery, min(self.size, lottery.shape[0]))
        return jax.tree.map(lambda array: array[chosen], train)


@final
@dataclass(frozen=True)
class Stream(Batching):
    """Samples made on the fly: `sample(data, key, step)` returns a fresh batch.

    It may be drawn at random with `key`, or looked up by `step` in an order without repetition.
    """

    sample: Callable[[PyTree, Array, Int[Array, ""]], PyTree]

    def draw(self, data: PyTree, key: Array, step: Int[Array, ""]) -> PyTree:
        return self.sample(data, key, step)


class Recipe(Checked, abc.ABC):
    """How ONE network is made and trained; the fleet maps it over many.

    `member` maps each column of the fleet's table to this member's value: a Python number for columns named in
    `static`, which shape the program, and a traced scalar for all others.
    """

    static: tuple[str, ...] = ()
    crossings: tuple[Crossing, ...] = ()
    # A member stops once all of these crossings have happened. Empty: train to the end.
    stop: tuple[str, ...] = ()
    batching: Batching = FullBatch()
    # A batch is differentiated in this many equal pieces, one after the other: a large batch is faster in pieces that
    # fit a core's cache. Samples must come first in every array of a batch, and the loss must be their mean; numbers
    # without axes belong to every piece. Of several counts, such as `pieces` lists, the fastest is taken, or the first
    # where a run is too short to measure them.
    microbatches: Count | tuple[Count, ...] = 1
    # The most steps between checks for members that have diverged or finished. A run is stopped, saved and shown after
    # a few times as many, or earlier where a step takes long.
    max_gap: Count = 250

    @abc.abstractmethod
    def data(self, member: Mapping[str, Any]) -> PyTree[np.ndarray]:
        """This member's data, made once, on the host, from plain numbers. `data["train"]` feeds the batching."""

    @abc.abstractmethod
    def model(self, member: Mapping[str, Any], key: Array) -> eqx.Module:
        """The network at step 0."""

    @abc.abstractmethod
    def optimizer(self, member: Mapping[str, Any]) -> optax.GradientTransformation:
        """Any Optax transformation; its hyperparameters may be traced."""

    @abc.abstractmethod
    def loss(self, model: eqx.Module, batch: PyTree, key: Array) -> tuple[Float[Array, ""], PyTree]:
        """The loss on a batch, and outputs that probes can read without recomputing them."""

    @property
    @abc.abstractmethod
    def probes(self) -> tuple[Probe, ...]:
        """What is recorded."""

    def describe(self, data: Sequence[PyTree]) -> dict[str, tuple[tuple[str, ...], np.ndarray]]:
        """Fixed variables of the record for all members (splits, pairs, ...), as (dims, values); none by default."""
        return {}


def by_field(**optimizers: optax.GradientTransformation) -> optax.GradientTransformation:
    """One optimiser for each named field of the model: `by_field(embedding=optax.adam(a), decoder=optax.adam(b))`."""

    def labels(params):
        return jax.tree_util.tree_map_with_path(lambda path, _: path[0].name, params)

    return optax.partition(dict(optimizers), labels)  # type: ignore[arg-type]
