"""The training step of the grokking paper's transformer, here and by PyTorch's own layers, with the same numbers."""

from dataclasses import dataclass, replace
from functools import cached_property
from typing import final

import equinox as eqx
import jax
import numpy as np
import torch
from torch.nn import functional

from benchmarks.encoder import tensor, torch_block
from benchmarks.fleets import network_steps
from benchmarks.gemm import peak
from benchmarks.toy import rate
from nucleate.models import PairTransformer
from nucleate.papers.grokking.experiments import TransformerFleet


@final
@dataclass(frozen=True)
class Case:
    """A fleet of networks that differ in nothing but their seeds."""

    fleet: TransformerFleet

    @cached_property
    def model(self) -> PairTransformer:
        return eqx.filter_jit(self.fleet.recipe().model)({}, jax.random.key(0))

    @cached_property
    def pairs(self) -> tuple[np.ndarray, np.ndarray]:
        """Training pairs and labels."""
        data = self.fleet.recipe().data(self.fleet.members().row(0))["train"]
        real = data["weight"] > 0
        return data["pair"][real].astype(np.int64), data["label"][real].astype(np.int64)

    @property
    def flops(self) -> int:
        """Of the products with weights, forward and twice that backward."""
        dim, rows = self.fleet.dim, 2 * len(self.pairs[0])
        block = 4 * dim**2 + 2 * dim * self.fleet.hidden
        return 3 * 2 * rows * (self.fleet.blocks * block + dim * self.fleet.p)


SMALL = Case(TransformerFleet(p=31, dim=64, hidden=32, wd_dec=(1.0,), dropout=(0.05,)))
PAPER = Case(TransformerFleet(p=59, dim=256, hidden=128, eta_dec=(2e-4,), wd_dec=(1.0,), dropout=(0.05,)))


def nucleate(case: Case, networks: int, steps: int) -> float:
    """Network-steps a second of a fleet, which records accuracies every 50 steps."""
    fleet = replace(case.fleet, seeds=networks, look=50)
    return network_steps(lambda name, length: replace(fleet, steps=length).plan(name), networks, steps)


def pytorch(case: Case, steps: int) -> float:
    """Steps a second of the loop that the paper's authors wrote, with fused AdamW."""
    network, (pairs, label) = Torch(case), map(torch.tensor, case.pairs)
    _refuse_others(case, network, pairs)
    network.train()
    optimizer = torch.optim.AdamW(
        [
            {"params": [network.embedding.weight], "lr": case.fleet.eta_repr, "weight_decay": 0.0},
            {
                "params": [*network.blocks.parameters(), *network.readout.parameters()],
                "lr": case.fleet.eta_dec[0],
                "weight_decay": case.fleet.wd_dec[0],
            },
        ],
        fused=True,
    )

    def step() -> None:
        optimizer.zero_grad()
        functional.cross_entropy(network(pairs), label).backward()
        optimizer.step()

    return rate(step, steps)


def gemm_bound(case: Case) -> float:
    """Steps a second if every product ran at the peak of a 1,024³ one, and nothing else took time."""
    return peak() / case.flops


def _refuse_others(case: Case, network: torch.nn.Module, pairs: torch.Tensor) -> None:
    """Without dropout, both must answer alike: this compares one network with itself."""
    network.eval()
    with torch.no_grad():
        np.testing.assert_allclose(network(pairs), eqx.filter_jit(case.model)(pairs.numpy()), rtol=1e-3, atol=1e-3)


class Torch(torch.nn.Module):
    """`PairTransformer` with the weights of `case.model`."""

    def __init__(self, case: Case):
        super().__init__()
        fleet, model = case.fleet, case.model
        self.embedding = torch.nn.Embedding(fleet.p, fleet.dim)
        self.embedding.load_state_dict({"weight": tensor(model.embedding)})
        self.blocks = torch.nn.Sequential(
            *(
                torch_block(block, fleet.dim, fleet.heads, fleet.hidden, fleet.dropout[0])
                for block in model.decoder.blocks
            )
        )
        self.readout = torch.nn.Linear(2 * fleet.dim, fleet.p)
        (weight,), (bias,) = model.decoder.readout.weights, model.decoder.readout.biases
        self.readout.load_state_dict({"weight": tensor(weight).T, "bias": tensor(bias)})

    def forward(self, pairs: torch.Tensor) -> torch.Tensor:
        return self.readout(self.blocks(self.embedding(pairs)).flatten(1))
