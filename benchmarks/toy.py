"""The toy addition network 1-200-200-30 on 45 pairs, trained by PyTorch one by one, by PyTorch in a batch, and here."""

import itertools
import time
from collections.abc import Callable

import numpy as np
import torch

from benchmarks.fleets import Planned
from nucleate.papers.grokking.experiments import ToyFleet
from nucleate.tasks import AdditionTask

SIZES = (1, 200, 200, 30)
TRAIN_SIZE = 45
# Multiply-adds of one step on 45 pairs: forward, and twice that backward, of the three layers.
FLOPS = 3 * 2 * TRAIN_SIZE * sum(a * b for a, b in itertools.pairwise(SIZES))


def _pairs() -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
    task = AdditionTask()
    chosen = np.random.default_rng(0).permutation(len(task.pairs))[:TRAIN_SIZE]
    left, right = (torch.tensor(column.astype(np.int64)) for column in task.pairs[chosen].T)
    targets = torch.randn(task.labels, SIZES[-1], generator=torch.Generator().manual_seed(0))
    return left, right, targets[left + right]


def torch_loop(steps: int) -> float:
    """Model-steps a second of the loop a paper's authors would write."""
    left, right, target = _pairs()
    embedding = torch.nn.Parameter(torch.rand(10, 1) - 0.5)
    layers = []
    for fan_in, fan_out in itertools.pairwise(SIZES):
        layers += [torch.nn.Linear(fan_in, fan_out), torch.nn.Tanh()]
    decoder = torch.nn.Sequential(*layers[:-1])
    optimizers = (
        torch.optim.AdamW([embedding], lr=1e-3, weight_decay=0.0),
        torch.optim.AdamW(decoder.parameters(), lr=1e-4, weight_decay=0.0),
    )

    def step() -> None:
        for optimizer in optimizers:
            optimizer.zero_grad()
        loss = ((decoder(embedding[left] + embedding[right]) - target) ** 2).mean()
        loss.backward()
        for optimizer in optimizers:
            optimizer.step()

    return rate(step, steps)


def torch_fleet(members: int, steps: int) -> float:
    """Model-steps a second of a fleet written by hand: batched matrix products and fused Adam."""
    left, right, target = _pairs()
    embedding = torch.nn.Parameter(torch.rand(members, 10, 1) - 0.5)
    weights, biases = [], []
    for fan_in, fan_out in itertools.pairwise(SIZES):
        bound = fan_in**-0.5
        weights.append(torch.nn.Parameter(torch.empty(members, fan_in, fan_out).uniform_(-bound, bound)))
        biases.append(torch.nn.Parameter(torch.empty(members, 1, fan_out).uniform_(-bound, bound)))
    optimizers = (
        torch.optim.AdamW([embedding], lr=1e-3, weight_decay=0.0, fused=True),
        torch.optim.AdamW([*weights, *biases], lr=1e-4, weight_decay=0.0, fused=True),
    )

    def step() -> None:
        for optimizer in optimizers:
            optimizer.zero_grad()
        x = embedding[:, left] + embedding[:, right]
        for number, (weight, bias) in enumerate(zip(weights, biases, strict=True)):
            x = torch.baddbmm(bias, x, weight)
            x = torch.tanh(x) if number < len(weights) - 1 else x
        ((x - target) ** 2).mean((1, 2)).sum().backward()
        for optimizer in optimizers:
            optimizer.step()

    return members * rate(step, steps)


def rate(step: Callable[[], None], steps: int, clock: Callable[[], float] = time.perf_counter) -> float:
    """Steps a second, after a few to warm up."""
    for _ in range(5):
        step()
    began = clock()
    for _ in range(steps):
        step()
    return steps / (clock() - began)


def planned(members: int, look: int = 10) -> Planned:
    """The same network as a fleet that records every `look` steps."""
    return lambda name, steps: ToyFleet(seeds=members, steps=steps, look=look).plan(name)
