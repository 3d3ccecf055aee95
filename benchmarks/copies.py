"""Sixteen copies of a module of PyTorch: trained by PyTorch one after another, and here as a fleet of `from_torch`.

In CPU time, which a busy moment changes less than it does a clock on the wall; PyTorch with one thread, with which it
wastes none of it.
"""

import itertools
import time
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Any, final

import jax.numpy as jnp
import numpy as np
import optax
import torch
from torch.nn import functional

from benchmarks.fleets import network_steps
from benchmarks.toy import rate
from nucleate.fleet import Every, Plan, Probe, Recipe, grid
from nucleate.models import TorchModel, cross_entropy, from_torch

COPIES, RATE = 16, 1e-3


class Adder(torch.nn.Module):
    """An MLP on the embeddings of both numbers."""

    def __init__(self, p: int, dim: int, hidden: int):
        super().__init__()
        self.embedding = torch.nn.Embedding(p, dim)
        layers = [torch.nn.Linear(2 * dim, hidden), torch.nn.GELU(), torch.nn.Linear(hidden, p)]
        self.decoder = torch.nn.Sequential(*layers)

    def forward(self, pairs: torch.Tensor) -> torch.Tensor:
        return self.decoder(self.embedding(pairs).flatten(1))


class Encoder(torch.nn.Module):
    """A transformer that reads both numbers as tokens."""

    def __init__(self, p: int, dim: int, hidden: int):
        super().__init__()
        self.embedding = torch.nn.Embedding(p, dim)
        layer = torch.nn.TransformerEncoderLayer(dim, 4, hidden, dropout=0.0, batch_first=True)
        self.encoder = torch.nn.TransformerEncoder(layer, 1, enable_nested_tensor=False)
        self.readout = torch.nn.Linear(dim, p)

    def forward(self, pairs: torch.Tensor) -> torch.Tensor:
        return self.readout(self.encoder(self.embedding(pairs)).mean(1))


@final
@dataclass(frozen=True)
class Case:
    """Addition modulo p, all pairs in every step, by a module of this width."""

    kind: Callable[..., torch.nn.Module]
    p: int
    dim: int
    hidden: int

    def module(self) -> torch.nn.Module:
        return self.kind(self.p, self.dim, self.hidden)

    @cached_property
    def pairs(self) -> np.ndarray:
        return np.indices((self.p, self.p), np.int32).reshape(2, -1).T

    @cached_property
    def label(self) -> np.ndarray:
        return self.pairs.sum(1, dtype=np.int32) % self.p

    @cached_property
    def network(self) -> TorchModel:
        return from_torch(self.module, self.pairs)


ADDER = Case(Adder, p=31, dim=32, hidden=128)
ENCODER = Case(Encoder, p=13, dim=32, hidden=64)


@final
@dataclass(frozen=True)
class Copies(Recipe):
    """Every member has the weights that the module has after `torch.manual_seed`."""

    case: Case

    def data(self, member: Any) -> Any:
        return {"train": {"pairs": self.case.pairs, "label": self.case.label}}

    def model(self, member: Any, key: Any) -> TorchModel:
        return self.case.network.fresh(member["seed"])

    def optimizer(self, member: Any) -> optax.GradientTransformation:
        return optax.adamw(RATE, weight_decay=0.01)

    def loss(self, model: TorchModel, batch: Any, key: Any) -> Any:
        return jnp.mean(cross_entropy(model(batch["pairs"]), batch["label"])), None

    @property
    def probes(self) -> tuple[Probe, ...]:
        return (Probe("loss", lambda view: view.loss, Every(10)),)


def nucleate(case: Case, steps: int) -> float:
    """Network-steps a CPU second of all copies, the loss recorded every ten steps."""
    planned = lambda name, length: Plan(Copies(case), grid(seed=range(COPIES)), length, about={"experiment": name})
    return network_steps(planned, COPIES, steps, clock=time.process_time)


def torch_loop(case: Case, steps: int) -> float:
    """Steps a CPU second of one copy, its loss noted every ten."""
    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    torch.manual_seed(0)
    module, pairs, label = case.module(), torch.tensor(case.pairs), torch.tensor(case.label).long()
    optimizer = torch.optim.AdamW(module.parameters(), lr=RATE, weight_decay=0.01)
    losses: list[float] = []
    numbers = itertools.count()

    def step() -> None:
        loss = functional.cross_entropy(module(pairs), label)
        if next(numbers) % 10 == 0:
            losses.append(loss.item())
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()

    try:
        return rate(step, steps, clock=time.process_time)
    finally:
        torch.set_num_threads(threads)
