"""What networks found at each frequency: orders, factors and their classes, over training."""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import xarray as xr

from nucleate.algebra import Characters
from nucleate.claims import Evidence
from nucleate.observables import FactorClass, Pairing, Thresholds, factorise
from nucleate.papers.algebra.experiments.network import ADAMW, C7, C11, C23, C71, C127, DECAY
from nucleate.record import stayed_finite

CONSTRUCTED = (FactorClass.XI_NU, FactorClass.SYN_TWISTED, FactorClass.SYN_NU)
"""The constructed forms of the talk's table, in its order."""

PORTRAITS = 3
"""The most frequencies of one network that are drawn."""

MATCH = 0.1
"""What is this close is equal, as in the extraction."""

FACTORABLE = (*CONSTRUCTED, FactorClass.OTHER)


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
        """The shares of each class of `FACTORABLE` among the factorable solutions of each network that has any,
        [member, class]."""
        counts = np.stack([(self.kind[:, -1] == kind).sum(-1) for kind in FACTORABLE], axis=-1)
        counts = counts[counts.any(-1)]
        return counts / counts.sum(-1, keepdims=True)


def course(record: xr.Dataset, thresholds: Thresholds = Thresholds()) -> Course:  # noqa: B008 (frozen)
    """The solutions of all networks that did not diverge, at every look at their weights."""
    record = stayed_finite(record)
    characters = Characters.of(record.sums.values)
    a, b, c = (record[name].values for name in "abc")
    found = factorise(a, b, c, characters, thresholds)
    squares = sum(np.square(weights, dtype=float).sum((-2, -1)) for weights in (a, b, c))
    return Course(
        record.step_weights.values,
        record.wd.values,
        np.asarray(squares),
        *(getattr(found, name) for name in ("order", "kind", "error", "nu", "xi", "alpha", "beta")),
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


@dataclass(frozen=True)
class Variants:
    """Mean shares of the classes of `FACTORABLE` at the end by other ways to read the same weights, and the share of
    solutions of order 4 or 6 that are not factorable.

    `reference`: pairs of nodes by row c alone; `loose`: forms are recognised within twice the threshold.
    """

    reference: np.ndarray
    loose: np.ndarray
    lost: float


def variants(evidence: Evidence) -> Variants:
    """Other readings of the talk's d = 23."""
    last = stayed_finite(evidence.record(C23)).isel(step_weights=[-1])
    by_row_c = course(last, Thresholds(pairing=Pairing.OUTPUT_ROW))
    loose = course(last, Thresholds(match=2 * MATCH))
    lost = (~by_row_c.is_factorable & by_row_c.is_four_or_six).sum() / max(by_row_c.is_four_or_six.sum(), 1)
    return Variants(mean(by_row_c.shares()), mean(loose.shares()), float(lost))


def mean(shares: np.ndarray) -> np.ndarray:
    """The mean over networks; NaN if there are none."""
    return shares.mean(0) if len(shares) else np.full(shares.shape[1:], np.nan)


@dataclass(frozen=True)
class Angles:
    """Angles of the factors of all solutions at the end, in one row each, and folded by what the order of nodes leaves
    open: ξ, iξ and ξ̄ are the same solution, and so are ν, −ν, ν̄ and, beside z_syn, ν e^{2πi/3}.

    `xi`: of z_{ν=i} * z_ξ; `nu`: of z_ν * z_syn, with ν = i among them; `alpha`, `beta`: of z_{ν=i} * z_syn,αβ.
    """

    xi: np.ndarray
    nu: np.ndarray
    alpha: np.ndarray
    beta: np.ndarray

    @property
    def folded_xi(self) -> np.ndarray:
        """0 to π/4."""
        return _folded(self.xi, np.pi / 2)

    @property
    def folded_nu(self) -> np.ndarray:
        """0 to π/6: ±π/3 and 0 are 0, ±π/2 and ±π/6 are π/6."""
        return _folded(self.nu, np.pi / 3)


def angles(evidence: Evidence) -> Angles:
    """The angles of the talk's d = 23."""
    found = evidence.once(c23)
    kind, nu, xi, alpha, beta = (getattr(found, name)[:, -1] for name in ("kind", "nu", "xi", "alpha", "beta"))
    twisted = kind == FactorClass.SYN_TWISTED
    # z_{ν=i} * z_syn is counted as z_{ν=i} * z_syn,αβ, with α = β = 1 up to quarters of a turn.
    plain = twisted & (_folded(alpha, np.pi / 2) < MATCH) & (_folded(beta, np.pi / 2) < MATCH)
    return Angles(
        xi[kind == FactorClass.XI_NU], nu[(kind == FactorClass.SYN_NU) | plain], alpha[twisted], beta[twisted]
    )


def _folded(angle: np.ndarray, period: float) -> np.ndarray:
    rest = np.mod(angle, period)
    return np.minimum(rest, period - rest)


@dataclass(frozen=True)
class Portrait:
    """One network over training: the frequency of each node at the end, −1 if it has none; z of each node at each
    shown frequency, [step, frequency, row, node]; and the two factors of each, [frequency, row, node]."""

    step: np.ndarray
    shown: np.ndarray
    kind: np.ndarray
    node_frequency: np.ndarray
    z: np.ndarray
    first: np.ndarray
    second: np.ndarray
    frequencies: np.ndarray
    order: np.ndarray
    """Nodes at work at each of all frequencies over training, [step, freq]."""


def portrait(evidence: Evidence) -> Portrait:
    """The first network, at one frequency of each class of products that it has, or at any if it has none."""
    record = stayed_finite(evidence.record(C23))
    characters = Characters.of(record.sums.values)
    a, b, c = (record[name].values[0].astype(float) for name in "abc")
    found = factorise(a, b, c, characters)
    kinds = found.kind[-1]
    chosen = [kind for kind in np.unique(kinds) if kind in FACTORABLE] or [kinds[0]]
    places = [int(np.flatnonzero(kinds == kind)[0]) for kind in chosen][:PORTRAITS]
    shown = found.frequencies[places]
    values = characters.values[shown] / characters.order
    z = np.stack([values.conj() @ a, values.conj() @ b, values @ np.swapaxes(c, -1, -2)], axis=2)
    return Portrait(
        record.step_weights.values,
        shown,
        kinds[places],
        found.node_frequency[-1],
        z,
        found.first[-1, places],
        found.second[-1, places],
        found.frequencies,
        found.order,
    )
