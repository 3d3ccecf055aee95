"""The training step of the particle transformer, here and as the same network in PyTorch, with the same numbers."""

from dataclasses import dataclass
from functools import cached_property
from typing import final

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
import optax
import torch
from torch.nn import functional

from benchmarks.fleets import network_steps
from benchmarks.gemm import peak
from benchmarks.toy import rate
from nucleate.fleet import Every, Plan, Probe, Recipe, grid, pieces
from nucleate.models import Frame, ParticleTransformer, TransformerSize
from nucleate.tasks import Box, ParticleTask


@final
@dataclass(frozen=True)
class Case:
    """A network, its box and its batch."""

    task: ParticleTask
    size: TransformerSize
    batch: int

    @cached_property
    def model(self) -> ParticleTransformer:
        return ParticleTransformer(self.size, Frame(self.task.box.centre), key=jax.random.key(0))

    @cached_property
    def data(self) -> tuple[np.ndarray, ...]:
        """Positions, velocities, boundary particles and accelerations."""
        state = self.task.start(jax.random.key(1), self.batch)
        state = jax.tree.map(lambda array: array[-1], self.task.trajectory(state, 16, every=16))
        arrays = (*state, self.task.box.boundary(), self.task.acceleration(state))
        return tuple(np.array(array, np.float32) for array in arrays)

    @property
    def flops(self) -> int:
        """Of the products with weights and of attention, forward and twice that backward."""
        width, rows, particles = self.size.width, self.batch * self.task.particles, self.task.particles
        boundary = len(self.data[2])
        block = 4 * width**2 + 2 * particles * width + 2 * width * self.size.hidden
        embed = 4 * width + width**2 + boundary * width
        once = boundary * (2 * width + width**2)
        return 3 * 2 * (rows * (embed + self.size.blocks * block + 2 * width) + once)


SMALL = Case(ParticleTask(particles=12, box=Box((6.0, 6.0))), TransformerSize(3, 4, 64, 128), batch=32)
PAPER = Case(ParticleTask(), TransformerSize(), batch=64)


def nucleate(case: Case, networks: int, steps: int) -> float:
    """Network-steps a second of a fleet that keeps its loss."""

    def planned(name: str, length: int) -> Plan:
        return Plan(OneBatch(case), grid(seed=range(networks)), length, about={"experiment": name})

    return network_steps(planned, networks, steps)


@final
@dataclass(frozen=True)
class OneBatch(Recipe):
    """The case's network, trained by Adam on the case's batch, as the collisions' fleets are on theirs."""

    case: Case

    @property
    def microbatches(self) -> tuple[int, ...]:  # type: ignore[override]
        return pieces(self.case.batch, self.case.task.particles)

    def data(self, member):
        position, velocity, _, target = self.case.data
        return {"train": (position, velocity, target)}

    def model(self, member, key):
        return ParticleTransformer(self.case.size, Frame(self.case.task.box.centre), key=key)

    def optimizer(self, member):
        return optax.adam(1e-4)

    def loss(self, model, batch, key):
        position, velocity, target = batch
        return jnp.mean(jnp.square(model(position, velocity, self.case.data[2]) - target)), None

    @property
    def probes(self):
        return (Probe("loss", lambda view: view.loss, Every(100)),)


def pytorch(case: Case, steps: int) -> float:
    """Steps a second of eager PyTorch with fused Adam."""
    network = Torch(case)
    position, velocity, boundary, target = (torch.tensor(array) for array in case.data)
    predicted = eqx.filter_jit(case.model)(*case.data[:3])
    with torch.no_grad():
        np.testing.assert_allclose(network(position, velocity, boundary), predicted, rtol=1e-3, atol=1e-3)
    optimizer = torch.optim.Adam(network.parameters(), lr=1e-4, fused=True)

    def step() -> None:
        optimizer.zero_grad()
        functional.mse_loss(network(position, velocity, boundary), target).backward()
        optimizer.step()

    return rate(step, steps)


def gemm_bound(case: Case) -> float:
    """Steps a second if every product ran at the peak of a 1,024³ one, and nothing else took time."""
    return peak() / case.flops


class Torch(torch.nn.Module):
    """`ParticleTransformer` on a batch of states, with the weights of `case.model`."""

    def __init__(self, case: Case):
        super().__init__()
        model, self.frame, self.heads = case.model, case.model.frame, case.size.heads
        self.embed, self.embed_boundary = _mlp(model.embed), _mlp(model.embed_boundary)
        self.blocks = torch.nn.ModuleList(_Block(block) for block in model.blocks)
        self.norm, self.unembed = _norm(model.norm), _mlp(model.unembed)
        # No particle attends to itself; the last column is the zero token.
        itself = torch.eye(case.task.particles, case.task.particles + 1, dtype=torch.bool)
        self.register_buffer("mask", torch.zeros(itself.shape).masked_fill(itself, -torch.inf))
        self.register_buffer("centre", torch.tensor(case.model.frame.centre))

    def forward(self, position: torch.Tensor, velocity: torch.Tensor, boundary: torch.Tensor) -> torch.Tensor:
        near = (position[:, :, None] - boundary).square().sum(-1) < self.frame.radius**2
        walls = self.embed_boundary(boundary - self.centre)
        x = self.embed(torch.cat([position - self.centre, velocity], -1)) + near.float() @ walls
        for block in self.blocks:
            x = block(x, self.mask)
        return self.frame.scale * self.unembed(self.norm(x))


class _Block(torch.nn.Module):
    def __init__(self, block):
        super().__init__()
        self.attention_norm, self.mlp_norm, self.mlp = (
            _norm(block.attention_norm),
            _norm(block.mlp_norm),
            _mlp(block.mlp),
        )
        attention, width = block.attention, block.attention.query.shape[0]
        self.heads = attention.query.shape[1]
        weight = [np.reshape(part, (width, width)) for part in (attention.query, attention.key, attention.value)]
        bias = [np.ravel(part) for part in (attention.query_bias, attention.key_bias, attention.value_bias)]
        self.look = _linear(np.concatenate(weight, 1), np.concatenate(bias))
        self.output = _linear(np.reshape(attention.output, (width, width)), attention.output_bias)

    def forward(self, x: torch.Tensor, mask: torch.Tensor) -> torch.Tensor:
        batch, particles, width = x.shape
        parts = self.look(self.attention_norm(x)).view(batch, particles, 3, self.heads, -1)
        query, key, value = parts.permute(2, 0, 3, 1, 4)
        # The zero token: a key and a value of zeros.
        key, value = (functional.pad(part, (0, 0, 0, 1)) for part in (key, value))
        mixed = functional.scaled_dot_product_attention(query, key, value, mask)
        x = x + self.output(mixed.transpose(1, 2).reshape(batch, particles, width))
        return x + self.mlp(self.mlp_norm(x))


def _mlp(mlp) -> torch.nn.Sequential:
    layers = []
    for weight, bias in zip(mlp.weights, mlp.biases, strict=True):
        layers += [_linear(weight, bias), torch.nn.ReLU()]
    return torch.nn.Sequential(*layers[:-1])


def _linear(weight, bias) -> torch.nn.Linear:
    layer = torch.nn.Linear(*weight.shape)
    layer.load_state_dict({"weight": torch.tensor(np.array(weight).T), "bias": torch.tensor(np.array(bias))})
    return layer


def _norm(norm) -> torch.nn.LayerNorm:
    layer = torch.nn.LayerNorm(norm.weight.shape)
    layer.load_state_dict({name: torch.tensor(np.array(getattr(norm, name))) for name in ("weight", "bias")})
    return layer
