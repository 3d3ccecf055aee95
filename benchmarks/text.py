"""The training step of the transformer that learns text, here and by PyTorch's own layers, with the same numbers."""

import tempfile
import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
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
    """Network-steps a second of `nucleate.fleet.train` as a user calls it, which validates at the start and the end.

    Compilation is paid by a first, short run (the compile cache keeps it), as it is by PyTorch's warm-up.
    """
    with tempfile.TemporaryDirectory() as folder:
        for name, length in (("warm", 2), ("timed", steps)):
            # The recipe keeps its own number of steps, which is that of its schedule: one program serves both.
            planned = replace(case.fleet, seeds=networks, look=10 * case.fleet.steps).plan(name)
            plan = replace(planned, steps=length)
            plan.data  # noqa: B018 - made before the clock starts, like PyTorch's tensors
            began = time.perf_counter()
            train(plan, Path(folder) / name)
            spent = time.perf_counter() - began
    return networks * steps / spent


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
        self.embedding.load_state_dict({"weight": _tensor(model.embedding)})
        self.positions = torch.nn.Parameter(_tensor(model.positions))
        self.blocks = torch.nn.ModuleList(_block(fleet, block) for block in model.blocks)
        self.norm = torch.nn.LayerNorm(fleet.width)
        assert model.last_norm is not None
        self.norm.load_state_dict({"weight": _tensor(model.last_norm.weight), "bias": _tensor(model.last_norm.bias)})
        self.unembed = torch.nn.Linear(fleet.width, BYTES)
        (weight,), (bias,) = model.unembed.weights, model.unembed.biases
        self.unembed.load_state_dict({"weight": _tensor(weight).T, "bias": _tensor(bias)})
        later = torch.nn.Transformer.generate_square_subsequent_mask(fleet.context)
        self.register_buffer("later", later, persistent=False)

    def forward(self, tokens: torch.Tensor) -> torch.Tensor:
        x = self.embedding(tokens) + self.positions
        for block in self.blocks:
            x = block(x, src_mask=self.later, is_causal=True)
        return self.unembed(self.norm(x))


def _block(fleet: TextFleet, block) -> torch.nn.TransformerEncoderLayer:
    layer = torch.nn.TransformerEncoderLayer(
        fleet.width, fleet.heads, fleet.hidden, 0.0, batch_first=True, norm_first=True
    )
    attention, width = block.attention, fleet.width
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
