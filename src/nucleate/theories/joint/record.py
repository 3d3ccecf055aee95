"""What the joint theories read in a record: logits, the weights of units for tokens, and units on clusters."""

from dataclasses import dataclass

import numpy as np
import xarray as xr
from jaxtyping import Bool, Float

from nucleate.record import Need, require
from nucleate.theories.reading import STEP, finite_rows, rising_steps, scaled_times

ETA = Need("eta", ("member",), "the learning rate; a hyperparameter of the fleet", broadcasts=True)
VALUES = Need("values", ("member", "step", "token", "unit"), "V = U_Cᵀ W; a probe of the fleet records it")
_LOGITS = Need(
    "logits", ("member", "step", "query", "token"), "the attention logits; a probe of the fleet records them"
)
_MEAN = Need(
    "mean_attention",
    ("member", "step", "query", "token"),
    "b̄, the mean attention of each query; a probe of the fleet records it",
)


@dataclass(frozen=True, eq=False)
class JointPaths:
    """Logits and values of each member over time; `attention`: b̄ of the first query in the first row."""

    values: Float[np.ndarray, "member step token unit"]
    logits: Float[np.ndarray, "member step query token"]
    attention: Float[np.ndarray, "member one token"]
    finite: Bool[np.ndarray, "member step"]
    eta: Float[np.ndarray, " member"]

    @classmethod
    def read(cls, record: xr.Dataset, many_queries: bool) -> "JointPaths":
        require(record, "JointInvariant", (VALUES, _LOGITS, _MEAN, STEP, ETA))
        if record.sizes["query"] > 1 and not many_queries:
            raise ValueError(
                f"JointInvariant with this law is about one query; the record has {record.sizes['query']}. "
                "With several, only sums over queries are conserved, and only by LinearLaw and ExpLaw."
            )
        (values,), held = finite_rows(record, ("values",), VALUES.dims or ())
        (logits, mean), finite = finite_rows(record, ("logits", "mean_attention"), _LOGITS.dims or ())
        finite &= held
        if not finite[:, 0].all():
            raise ValueError("JointInvariant needs a finite first row of every member; leave out those without.")
        eta = np.broadcast_to(record["eta"].to_numpy().astype(np.float64), len(values))
        return cls(values, logits, mean[:, :1, 0], finite, eta)


@dataclass(frozen=True, eq=False)
class ValuePaths:
    """V of each member over time, up to its last finite row; `times`: steps multiplied by the learning rate."""

    values: Float[np.ndarray, "member step token unit"]
    finite: Bool[np.ndarray, "member step"]
    times: Float[np.ndarray, "member step"]

    @classmethod
    def read(cls, record: xr.Dataset, theory: str) -> "ValuePaths":
        require(record, theory, (VALUES, STEP, ETA))
        rising_steps(record["values"], theory)
        (values,), finite = finite_rows(record, ("values",), VALUES.dims or ())
        return cls(values, finite, scaled_times(record, "eta"))
