"""Fleets small enough to train in a test, with everything in them that a fleet can do.

A module of its own, so that a process which is killed and the one which resumes import the same recipe.
"""

import contextlib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, final

import jax
import jax.numpy as jnp
import numpy as np
import optax
from jaxtyping import Array, Float, PyTree

from nucleate.fleet import (
    Batching,
    Crossing,
    Every,
    First,
    FullBatch,
    Last,
    LogSpaced,
    Members,
    Minibatch,
    Plan,
    Probe,
    Recipe,
    Schedule,
    by_field,
    layout,
    table,
)
from nucleate.models import MLP, SumDecoder
from nucleate.tasks import AdditionTask

OUTPUTS = 3


@final
@dataclass(frozen=True)
class Sums(Recipe):
    """Dec(E_a + E_b) learning addition by AdamW.

    Columns: `seed`, `train_size`, `eta_repr`, `eta_dec`, `wd_repr`, `wd_dec`, and `width` where it is in `static`.
    `noise`: of the targets, drawn afresh in every step. `batch` = 0 is the full batch. `hidden`: layers.
    """

    p: int = 4
    dim: int = 2
    width: int = 5
    hidden: int = 1
    batch: int = 0
    noise: float = 0.0
    look: Schedule = Every(5)  # noqa: RUF009 - it is frozen
    extra: tuple[Probe, ...] = ()
    static: tuple[str, ...] = ()
    crossings: tuple[Crossing, ...] = ()
    stop: tuple[str, ...] = ()
    microbatches: int | tuple[int, ...] = 1

    @property
    def batching(self) -> Batching:  # type: ignore[override]
        return Minibatch(self.batch) if self.batch else FullBatch()

    def data(self, member: Mapping[str, Any]) -> PyTree[np.ndarray]:
        task = AdditionTask(self.p)
        key = jax.random.key(member["seed"] + 1000)
        split = task.split(key, member["train_size"])
        targets = np.asarray(task.templates(key, OUTPUTS))
        return {
            "train": {
                "index": split.index,
                "pair": task.pairs[split.index],
                "target": targets[task.label[split.index]],
                "weight": split.weight,
            },
            "in_train": split.in_train,
        }

    def model(self, member: Mapping[str, Any], key: Array) -> SumDecoder:
        width = member.get("width", self.width)
        first, second = jax.random.split(key)
        return SumDecoder(
            jax.random.uniform(first, (self.p, self.dim)) - 0.5,
            MLP((self.dim, *[width] * self.hidden, OUTPUTS), key=second),
        )

    def optimizer(self, member: Mapping[str, Any]) -> optax.GradientTransformation:
        return by_field(
            embedding=optax.adamw(member["eta_repr"], weight_decay=member["wd_repr"]),
            decoder=optax.adamw(member["eta_dec"], weight_decay=member["wd_dec"]),
        )

    def loss(self, model: SumDecoder, batch: PyTree, key: Array) -> tuple[Float[Array, ""], PyTree]:
        noise = self.noise * jax.random.normal(key, (OUTPUTS,)) if self.noise else jnp.zeros(OUTPUTS)
        errors = jnp.mean((jax.vmap(model)(batch["pair"]) - batch["target"] - noise) ** 2, axis=-1)
        return jnp.sum(batch["weight"] * errors) / jnp.sum(batch["weight"]), noise

    @property
    def probes(self) -> tuple[Probe, ...]:
        return (
            Probe("loss", lambda view: view.loss, self.look),
            Probe("embedding", lambda view: view.model.embedding, self.look, dims=("token", "dim")),
            *self.extra,
        )

    def describe(self, data: Sequence[PyTree]) -> dict[str, tuple[tuple[str, ...], np.ndarray]]:
        return {"in_train": (("member", "pair"), np.stack([member["in_train"] for member in data]))}


def fit(view) -> Array:
    """Goes up while a network learns: something to watch a threshold with."""
    return -view.loss


# Module functions, not closures, so that every process gives these probes the same name.
def first_weight(view) -> Array:
    return view.model.decoder.weights[0]


def embedding_grads(view) -> Array:
    return view.grads.embedding


def chosen(view) -> Array:
    return view.batch["index"]


def step(view) -> Array:
    return view.step


def noise(view) -> Array:
    return view.outputs


ALL_SORTS = (
    Probe("fit", fit, LogSpaced(40), axis="step_fit"),
    Probe("first_weight", first_weight, LogSpaced(40), dims=("input", "unit"), axis="step_fit"),
    Probe("grads", embedding_grads, First(9), dims=("token", "dim"), axis="step_grads"),
    Probe("chosen", chosen, Every(70), dims=("sample",), axis="step_chosen"),
    Probe("end", step, Last(), axis="step_end"),
)


def members(count: int = 3, **columns: Any) -> Members:
    """`count` members that differ in seed alone, but for the given columns."""
    defaults = {"train_size": 8, "eta_repr": 3e-3, "eta_dec": 1e-2, "wd_repr": 0.0, "wd_dec": 0.0}
    return table(**({"seed": np.arange(count)} | defaults | columns))


def all_sorts() -> Plan:
    """Two groups of shapes, minibatches in pieces, noise, five step axes, members that stop early or diverge."""
    recipe = Sums(
        p=6,
        batch=4,
        noise=0.1,
        look=Every(2),
        extra=ALL_SORTS,
        crossings=(Crossing("low", "fit", at_least=-0.04),),
        stop=("low",),
        microbatches=(2, 4),
    )
    rows = members(train_size=[8, 20] * 3, seed=range(6), eta_dec=[1e-2, 1e-3, 1e30, 1e-4, 1e-2, 3e-2], wd_dec=0.01)
    return Plan(recipe, rows, steps=3000, block=2, about={"experiment": "all-sorts"}, keep_weights=Every(700))


@contextlib.contextmanager
def small_chunks() -> Iterator[None]:
    """Cut what is stored into many small files, as a long run would."""
    usual, layout._CHUNK_BYTES = layout._CHUNK_BYTES, 4096
    try:
        yield
    finally:
        layout._CHUNK_BYTES = usual
