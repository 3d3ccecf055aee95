"""JoMA's flows and descents in double precision, where nothing is trained: Theorems 1, 2 and 4."""

from dataclasses import dataclass

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
import xarray as xr
from scipy.special import entr as entropy_of
from scipy.special import erf, erfinv, softmax

from nucleate.claims import Evidence
from nucleate.models import ContextAttention, ExpAttention, JointBlock, LinearAttention, SoftmaxAttention
from nucleate.papers.attention.experiments.joint import Effort
from nucleate.papers.attention.recipe.joint import joint_loss
from nucleate.tasks import ContextTask
from nucleate.theories.joint import (
    ExpLaw,
    JointInvariant,
    JointLaw,
    LinearLaw,
    SaliencyFlow,
    SaliencyFlowFit,
    SoftmaxLaw,
    convergence_ratio,
    erf_ratio,
    remaining,
)
from nucleate.theories.joint.steps import follow

RATES = (0.1, 0.01, 0.001)
_ROWS = 11
TOKENS = 10


@eqx.filter_jit
def _advance(blocks: JointBlock, batches: dict, eta: jax.Array, steps: jax.Array) -> JointBlock:
    """Plain gradient descent of every block on its own contexts."""

    def step(_, params):
        grads = jax.vmap(jax.grad(lambda p, batch: joint_loss(eqx.combine(p, rest), batch)[0]))(params, batches)
        return jax.tree.map(lambda param, grad: param - eta * grad, params, grads)

    params, rest = eqx.partition(blocks, eqx.is_inexact_array)
    return eqx.combine(jax.lax.fori_loop(0, steps, step, params), rest)


def descend(attention: ContextAttention, queries: int, effort: Effort) -> xr.Dataset:
    """Tanh units that descend for the same time in steps of several sizes, as a record in double precision."""
    task = ContextTask(distinct=4, common=4, classes=4, queries=queries)
    networks, rows = effort.networks, []
    with jax.enable_x64(True):
        keys = jax.random.split(jax.random.key(6), networks)
        make = lambda key: JointBlock((task.tokens, queries, task.classes), attention, jnp.tanh, scale=0.3, key=key)
        start = jax.vmap(make)(keys)
        seen = [task.contexts(task.frequencies(key)) for key in keys]
        batches = {name: jnp.stack([getattr(one, name) for one in seen]) for name in ("x", "query", "label", "weight")}
        weight = np.asarray(batches["weight"])[..., None] * (
            np.asarray(batches["query"])[..., None] == np.arange(queries)
        )
        for eta in RATES:
            blocks, path = start, []
            for row in range(_ROWS):
                if row:
                    steps = round(effort.duration / (_ROWS - 1) / eta)
                    blocks = _advance(blocks, batches, jnp.asarray(eta), jnp.asarray(steps))
                look = jax.vmap(jax.vmap(JointBlock.look, (None, 0, 0)))(blocks, batches["x"], batches["query"])
                mean = np.einsum("ncq,nct->nqt", weight, np.asarray(look)) / weight.sum(1)[..., None]
                path.append((jax.vmap(lambda b: b.values)(blocks), blocks.logits, mean))
            rows.append([np.stack([np.asarray(at[part]) for at in path], axis=1) for part in range(3)])
    values, logits, mean = (np.concatenate([row[part] for row in rows]) for part in range(3))
    logits_dims = ("member", "step", "query", "token")
    # Steps are counted in units of time here, so that members of different step sizes share an axis.
    return xr.Dataset(
        {
            "values": (("member", "step", "token", "unit"), values),
            "logits": (logits_dims, logits),
            "mean_attention": (logits_dims, mean),
        },
        coords={
            "step": np.linspace(0, effort.duration, _ROWS),
            "eta": ("member", np.repeat(RATES, networks)),
            "network": ("member", np.tile(np.arange(networks), len(RATES))),
        },
    )


@dataclass(frozen=True)
class Drifts:
    """Relative drift of the invariants, [network, rate, row]; `alone`: of one query's logits, if two share the units;
    `slide`: of softmax attention, by the slide's bracket."""

    time: np.ndarray
    rate: np.ndarray
    linear: np.ndarray
    exp: np.ndarray
    queries: np.ndarray
    alone: np.ndarray
    softmax: np.ndarray
    slide: np.ndarray

    def order(self, drift: np.ndarray) -> np.ndarray:
        """p in drift ∝ η^p at the end, of each network."""
        return np.polyfit(np.log(self.rate), np.log(drift[..., -1]).T, 1)[0]


def drifts(evidence: Evidence) -> Drifts:
    """How well gradient descent conserves what gradient flow would (Theorem 1)."""
    effort: Effort = evidence.effort

    def drift(law: JointLaw, record: xr.Dataset) -> np.ndarray:
        found = JointInvariant(law).fit(record).score(record).drift.values
        return found.reshape(len(RATES), effort.networks, -1).swapaxes(0, 1)

    linear, exp = (descend(kind, 1, effort) for kind in (LinearAttention(), ExpAttention()))
    both, soft = descend(ExpAttention(), 2, effort), descend(SoftmaxAttention(), 1, effort)
    return Drifts(
        linear.step.values,
        np.array(RATES),
        drift(LinearLaw(), linear),
        drift(ExpLaw(), exp),
        drift(ExpLaw(), both),
        drift(ExpLaw(), both.isel(query=[0])),
        drift(SoftmaxLaw(), soft),
        drift(SoftmaxLaw(bracket_of_the_slide=True), soft),
    )


@dataclass(frozen=True)
class Winners:
    """Linear units of random saliency, up to just before their blow-up; `time`: as a share of t*.

    `spread`, `spread_slide` [flow, time]: the largest relative difference, between tokens, of what should be equal,
    erf(v/√2)/Δ, and of the slide's erf(v/2)/Δ, from the second time on; `stops` [flow]: the largest distance of
    erf(v/√2) of the others from Δ_l/Δ_winner at the end; `won` [flow]: whether the most salient token is the largest.
    """

    time: np.ndarray
    saliency: np.ndarray
    values: np.ndarray  # flow, time, token
    spread: np.ndarray
    spread_slide: np.ndarray
    stops: np.ndarray
    won: np.ndarray


def winners(evidence: Evidence) -> Winners:
    """Theorem 2, by integrating the flow without its solution."""
    saliency = np.random.default_rng(8).normal(size=(evidence.effort.flows, TOKENS))
    largest = np.abs(saliency).max(1, keepdims=True)
    end = np.sqrt(np.pi / 2) / largest
    time = np.append(np.linspace(0, 0.99, 100), [0.999, 0.9999, 0.99999])
    path = np.moveaxis(follow(lambda v: end * saliency * np.exp(np.square(v) / 2), np.zeros_like(saliency), time), 0, 1)
    ratios = [
        np.stack([erf_ratio(v[1:], s, of_the_slide=slide) for v, s in zip(path, saliency, strict=True)])
        for slide in (False, True)
    ]
    spread, slide = (np.ptp(ratio, axis=-1) / np.abs(ratio).mean(-1) for ratio in ratios)
    won = np.abs(path[:, -1]).argmax(1) == np.abs(saliency).argmax(1)
    missing = np.abs(erf(path[:, -1] / np.sqrt(2)) - saliency / largest)
    missing[np.abs(saliency) == largest] = 0
    return Winners(time, saliency, path, spread, slide, missing.max(1), won)


def stopping_value(ratio: float | np.ndarray) -> float | np.ndarray:
    """Where a token stops whose saliency is `ratio` times the winner's, if the winner grows: √2 erfinv(ratio)."""
    return np.sqrt(2) * erfinv(ratio)


@dataclass(frozen=True)
class Approaches:
    """Nonlinear units of random targets: ln(1/δ) of the largest over that of the smallest, over its limit."""

    time: np.ndarray
    target: np.ndarray
    relative: np.ndarray  # time, flow
    first: np.ndarray
    """Share of pairs of neighbouring targets, of each flow, of which the larger is nearer to its end at all times."""


def approaches(evidence: Evidence) -> Approaches:
    """Theorem 4's ratio of convergence rates."""
    target = targets(9, evidence.effort.flows)
    time = np.geomspace(0.05, 1000, 41)
    gone = -remaining(target, np.zeros_like(target), time)
    relative = gone[..., -1] / gone[..., 0] / np.asarray(convergence_ratio(target[:, -1], target[:, 0]), float)
    return Approaches(time, target, relative, (np.diff(gone, axis=-1) > 0).all(0).mean(-1))


def targets(seed: int, flows: int) -> np.ndarray:
    """μ = sort(3 U[0, 1] + 1), ten of them, as in the authors' figure."""
    return np.sort(3 * np.random.default_rng(seed).random((flows, TOKENS)) + 1, axis=1)


@dataclass(frozen=True)
class Dips:
    """Entropy of attention over 5,000 steps, in nats, of nonlinear and linear flows [flow, row], and one of them."""

    step: np.ndarray
    nonlinear: np.ndarray
    linear: np.ndarray
    target: np.ndarray
    values: np.ndarray  # row, token: of the first nonlinear flow


def dips(evidence: Evidence) -> Dips:
    """The authors' simulation: dw = (μ − w)∘softmax(w²/3) in steps of 0.02 from 0.05, and dw = μ∘softmax(w²/3)."""
    target = targets(10, evidence.effort.flows)
    found, first, rows = {}, [], np.arange(0, 5001, 20)
    for linear in (False, True):
        w, seen = np.full_like(target, 0.05), []
        for step in range(rows[-1] + 1):
            share = softmax(np.square(w) / 3, axis=1)
            if step % 20 == 0:
                seen.append(entropy_of(share).sum(1))
                first += [] if linear else [w[0].copy()]
            w = w + 0.02 * (target - (0 if linear else 1) * w) * share
        found[linear] = np.stack(seen, axis=1)
    return Dips(rows, found[False], found[True], target[0], np.stack(first))


@dataclass(frozen=True)
class FlowRanks:
    """Stable ranks of V and of its velocity along flows of 20 tokens and 20 units [flow, time]; `time`: as a share of
    t*. The saliency is random, or that of contexts, E[g_k x] of a network that still knows nothing."""

    time: np.ndarray
    values: np.ndarray
    velocity: np.ndarray
    values_contexts: np.ndarray
    velocity_contexts: np.ndarray


def flow_ranks(evidence: Evidence) -> FlowRanks:
    """How low-rank V and V̇ become before the blow-up."""
    rng, task = np.random.default_rng(11), ContextTask()
    time, ranks = np.append(np.linspace(0.01, 0.99, 50), [0.999]), []
    for number in range(evidence.effort.flows):
        x = task.frequencies(jax.random.key(number)).T
        # g_k = 1(k is the class) − 1/K, so that E[g_k x] is how far a class is from the mean of all, over their number.
        known = (x - x.mean(1, keepdims=True)) / task.classes
        ranks.append([*_ranks_along(rng.normal(size=known.shape), time), *_ranks_along(known, time)])
    return FlowRanks(time, *np.moveaxis(np.array(ranks), 1, 0))


def _ranks_along(saliency: np.ndarray, time: np.ndarray) -> np.ndarray:
    """Stable ranks of V and V̇ at these shares of t*, from a zero start."""
    fit = SaliencyFlowFit(SaliencyFlow(), saliency, 0.0)
    path = fit.simulate(np.zeros_like(saliency), time * fit.blow_up())
    velocity = np.exp(np.square(path).sum(-1, keepdims=True) / 2) * saliency
    s = np.linalg.svd(np.stack([path, velocity]), compute_uv=False)
    return np.square(s / s[..., :1]).sum(-1)
