"""What networks found at each frequency: orders, factors and their classes, over training."""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import xarray as xr

from nucleate.algebra import Characters
from nucleate.claims import Evidence
from nucleate.observables import FactorClass, factorise
from nucleate.papers.algebra.experiments.network import ADAMW, C7, C11, C23, C71, C127, DECAY
from nucleate.record import stayed_finite

CONSTRUCTED = (FactorClass.XI_NU, FactorClass.SYN_TWISTED, FactorClass.SYN_NU)
"""The constructed forms of the talk's table, in its order."""

FACTORABLE = (*CONSTRUCTED, FactorClass.OTHER)
_PARAMETERS = ("nu", "xi", "alpha", "beta")


@dataclass(frozen=True)
class Course:
    """Solutions over training, [member, step, freq], with one frequency of each pair ±k.

    `order`: nodes at work at a frequency; `kind`: a `FactorClass`; `error`: of the factorisation, NaN where there is
    none; `nu`, `xi`, `alpha`, `beta`: angles of the factors, NaN where a solution has no such factor. `wd`: weight
    decay, `norm`: squared, of all weights, [member] and [member, step].
    """

    step: np.ndarray
    wd: np.ndarray
    norm: np.ndarray
    order: np.ndarray
    kind: np.ndarray
    error: np.ndarray
    nu: np.ndarray
    xi: np.ndarray
    alpha: np.ndarray
    beta: np.ndarray

    @property
    def is_four_or_six(self) -> np.ndarray:
        """Whether a solution is of order 4 or 6 at the end, [member, freq]."""
        return np.isin(self.order[:, -1], (4, 6))

    @property
    def is_factorable(self) -> np.ndarray:
        """Whether a solution has factors at the end, [member, freq]."""
        return np.isin(self.kind[:, -1], FACTORABLE)

    def shares(self) -> np.ndarray:
        """The shares of each class of `FACTORABLE` among the factorable solutions of each network, [member, class]."""
        counts = np.stack([(self.kind[:, -1] == kind).sum(-1) for kind in FACTORABLE], axis=-1)
        with np.errstate(invalid="ignore"):
            return counts / counts.sum(-1, keepdims=True)


def course(record: xr.Dataset) -> Course:
    """The solutions of all networks that did not diverge, at every look at their weights."""
    record = stayed_finite(record)
    characters = Characters.of(record.sums.values)
    a, b, c = (record[name].values.astype(float) for name in "abc")
    found = [
        [factorise(*weights, characters) for weights in zip(*member, strict=True)]
        for member in zip(a, b, c, strict=True)
    ]
    squares = sum(np.square(weights).sum((-2, -1)) for weights in (a, b, c))
    gather = lambda read: np.array([[read(one) for one in row] for row in found])
    return Course(
        record.step_weights.values,
        record.wd.values,
        np.asarray(squares),
        *(gather(lambda one, name=name: getattr(one, name)) for name in ("order", "kind", "error", *_PARAMETERS)),
    )


def c7(evidence: Evidence) -> Course:
    """Of seven elements."""
    return course(evidence.record(C7))


def c11(evidence: Evidence) -> Course:
    """Of eleven elements."""
    return course(evidence.record(C11))


def c23(evidence: Evidence) -> Course:
    """Of the talk's d = 23."""
    return course(evidence.record(C23))


def c71(evidence: Evidence) -> Course:
    """Of the talk's d = 71."""
    return course(evidence.record(C71))


def c127(evidence: Evidence) -> Course:
    """Of the talk's d = 127."""
    return course(evidence.record(C127))


def decays(evidence: Evidence) -> Course:
    """By weight decay."""
    return course(evidence.record(DECAY))


def decoupled(evidence: Evidence) -> Course:
    """With AdamW."""
    return course(evidence.record(ADAMW))


BY_MODULUS: dict[int, Callable[[Evidence], Course]] = {7: c7, 11: c11, 23: c23, 71: c71, 127: c127}
"""The readings of networks with the talk's weight decay, by the number of elements."""
