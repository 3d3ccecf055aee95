"""Fleets of copies of a module, beside PyTorch's own loop."""

import jax.numpy as jnp
import numpy as np
import optax
import pytest

from nucleate.fleet import At, Every, Plan, Probe, Recipe, flat_weights, grid, rebuild, train
from nucleate.models import cross_entropy, from_torch

torch = pytest.importorskip("torch")
nn = torch.nn
pytestmark = pytest.mark.torch

P, STEPS = 7, 500
PAIRS = np.stack(np.divmod(np.arange(P * P), P), 1).astype(np.int32)
LABEL = PAIRS.sum(1, dtype=np.int32) % P


class Adder(nn.Module):
    def __init__(self):
        super().__init__()
        self.embedding = nn.Embedding(P, 8)
        self.decoder = nn.Sequential(nn.Linear(16, 32), nn.GELU(), nn.Linear(32, P))

    def forward(self, pairs):
        return self.decoder(self.embedding(pairs).flatten(1))


NETWORK = from_torch(Adder, PAIRS)


class Copies(Recipe):
    def data(self, member):
        return {"train": {"pairs": PAIRS, "label": torch.tensor(LABEL).long()}}

    def model(self, member, key):
        return NETWORK.fresh(member["seed"])

    def optimizer(self, member):
        return optax.sgd(member["learning_rate"], momentum=0.9)

    def loss(self, model, batch, key):
        return jnp.mean(cross_entropy(model(batch["pairs"]), batch["label"])), None

    @property
    def probes(self):
        embedding = lambda view: view.model.parameters["embedding.weight"]
        return (
            Probe("loss", lambda view: view.loss, Every(1)),
            Probe("embedding", embedding, Every(100), ("token", "dim"), axis="step_embedding"),
            Probe("weights", lambda view: flat_weights(view.model), At((STEPS,)), ("parameter",), axis="step_weights"),
        )


def pytorchs_loop(seed, rate):
    """Losses at every step, embeddings at every hundredth, and the network at the end."""
    torch.manual_seed(seed)
    network, pairs, label = Adder(), torch.tensor(PAIRS), torch.tensor(LABEL).long()
    optimizer = torch.optim.SGD(network.parameters(), lr=rate, momentum=0.9)
    losses, embeddings = [], []
    for step in range(STEPS + 1):
        loss = nn.functional.cross_entropy(network(pairs), label)
        losses.append(loss.item())
        if step % 100 == 0:
            embeddings.append(network.embedding.weight.detach().clone().numpy())
        if step < STEPS:
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
    return losses, embeddings, network


def test_members_are_trained_as_pytorch_trains_them(tmp_path):
    members = grid(learning_rate=[0.05, 0.1], seed=range(8))
    run = train(Plan(Copies(), members, steps=STEPS, block=4), tmp_path / "run")
    record = run.record().load()
    assert record.sizes["member"] == 16
    for member in (0, 13):
        row = members.row(member)
        losses, embeddings, network = pytorchs_loop(row["seed"], row["learning_rate"])
        assert losses[-1] < 0.1 * losses[0]
        np.testing.assert_allclose(record.loss[member], losses, rtol=0, atol=1e-5)
        np.testing.assert_allclose(record.embedding[member], embeddings, rtol=0, atol=1e-4)
        trained = rebuild(Copies(), row, record.weights.values[member, 0])
        theirs = dict(network.named_parameters())
        for name, parameter in trained.to_torch().named_parameters():
            np.testing.assert_allclose(parameter.detach(), theirs[name].detach(), rtol=0, atol=1e-4)
