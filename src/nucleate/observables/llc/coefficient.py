"""A local learning coefficient: its value, what its error is made of, and the reasons to distrust it."""

from collections.abc import Iterator
from dataclasses import dataclass
from enum import IntFlag, auto
from typing import final

import numpy as np
from jaxtyping import Bool, Float, Int

from nucleate.hypertext import Html, table
from nucleate.observables.llc.settings import Setting

R_HAT = 1.1  # chains with a split R̂ above this have not mixed; up to it the statistical error allows for the rest

SHARE = 0.1
"""Twice the error, or what may make it so large, above this share of the coefficient raises a doubt."""

Cells = Float[np.ndarray, "checkpoint subset setting"]


class Doubt(IntFlag):
    """Reasons to distrust a coefficient; flags that can be combined.

    The first three say that the error may not hold. DIVERGED: a chain met a loss that is not finite, and the
    coefficient is NaN. NEGATIVE: w₀ is not a minimum of the sampled loss. UNMIXED: split R̂ > 1.1, or nothing moved.
    The others say that it is large. IMPRECISE: twice the error is more than a tenth of the coefficient, whatever the
    cause. BIASED, NOISY: the bias due to long steps, or to small minibatches, is more than a tenth. UNSETTLED: twice
    `LearningCoefficient.shift` is; chains have not filled their region.
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


@final
@dataclass(frozen=True, repr=False)
class LearningCoefficient:
    """Coefficients [checkpoint, subset, setting], their errors and diagnostics, and the traces they come from.

        λ̂ = nβ (E[L_m(w)] − L_m(w₀)),    error = √(statistical² + shift² + discretisation²)

    value: λ̂, NaN where a chain diverged. statistical: the standard error of this mean over draws; r_hat, ess: see
    `mixing`. step_bias: (ε/8) E[f·G∇U], the amount by which λ̂ is too large because steps are finite
    and minibatches noisy; exact where L is quadratic and γ ≪ nβ∇²L, and an overestimate where curvature grows with L.
    noise_bias: the part of it due to minibatches, (ε/8) E|f − E f|²_G; it includes noise in flat directions, which does
    no harm. equilibrium: E[x·∇U] / (d + (ε/4) E|∇U|²_G), the share of the d directions in which chains have
    equilibrated; 1 at stationarity. balance: the same of the loss alone, see `settling.balance`; NaN where batches
    differ. acceptance: mean acceptance probability. free: d, for each subset.
    excess: nβ (L_m(w) − L_m(w₀)) and loss: L_m(w), at every step, burn-in first. Here x = w − w₀, f = nβ∇L_m, ∇U = f +
    γx and G is the metric. Source: [lau2025llc]; the identities are moments of the Langevin step.

    >>> import jax.numpy as jnp
    >>> from nucleate.observables import Sampling, Whole, learning_coefficient
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
    statistical: Cells
    step_bias: Cells
    noise_bias: Cells
    equilibrium: Cells
    balance: Cells
    acceptance: Cells
    excess: Float[np.ndarray, "checkpoint subset setting chain step"]
    loss: Float[np.ndarray, "checkpoint subset setting chain step"]

    def __str__(self) -> str:
        return "\n".join(
            f"checkpoint {checkpoint}, subset {subset}, {setting}: λ̂ = {value} ({parts}), {doubt}"
            for checkpoint, subset, setting, value, parts, doubt in self._cells()
        )

    def __repr__(self) -> str:
        sizes = zip(self.value.shape, ("checkpoint", "subset", "setting"), strict=True)
        shape = " × ".join(f"{size} {noun}{'s' * (size > 1)}" for size, noun in sizes)
        return f"LearningCoefficient({shape}: {'; '.join(str(value) for *_, value, _, _ in self._cells())})"

    def _repr_html_(self) -> Html:
        head = ("checkpoint", "subset", "setting", "λ̂ ± error", "of which", "doubt")
        return table(self._cells(), head, "Local learning coefficient")

    def _cells(self) -> Iterator[tuple[int, int, Setting, str, str, str]]:
        """In words: each checkpoint, subset and setting, its coefficient, what the error is made of, and doubts."""
        doubts, errors = self.doubt, self.error
        for at in np.ndindex(self.value.shape):
            checkpoint, subset, setting = at
            parts = ", ".join(f"{name} {getattr(self, name)[at]:.2g}" for name in ERRORS)
            value = f"{self.value[at]:.4g} ± {errors[at]:.2g}"
            yield checkpoint, subset, self.settings[setting], value, parts, Doubt(int(doubts[at])).name or "no doubt"

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
    def discretisation(self) -> Cells:
        """step_bias / √3: the root mean square of a bias that may be anything from 0 to `step_bias`."""
        return np.abs(self.step_bias) / np.sqrt(3)

    @property
    def error(self) -> Cells:
        """How far λ̂ may be from the truth: two of it, in 95 cases of 100. See docs/doubts.md for how it was tried."""
        return np.sqrt(sum(np.square(getattr(self, name)) for name in ERRORS))

    @property
    def doubt(self) -> Int[np.ndarray, "checkpoint subset setting"]:
        """Every `Doubt` about each coefficient; 0 for none."""
        limit = SHARE * np.abs(self.value)
        with np.errstate(invalid="ignore"):
            reasons = {
                Doubt.DIVERGED: np.isnan(self.value),
                Doubt.NEGATIVE: self.value < 0,
                Doubt.UNMIXED: ~(self.r_hat <= R_HAT) & np.isfinite(self.value),
                Doubt.BIASED: self.step_bias - self.noise_bias > limit,
                Doubt.NOISY: self.noise_bias > limit,
                Doubt.IMPRECISE: 2 * self.error > limit,
                Doubt.UNSETTLED: 2 * self.shift > limit,
            }
        return np.sum([found * int(doubt) for doubt, found in reasons.items()], axis=0)

    @property
    def trusted(self) -> Bool[np.ndarray, "checkpoint subset setting"]:
        """Which coefficients raise no doubt."""
        return self.doubt == 0


ERRORS = ("statistical", "shift", "discretisation")
"""What `LearningCoefficient.error` is made of, taken to be independent: squares add up."""
