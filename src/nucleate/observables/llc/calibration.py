"""Trustworthy settings: a sweep over step size, temperature and localisation, and the plateau in it, if any."""

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, final

import numpy as np
from jaxtyping import Bool, Float, PyTree
from scipy import ndimage

from nucleate.checking import checked
from nucleate.hypertext import Html, table
from nucleate.observables.llc.coefficient import SHARE, Doubt, LearningCoefficient
from nucleate.observables.llc.estimate import ALL, USUAL, Sampling, learning_coefficient
from nucleate.observables.llc.settings import Grid, Setting
from nucleate.observables.llc.sources import Source
from nucleate.observables.llc.subsets import Subset

_CONFIRM = 2.0  # a plateau must still hold when the step is at least halved


@final
@dataclass(frozen=True)
class Plateau:
    """Settings that agree on the coefficient.

        |λ̂ − λ̂_s| ≤ max(λ̂_s/10, 2 √(σ² + σ_s²))

    best: the setting s with the smallest error; settings: all that agree with it, raise no `Doubt`, and are connected
    to it through neighbours in the grid; low, high: the range of λ̂ over them, for each checkpoint and subset. λ̂, σ:
    value and statistical error, since what else makes up its error is what settings differ by. Source: the plateau of
    [lau2025llc].

    >>> Plateau(Setting(1e-4, 100.0), (Setting(1e-4, 100.0), Setting(2e-4, 100.0)), np.ones(1), np.ones(1)).steps
    (0.0001, 0.0002)
    """

    best: Setting
    settings: tuple[Setting, ...]
    low: Float[np.ndarray, " unit"]
    high: Float[np.ndarray, " unit"]

    @property
    def steps(self) -> tuple[float, float]:
        """The smallest and largest step sizes."""
        steps = [setting.step for setting in self.settings]
        return min(steps), max(steps)


@final
@dataclass(frozen=True)
class Calibration:
    """A sweep and its plateau, or the reasons why it has none.

        for each checkpoint and subset: the largest set of settings that agree

    grid, estimate: the settings swept and the coefficients found. Source: the sweeps of [lau2025llc].

    >>> import jax.numpy as jnp
    >>> from nucleate.observables import Whole
    >>> too_long, sampling = Grid(step=(10.0, 20.0), nbeta=(100.0,)), Sampling(burn_in=0, draws=50)
    >>> print(calibrate(lambda w, _: jnp.sum(w**2), Whole(()), [jnp.zeros(2)], too_long, sampling))
    no plateau at checkpoint 0, subset 0: of 2 settings, 2 DIVERGED
    """

    grid: Grid
    estimate: LearningCoefficient

    @property
    def common(self) -> Plateau | None:
        """The plateau that serves all checkpoints and subsets at once."""
        return self._plateau(*self._units)

    def plateau(self, checkpoint: int, subset: int = 0) -> Plateau | None:
        """The plateau of one checkpoint and subset."""
        return self._plateau((checkpoint, subset))

    def reasons(self, checkpoint: int, subset: int = 0) -> dict[str, int]:
        """The number of settings that each doubt keeps out of a plateau, for one checkpoint and subset."""
        doubts = self.estimate.doubt[checkpoint, subset].tolist()
        return dict(Counter(str(doubt.name) for value in doubts for doubt in Doubt(value)))

    def __str__(self) -> str:
        lines = []
        for checkpoint, subset in self._units:
            where, found = f"checkpoint {checkpoint}, subset {subset}", self.plateau(checkpoint, subset)
            if found is None:
                reasons = ", ".join(f"{count} {name}" for name, count in self.reasons(checkpoint, subset).items())
                lines.append(
                    f"no plateau at {where}: of {len(self.grid.settings)} settings, {reasons or 'no two agree'}"
                )
            else:
                lines.append(f"plateau at {where}: {self._words(found)}")
        if len(self._units) > 1:
            found = self.common
            lines.append(f"common to all: {self._words(found)}" if found else "no setting serves all of them")
        return "\n".join(lines)

    def _repr_html_(self) -> Html:
        lines = [[line] for line in str(self).splitlines()]
        return Html(table(lines, title="Plateaus of the coefficient") + self.estimate._repr_html_())

    @property
    def _units(self) -> list[tuple[int, int]]:
        checkpoints, subsets, _ = self.estimate.value.shape
        return [(checkpoint, subset) for checkpoint in range(checkpoints) for subset in range(subsets)]

    def _words(self, plateau: Plateau) -> str:
        low, high = plateau.low.min(), plateau.high.max()
        return (
            f"{len(plateau.settings)} of {len(self.grid.settings)} settings, λ̂ {low:.4g}-{high:.4g}, "
            f"step {plateau.steps[0]:.4g}-{plateau.steps[1]:.4g}; best {plateau.best}"
        )

    def _plateau(self, *units: tuple[int, int]) -> Plateau | None:
        def of(cells: np.ndarray) -> np.ndarray:
            return np.stack([cells[unit] for unit in units]).reshape(len(units), *self.grid.shape)

        value, noise = of(self.estimate.value), of(self.estimate.statistical)
        good = np.asarray(of(self.estimate.trusted).all(0))
        plateaus = [_joined(value, noise, good, seed) for seed in zip(*np.nonzero(good), strict=True)]
        plateaus = [plateau for plateau in plateaus if self._confirmed(plateau)]
        if not plateaus:
            return None
        inside = max(plateaus, key=np.count_nonzero).ravel()
        uncertainty = of(self.estimate.error) / np.where(good, value, 1.0)
        best = np.argmin(np.where(inside, uncertainty.max(0).ravel(), np.inf))
        settings = self.grid.settings
        flat = value.reshape(len(units), -1)[:, inside]
        return Plateau(settings[best], tuple(settings[i] for i in np.flatnonzero(inside)), flat.min(-1), flat.max(-1))

    def _confirmed(self, inside: Bool[np.ndarray, "step nbeta gamma"]) -> bool:
        """Whether, at some temperature and localisation, the steps in the plateau differ by a factor of 2 or more."""
        steps = np.array(self.grid.step)[:, None, None]
        longest = np.where(inside, steps, 0.0).max(0)
        shortest = np.where(inside, steps, np.inf).min(0)
        return bool((longest >= _CONFIRM * shortest).any())


@checked
def calibrate(
    loss: Callable[[Any, Any], Any],
    data: Source,
    checkpoints: Sequence[PyTree],
    grid: Grid,
    sampling: Sampling = USUAL,
    subsets: Sequence[Subset] = ALL,
) -> Calibration:
    """Search for settings at which the coefficient does not depend on the setting.

        λ̂(ε, nβ, γ) for every ε, nβ and γ of `grid`, at every checkpoint

    Everything else: see `learning_coefficient`, which this calls once. Include checkpoints from early, middle and late
    training: a step that suits one may diverge at another. Steps should be at most a factor 2 apart, since a plateau
    counts only if it holds when the step is halved. Source: the sweeps of [lau2025llc].

    >>> import jax.numpy as jnp
    >>> from nucleate.observables import Whole
    >>> found = calibrate(
    ...     lambda w, _: jnp.sum(w**2),
    ...     Whole(()),
    ...     checkpoints=[jnp.zeros(8)],
    ...     grid=Grid(step=(5e-4, 1e-3, 1.0), nbeta=(100.0,)),
    ...     sampling=Sampling(chains=16, draws=2000),
    ... )
    >>> found.reasons(checkpoint=0), found.common.steps
    ({'DIVERGED': 1}, (0.0005, 0.001))
    """
    return Calibration(grid, learning_coefficient(loss, data, checkpoints, grid.settings, sampling, subsets))


def _joined(
    value: Float[np.ndarray, "unit step nbeta gamma"],
    error: Float[np.ndarray, "unit step nbeta gamma"],
    good: Bool[np.ndarray, "step nbeta gamma"],
    seed: tuple[Any, ...],
) -> Bool[np.ndarray, "step nbeta gamma"]:
    """The good settings that agree with `seed` in every unit and are connected to it."""
    at = (slice(None), *seed)
    target, noise = value[at][:, None, None, None], error[at][:, None, None, None]
    with np.errstate(invalid="ignore"):
        allowed = np.maximum(SHARE * target, 2 * np.hypot(error, noise))
        agrees = (np.abs(value - target) <= allowed).all(0)
    islands = np.zeros(good.shape, np.int32)
    ndimage.label(agrees & good, output=islands)
    return islands == islands[seed]
