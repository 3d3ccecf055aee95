"""Claims 16 to 19: differential equations for the signals."""

from dataclasses import dataclass

import numpy as np
import xarray as xr

from nucleate.claims import Check, Claim, Evidence, Findings, Region, bootstrap
from nucleate.papers.circles import readings
from nucleate.theories import LeastSquares, LinearFlow, LotkaVolterra, SelfFlow, SignalTheory, Sparse, couplings

LINEAR, LASSO, SELF, VOLTERRA = LinearFlow(LeastSquares()), LinearFlow(Sparse()), SelfFlow(), LotkaVolterra()
_ABOUT_ONE = Region(0.95, 1)


def run(record: xr.Dataset, member: int) -> xr.Dataset:
    """One network's signals, without the frequencies that a smaller p does not have."""
    one = record[["signal"]].isel(member=[member])
    return one.isel(freq=slice(0, (int(record.p[member]) - 1) // 2))


@dataclass(frozen=True)
class Scores:
    """R² of the increments of each network: on the run it was fitted to, on later steps, on another run."""

    same: np.ndarray
    later: np.ndarray
    other: np.ndarray

    def told(self) -> str:
        return ", ".join(f"{name} {np.median(value):.3g}" for name, value in vars(self).items())


def scores(theory: SignalTheory, record: xr.Dataset) -> Scores:
    """Fit each network alone. Another run is the next with the same dimension."""
    count = record.sizes["member"]
    half = record.step.values[record.sizes["step"] // 2]
    same, later, other = [], [], []
    for member in range(count):
        one, fit = run(record, member), theory.fit(run(record, member))
        same.append(float(fit.score(one).r2[0]))
        later.append(float(theory.fit(one.sel(step=slice(0, half))).score(one.sel(step=slice(half, None))).r2[0]))
        alike = np.flatnonzero(record.dim.values == record.dim.values[member])
        if len(alike) > 1:
            following = int(alike[(np.searchsorted(alike, member) + 1) % len(alike)])
            other.append(float(fit.score(run(record, following)).r2[0]))
    return Scores(np.array(same), np.array(later), np.array(other))


def _linear(evidence: Evidence) -> Findings:
    record = evidence.record(readings.DYNAMICS)
    found = {theory: scores(theory, record) for theory in (LINEAR, LASSO, SELF)}
    fits = [LASSO.fit(run(record, member)) for member in range(record.sizes["member"])]
    zero = np.array([float(couplings(fit).zero) for fit in fits])
    told = "; ".join(f"{name}: {found[law].told()}" for law, name in _NAMES.items())
    converged = sum(fit.converged for fit in fits)
    return Findings(
        {
            "median in-sample R² of least squares": bootstrap(np.median, found[LINEAR].same),
            "median in-sample R² lost by Lasso": bootstrap(np.median, found[LINEAR].same - found[LASSO].same),
            "share of Lasso's couplings that are zero": bootstrap(np.mean, zero),
        },
        f"{len(zero)} networks, the first {int(record.steps)} steps. Median R² on the same run, on the second "
        "half of it "
        f"when fitted to the first, and on another run: {told}. {converged} of {len(fits)} Lasso fits converged.",
    )


_NAMES = {LINEAR: "least squares", LASSO: "Lasso", SELF: "self-term only"}


def _volterra(evidence: Evidence) -> Findings:
    record = evidence.record(readings.DYNAMICS)
    same, rolled, constant, finite = [], [], [], []
    for member in range(record.sizes["member"]):
        one = run(record, member)
        score = VOLTERRA.fit(one).score(one)
        same.append(float(score.r2[0]))
        rolled.append(float(score.error_rollout[0]))
        constant.append(float(score.error_constant[0]))
        finite.append(np.isfinite(rolled[-1]))
    lost = np.asarray(rolled) > np.asarray(constant)
    quadratic = (record.sizes["freq"] + 1) * record.sizes["freq"] // 2
    return Findings(
        {
            "median in-sample R²": bootstrap(np.median, np.asarray(same)),
            "share of rollouts worse than nothing moving": bootstrap(
                np.mean, (lost | ~np.asarray(finite)).astype(float)
            ),
        },
        f"{len(same)} networks; each equation has {quadratic} products of signals for {int(record.steps)} steps. "
        "Each is "
        f"rolled out from its own first step; {len(finite) - sum(finite)} left all bounds. Median RMSE "
        f"{np.median(rolled):.3g}, of nothing moving {np.median(constant):.3g}.",
    )


def _analytic(evidence: Evidence) -> Findings:
    record = evidence.record(readings.DYNAMICS)
    apart = {LINEAR: [], LASSO: []}
    for law, found in apart.items():
        for member in range(record.sizes["member"]):
            one = run(record, member)
            fit, observed, step = law.fit(one), one.signal.values[0], one.step.values
            exact, rolled = fit.closed_form(observed[0], (step - step[0]).astype(float)), fit.rollout(observed[0], step)
            found.append(np.sqrt(np.mean((exact - rolled) ** 2)) / np.sqrt(np.mean(observed**2)))
    return Findings(
        {
            "difference between Eq. 4 and rollout over the signal, least squares": bootstrap(
                np.median, np.asarray(apart[LINEAR])
            ),
            "difference between Eq. 4 and rollout over the signal, Lasso": bootstrap(
                np.median, np.asarray(apart[LASSO])
            ),
        },
        "Root mean square over all frequencies and steps. Eq. 4 follows the flow in continuous time, the rollout "
        "in unit "
        "steps: they need not agree to the last digit.",
    )


def _pairs(evidence: Evidence) -> Findings:
    record = evidence.record(readings.SURVIVAL)
    matrices = np.stack([LASSO.fit(run(record, m)).interactions.values for m in range(record.sizes["member"])])
    outside = ~np.eye(matrices.shape[1], dtype=bool)
    positive = np.array(
        [np.mean(m[outside & (m != 0)] > 0) if np.any(outside & (m != 0)) else np.nan for m in matrices]
    )
    known = positive[np.isfinite(positive)]
    agree = _agreement(np.sign(matrices[:, outside]), record.seed_embedding.values)
    return Findings(
        {"share of Lasso's couplings that are collaborative": bootstrap(np.mean, known)},
        f"{len(known)} networks, couplings that are not zero, no self-terms. Where two networks of one embedding "
        "both have "
        f"a coupling, its sign is the same in {agree[0]:.0%} of cases; in networks of different embeddings, "
        f"{agree[1]:.0%}.",
    )


def _agreement(sign: np.ndarray, group: np.ndarray) -> tuple[float, float]:
    """How often two networks that both have a coupling agree about its sign: within groups, and across."""
    both = np.abs(sign) @ np.abs(sign).T
    same = (both + sign @ sign.T) / 2
    alike = group[:, None] == group
    pairs = np.triu(np.ones_like(alike), 1)
    within, across = pairs & alike, pairs & ~alike
    return tuple(float(same[w].sum() / both[w].sum()) if both[w].sum() else np.nan for w in (within, across))


CLAIMS = (
    Claim(
        "circles/16",
        "Sec. 4.2, Fig. 9",
        "A linear differential equation fits the signals with R² near 1; Lasso does nearly as well with few couplings.",
        (
            Check("median in-sample R² of least squares", "near 1", _ABOUT_ONE),
            Check("median in-sample R² lost by Lasso", "comparable", Region(-0.1, 0.1)),
            Check("share of Lasso's couplings that are zero", "extremely sparse", Region(0.5, 1)),
        ),
        _linear,
        (readings.DYNAMICS,),
    ),
    Claim(
        "circles/17",
        "Sec. 4.2",
        "The quadratic (Lotka–Volterra) equations fit with R² near 1, but their rollouts lose stability.",
        (
            Check("median in-sample R²", "near 1", _ABOUT_ONE),
            Check("share of rollouts worse than nothing moving", "most", Region(0.5, 1)),
        ),
        _volterra,
        (readings.DYNAMICS,),
    ),
    Claim(
        "circles/18",
        "Eq. 4, Fig. 9",
        "The analytic solution of the linear equations follows the rollout.",
        tuple(
            Check(f"difference between Eq. 4 and rollout over the signal, {name}", "comparable", Region(0, 0.05))
            for name in ("least squares", "Lasso")
        ),
        _analytic,
        (readings.DYNAMICS,),
    ),
    Claim(
        "circles/19",
        "Figs. 9 and 15",
        "Some pairs of circles collaborate, others compete.",
        (Check("share of Lasso's couplings that are collaborative", "some, not all", Region(0.05, 0.95)),),
        _pairs,
        (readings.SURVIVAL,),
    ),
)
