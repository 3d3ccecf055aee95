"""The chance that a token is present, given another, by the height of their common ancestor."""

from dataclasses import dataclass
from typing import Annotated, final

import numpy as np
import xarray as xr
from jaxtyping import Float

from nucleate.checking import AtLeast, AtMost, Count, checked
from nucleate.record import Need, require
from nucleate.theories.protocol import Fit, Theory

_NEEDS = (
    Need(
        "co_occurrence", ("member", "ancestor"), "how often tokens with a common ancestor so high are present together"
    ),
    Need("ancestor", ("ancestor",), "the heights of common ancestors"),
)
_Correlation = Annotated[float, AtLeast(-1), AtMost(1)]


@checked
def co_occurrence(
    ancestor: Float[np.ndarray, "*pair"], height: Count, rho: _Correlation, bias: _Correlation
) -> Float[np.ndarray, "*pair"]:
    """The chance that token l of a latent tree is present, given that token m is.

        P[y_l = 1 | y_m = 1] = ½ (1 + ρ^{2H} − 2 ρ^{L−1} ρ₀) / (1 − ρ^{L−1} ρ₀)

    H: `ancestor`, how far the lowest common ancestor of l and m is above them, up to L − 1; L: `height`; ρ: `rho`, the
    correlation of a node with its parent; ρ₀: `bias`, P(0) − P(1) at the top. NaN where no token is ever present.
    Source: Theorem 5 of [tian2023joma].

    >>> co_occurrence(np.array([0.0, 1.0, 2.0]), height=3, rho=0.5, bias=0.0).tolist()
    [1.0, 0.625, 0.53125]
    """
    absent = rho ** (height - 1) * bias
    both = (1 + rho ** (2 * ancestor) - 2 * absent) / 2
    return both / (1 - absent) if absent != 1 else np.full_like(both, np.nan)


@checked
def nearly_deterministic(ancestor: Float[np.ndarray, "*pair"], height: Count) -> Float[np.ndarray, "*pair"]:
    """The limit of `co_occurrence` for ρ₀ = 1 and ρ → 1: rare tokens, each nearly its parent's copy.

        P[y_l = 1 | y_m = 1] → 1 − H/(L − 1)

    The talk has 1 − H/L, which counts the label of the top as one more channel. Source: Theorem 5 of [tian2023joma].

    >>> nearly_deterministic(np.array([0.0, 1.0, 2.0]), height=3).tolist()
    [1.0, 0.5, 0.0]
    """
    return 1 - ancestor / (height - 1)


@final
@dataclass(frozen=True)
class Ancestry(Theory):
    """Tokens are leaves of a latent tree: find its channel from how often they occur together.

    Reads `co_occurrence` [member, ancestor], the chances of `co_occurrence` for H = 1, 2, …, as they were counted.
    `height`: L. Fits |ρ| and ρ^{L−1}ρ₀, which is all that these chances depend on. Source: Theorem 5 of [tian2023joma].

    >>> heights = np.array([1.0, 2.0, 3.0])
    >>> counted = co_occurrence(heights, height=4, rho=0.8, bias=0.3)
    >>> record = xr.Dataset({"co_occurrence": (("member", "ancestor"), counted[None])}, coords={"ancestor": heights})
    >>> fit = Ancestry(height=4).fit(record)
    >>> fit.rho.round(6).tolist(), fit.bias.round(6).tolist()
    ([0.8], [0.3])
    """

    height: Annotated[int, AtLeast(2)]

    def fit(self, record: xr.Dataset) -> "AncestryFit":
        from scipy.optimize import least_squares

        heights, counted = _read(record, self.height)

        def errors(unknown: np.ndarray, chances: np.ndarray) -> np.ndarray:
            rho, bias = unknown
            return co_occurrence(heights, self.height, float(rho), float(bias)) - chances

        bounds = ([0.0, -1.0], [1 - 1e-9, 1.0])
        starts = [(rho, bias) for rho in (0.3, 0.9) for bias in (-0.5, 0.5)]
        found = []
        for chances in counted:
            tries = [least_squares(errors, start, bounds=bounds, args=(chances,), xtol=1e-15) for start in starts]
            found.append(min(tries, key=lambda one: one.cost).x)
        return AncestryFit(self.height, *np.array(found).T)


@final
@dataclass(frozen=True)
class AncestryFit(Fit):
    """The channel of each member's tree: `rho`, without its sign, and `bias`, at the top of a tree of `height` L.

    >>> fit = AncestryFit(3, rho=np.array([0.5]), bias=np.array([0.0]))
    >>> fit.simulate(None, np.array([0.0, 1.0])).tolist()
    [[1.0], [0.625]]
    """

    height: int
    rho: Float[np.ndarray, " member"]
    bias: Float[np.ndarray, " member"]

    def simulate(self, x0: None, times: Float[np.ndarray, " ancestor"]) -> Float[np.ndarray, "ancestor member"]:
        """The chances along the heights of common ancestors, which stand for times; there is no state to start from."""
        channels = zip(self.rho, self.bias, strict=True)
        return np.stack([co_occurrence(times, self.height, float(rho), float(bias)) for rho, bias in channels], axis=1)

    def score(self, record: xr.Dataset) -> xr.Dataset:
        """The largest error of the chances of each member, next to that of the talk's 1 − H/L."""
        heights, counted = _read(record, self.height)
        if len(counted) != len(self.rho):
            raise ValueError(f"AncestryFit.score: the fit has {len(self.rho)} members; the record has {len(counted)}.")
        error = np.abs(self.simulate(None, heights).T - counted).max(1)
        talk = np.abs(1 - heights / self.height - counted).max(1)
        return xr.Dataset({"error": ("member", error), "baseline": ("member", talk)})


def _read(record: xr.Dataset, height: int) -> tuple[np.ndarray, np.ndarray]:
    require(record, "Ancestry", _NEEDS)
    heights = record.ancestor.values.astype(float)
    if len(heights) < 2 or heights.min() < 1 or heights.max() > height - 1:
        raise ValueError(f"Ancestry: ancestor must be two or more heights from 1 to {height - 1}; got {heights}.")
    return heights, record.co_occurrence.transpose("member", "ancestor").values.astype(float)
