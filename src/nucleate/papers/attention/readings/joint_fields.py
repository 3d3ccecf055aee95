"""Theorem 3 against simulated units: velocities from random inputs, where nothing is trained."""

from dataclasses import dataclass

import numpy as np
from scipy.special import expit, ndtr

from nucleate.claims import Evidence
from nucleate.theories.joint import Clusters, ReLUGain, SmoothGain, UnitState, cluster_velocity

_DIM = 10
_SLOPES = {"ReLU": lambda x: (x > 0) * 1.0, "tanh": lambda x: 1 / np.cosh(x) ** 2, "softplus": expit}
UNITS = {"ReLU": ReLUGain()} | {name: SmoothGain(_SLOPES[name]) for name in ("tanh", "softplus")}


@dataclass(frozen=True)
class Fields:
    """Simulated units against Theorem 3, [nonlinearity, unit], nonlinearities in the order of `UNITS`.

    `error`: relative distance of the velocity from the theorem's; `outside`: share of it outside the span of centres
    and v; `frozen` [unit]: what the error for ReLU is if θ₁ and θ₂ depend on r alone, as they do at ‖v‖ = 1;
    `simulated`, `theory`: components of the velocity of ReLU units.
    """

    error: np.ndarray
    outside: np.ndarray
    frozen: np.ndarray
    simulated: np.ndarray
    theory: np.ndarray


def fields(evidence: Evidence) -> Fields:
    """E[g φ'(v·x + β) x] from random inputs, against its closed form."""
    effort, rng = evidence.effort, np.random.default_rng(31)
    error, outside = np.empty((2, len(UNITS), effort.units))
    frozen, shown = np.empty(effort.units), []
    for number in range(effort.units):
        clusters = Clusters(rng.normal(size=(3, _DIM)), rng.normal(size=3) / 3, np.array(0.5))
        state = UnitState(rng.normal(size=_DIM) * rng.uniform(0.2, 1.0), np.array(rng.normal()))
        which, noise = rng.integers(0, 3, effort.samples), rng.normal(size=(effort.samples, _DIM))
        x = clusters.centre[which] + 0.5 * noise
        received, g = x @ state.values + np.asarray(state.offset, float), 3 * clusters.strength[which]
        span = np.linalg.qr(np.vstack([clusters.centre, state.values]).T)[0]
        for row, (name, gain) in enumerate(UNITS.items()):
            found = (g * _SLOPES[name](received)) @ x / effort.samples
            theory = cluster_velocity(gain, clusters, state).values
            size = np.linalg.norm(theory)
            error[row, number] = np.linalg.norm(found - theory) / size
            outside[row, number] = np.linalg.norm(found - span @ (span.T @ found)) / np.linalg.norm(found)
            if name == "ReLU":
                shown.append((found, theory))
                frozen[number] = np.linalg.norm(_of_r_alone(clusters, state) - theory) / size
    simulated, theory = (np.stack(part) for part in zip(*shown, strict=True))
    return Fields(error, outside, frozen, simulated, theory)


def _of_r_alone(clusters: Clusters, state: UnitState) -> np.ndarray:
    """Theorem 3's velocity of a ReLU unit with θ₁(r), θ₂(r) as they are at ‖v‖ = 1."""
    size, spread = np.linalg.norm(state.values), float(clusters.spread)
    r = (clusters.centre @ state.values + state.offset) / spread
    first, second = ndtr(r), spread * np.exp(-np.square(r) / 2) / np.sqrt(2 * np.pi)
    pull = (clusters.strength * first) @ clusters.centre / size
    return pull + (clusters.strength * second).sum() * state.values / size**3
