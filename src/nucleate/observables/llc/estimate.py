"""The local learning coefficient, with the diagnostics that say whether to trust it."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from enum import IntFlag, auto
from typing import Annotated, Any, final

import jax
import numpy as np
from jaxtyping import Bool, Float, Int, PyTree

from nucleate.checking import AtLeast, Bits, Checked, Count, Seed, checked
from nucleate.observables.llc.blocks import CellGrid, lanes_at_once, run
from nucleate.observables.llc.chains import ChainProgram, Skeleton, Traces
from nucleate.observables.llc.mixing import mixing
from nucleate.observables.llc.samplers import SGLD, Sampler
from nucleate.observables.llc.settings import Setting
from nucleate.observables.llc.settling import balance
from nucleate.observables.llc.sources import Source
from nucleate.observables.llc.subsets import Everything, Group, Subset, lay_out

PLAIN = SGLD()

R_HAT = 1.05  # chains with a split R̂ above this have not mixed

SHARE = 0.1
"""A bias, or twice the standard error, above this share of the coefficient raises a doubt."""

FAR = 2.0
"""Standard errors beyond which a coefficient must not be off without a doubt."""

LEANING = 1.5
"""Standard errors of bias that raise a doubt: less than `FAR`, since chance may add to it."""

Cells = Float[np.ndarray, "checkpoint subset setting"]


class Doubt(IntFlag):
    """Reasons to distrust a coefficient; flags that can be combined.

    DIVERGED: a chain met a loss that is not finite, and the coefficient is NaN. NEGATIVE: w₀ is not a minimum of the
    sampled loss. UNMIXED: split R̂ > 1.05, or nothing moved. BIASED, NOISY: the bias due to long steps, or to small
    minibatches, is more than a tenth of the coefficient. IMPRECISE: twice the standard error is more than a tenth.
    UNSETTLED: chains have not filled their region, for which the coefficient would move by more than two standard
    errors, see `LearningCoefficient.shift`. OFFSET: both biases are small, but 1.5 times the standard error or more, so
    that the error bar is about a wrong value; `LearningCoefficient.extrapolated` is nearer.
    How often they are right: docs/doubts.md. Source: what [lau2025llc] checks by eye in traces.

    >>> Doubt(5)
    <Doubt.DIVERGED|UNMIXED: 5>
    """

    DIVERGED = auto()
    NEGATIVE = auto()
    UNMIXED = auto()
    BIASED = auto()
    NOISY = auto()
    IMPRECISE = auto()
    UNSETTLED = auto()
    OFFSET = auto()


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


@final
@dataclass(frozen=True)
class LearningCoefficient:
    """Coefficients [checkpoint, subset, setting], their diagnostics, and the traces they come from.

        λ̂ = nβ (E[L_m(w)] − L_m(w₀))

    value: λ̂, NaN where a chain diverged. error: its standard error, which does not include the two biases.
    r_hat, ess: see `mixing`. step_bias: (ε/8) E[f·G∇U], the amount by which λ̂ is too large because steps are finite
    and minibatches noisy; exact where L is quadratic and γ ≪ nβ∇²L, and an overestimate where curvature grows with L.
    noise_bias: the part of it due to minibatches, (ε/8) E|f − E f|²_G; it includes noise in flat directions, which does
    no harm. equilibrium: E[x·∇U] / (d + (ε/4) E|∇U|²_G), the share of the d directions in which chains have
    equilibrated; 1 at stationarity. balance: the same of the loss alone, see `settling.balance`; NaN where batches
    differ. acceptance: mean acceptance probability. free: d, for each subset.
    excess: nβ (L_m(w) − L_m(w₀)) and loss: L_m(w), at every step, burn-in first. Here x = w − w₀, f = nβ∇L_m, ∇U = f +
    γx and G is the metric. Source: [lau2025llc]; the identities are moments of the Langevin step.

    >>> import jax.numpy as jnp
    >>> from nucleate.observables import Whole
    >>> too_long, sampling = Setting(step=10.0, nbeta=100.0), Sampling(burn_in=0, draws=50)
    >>> estimate = learning_coefficient(
    ...     lambda w, _: jnp.sum(w**2), Whole(()), checkpoints=[jnp.zeros(2)], settings=[too_long], sampling=sampling
    ... )
    >>> estimate.value.tolist(), Doubt(estimate.doubt.item()).name
    ([[[nan]]], 'DIVERGED')
    """

    settings: tuple[Setting, ...]
    free: Int[np.ndarray, " subset"]
    burn_in: int
    value: Cells
    r_hat: Cells
    ess: Cells
    error: Cells
    step_bias: Cells
    noise_bias: Cells
    equilibrium: Cells
    balance: Cells
    acceptance: Cells
    excess: Float[np.ndarray, "checkpoint subset setting chain step"]
    loss: Float[np.ndarray, "checkpoint subset setting chain step"]

    def __str__(self) -> str:
        lines = []
        for at in np.ndindex(self.value.shape):
            checkpoint, subset, setting = at
            doubt = Doubt(int(self.doubt[at])).name or "no doubt"
            lines.append(
                f"checkpoint {checkpoint}, subset {subset}, {self.settings[setting]}: "
                f"λ̂ = {self.value[at]:.4g} ± {self.error[at]:.2g}, {doubt}"
            )
        return "\n".join(lines)

    @property
    def extrapolated(self) -> Cells:
        """λ̂ extrapolated to infinitely small steps and no minibatch noise, to first order."""
        return self.value - self.step_bias

    @property
    def shift(self) -> Cells:
        """By how much λ̂ may move until chains have filled their region: λ̂ √((1 − equilibrium)(1 − balance)).

        It is 0 where one is above 1 and the other below. Where batches differ, it is λ̂ |1 − equilibrium|.
        """
        missing = 1 - self.equilibrium
        product = missing * np.where(np.isnan(self.balance), missing, 1 - self.balance)
        return np.abs(self.value) * np.sqrt(np.maximum(product, 0.0))

    @property
    def doubt(self) -> Int[np.ndarray, "checkpoint subset setting"]:
        """Every `Doubt` about each coefficient; 0 for none."""
        with np.errstate(invalid="ignore"):
            biased = self.step_bias - self.noise_bias > SHARE * np.abs(self.value)
            noisy = self.noise_bias > SHARE * np.abs(self.value)
            reasons = {
                Doubt.DIVERGED: np.isnan(self.value),
                Doubt.NEGATIVE: self.value < 0,
                Doubt.UNMIXED: ~(self.r_hat <= R_HAT) & np.isfinite(self.value),
                Doubt.BIASED: biased,
                Doubt.NOISY: noisy,
                Doubt.IMPRECISE: 2 * self.error > SHARE * np.abs(self.value),
                Doubt.UNSETTLED: self.shift > FAR * self.error,
                Doubt.OFFSET: (self.step_bias > LEANING * self.error) & ~biased & ~noisy,
            }
        return np.sum([found * int(doubt) for doubt, found in reasons.items()], axis=0)

    @property
    def trusted(self) -> Bool[np.ndarray, "checkpoint subset setting"]:
        """Which coefficients raise no doubt."""
        return self.doubt == 0


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
    of any distribution; checkpoints: pytrees w₀ of one structure; settings: ε, nβ and γ; subsets: `Everything`,
    `Matching` or `Mask`. Chains, checkpoints, settings and all subsets that move equally many parameters of the same
    leaves share one compiled program, which later calls with the same loss function and the same shapes reuse.
    Every L_m(w) is compared with L_m(w₀) on the same batch. Source: [lau2025llc].

    >>> import jax.numpy as jnp
    >>> from nucleate.observables import Whole
    >>> estimate = learning_coefficient(
    ...     lambda w, scale: scale * jnp.sum(w**2) / 2,  # ten quadratic directions: λ = 5
    ...     Whole(1.0),
    ...     checkpoints=[jnp.zeros(10)],
    ...     settings=[Setting(step=1e-4, nbeta=1000.0)],
    ...     sampling=Sampling(chains=64),
    ... )
    >>> abs(estimate.value.item() - 5.1232) < 4 * estimate.error.item()  # SGLD's expectation at this step size
    True
    >>> abs(estimate.extrapolated.item() - 4.995) < 4 * estimate.error.item()  # γ lowers λ by 0.005
    True
    """
    _check(data, checkpoints, settings, sampling)
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
    return LearningCoefficient(
        settings=tuple(settings),
        free=free,
        burn_in=sampling.burn_in,
        value=draws.mean((-2, -1)),
        **mixing(draws)._asdict(),
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
