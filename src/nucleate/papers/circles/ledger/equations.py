"""Claims 16 to 19: differential equations for the signals."""

from dataclasses import dataclass

import numpy as np
import xarray as xr

from nucleate.claims import Check, Claim, Evidence, Findings, Region, bootstrap, share
from nucleate.papers.circles import readings
from nucleate.theories import LeastSquares, LinearFlow, LotkaVolterra, SelfFlow, Sparse
from nucleate.theories.signals import SignalTheory, couplings

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
    scored = [VOLTERRA.fit(one).score(one) for one in runs(record)]
    rolled = np.array([float(score.error_rollout[0]) for score in scored])
    constant = np.array([float(score.error_constant[0]) for score in scored])
    rows, terms = record.sizes["step"] - 1, _terms(record.sizes["freq"])
    # With nearly as many terms as rows any data would be fitted: what R² is beyond that.
    left = (rows - 1) / (rows - terms - 1) if rows > terms + 1 else np.inf
    adjusted = np.array([1 - (1 - float(score.r2[0])) * left for score in scored])
    lost = ~(rolled <= constant)
    return Findings(
        {
            "median in-sample R², adjusted for the number of terms": bootstrap(np.median, adjusted),
            "share of rollouts worse than nothing moving": share(int(lost.sum()), len(lost)),
        },
        f"{len(lost)} networks; each equation has {terms} terms for {rows} steps. Each is rolled out from its own "
        "first "
        f"step; {int(np.sum(~np.isfinite(rolled)))} left all bounds. Median RMSE {np.median(rolled):.3g}, of nothing "
        f"moving {np.median(constant):.3g}.",
    )


def _terms(freq: int) -> int:
    """Linear terms and products."""
    return freq + freq * (freq + 1) // 2


def runs(record: xr.Dataset) -> list[xr.Dataset]:
    """Every network of a record, apart."""
    return [run(record, member) for member in range(record.sizes["member"])]


def _analytic(evidence: Evidence) -> Findings:
    record = evidence.record(readings.DYNAMICS)
    estimates, told = {}, []
    for law, name in ((LINEAR, "least squares"), (LASSO, "Lasso")):
        errors = np.array([_errors(law, one) for one in runs(record)])
        exact, rolled, constant, apart = errors.T
        estimates[f"error of Eq. 4 over that of the rollout, {name}"] = bootstrap(np.median, exact / rolled)
        estimates[f"error of Eq. 4 over that of nothing moving, {name}"] = bootstrap(np.median, exact / constant)
        told.append(f"{name}: {np.median(apart):.2g}")
    return Findings(
        estimates,
        "Errors are root mean squares over all frequencies and steps, against the signals of the network that was "
        f"fitted. Median distance between Eq. 4 and the rollout itself, in units of the signal: {', '.join(told)}.",
    )


def _errors(law: LinearFlow, one: xr.Dataset) -> tuple[float, float, float, float]:
    """RMSE of Eq. 4, of the rollout and of nothing moving; and how far the first two are apart, over the signal."""
    fit, observed, step = law.fit(one), one.signal.values[0], one.step.values
    exact = fit.closed_form(observed[0], (step - step[0]).astype(float))
    rolled = fit.rollout(observed[0], step)

    def rms(difference: np.ndarray) -> float:
        with np.errstate(over="ignore", invalid="ignore"):
            size = float(np.sqrt(np.mean(difference**2)))
        return size if np.isfinite(size) else np.inf

    apart = rms(exact - rolled) / rms(observed)
    return rms(exact - observed), rms(rolled - observed), rms(observed[0] - observed), apart


def _pairs(evidence: Evidence) -> Findings:
    record = evidence.record(readings.SURVIVAL)
    matrices = np.stack([LASSO.fit(one).interactions.values for one in runs(record)])
    seeds = record.seed_embedding.values
    outside = ~np.eye(matrices.shape[1], dtype=bool)
    sign = np.sign(matrices[:, outside])
    # The independent unit is an embedding, not one of the networks that share it.
    groups = [sign[seeds == seed] for seed in np.unique(seeds)]
    positive = np.array([np.mean(group[group != 0] > 0) if np.any(group) else np.nan for group in groups])
    alike = np.array([_agreement(group) for group in groups])
    return Findings(
        {
            "share of Lasso's couplings that are collaborative": bootstrap(np.mean, positive),
            "share of couplings whose sign two networks of one embedding agree about": bootstrap(np.mean, alike),
        },
        f"{len(matrices)} networks of {len(groups)} embeddings; couplings that are not zero, without self-terms. "
        "Signs drawn "
        "at random would agree in half of the cases.",
    )


def _agreement(sign: np.ndarray) -> float:
    """How often two networks that both have a coupling agree about its sign."""
    both = np.abs(sign) @ np.abs(sign).T
    same = (both + sign @ sign.T) / 2
    pairs = np.triu(np.ones(both.shape, bool), 1)
    return float(same[pairs].sum() / both[pairs].sum()) if both[pairs].sum() else np.nan


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
            Check("median in-sample R², adjusted for the number of terms", "near 1", _ABOUT_ONE),
            Check("share of rollouts worse than nothing moving", "most", Region(0.5, 1)),
        ),
        _volterra,
        (readings.DYNAMICS,),
    ),
    Claim(
        "circles/18",
        "Eq. 4, Fig. 9",
        "The analytic solution of the linear equations estimates the trajectory as well as the rollout does.",
        tuple(
            Check(f"error of Eq. 4 over that of {other}, {name}", expected, region)
            for name in ("least squares", "Lasso")
            for other, expected, region in (
                ("the rollout", "comparable", Region(0.5, 2)),
                ("nothing moving", "small", Region(0, 0.5)),
            )
        ),
        _analytic,
        (readings.DYNAMICS,),
    ),
    Claim(
        "circles/19",
        "Figs. 9 and 15",
        "Some pairs of circles collaborate, others compete.",
        (
            Check("share of Lasso's couplings that are collaborative", "some, not all", Region(0.05, 0.95)),
            Check(
                "share of couplings whose sign two networks of one embedding agree about",
                "more than chance, if a pair has a sign",
                Region(0.5 + 1e-9, 1),
            ),
        ),
        _pairs,
        (readings.SURVIVAL,),
    ),
)
