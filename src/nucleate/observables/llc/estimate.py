"""Sampling around checkpoints, and what the traces say: the local learning coefficient."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Annotated, Any, final

import jax
import numpy as np
from jaxtyping import Int, PyTree

from nucleate.checking import AtLeast, Bits, Checked, Count, Seed, checked
from nucleate.observables.llc.blocks import CellGrid, lanes_at_once, run
from nucleate.observables.llc.chains import ChainProgram, Skeleton, Traces
from nucleate.observables.llc.coefficient import LearningCoefficient
from nucleate.observables.llc.mixing import mixing
from nucleate.observables.llc.samplers import SGLD, Sampler
from nucleate.observables.llc.settings import Setting
from nucleate.observables.llc.settling import balance
from nucleate.observables.llc.sources import Source, as_arrays
from nucleate.observables.llc.subsets import Everything, Group, Subset, lay_out

PLAIN = SGLD()


@final
@dataclass(frozen=True)
class Sampling(Checked):
    """The sampler, the number of chains and their length.

    Every chain starts at w₀, discards `burn_in` steps and keeps the loss at each of `draws` more. at_once: the number
    of cells to advance side by side; by default as many as fit a core's cache. Source: [lau2025llc].

    >>> from nucleate.observables import RMSpropSGLD
    >>> Sampling(RMSpropSGLD(), burn_in=0)  # burn-in shapes its metric
    Traceback (most recent call last):
    ValueError: Sampling.burn_in must be >= 1 for RMSpropSGLD(decay=0.99, floor=0.1); got 0.
    """

    sampler: Sampler = PLAIN
    chains: Count = 4
    burn_in: Annotated[int, AtLeast(0), Bits(31)] = 1000
    draws: Annotated[int, AtLeast(4), Bits(31)] = 1000
    seed: Seed = 0
    at_once: Count | None = None

    def check(self) -> None:
        if self.sampler.adaptive and self.burn_in < 1:
            self.refuse("burn_in", f"must be >= 1 for {self.sampler}; got {self.burn_in}")


USUAL = Sampling()
ALL = (Everything(),)


@checked
def learning_coefficient(
    loss: Callable[[Any, Any], Any],
    data: Source,
    checkpoints: Sequence[PyTree],
    settings: Sequence[Setting],
    sampling: Sampling = USUAL,
    subsets: Sequence[Subset] = ALL,
) -> LearningCoefficient:
    """The local learning coefficient of a loss at each checkpoint, for each subset of parameters and each setting.

        λ̂(w₀) = nβ (E_{w ~ p}[L(w)] − L(w₀)),    p(w) ∝ exp(−nβ L(w) − γ/2 |w − w₀|²)

    loss: any JAX function of (parameters, batch), the mean over the batch; data: `Whole`, `Minibatches` or `Fresh`,
    of any distribution; checkpoints: pytrees w₀ of one structure, of arrays or PyTorch's tensors; settings: ε, nβ and
    γ; subsets: `Everything`, `Matching` or `Mask`. Chains, checkpoints, settings and all subsets that move equally many
    parameters of the same leaves share one compiled program, which later calls with the same loss function and the same
    shapes reuse; another process loads it from the disk. Every L_m(w) is compared with L_m(w₀) on the same batch.
    Source: [lau2025llc].

    >>> import jax.numpy as jnp
    >>> from nucleate.observables import Whole
    >>> estimate = learning_coefficient(
    ...     lambda w, scale: scale * jnp.sum(w**2) / 2,  # ten quadratic directions: λ = 5
    ...     Whole(1.0),
    ...     checkpoints=[jnp.zeros(10)],
    ...     settings=[Setting(step=1e-4, nbeta=1000.0)],
    ...     sampling=Sampling(chains=64, draws=8000),
    ... )
    >>> abs(estimate.value.item() - 5.1232) < 4 * estimate.statistical.item()  # SGLD's expectation at this step size
    True
    >>> abs(estimate.value.item() - 4.995) < 2 * estimate.error.item()  # the truth: γ lowers λ by 0.005
    True
    """
    _check(data, checkpoints, settings, sampling)
    data, checkpoints = as_arrays("data", data), [as_arrays("checkpoints", each) for each in checkpoints]
    groups = lay_out(subsets, checkpoints[0])
    split = [Skeleton.split(checkpoint) for checkpoint in checkpoints]
    source, skeleton = Skeleton.split(data)
    _check_alike(split)

    def sample(group: Group) -> Traces:
        program = ChainProgram(
            loss=loss,
            sampler=sampling.sampler,
            chains=sampling.chains,
            burn_in=sampling.burn_in,
            steps=sampling.burn_in + sampling.draws,
            placement=group.placement,
            parameters=split[0][1],
            data=skeleton,
        )
        grid = CellGrid([values for values, _ in split], group, settings, source, sampling.seed)
        traces = run(program, grid, sampling.at_once or lanes_at_once(group.index.shape[1], sampling.chains))
        shape = (len(checkpoints), len(group.numbers), len(settings))
        return jax.tree.map(lambda leaf: leaf.reshape(*shape, *leaf.shape[2:]), traces)

    # Back in the order in which the subsets were given.
    order = np.argsort([number for group in groups for number in group.numbers])
    traces = jax.tree.map(lambda *parts: np.concatenate(parts, 1)[:, order], *map(sample, groups))
    free = np.array([group.index.shape[1] for group in groups for _ in group.numbers])[order]
    return _read(sampling, traces, settings, free)


def _read(
    sampling: Sampling, traces: Traces, settings: Sequence[Setting], free: Int[np.ndarray, " subset"]
) -> LearningCoefficient:
    """Estimates from traces, in double precision. A cell with a diverged chain gets NaN."""
    step, nbeta = (np.array([getattr(setting, name) for setting in settings]) for name in ("step", "nbeta"))
    with np.errstate(invalid="ignore", over="ignore"):  # from diverged chains
        excess = nbeta[:, None, None] * (traces.loss.astype(np.float64) - traces.baseline[..., None, :])
        trace = excess.astype(np.float32)
        finite = np.asarray(np.isfinite(trace).all((-2, -1)))
        means = jax.tree.map(lambda leaf: np.where(finite, leaf.astype(np.float64).mean(-1), np.nan), traces.means)
    draws = np.where(finite[..., None, None], excess[..., sampling.burn_in :], np.nan)
    seen = draws[..., : traces.outward.loss.shape[-1]]
    finite_step = np.zeros_like(step) if sampling.sampler.exact else step
    mixed = mixing(draws)
    return LearningCoefficient(
        settings=tuple(settings),
        free=free,
        burn_in=sampling.burn_in,
        value=draws.mean((-2, -1)),
        r_hat=mixed.r_hat,
        ess=mixed.ess,
        statistical=mixed.error,
        step_bias=finite_step / 8 * means.push,
        noise_bias=finite_step / 8 * means.noise,
        equilibrium=means.virial / (free[:, None] + finite_step / 4 * means.force),
        balance=balance(seen, *(np.asarray(leaf, np.float64) for leaf in traces.outward)),
        acceptance=means.acceptance,
        excess=trace,
        loss=np.asarray(traces.loss),
    )


def _check(data: Any, checkpoints: Sequence[PyTree], settings: Sequence[Setting], sampling: Sampling) -> None:
    if not isinstance(data, Source):
        raise ValueError(
            f"data must be Whole(data), Minibatches(data, size) or Fresh(sample); got {type(data).__name__}."
        )
    for name, values in (("checkpoints", checkpoints), ("settings", settings)):
        if not isinstance(values, Sequence) or not values:
            raise ValueError(f"{name} must be a list with at least one entry; got {values!r}.")
    if sampling.sampler.exact and not data.whole:
        sampler = type(sampling.sampler).__name__
        raise ValueError(f"{sampler} compares losses, so every batch must be the same: use Whole(data), not {data}.")


def _check_alike(split: list[tuple[list[Any], Skeleton]]) -> None:
    """Check that all checkpoints fit one program."""

    def shape(values: list[Any]) -> list[Any]:
        return [None if value is None else (np.shape(value), value.dtype) for value in values]

    first, skeleton = split[0]
    for number, (values, other) in enumerate(split):
        if other != skeleton or shape(values) != shape(first):
            raise ValueError(
                f"checkpoints must be pytrees of equal structure and shapes; checkpoint {number} differs from 0."
            )
