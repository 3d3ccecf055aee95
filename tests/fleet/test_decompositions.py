from dataclasses import dataclass

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
import optax
import pytest
from jaxtyping import Array, Float
from small_fleets import Sums, members

from nucleate import machine
from nucleate.fleet import Every, Plan, Probe, Recipe, Silent, executor, speeds, train
from nucleate.fleet.decompositions import most_at_once
from nucleate.fleet.program import Program


def values(view):
    """Singular values: of a single matrix for each member."""
    return jnp.linalg.svd(view.model.embedding, compute_uv=False)


def values_of_two(view):
    return jnp.linalg.svd(jnp.stack([view.model.embedding] * 2), compute_uv=False)


def fleet(look=values, block=None, dims=("value",)) -> Plan:
    return Plan(Sums(extra=(Probe("values", look, Every(5), dims=dims),)), members(4), 10, block)


class Listener(Silent):
    """Remembers what it is told."""

    def __init__(self):
        self.told: list[str] = []

    def tell(self, line: str) -> None:
        self.told.append(line)


@pytest.fixture
def workers(monkeypatch):
    """How many threads trained, on a machine with two cores."""
    numbers: list[int] = []

    def noted(threads, stop, tick, usual=executor._start_and_wait):
        numbers.append(len(threads))
        usual(threads, stop, tick)

    monkeypatch.setattr(machine, "workers", lambda: jax.devices()[:1] * 2)
    monkeypatch.setattr(executor, "_start_and_wait", noted)
    return numbers


@pytest.mark.parametrize(
    ("look", "block", "alone"), [(values, None, False), (values, 2, True), (values_of_two, None, True)]
)
def test_only_one_worker_decomposes_many_matrices(look, block, alone, workers, tmp_path):
    watch = Listener()
    dims = ("value",) if look is values else ("copy", "value")
    run = train(fleet(look, block, dims), tmp_path / "run", watch=watch)
    assert run.about.block == (block or 1)
    assert workers == [1 if alone else 2]
    assert any("one core trains this run" in line for line in watch.told) == alone
    record = run.record()
    found = record["values"].values if look is values else record["values"].values[:, :, 0]
    np.testing.assert_allclose(found, np.linalg.svd(record.embedding.values, compute_uv=False), rtol=1e-4)


class Matrices(eqx.Module):
    weights: Float[Array, "copy row column"]


@dataclass(frozen=True)
class Rotated(Recipe):
    """One step from weights that are two orthogonal matrices."""

    def data(self, member):
        return {"train": np.zeros(1, np.float32)}

    def model(self, member, key):
        return Matrices(jnp.linalg.qr(jax.random.normal(key, (2, 3, 3)))[0])

    def optimizer(self, member):
        return optax.sgd(0.1)

    def loss(self, model, batch, key):
        return jnp.sum(model.weights**2), None

    @property
    def probes(self):
        return (Probe("weights", lambda view: view.model.weights, Every(1), dims=("copy", "row", "column")),)


def test_networks_that_begin_with_decompositions_are_started_one_after_the_other(workers, tmp_path, monkeypatch):
    inside: list[int] = []

    def start(self, *args, usual=Program.start):
        inside.append(1)
        assert sum(inside) == 1
        state = usual(self, *args)
        inside.append(-1)
        return state

    monkeypatch.setattr(Program, "start", start)
    run = train(Plan(Rotated(), members(4), 1, block=1), tmp_path / "run")
    assert workers == [2]  # they train side by side
    weights = run.record().weights.values[:, 0]
    np.testing.assert_allclose(weights @ weights.swapaxes(-1, -2), np.broadcast_to(np.eye(3), weights.shape), atol=1e-5)


def test_members_that_are_decomposed_are_not_put_into_blocks(tmp_path, monkeypatch):
    monkeypatch.setattr(speeds, "_WORTH_MEASURING", 1)
    monkeypatch.setattr(speeds, "_speed", lambda *_: pytest.fail("there is nothing to choose from"))
    assert train(fleet(), tmp_path / "run").about.block == 1


def test_matrices_are_counted_wherever_a_call_is():
    def rows(matrix):
        inside = jax.lax.cond(matrix.sum() > 0, lambda x: jnp.linalg.qr(x)[1], lambda x: x, matrix)
        return jax.lax.scan(lambda carry, x: (carry, jnp.linalg.eigh(x)[0]), 0.0, jnp.stack([inside] * 3))[1]

    matrix = jnp.eye(2)
    assert most_at_once(jax.make_jaxpr(rows)(matrix).jaxpr) == 1
    assert most_at_once(jax.make_jaxpr(jax.jit(jax.vmap(rows)))(jnp.stack([matrix] * 4)).jaxpr) == 4
    assert most_at_once(jax.make_jaxpr(jax.vmap(jax.vmap(rows)))(jnp.ones((2, 4, 2, 2))).jaxpr) == 8
