"""Modular addition, p = 59, d = 128: [E_a, E_b] through 256-100-100-59 on 2,784 pairs, by PyTorch and here."""

import itertools

import numpy as np
import torch

from benchmarks.fleets import Planned
from benchmarks.gemm import peak
from benchmarks.toy import rate
from nucleate.papers.circles.experiments import CircleFleet
from nucleate.tasks import ModularAdditionTask

P, DIM, WIDTH, PAIRS = 59, 128, 100, 2784
SIZES = (2 * DIM, WIDTH, WIDTH, P)


def _pairs() -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
    task = ModularAdditionTask(P)
    chosen = np.random.default_rng(0).permutation(len(task.pairs))[:PAIRS]
    left, right = (torch.tensor(column.astype(np.int64)) for column in task.pairs[chosen].T)
    return left, right, (left + right) % P


def torch_loop(steps: int, dtype: torch.dtype) -> float:
    """Model-steps a second of the loop the paper's authors wrote: one model at a time, concatenated inputs."""
    left, right, label = _pairs()
    embedding = torch.nn.Embedding(P, DIM, dtype=dtype)
    layers = []
    for fan_in, fan_out in itertools.pairwise(SIZES):
        layers += [torch.nn.Linear(fan_in, fan_out, dtype=dtype), torch.nn.SiLU()]
    decoder = torch.nn.Sequential(*layers[:-1])
    optimizer = torch.optim.AdamW([*embedding.parameters(), *decoder.parameters()], lr=0.01, weight_decay=0.5)

    def step() -> None:
        optimizer.zero_grad()
        logits = decoder(torch.cat([embedding(left), embedding(right)], dim=1))
        torch.nn.functional.cross_entropy(logits, label).backward()
        optimizer.step()

    return rate(step, steps)


def torch_fleet(members: int, steps: int) -> float:
    """Model-steps a second of a fleet written by hand: batched matrix products and fused Adam, float32."""
    left, right, label = _pairs()
    embedding = torch.nn.Parameter(torch.randn(members, P, DIM))
    weights, biases = [], []
    for fan_in, fan_out in itertools.pairwise(SIZES):
        bound = fan_in**-0.5
        weights.append(torch.nn.Parameter(torch.empty(members, fan_in, fan_out).uniform_(-bound, bound)))
        biases.append(torch.nn.Parameter(torch.empty(members, 1, fan_out).uniform_(-bound, bound)))
    optimizer = torch.optim.AdamW([embedding, *weights, *biases], lr=0.01, weight_decay=0.5, fused=True)
    labels = label.repeat(members)

    def step() -> None:
        optimizer.zero_grad()
        x = torch.cat([embedding[:, left], embedding[:, right]], dim=2)
        for number, (weight, bias) in enumerate(zip(weights, biases, strict=True)):
            x = torch.baddbmm(bias, x, weight)
            x = torch.nn.functional.silu(x) if number < len(weights) - 1 else x
        # A mean over the pairs of each member, summed over members: as if each were trained alone.
        (members * torch.nn.functional.cross_entropy(x.reshape(-1, P), labels)).backward()
        optimizer.step()

    return members * rate(step, steps)


def planned(members: int) -> Planned:
    """The same network as a fleet that records every 20 steps."""
    return lambda name, steps: CircleFleet(embeddings=members, steps=steps).plan(name)


def gemm_bound() -> float:
    """Model-steps a second if nothing but the layers' matrix products took time, each at the peak of its own shape.

    The first layer counts as it is computed here, once for each token and not for each pair.
    """
    products = [(P, DIM, WIDTH), (P, DIM, WIDTH), (PAIRS, WIDTH, WIDTH), (PAIRS, WIDTH, P)]
    seconds = 0.0
    for rows, inner, columns in products:
        # Forward, the weights' gradient and the input's gradient.
        for shape in ((rows, inner, columns), (inner, rows, columns), (rows, columns, inner)):
            seconds += 2 * np.prod(shape, dtype=float) / peak(*shape, seconds=0.2)
    return 1 / seconds
