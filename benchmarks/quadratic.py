"""Quadratic networks on cyclic groups: a step on 90 % of all pairs, by PyTorch and here."""

from dataclasses import dataclass
from functools import cached_property
from typing import final

import equinox as eqx
import jax
import numpy as np
import torch
from torch.nn import functional

from benchmarks.fleets import network_steps
from benchmarks.gemm import peak
from benchmarks.toy import rate
from nucleate.fleet import Plan
from nucleate.models import Quadratic
from nucleate.papers.algebra.experiments.network import GroupFleet


@final
@dataclass(frozen=True)
class Case:
    """A fleet of networks that differ in nothing but their seeds."""

    fleet: GroupFleet

    @property
    def d(self) -> int:
        return self.fleet.recipe().group.order

    @cached_property
    def model(self) -> Quadratic:
        return eqx.filter_jit(self.fleet.recipe().model)({}, jax.random.key(0))

    @cached_property
    def data(self) -> dict:
        return self.fleet.recipe().data(self.fleet.members().row(0))

    @property
    def pairs(self) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
        """The training pairs and their sums."""
        x, y = np.nonzero(self.data["in_train"])
        return tuple(torch.tensor(part.astype(np.int64)) for part in (x, y, self.data["train"]["label"][x, y]))

    @property
    def flops(self) -> int:
        """Of the products with c: forward, and twice that backward, on all pairs."""
        return 3 * 2 * self.d**3 * self.fleet.nodes


C23 = Case(GroupFleet("C23"))
C71 = Case(GroupFleet("C71"))


def nucleate(case: Case, networks: int, steps: int) -> float:
    """Network-steps a second of a fleet that records as the paper's do."""
    fields = case.fleet.to_json()

    def planned(name: str, length: int) -> Plan:
        return GroupFleet.from_json(fields | {"seeds": networks, "steps": length}).plan(name)

    return network_steps(planned, networks, steps)


def torch_loop(case: Case, steps: int) -> float:
    """Steps a second of the loop that the authors would write: one network, one-hot inputs, a list of pairs."""
    x, y, label = case.pairs
    left, right = (functional.one_hot(part, case.d).float() for part in (x, y))
    layers = [torch.nn.Linear(case.d, case.fleet.nodes, bias=False) for _ in range(2)]
    layers.append(torch.nn.Linear(case.fleet.nodes, case.d, bias=False))
    for layer, weight in zip(layers, (case.model.a, case.model.b, case.model.c), strict=True):
        layer.load_state_dict({"weight": torch.tensor(np.array(weight).T)})
    optimizer = torch.optim.Adam(
        [layer.weight for layer in layers], lr=case.fleet.eta[0], weight_decay=case.fleet.wd[0]
    )

    def loss() -> torch.Tensor:
        outputs = layers[2]((layers[0](left) + layers[1](right)) ** 2)
        return _loss(outputs, label, case.d).mean()

    _refuse_others(case, loss())

    def step() -> None:
        optimizer.zero_grad()
        loss().backward()
        optimizer.step()

    return rate(step, steps)


def torch_fleet(case: Case, members: int, steps: int) -> float:
    """Network-steps a second of a fleet written by hand: batched products on the whole grid, a mask, fused Adam."""
    repeat = lambda array: torch.nn.Parameter(torch.tensor(np.array(array)).repeat(members, 1, 1))
    a, b, c = map(repeat, (case.model.a, case.model.b, case.model.c))
    label = torch.tensor(case.data["train"]["label"].astype(np.int64)).ravel()
    weight = torch.tensor(case.data["train"]["weight"]).ravel()
    optimizer = torch.optim.Adam([a, b, c], lr=case.fleet.eta[0], weight_decay=case.fleet.wd[0], fused=True)

    def losses() -> torch.Tensor:
        outputs = torch.bmm(((a[:, :, None] + b[:, None]) ** 2).flatten(1, 2), c)
        return (_loss(outputs, label, case.d) * weight).sum(1)

    _refuse_others(case, losses()[0])

    def step() -> None:
        optimizer.zero_grad()
        losses().sum().backward()
        optimizer.step()

    return members * rate(step, steps)


def gemm_bound(case: Case) -> float:
    """Steps a second if nothing but the products took time, each at the peak of its own shape, on all cores."""
    shape = case.d**2, case.fleet.nodes, case.d
    seconds = 0.0
    for rows, inner, columns in (shape, (shape[1], shape[0], shape[2]), (shape[0], shape[2], shape[1])):
        seconds += 2 * rows * inner * columns / peak(rows, inner, columns, seconds=0.2)
    return 1 / seconds


def _loss(outputs: torch.Tensor, label: torch.Tensor, d: int) -> torch.Tensor:
    """‖P⊥ o‖² − 2 (P⊥ o)_label + 1 − 1/d of each pair."""
    centred = outputs - outputs.mean(-1, keepdim=True)
    picked = centred.gather(-1, label.expand(outputs.shape[:-1])[..., None])[..., 0]
    return (centred**2).sum(-1) - 2 * picked + 1 - 1 / d


def _refuse_others(case: Case, loss: torch.Tensor) -> None:
    """Both must have the same loss: this compares one network with itself."""
    ours, _ = case.fleet.recipe().loss(case.model, case.data["train"], jax.random.key(0))
    np.testing.assert_allclose(loss.item(), float(ours), rtol=1e-4)
