"""The training step of the transformer that learns text, here and by PyTorch's own layers, with the same numbers."""

from concurrent.futures import ThreadPoolExecutor
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
from nucleate.models import SequenceTransformer
from nucleate.papers.attention.experiments.galore import EXPERIMENTS, RATES, TextFleet
from nucleate.papers.attention.recipe.galore import METHODS
from nucleate.tasks import BYTES


@final
@dataclass(frozen=True)
class Case:
    """A fleet of networks, trained by Adam, that differ in nothing but their seeds."""

    fleet: TextFleet

    @cached_property
    def model(self) -> SequenceTransformer:
        return eqx.filter_jit(self.fleet.recipe().model)({"method": METHODS.index("adam")}, jax.random.key(0))

    @property
    def flops(self) -> int:
        """Of the products with weights, forward and twice that backward; not those of attention maps."""
        width, rows = self.fleet.width, self.fleet.batch * self.fleet.context
        block = 4 * width**2 + 2 * width * self.fleet.hidden
        return 3 * 2 * rows * (self.fleet.blocks * block + width * BYTES)


def _case(fleet: TextFleet) -> Case:
    return Case(replace(fleet, methods=("adam",), eta=(3e-3,)))


SMALL, LARGE = _case(EXPERIMENTS[RATES].standard), _case(EXPERIMENTS[RATES].paper)


def nucleate(case: Case, networks: int, steps: int) -> float:
    """Network-steps a second of a fleet, which validates at the start and the end."""
    # The recipe keeps its own number of steps, which is that of its schedule: one program serves both.
    fleet = replace(case.fleet, seeds=networks, look=10 * case.fleet.steps)
    return network_steps(lambda name, length: replace(fleet.plan(name), steps=length), networks, steps)


def pytorch(case: Case, steps: int) -> float:
    """Steps a second of a loop over random windows, with fused Adam, products on all cores."""
    return rate(_step(case), steps)


def pytorch_per_core(case: Case, networks: int, steps: int) -> float:
    """Network-steps a second of as many loops as there are networks, a thread and a core for each."""
    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    try:
        loops = [_step(case, seed) for seed in range(networks)]
        with ThreadPoolExecutor(networks) as workers:
            return sum(workers.map(lambda step: rate(step, steps), loops))
    finally:
        torch.set_num_threads(threads)


def gemm_bound(case: Case) -> float:
    """Steps a second if every product ran at the peak of a 1,024³ one, and nothing else took time."""
    return peak() / case.flops


def _step(case: Case, seed: int = 0):
    """One training step of one network."""
    network, task = Torch(case), case.fleet.recipe().task
    _refuse_others(case, network)
    network.train()
    optimizer = torch.optim.Adam(network.parameters(), lr=case.fleet.eta[0], fused=True)
    text = torch.tensor(task.train.astype(np.int64))
    generator = torch.Generator().manual_seed(seed)
    place = torch.arange(case.fleet.context + 1)

    def step() -> None:
        start = torch.randint(len(text) - case.fleet.context, (case.fleet.batch, 1), generator=generator)
        batch = text[start + place]
        optimizer.zero_grad()
        functional.cross_entropy(network(batch[:, :-1]).flatten(0, 1), batch[:, 1:].flatten()).backward()
        optimizer.step()

    return step


def _refuse_others(case: Case, network: torch.nn.Module) -> None:
    """Both must answer alike: this compares one network with itself."""
    network.eval()
    windows = case.fleet.recipe().task.spread(4)[:, :-1]
    with torch.no_grad():
        answer = network(torch.tensor(windows.astype(np.int64)))
    np.testing.assert_allclose(answer, eqx.filter_jit(case.model)(windows), rtol=1e-3, atol=1e-3)


class Torch(torch.nn.Module):
    """`SequenceTransformer` with the weights of `case.model`."""

    def __init__(self, case: Case):
        super().__init__()
        fleet, model = case.fleet, case.model
        self.embedding = torch.nn.Embedding(BYTES, fleet.width)
        self.embedding.load_state_dict({"weight": tensor(model.embedding)})
        self.positions = torch.nn.Parameter(tensor(model.positions))
        self.blocks = torch.nn.ModuleList(
            torch_block(block, fleet.width, fleet.heads, fleet.hidden) for block in model.blocks
        )
        self.norm = torch.nn.LayerNorm(fleet.width)
        assert model.last_norm is not None
        self.norm.load_state_dict({"weight": tensor(model.last_norm.weight), "bias": tensor(model.last_norm.bias)})
        self.unembed = torch.nn.Linear(fleet.width, BYTES)
        (weight,), (bias,) = model.unembed.weights, model.unembed.biases
        self.unembed.load_state_dict({"weight": tensor(weight).T, "bias": tensor(bias)})
        later = torch.nn.Transformer.generate_square_subsequent_mask(fleet.context)
        self.register_buffer("later", later, persistent=False)

    def forward(self, tokens: torch.Tensor) -> torch.Tensor:
        x = self.embedding(tokens) + self.positions
        for block in self.blocks:
            x = block(x, src_mask=self.later, is_causal=True)
        return self.unembed(self.norm(x))
