"""What fitness reads in a record: how each frequency began, and whether it survived."""

from dataclasses import dataclass

import jax.numpy as jnp
import numpy as np
import xarray as xr
from jaxtyping import Bool, Float

from nucleate.observables import signal_gradient
from nucleate.observables.circles import Rule
from nucleate.record import Need, require
from nucleate.theories.reading import STEP

_NEEDS = (
    Need("signal", ("member", "step", "freq"), "the signal of each frequency; a probe of the fleet records it"),
    Need("mean_signal", ("member", "step"), "the mean signal of all frequencies; a probe of the fleet records it"),
    STEP,
)


@dataclass(frozen=True, eq=False)
class Starts:
    """The gradient, the initial signal and the fate of each frequency; `there`: where the record holds all three."""

    features: Float[np.ndarray, "*run feature"]
    alive: Bool[np.ndarray, "*run"]
    there: Bool[np.ndarray, "*run"]

    @classmethod
    def read(cls, record: xr.Dataset, rule: Rule, at: int, needs: tuple[Need, ...] = ()) -> "Starts":
        """Take gradients at step `at`; `rule` decides by a member's last finite row which frequencies are alive."""
        require(record, "Fitness", (*_NEEDS, *needs))
        signal = record["signal"].transpose("member", "step", "freq").to_numpy()
        mean, step = record["mean_signal"].transpose("member", "step").to_numpy(), record["step"].to_numpy()
        finite = np.isfinite(signal).any(axis=2) & np.isfinite(mean)  # a smaller p leaves frequencies empty
        last = finite.shape[1] - 1 - finite[:, ::-1].argmax(axis=1)
        members = np.arange(len(signal))
        with np.errstate(divide="ignore", invalid="ignore"):
            gradient = signal_gradient(signal, step.astype(np.int64), at)
        features = np.stack([gradient, signal[:, np.flatnonzero(step == 0)[0]]], axis=-1).astype(np.float64)
        ended = finite.any(axis=1) & (step[last] > at)
        alive = np.asarray(rule(jnp.asarray(signal[members, last]), jnp.asarray(mean[members, last])), bool)
        return cls(features, alive, np.isfinite(features).all(axis=-1) & ended[:, None])

    def __getitem__(self, rows) -> "Starts":
        return Starts(self.features[rows], self.alive[rows], self.there[rows])
