"""Your own network in a fleet: learn a random quadratic, watch the weights move, find which learning rates survive.

Run it: python examples/own_model.py
"""

import tempfile
from pathlib import Path

import jax
import jax.numpy as jnp
import numpy as np
import optax
import xarray

from nucleate.fleet import Crossing, Every, Plan, Probe, Recipe, Stream, grid, train
from nucleate.models import MLP
from nucleate.record import Outcome

INPUTS = 3


class Quadratic(Recipe):
    """A small MLP that learns y = xᵀQx from samples made on the fly, no sample seen twice."""

    crossings = (Crossing("learned", "loss", below=0.05),)
    batching = Stream(lambda data, key, step: _sample(data["matrix"], key))

    def data(self, member):
        return {"matrix": np.random.default_rng(member["seed"]).normal(size=(INPUTS, INPUTS)).astype(np.float32)}

    def model(self, member, key):
        return MLP((INPUTS, 32, 1), key=key)

    def optimizer(self, member):
        return optax.sgd(member["learning_rate"])

    def loss(self, model, batch, key):
        x, y = batch
        return jnp.mean((jax.vmap(model)(x)[:, 0] - y) ** 2), None

    @property
    def probes(self):
        return (
            Probe("loss", lambda view: view.loss, Every(20)),
            Probe("first_layer", lambda view: view.model.weights[0], Every(20), dims=("input", "unit")),
        )

    def describe(self, data):
        return {"matrix": (("member", "input", "other_input"), np.stack([member["matrix"] for member in data]))}


def _sample(matrix, key):
    x = jax.random.normal(key, (64, INPUTS))
    return x, jnp.einsum("bi,ij,bj->b", x, matrix, x) / 4


def main(folder: Path) -> None:
    """Train 12 networks at once and say how they ended."""
    members = grid(learning_rate=[1e-3, 1e-2, 1e-1, 1e3], seed=range(3))
    record = train(Plan(Quadratic(), members, steps=400), folder).record().load()
    for rate, group in record.groupby("learning_rate"):
        ended = [Outcome(code).name.lower() for code in group.outcome.values]
        print(f"learning rate {rate:g}: {', '.join(ended)}; loss {float(group.loss[:, -1].mean()):.3g}")


def test_huge_learning_rate_diverges_and_harms_no_other(tmp_path):
    main(tmp_path)
    main(tmp_path)  # a finished run is recognised and not trained again
    record = xarray.open_zarr(tmp_path / "record.zarr", consolidated=False, chunks=None)
    diverged = (record.outcome == Outcome.DIVERGED).values
    assert np.array_equal(diverged, record.learning_rate.values == 1e3)
    assert np.isfinite(record.first_layer.values[~diverged]).all()


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as temporary:
        main(Path(temporary) / "run")
