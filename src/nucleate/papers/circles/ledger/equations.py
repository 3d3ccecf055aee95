"""Claims 16 to 19: differential equations for the signals."""

import numpy as np

from nucleate.claims import Check, Claim, Estimate, Evidence, Findings, Reason, Region, bootstrap, ratio, share
from nucleate.papers.circles import readings
from nucleate.papers.circles.experiments import DYNAMICS, SURVIVAL
from nucleate.papers.circles.readings import LASSO_NAME, LINEAR_NAME
from nucleate.record import stayed_finite

_ABOUT_ONE = Region.at_least(0.95)

FIT = Check("median in-sample R² of least squares", "near 1", _ABOUT_ONE)
LOST = Check("median in-sample R² lost by Lasso", "comparable", Region.around(0, 0.1))
SPARSE = Check("share of Lasso's couplings that are zero", "extremely sparse", Region.at_least(0.5))
ADJUSTED = Check("median in-sample R², adjusted for the number of terms", "near 1", _ABOUT_ONE)
UNSTABLE = Check("share of rollouts worse than nothing moving", "most", Region.at_least(0.5))
AS_ROLLOUT = {
    name: Check(f"error of Eq. 4 over that of the rollout, {name}", "comparable", Region.between(0.5, 2))
    for name in (LINEAR_NAME, LASSO_NAME)
}
FOLLOWS = {
    name: Check(f"error of Eq. 4 over that of nothing moving, {name}", "small", Region.at_most(0.5))
    for name in (LINEAR_NAME, LASSO_NAME)
}
COLLABORATE = Check("share of Lasso's couplings that are collaborative", "some, not all", Region.between(0.05, 0.95))
AGREE = Check(
    "share of couplings whose sign two networks of one embedding agree about",
    "more than chance, if a pair has a sign",
    Region.above(0.5),
)


def _linear(evidence: Evidence) -> Findings:
    scores, lasso = evidence.once(readings.linear_scores), evidence.once(readings.lasso_sparsity)
    told = "; ".join(
        f"{name}: " + ", ".join(f"{part} {readings.told(readings.median(r2))}" for part, r2 in vars(found).items())
        for name, found in scores.items()
    )
    same = {name: found.same for name, found in scores.items()}
    return Findings(
        {
            FIT: bootstrap(np.median, same[LINEAR_NAME]),
            LOST: bootstrap(np.median, same[LINEAR_NAME] - same[LASSO_NAME]),
            SPARSE: bootstrap(np.mean, lasso.zero, bounds=(0, 1)),
        },
        f"{len(lasso.zero)} networks, the first {evidence.about(DYNAMICS).steps} steps. Median R² on the same run, "
        f"on its second half when the first was fitted (later), and on another run (other): {told}. "
        f"{int(lasso.converged.sum())} of {len(lasso.zero)} Lasso fits converged.",
    )


def _volterra(evidence: Evidence) -> Findings:
    found, record = evidence.once(readings.volterra_scores), readings.dynamics(evidence)
    rows, terms = record.sizes["step"] - 1, _terms(record.sizes["freq"])
    # With nearly as many terms as rows any data would be fitted: what R² is beyond that.
    adjusted = Estimate.unknown(Reason.TOO_EARLY)
    if rows > terms + 1:
        adjusted = bootstrap(np.median, 1 - (1 - found.r2) * (rows - 1) / (rows - terms - 1))
    lost = ~(found.rollout <= found.constant)
    return Findings(
        {ADJUSTED: adjusted, UNSTABLE: share(int(lost.sum()), len(lost))},
        f"{len(lost)} networks; each equation has {terms} terms for {rows} steps. Each is rolled out from its own "
        f"first step; {int(np.sum(~np.isfinite(found.rollout)))} left all bounds. The median RMSE is "
        f"{readings.told(readings.median(found.rollout))}; if nothing moved it would be "
        f"{readings.told(readings.median(found.constant))}.",
    )


def _terms(freq: int) -> int:
    """Linear terms and products."""
    return freq + freq * (freq + 1) // 2


def _analytic(evidence: Evidence) -> Findings:
    errors = evidence.once(readings.trajectory_errors)
    estimates: dict[Check, Estimate] = {}
    for name, found in errors.items():
        estimates[AS_ROLLOUT[name]] = _over(found.analytic, found.rollout)
        estimates[FOLLOWS[name]] = _over(found.analytic, found.constant)
    told = ", ".join(f"{name}: {readings.told(readings.median(found.apart), '.2g')}" for name, found in errors.items())
    return Findings(
        estimates,
        "Errors are root mean squares over all frequencies and steps, against the signals of the network that was "
        f"fitted. Median distance between Eq. 4 and the rollout itself, in units of the signal: {told}.",
    )


def _over(error: np.ndarray, other: np.ndarray) -> Estimate:
    """The median quotient of two errors."""
    return bootstrap(np.median, np.array([ratio(*pair) for pair in zip(error.tolist(), other.tolist(), strict=True)]))


def _pairs(evidence: Evidence) -> Findings:
    matrices = evidence.once(readings.survival_couplings)
    seeds = stayed_finite(evidence.record(SURVIVAL)).seed_embedding.values
    sign = np.sign(matrices[:, ~np.eye(matrices.shape[1], dtype=bool)])
    # The independent unit is an embedding, not one of the networks that share it.
    groups = [sign[seeds == seed] for seed in np.unique(seeds)]
    positive = np.array([np.mean(group[group != 0] > 0) if np.any(group) else np.nan for group in groups])
    alike = np.array([_agreement(group) for group in groups])
    return Findings(
        {
            COLLABORATE: bootstrap(np.mean, positive, bounds=(0, 1)),
            AGREE: bootstrap(np.mean, alike, bounds=(0, 1)),
        },
        f"{len(matrices)} networks of {len(groups)} embeddings; couplings that are not zero, without self-terms. "
        "Random signs would agree in half of the cases.",
    )


def _agreement(sign: np.ndarray) -> float:
    """How often two networks that both have a coupling agree about its sign; NaN if none is shared."""
    both = np.abs(sign) @ np.abs(sign).T
    same = (both + sign @ sign.T) / 2
    pairs = np.triu(np.ones(both.shape, bool), 1)
    return ratio(float(same[pairs].sum()), float(both[pairs].sum()))


CLAIMS = (
    Claim(
        "circles/16",
        "Sec. 4.2, Fig. 9",
        "A linear differential equation fits the signals with R² near 1; Lasso does nearly as well with few couplings.",
        (FIT, LOST, SPARSE),
        _linear,
        (DYNAMICS,),
        quote="While linear regression gives us an almost perfect fit at the risk of overfitting, Lasso provides "
        "comparable estimations with reasonable errors bounds and extremely sparse coefficients.",
    ),
    Claim(
        "circles/17",
        "Sec. 4.2",
        "The quadratic (Lotka–Volterra) equations fit with R² near 1, but their rollouts lose stability.",
        (ADJUSTED, UNSTABLE),
        _volterra,
        (DYNAMICS,),
        quote="When we attempt to compute a trajectory using our estimates, errors accumulate, leading to a rapid loss "
        "of numerical stability.",
    ),
    Claim(
        "circles/18",
        "Eq. 4, Fig. 9",
        "The analytic solution of the linear equations estimates the trajectory as well as the rollout does.",
        tuple(family[name] for name in (LINEAR_NAME, LASSO_NAME) for family in (AS_ROLLOUT, FOLLOWS)),
        _analytic,
        (DYNAMICS,),
        quote="The analytical solution similarly provides us with a comparable estimation of the trajectory in Figure "
        "9.",
    ),
    Claim(
        "circles/19",
        "Figs. 9 and 15",
        "Some pairs of circles collaborate, others compete.",
        (COLLABORATE, AGREE),
        _pairs,
        (SURVIVAL,),
        quote="Some circle pairs display collaborative behavior, while other pairs are competitive.",
    ),
)
