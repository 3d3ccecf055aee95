r"""What Scan & Snap reads in a record: attention logits over time, their mixtures and learning rates."""

from dataclasses import dataclass
from functools import cached_property
from typing import final

import jax
import numpy as np
import xarray as xr
from jaxtyping import Bool, Float, Integer

from nucleate.observables import relative_gain
from nucleate.record import Need, require
from nucleate.theories.reading import finite_rows, rising_steps
from nucleate.theories.scanning.clock import gain_bounds
from nucleate.theories.scanning.flow import normalized_attention

_NEEDS = (
    Need("scores", ("member", "step", "last", "token"), "the attention logits Z; a probe of the fleet records them"),
    Need("probability", ("class", "token"), "P(l|n); the fleet's task provides it"),
    Need("last_token", ("class",), "the last token of each class; the fleet's task provides it"),
    Need("vocabulary", (), "M, the number of all tokens; the fleet's task provides it"),
    Need("eta_z", ("member",), "the learning rate of Z; a hyperparameter of the fleet", broadcasts=True),
    Need("mult", ("member",), "η_Y/η_Z; a hyperparameter of the fleet", broadcasts=True),
)


@final
@dataclass(frozen=True, eq=False)
class Scans:
    """The attention logits `Z` of each member over time; rows that are not `finite` are 0.

    `time`: η_Y t, training steps since the first row times the decoder's learning rate; `ratio`: η_Z/η_Y;
    `probability`: P(l|n); `last`: ψ(n); `tokens`: M. Source: [tian2023scan].

    >>> P, Z = np.array([[0.5, 0.5, 0.0], [0.5, 0.0, 0.5]]), np.zeros((1, 2, 2, 3))
    >>> Z[0, 1] = [[-0.1, 0.1, 0.0], [-0.1, 0.0, 0.1]]
    >>> record = xr.Dataset(
    ...     {"scores": (("member", "step", "last", "token"), Z), "probability": (("class", "token"), P),
    ...      "last_token": ("class", [0, 1]), "vocabulary": 7}, coords={"step": [0, 10], "eta_z": 0.1, "mult": 10.0})
    >>> Scans.read(record).clock[0, 1].round(3).tolist()  # 0.1 over a mean square of attention of about 0.5
    [0.184, 0.184]
    """

    Z: Float[np.ndarray, "member step last token"]
    finite: Bool[np.ndarray, "member step"]
    time: Float[np.ndarray, "member step"]
    ratio: Float[np.ndarray, " member"]
    probability: Float[np.ndarray, "class token"]
    last: Integer[np.ndarray, " class"]
    tokens: int

    @classmethod
    def read(cls, record: xr.Dataset) -> "Scans":
        """Check that the record holds everything, and read it."""
        require(record, "ScanSnap", _NEEDS)
        (Z,), finite = finite_rows(record, ("scores",), ("member", "step", "last", "token"))
        step = rising_steps(record["scores"], "ScanSnap")
        members = record.sizes["member"]
        eta_z, mult = (np.broadcast_to(record[name].to_numpy().astype(np.float64), members) for name in _RATES)
        probability = record["probability"].transpose("class", "token").to_numpy().astype(np.float64)
        time = (step - step[0]) * (eta_z * mult)[:, None]
        last = record["last_token"].to_numpy().astype(int)
        return cls(Z, finite, time, 1 / mult, probability, last, int(record["vocabulary"]))

    @property
    def classes(self) -> int:
        """K."""
        return len(self.probability)

    @cached_property
    def is_distinct(self) -> Bool[np.ndarray, "class token"]:
        """Whether a class alone has a token."""
        return (self.probability > 0) & ((self.probability > 0).sum(0) == 1)

    @cached_property
    def logits(self) -> Float[np.ndarray, "member step class token"]:
        """z_ml, with m the last token of each class."""
        return self.Z[:, :, self.last]

    @cached_property
    def attention(self) -> Float[np.ndarray, "member step class token"]:
        """f_n."""
        with jax.enable_x64(True):
            return np.asarray(normalized_attention(self.probability, self.logits))

    @cached_property
    def clock(self) -> Float[np.ndarray, "member step class"]:
        r"""B_n, by the trapezoidal rule between recorded steps.

        dB_n = Σ_{l distinct} dz_ml / Σ_{l distinct} f_nl²
        """
        pace = 1 / np.sum(np.where(self.is_distinct, np.square(self.attention), 0), axis=-1)
        moved = np.diff(np.sum(np.where(self.is_distinct, self.logits, 0), axis=-1), axis=1)
        grown = np.cumsum(moved * (pace[:, 1:] + pace[:, :-1]) / 2, axis=1)
        clock = np.concatenate([np.zeros_like(grown[:, :1]), grown], axis=1)
        return np.where(self.finite[..., None], clock, np.nan)

    @cached_property
    def dominant(self) -> Integer[np.ndarray, "member class"]:
        """l₀, the distinct token of each class with the largest attention at the first row."""
        return np.argmax(np.where(self.is_distinct, self.attention[:, 0], -1), axis=-1)

    @cached_property
    def gained(self) -> Float[np.ndarray, "member step class"]:
        r"""2 (z_{l₀}(t) − z_{l₀}(0)): the theory's ln χ_{l₀}."""
        index = self.dominant[:, None, :, None]
        z = np.take_along_axis(self.logits, index, axis=-1)[..., 0]
        return np.where(self.finite[..., None], 2 * (z - z[:, :1]), np.nan)

    @cached_property
    def gains(self) -> Float[np.ndarray, "member step class token"]:
        r"""ln(r_{l₀/l'}(t)/r_{l₀/l'}(0)) against each other distinct token l'; NaN for all other tokens, and −∞ where
        the order has turned."""
        index = self.dominant[:, None, :, None]
        first = np.take_along_axis(self.attention, index, axis=-1)
        rivals = self.is_distinct & (np.arange(self.probability.shape[1]) != self.dominant[..., None])
        rivals = rivals[:, None] & self.finite[..., None, None]
        with jax.enable_x64(True):
            r = np.asarray(relative_gain(first, np.where(rivals, self.attention, 1.0)))
        with np.errstate(divide="ignore", invalid="ignore"):
            return np.where(rivals, np.log(np.maximum(r, 0)) - np.log(r[:, :1]), np.nan)

    @cached_property
    def closed_form_error(self) -> Float[np.ndarray, "member step"]:
        r"""How far the closed form is from the relative gains, as a share of what it predicts.

            |ln(r(t)/r(0)) − ln χ| / |ln χ|,    ln χ = 2 (z_{l₀}(t) − z_{l₀}(0))

        The mean over classes and tokens l'. NaN where nothing has moved; infinite where the order of tokens has turned.
        """
        predicted = self.gained[..., None]
        with np.errstate(divide="ignore", invalid="ignore"):
            return _mean(np.abs(self.gains - predicted) / np.abs(predicted))

    @cached_property
    def within_bounds(self) -> Float[np.ndarray, "member step"]:
        """The share of classes and tokens l' whose relative gain is within the theory's bounds; NaN where B = 0."""
        start = np.take_along_axis(self.attention[:, 0], self.dominant[..., None], axis=-1)[:, None, :, 0]
        low, high = map(np.asarray, gain_bounds(self.clock, start))
        inside = (self.gains >= low[..., None]) & (self.gains <= high[..., None])
        moved = ~np.isnan(self.gains) & (self.clock != 0)[..., None]
        return _mean(np.where(moved, inside.astype(float), np.nan))


_RATES = ("eta_z", "mult")


def _mean(values: Float[np.ndarray, "member step class token"]) -> Float[np.ndarray, "member step"]:
    """The mean over what is not NaN."""
    there = ~np.isnan(values)
    count = there.sum(axis=(-2, -1))
    return np.where(there, values, 0).sum(axis=(-2, -1)) / np.where(count > 0, count, np.nan)
