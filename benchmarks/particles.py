"""The training step of the particle transformer, here and as the same network in PyTorch, with the same numbers."""

import time
from concurrent.futures import ThreadPoolExecutor
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

from benchmarks.gemm import peak
from benchmarks.toy import rate
from nucleate.fleet.program import differentiate
from nucleate.models import Frame, ParticleTransformer, TransformerSize
from nucleate.papers.collisions.recipe import microbatches
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
    def microbatches(self) -> int:
        return microbatches(self.batch, self.task.particles)

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


def nucleate(case: Case, steps: int, networks: int) -> float:
    """Steps a second of all `networks` together: forward pass, gradient and Adam in a compiled loop for each.

    Each in a thread and compiled as a fleet does it; alone, a network has all cores to itself.
    """
    position, velocity, boundary, target = case.data
    adam, key = optax.adam(1e-4), jax.random.key(0)

    def loss(model, batch, key):
        position, velocity, target = batch
        return jnp.mean(jnp.square(model(position, velocity, boundary) - target)), None

    def step(_, carry):
        model, state = carry
        _, grads = differentiate(loss, model, (position, velocity, target), key, case.microbatches)
        updates, state = adam.update(grads, state)
        return eqx.apply_updates(model, updates), state

    def train(carry, steps):
        return jax.lax.fori_loop(0, steps, step, carry)

    run = jax.jit(train, compiler_options={"xla_cpu_multi_thread_eigen": False})
    start = case.model, adam.init(eqx.filter(case.model, eqx.is_array))
    jax.block_until_ready(run(start, 2))
    with ThreadPoolExecutor(networks) as pool:
        began = time.perf_counter()
        list(pool.map(lambda _: jax.block_until_ready(run(start, steps)), range(networks)))
        return networks * steps / (time.perf_counter() - began)


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
