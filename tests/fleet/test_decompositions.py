import importlib

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from small_fleets import Sums, members

from nucleate import machine
from nucleate.fleet import Every, Plan, Probe, Silent, block_size, train
from nucleate.fleet.decompositions import most_at_once

training = importlib.import_module("nucleate.fleet.train")  # the package's `train` is the function


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

    def noted(work, devices, tick, usual=training._work_through):
        numbers.append(len(devices))
        usual(work, devices, tick)

    monkeypatch.setattr(machine, "workers", lambda: jax.devices()[:1] * 2)
    monkeypatch.setattr(training, "_work_through", noted)
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


def test_members_that_are_decomposed_are_not_put_into_blocks(tmp_path, monkeypatch):
    monkeypatch.setattr(block_size, "_WORTH_MEASURING", 1)
    monkeypatch.setattr(block_size, "_speed", lambda *_: pytest.fail("there is nothing to choose from"))
    assert train(fleet(), tmp_path / "run").about.block == 1


def test_matrices_are_counted_wherever_a_call_is():
    def rows(matrix):
        inside = jax.lax.cond(matrix.sum() > 0, lambda x: jnp.linalg.qr(x)[1], lambda x: x, matrix)
        return jax.lax.scan(lambda carry, x: (carry, jnp.linalg.eigh(x)[0]), 0.0, jnp.stack([inside] * 3))[1]

    matrix = jnp.eye(2)
    assert most_at_once(jax.make_jaxpr(rows)(matrix).jaxpr) == 1
    assert most_at_once(jax.make_jaxpr(jax.jit(jax.vmap(rows)))(jnp.stack([matrix] * 4)).jaxpr) == 4
    assert most_at_once(jax.make_jaxpr(jax.vmap(jax.vmap(rows)))(jnp.ones((2, 4, 2, 2))).jaxpr) == 8
