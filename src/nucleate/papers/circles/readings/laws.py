"""Differential equations for the signals, each fitted to one network alone."""

from dataclasses import dataclass

import numpy as np
import xarray as xr

from nucleate.claims import Evidence
from nucleate.papers.circles.experiments import DYNAMICS, SURVIVAL
from nucleate.papers.circles.readings.survivors import final_alive
from nucleate.record import column, stayed_finite
from nucleate.theories import LeastSquares, LinearFlow, LotkaVolterra, SelfFlow, Sparse
from nucleate.theories.signals import LinearFlowFit, couplings

LINEAR, LASSO, SELF, VOLTERRA = LinearFlow(LeastSquares()), LinearFlow(Sparse()), SelfFlow(), LotkaVolterra()
LINEAR_NAME, LASSO_NAME, SELF_NAME = "least squares", "Lasso", "self-term only"

FITTED = 1000
"""Steps that laws are fitted to. App. D: "we only use data from the first 1000 steps to fit the linear ODE system"."""


def run(record: xr.Dataset, member: int) -> xr.Dataset:
    """One network's signals in the steps to be fitted, without the frequencies that a smaller p does not have."""
    one = record[["signal"]].isel(member=[member]).sel(step=slice(0, FITTED))
    return one.isel(freq=slice(0, (int(record.p[member]) - 1) // 2))


def runs(record: xr.Dataset) -> list[xr.Dataset]:
    """Each network of a record on its own."""
    return [run(record, member) for member in range(record.sizes["member"])]


def dynamics(evidence: Evidence) -> xr.Dataset:
    """The networks of `dynamics` to which laws can be fitted."""
    return stayed_finite(evidence.record(DYNAMICS))


def linear_fits(evidence: Evidence) -> dict[str, list[LinearFlowFit]]:
    """Least squares, Lasso and the self-term only, of every network of `dynamics`."""
    alone = runs(dynamics(evidence))
    laws = {LINEAR_NAME: LINEAR, LASSO_NAME: LASSO, SELF_NAME: SELF}
    return {name: [law.fit(one) for one in alone] for name, law in laws.items()}


@dataclass(frozen=True, eq=False)
class Scores:
    """R² of the increments of each network: on the run that was fitted, on its second half when the first was fitted,
    and on the next run with the same dimension, if there is one."""

    same: np.ndarray
    later: np.ndarray
    other: np.ndarray


def linear_scores(evidence: Evidence) -> dict[str, Scores]:
    """How well each linear law describes the networks of `dynamics`."""
    record = dynamics(evidence)
    return {
        name: Scores(
            np.array([_r2(fit, one) for fit, one in zip(fits, runs(record), strict=True)]),
            np.array([_r2_later(fit.theory, one) for fit, one in zip(fits, runs(record), strict=True)]),
            np.array(
                [_r2(fits[here], run(record, there)) for here, there in _next_alike(column(record, "dim").values)]
            ),
        )
        for name, fits in evidence.once(linear_fits).items()
    }


def _r2(fit: LinearFlowFit, one: xr.Dataset) -> float:
    return float(fit.score(one).r2[0])


def _r2_later(theory: LinearFlow | SelfFlow, one: xr.Dataset) -> float:
    half = one.step.values[one.sizes["step"] // 2]
    return float(theory.fit(one.sel(step=slice(0, half))).score(one.sel(step=slice(half, None))).r2[0])


def _next_alike(dim: np.ndarray) -> list[tuple[int, int]]:
    """Each network with the next one of the same dimension, the last with the first."""
    groups = [np.flatnonzero(dim == value).tolist() for value in np.unique(dim)]
    return [pair for group in groups if len(group) > 1 for pair in zip(group, group[1:] + group[:1], strict=True)]


@dataclass(frozen=True, eq=False)
class Sparsity:
    """The Lasso fit of each network of `dynamics`: its share of couplings that are zero, and whether it converged."""

    zero: np.ndarray
    converged: np.ndarray


def lasso_sparsity(evidence: Evidence) -> Sparsity:
    """How few couplings Lasso keeps."""
    fits = evidence.once(linear_fits)[LASSO_NAME]
    return Sparsity(np.array([float(couplings(fit).zero) for fit in fits]), np.array([fit.converged for fit in fits]))


@dataclass(frozen=True, eq=False)
class Errors:
    """Root mean square errors of each network's trajectory, from its first step on."""

    analytic: np.ndarray
    """Of Eq. 4."""
    rollout: np.ndarray
    constant: np.ndarray
    """Of nothing moving."""
    apart: np.ndarray
    """Distance between Eq. 4 and the rollout, over the size of the signals."""

    def explained(self, error: np.ndarray) -> np.ndarray:
        """1 − (error / error of nothing moving)², and 0 where that is negative: the share of the motion explained."""
        with np.errstate(divide="ignore", invalid="ignore"):
            return np.maximum(1 - (error / self.constant) ** 2, 0)


def trajectory_errors(evidence: Evidence) -> dict[str, Errors]:
    """How far least squares and Lasso stray from the networks of `dynamics` that they were fitted to."""
    alone, fits = runs(dynamics(evidence)), evidence.once(linear_fits)
    found = {name: [_errors(fit, one) for fit, one in zip(fits[name], alone, strict=True)] for name in _TRAJECTORIES}
    return {name: Errors(*np.array(rows).reshape(-1, 4).T) for name, rows in found.items()}


_TRAJECTORIES = (LINEAR_NAME, LASSO_NAME)


def _errors(fit: LinearFlowFit, one: xr.Dataset) -> tuple[float, float, float, float]:
    observed, step = one.signal.values[0], one.step.values
    analytic = fit.closed_form(observed[0], (step - step[0]).astype(float))
    rolled = fit.rollout(observed[0], step)

    def rms(difference: np.ndarray) -> float:
        with np.errstate(over="ignore", invalid="ignore"):
            size = float(np.sqrt(np.mean(difference**2)))
        return size if np.isfinite(size) else np.inf

    with np.errstate(invalid="ignore"):
        apart = rms(analytic - rolled) / rms(observed)
    return rms(analytic - observed), rms(rolled - observed), rms(observed[0] - observed), apart


@dataclass(frozen=True, eq=False)
class Volterra:
    """Lotka–Volterra equations of each network of `dynamics`: R² on the run that was fitted, and errors as in
    `Errors`."""

    r2: np.ndarray
    rollout: np.ndarray
    constant: np.ndarray


def volterra_scores(evidence: Evidence) -> Volterra:
    """How well the quadratic equations fit, and where they lead."""
    scored = [VOLTERRA.fit(one).score(one) for one in runs(dynamics(evidence))]
    of = lambda name: np.array([float(score[name][0]) for score in scored])
    return Volterra(of("r2"), of("error_rollout"), of("error_constant"))


def survival_fits(evidence: Evidence) -> list[LinearFlowFit]:
    """Lasso, of every network of `survival` that stayed finite."""
    return [LASSO.fit(one) for one in runs(stayed_finite(evidence.record(SURVIVAL)))]


def survival_couplings(evidence: Evidence) -> np.ndarray:
    """Lasso's coefficients for every network of `survival` that stayed finite, [member, freq, source]."""
    fits = evidence.once(survival_fits)
    return np.stack([fit.interactions.values for fit in fits]) if fits else np.empty((0, 0, 0))


@dataclass(frozen=True, eq=False)
class Portrait:
    """One network of `survival`, and where each law leads from its first step."""

    step: np.ndarray
    observed: np.ndarray
    alive: np.ndarray
    predicted: dict[str, np.ndarray]


def portrait(evidence: Evidence) -> Portrait:
    """The first network of `survival` that stayed finite."""
    record = stayed_finite(evidence.record(SURVIVAL)).isel(member=[0])
    one = run(record, 0)
    observed, step = one.signal.values[0], one.step.values
    lasso = evidence.once(survival_fits)[0]
    predicted = {
        LINEAR_NAME: LINEAR.fit(one).rollout(observed[0], step),
        LASSO_NAME: lasso.rollout(observed[0], step),
        f"{LASSO_NAME}, Eq. 4": lasso.closed_form(observed[0], (step - step[0]).astype(float)),
    }
    return Portrait(step, observed, final_alive(record)[0, : observed.shape[1]], predicted)
