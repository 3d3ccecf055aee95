"""The training step of the grokking paper's transformer, here and by PyTorch's own layers, with the same numbers."""

import tempfile
import time
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import final

import equinox as eqx
import jax
import numpy as np
import torch
from torch.nn import functional

from benchmarks.gemm import peak
from benchmarks.toy import rate
from nucleate.fleet import train
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
    """Network-steps a second of `nucleate.fleet.train` as a user calls it, recording accuracies every 50 steps.

    Compilation is paid by a first, short run (the compile cache keeps it), as it is by PyTorch's warm-up.
    """
    with tempfile.TemporaryDirectory() as folder:
        for name, length in (("warm", 2), ("timed", steps)):
            fields = case.fleet.to_json() | {"seeds": networks, "steps": length, "look": 50}
            plan = TransformerFleet.from_json(fields).plan(name)
            plan.data  # noqa: B018 - made before the clock starts, like PyTorch's tensors
            began = time.perf_counter()
            train(plan, Path(folder) / name)
            spent = time.perf_counter() - began
    return networks * steps / spent


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
        self.embedding.load_state_dict({"weight": _tensor(model.embedding)})
        self.blocks = torch.nn.Sequential(*(_block(fleet, block) for block in model.decoder.blocks))
        self.readout = torch.nn.Linear(2 * fleet.dim, fleet.p)
        (weight,), (bias,) = model.decoder.readout.weights, model.decoder.readout.biases
        self.readout.load_state_dict({"weight": _tensor(weight).T, "bias": _tensor(bias)})

    def forward(self, pairs: torch.Tensor) -> torch.Tensor:
        return self.readout(self.blocks(self.embedding(pairs)).flatten(1))


def _block(fleet: TransformerFleet, block) -> torch.nn.TransformerEncoderLayer:
    layer = torch.nn.TransformerEncoderLayer(
        fleet.dim, fleet.heads, fleet.hidden, fleet.dropout[0], batch_first=True, norm_first=True
    )
    attention, width = block.attention, fleet.dim
    (first, second), (before, after) = block.mlp.weights, block.mlp.biases
    weight = [_tensor(part).reshape(width, width).T for part in (attention.query, attention.key, attention.value)]
    bias = [_tensor(part).ravel() for part in (attention.query_bias, attention.key_bias, attention.value_bias)]
    layer.load_state_dict(
        {
            "self_attn.in_proj_weight": torch.cat(weight),
            "self_attn.in_proj_bias": torch.cat(bias),
            "self_attn.out_proj.weight": _tensor(attention.output).reshape(width, width).T,
            "self_attn.out_proj.bias": _tensor(attention.output_bias),
            "linear1.weight": _tensor(first).T,
            "linear1.bias": _tensor(before),
            "linear2.weight": _tensor(second).T,
            "linear2.bias": _tensor(after),
            "norm1.weight": _tensor(block.attention_norm.weight),
            "norm1.bias": _tensor(block.attention_norm.bias),
            "norm2.weight": _tensor(block.mlp_norm.weight),
            "norm2.bias": _tensor(block.mlp_norm.bias),
        }
    )
    return layer


def _tensor(array) -> torch.Tensor:
    return torch.tensor(np.array(array))
