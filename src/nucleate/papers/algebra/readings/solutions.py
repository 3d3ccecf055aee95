"""What networks found at each frequency: orders, factors and their classes, over training."""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import xarray as xr

from nucleate.algebra import Characters
from nucleate.claims import Evidence
from nucleate.observables import FactorClass, Factorisation, Pairing, Thresholds, factorise
from nucleate.papers.algebra.experiments.network import ADAMW, C7, C11, C23, C71, C127, DECAY
from nucleate.papers.algebra.readings.network import solution
from nucleate.record import stayed_finite

CONSTRUCTED = (FactorClass.XI_NU, FactorClass.SYN_TWISTED, FactorClass.SYN_NU)
"""The constructed forms of the talk's table, in its order."""

PORTRAITS = 3
"""The most frequencies of one network that are drawn."""

FACTORABLE = (*CONSTRUCTED, FactorClass.OTHER)

SLIDE = {
    23: ("47.07 ± 1.88", "11.31 ± 1.76", "39.80 ± 2.11", "1.82 ± 1.82"),
    71: ("72.57 ± 0.70", "4.00 ± 1.14", "21.14 ± 2.14", "2.29 ± 1.07"),
    127: ("82.96 ± 0.39", "2.25 ± 0.64", "14.13 ± 0.87", "0.66 ± 0.66"),
}
"""The talk's table: percentages of the classes of `FACTORABLE` among factorable solutions, by the number of elements.
"""


def slide_shares(d: int) -> np.ndarray:
    """A row of `SLIDE` as shares, without what is behind ±."""
    return np.array([float(said.split()[0]) / 100 for said in SLIDE[d]])


@dataclass(frozen=True)
class Course:
    """Solutions over training. `found`: arrays [member, step, freq], with one frequency of each pair ±k; `wd`: weight
    decay, [member]; `norm`: squared, of all weights, [member, step]."""

    step: np.ndarray
    wd: np.ndarray
    norm: np.ndarray
    found: Factorisation

    @property
    def order(self) -> np.ndarray:
        """Nodes at work at each frequency, [member, step, freq]."""
        return self.found.order

    @property
    def kind(self) -> np.ndarray:
        """The `FactorClass` of each solution, [member, step, freq]."""
        return self.found.kind

    @property
    def is_solution(self) -> np.ndarray:
        """Whether a frequency has nodes at the end, [member, freq]. If not, there is no solution to be of any order:
        the authors count such frequencies apart."""
        return self.order[:, -1] > 0

    @property
    def is_four_or_six(self) -> np.ndarray:
        """Whether a solution is of order 4 or 6 at the end, [member, freq]."""
        return np.isin(self.order[:, -1], (4, 6))

    @property
    def mean_order(self) -> np.ndarray:
        """The mean order of a network's solutions at the end, [member]; NaN if it has none."""
        count = self.is_solution.sum(1)
        return np.where(count, self.order[:, -1].sum(1) / np.maximum(count, 1), np.nan)

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


def per_network(hits: np.ndarray, among: np.ndarray) -> np.ndarray:
    """The share of `hits` in each network that has any solution `among` those asked about; from [member, freq]."""
    some = among.any(1)
    return (hits & among)[some].sum(1) / among[some].sum(1)


def course(record: xr.Dataset, thresholds: Thresholds = Thresholds()) -> Course:  # noqa: B008 (frozen)
    """The solutions of all networks that did not diverge, at every look at their weights."""
    record = stayed_finite(record)
    characters = Characters.of(record.sums.values)
    a, b, c = (record[name].values for name in "abc")
    found = factorise(a, b, c, characters, thresholds)
    squares = sum(np.square(weights, dtype=float).sum((-2, -1)) for weights in (a, b, c))
    return Course(record.step_weights.values, record.wd.values, np.asarray(squares), found)


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
    solutions of order 4 or 6 that are not factorable by row c.

    `by_row_c`: pairs of nodes by row c alone; `loose`: forms are recognised within twice the threshold.
    """

    by_row_c: np.ndarray
    loose: np.ndarray
    lost: float


def variants(evidence: Evidence) -> Variants:
    """Other readings of the talk's d = 23."""
    last = stayed_finite(evidence.record(C23)).isel(step_weights=[-1])
    by_row_c = course(last, Thresholds(pairing=Pairing.OUTPUT_ROW))
    loose = course(last, Thresholds(match=2 * Thresholds().match))
    lost = (~by_row_c.is_factorable & by_row_c.is_four_or_six).sum() / max(by_row_c.is_four_or_six.sum(), 1)
    return Variants(mean(by_row_c.shares()), mean(loose.shares()), float(lost))


def mean(shares: np.ndarray) -> np.ndarray:
    """The mean over networks; NaN if there are none."""
    return shares.mean(0) if len(shares) else np.full(shares.shape[1:], np.nan)


@dataclass(frozen=True)
class Angles:
    """Angles of the factors of solutions at the end, [member, freq], NaN where a solution has no such factor.

    `xi`: of z_{ν=i} * z_ξ; `nu`: of z_ν * z_syn, with ν = i among them; `alpha`, `beta`: of z_{ν=i} * z_syn,αβ.
    `folded_xi`, `folded_nu`: see `Factorisation`.
    """

    xi: np.ndarray
    nu: np.ndarray
    alpha: np.ndarray
    beta: np.ndarray
    folded_xi: np.ndarray
    folded_nu: np.ndarray


def angles(evidence: Evidence) -> Angles:
    """The angles of the talk's d = 23."""
    found = evidence.once(c23).found
    last = lambda values, chosen: np.where(chosen, values, np.nan)[:, -1]
    of_four, twisted = found.kind == FactorClass.XI_NU, found.kind == FactorClass.SYN_TWISTED
    # z_{ν=i} * z_syn is counted as z_{ν=i} * z_syn,αβ.
    match = Thresholds().match
    plain = twisted & (found.folded_alpha < match) & (found.folded_beta < match)
    beside_syn = (found.kind == FactorClass.SYN_NU) | plain
    return Angles(
        last(found.xi, of_four),
        last(found.nu, beside_syn),
        last(found.alpha, twisted),
        last(found.beta, twisted),
        last(found.folded_xi, of_four),
        last(found.folded_nu, beside_syn),
    )


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
    z = np.stack([np.moveaxis(solution(record, 0, row).z[:, shown], 0, 1) for row in range(len(a))])
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
