r"""The theory that training conserves a quantity of each token, and its fit: by how much it drifts after all."""

from dataclasses import dataclass, field
from typing import final

import jax
import numpy as np
import xarray as xr
from jaxtyping import Array, Float

from nucleate.checking import checked
from nucleate.observables import centred_cosine
from nucleate.theories.joint.laws import ExpLaw, JointLaw
from nucleate.theories.joint.record import JointPaths
from nucleate.theories.protocol import Fit, Theory
from nucleate.theories.reading import coords_over


@final
@dataclass(frozen=True)
class JointInvariant(Theory):
    r"""Attention logits follow the weights of the units that read them.

        of_logits(z(t)) = explained(V(t)) + c,    c constant

    `law`: what is conserved, which depends on the kind of attention. Gradient flow conserves it; gradient descent with
    step η lets it drift, in proportion to η if the flow conserves it at all. `fit` finds the order p of
    drift ∝ η^p, over members of several learning rates.

    The record holds `values` (member, step, token, unit), `logits` and `mean_attention` (member, step, query, token),
    and the coordinates `step` and `eta` (member). Source: [tian2023joma], Theorem 1.

    >>> v = np.array([0.0, 1.0, 2.0])
    >>> drifting = v**2 / 2 + np.array([[0.1], [0.01]]) * v  # ten times less at a tenth of the step
    >>> record = xr.Dataset(
    ...     {
    ...         "values": (("member", "step", "token", "unit"), np.broadcast_to(v[:, None, None], (2, 3, 1, 1))),
    ...         "logits": (("member", "step", "query", "token"), drifting[..., None, None]),
    ...         "mean_attention": (("member", "step", "query", "token"), np.ones((2, 3, 1, 1))),
    ...     },
    ...     coords={"step": [0, 10, 20], "eta": ("member", [0.1, 0.01])},
    ... )
    >>> round(JointInvariant(ExpLaw()).fit(record).order, 1)
    1.0
    """

    law: JointLaw = field(default_factory=ExpLaw)

    def fit(self, record: xr.Dataset) -> "JointInvariantFit":
        """Measure how much the invariant drifts at each learning rate."""
        seen = JointPaths.read(record, self.law.many_queries)
        drift = _drift(self.law, seen)
        last = drift[np.arange(len(drift)), seen.finite.sum(1) - 1]
        rates = np.unique(seen.eta)
        order, log_scale = np.nan, np.nan
        good = np.isfinite(last) & (last > 0)
        if good.any():
            order, log_scale = 0.0, float(np.log(last[good]).mean())
            if len(np.unique(seen.eta[good])) > 1:
                order, log_scale = np.polyfit(np.log(seen.eta[good]), np.log(last[good]), 1)
            elif len(rates) == 1:
                order = np.nan
        return JointInvariantFit(self, float(order), float(log_scale))


@final
@dataclass(frozen=True, eq=False)
class JointInvariantFit(Fit):
    """A `JointInvariant` with its drift.

    `order`: p in drift ∝ η^p, NaN if all members have one learning rate; `log_scale`: ln of the drift at η = 1, or at
    the one learning rate. Drift is relative: how far the invariant has moved, over how far the logits have.

    >>> fit = JointInvariantFit(JointInvariant(ExpLaw()), order=1.0, log_scale=0.0)
    >>> round(fit.drift_at(0.01), 6), fit.simulate(np.array([1.0, 2.0]), np.array([0.0, 9.0])).tolist()
    (0.01, [[1.0, 2.0], [1.0, 2.0]])
    """

    theory: JointInvariant
    order: float
    log_scale: float

    def drift_at(self, eta: float) -> float:
        """The relative drift that gradient descent with step `eta` should have at the end."""
        return float(np.exp(self.log_scale + (0.0 if np.isnan(self.order) else self.order) * np.log(eta)))

    @checked
    def simulate(
        self, x0: Float[Array | np.ndarray, " token"], times: Float[Array | np.ndarray, " time"]
    ) -> Float[np.ndarray, "time token"]:
        """The invariant c of each token at each of `times`: what it was at the start, `x0`."""
        return np.broadcast_to(np.asarray(x0, np.float64), (len(times), len(np.asarray(x0)))).copy()

    def estimate(self, record: xr.Dataset) -> Float[np.ndarray, "member step token"]:
        """ẑ, the logits of a single query as the weights of the units explain them, with c from the first row."""
        seen = JointPaths.read(record, many_queries=False)
        explained = self.theory.law.explained(seen.values, seen.attention)
        constant = self.theory.law.of_logits(seen.logits[:, :1]) - explained[:, :1]
        return self.theory.law.to_logits(explained + constant, seen.logits[:, :1, 0])

    def score(self, record: xr.Dataset) -> xr.Dataset:
        """How well the invariant holds in the members of `record`.

        Over (member, step): `drift`, the distance of the invariant from where it began, as a share of the distance of
        the logits (or of their squares) from where they began, NaN where these have not moved; over (member):
        `drift_end`, the last of them, next to `drift_constant` = 1, that of logits which no weights explain. With a
        single query also `cosine` (member, step), the centred cosine of the logits with their `estimate`, and those
        with each part of a softmax's estimate alone are up to the reader, who has `JointLaw.explained`.
        """
        seen = JointPaths.read(record, self.theory.law.many_queries)
        drift = np.where(seen.finite, _drift(self.theory.law, seen), np.nan)
        end = drift[np.arange(len(drift)), seen.finite.sum(1) - 1]
        found = {
            "drift": (("member", "step"), drift),
            "drift_end": ("member", end),
            "drift_constant": ("member", np.ones(len(drift))),
        }
        if seen.logits.shape[2] == 1:
            with jax.enable_x64(True):
                cosine = np.asarray(_cosines(seen.logits[:, :, 0], self.estimate(record)))
            found["cosine"] = (("member", "step"), np.where(seen.finite, cosine, np.nan))
        return xr.Dataset(found, coords=coords_over(record, "member", "step"), attrs={"order": self.order})


_cosines = jax.jit(jax.vmap(jax.vmap(centred_cosine)))


def _drift(law: JointLaw, seen: JointPaths) -> Float[np.ndarray, "member step"]:
    logits = law.of_logits(seen.logits)
    quantity = logits - law.explained(seen.values, seen.attention)
    moved = np.linalg.norm(logits - logits[:, :1], axis=-1)
    drifted = np.linalg.norm(quantity - quantity[:, :1], axis=-1)
    return drifted / np.where(moved > 0, moved, np.nan)
