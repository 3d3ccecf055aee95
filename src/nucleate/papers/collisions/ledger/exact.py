"""Claims 13 to 18: theorems behind the paper, which need no training."""

from collections.abc import Callable

import jax.numpy as jnp
import numpy as np
import xarray as xr
from scipy.integrate import solve_ivp
from scipy.optimize import brentq

from nucleate.claims import Check, Claim, Estimate, Evidence, Findings, Region, Revision, Threshold
from nucleate.observables import (
    MALA,
    Matching,
    Sampling,
    Setting,
    Whole,
    aoyagi,
    learning_coefficient,
    polynomial_excess,
)
from nucleate.papers.collisions.experiments import Effort
from nucleate.theories import PowerLaw, Window
from nucleate.theories.power_laws import Exponential, fit_decay, lojasiewicz

_DEGENERATE = np.geomspace(1.0, 1e6, 121)  # times at which a flow that falls as a power is measured,
_ORDINARY = np.linspace(0.5, 12.0, 61)  # and one that falls exponentially
_LATE = 1e3  # by then the power law has begun
_SPLIT = 6.0  # by then the exponential has
_BETA = 0.5  # the Hölder exponent of a measurement that is not smooth
_NBETA = 1000.0
_W = Matching("w")  # the two parameters move, the table of coefficients does not
# Losses of two parameters, Σ x^{2a} y^{2b} over their pairs (a, b), and the learning coefficient of each.
_POLYNOMIALS = {
    "x² + y²": ((1, 0), (0, 1)),
    "x²y²": ((1, 1),),
    "x² + y⁴": ((1, 0), (0, 2)),
    "x⁴ + y⁴": ((2, 0), (0, 2)),
}
_LINEAR = {((2, 2, 2), 0): 1.5, ((3, 3, 3), 1): 4.0, ((6, 5, 5, 4), 2): 10.5}  # Aoyagi's theorem, worked by hand

POWER = Check("exponent at a degenerate minimum, r = 0", "1/2", Region.around(0.5, 0.005), Threshold.PAPER)
THETA = Check("its Łojasiewicz exponent", "3/4", Region.around(0.75, 0.005), Threshold.PAPER)
RATE = Check("rate of the exponential at r = 1", "1", Region.around(1, 0.005), Threshold.PAPER)
OTHER_RATE = Check("rate of the exponential at r = −1, to the minimum at 1", "2", Region.around(2, 0.01))
SMOOTH = Check("exponent of a smooth measurement", "at least 1/2", Region.at_least(0.495), Threshold.PAPER)
STILL = Check("exponent of one that is still at the limit", "at least 1/2", Region.at_least(0.495), Threshold.PAPER)
ROUGH = Check("exponent of a ½-Hölder measurement", "at least 1/4", Region.at_least(0.245), Threshold.PAPER)
ORDER = Check("exponent of |m| over |r|", "1/2", Region.around(0.5, 0.005), Threshold.PAPER)
OFF = Check("how far λ̂ by MALA is off, in errors, at most", "0", None)
SPREAD = Check("largest error, over the truth", "small", None)
LINEAR = Check("largest error of the formula for deep linear networks", "0", None)
FASTER = Check(
    "smallest exponent of d(x, Z), over (1 − θ)/(2θ − 1)", "at least 1", Region.at_least(0.99), Threshold.PAPER
)
CONSTANT = Check("C with which |x³| = C |x⁴/4|^¾", "4", Region.around(4, 0.005), Threshold.PAPER)


def flow(r: float, times: np.ndarray) -> np.ndarray:
    """x(t) of x′ = −r x − x³ from x(0) = ½."""
    return _integrated(lambda t, x: -r * x - x**3, [0.5], times)[0]


def _integrated(velocity: Callable, start: list[float], times: np.ndarray) -> np.ndarray:
    """The path of a flow, by Runge-Kutta, [coordinate, time]."""
    return solve_ivp(velocity, (0.0, times[-1]), start, "DOP853", times, rtol=1e-12, atol=1e-15, max_step=1e5).y


def _power(value: np.ndarray) -> xr.Dataset:
    record = xr.Dataset({"x": (("member", "step"), value[None])}, coords={"step": _DEGENERATE})
    return PowerLaw("x", windows=Window(_LATE)).fit(record).final.isel(member=0)


def _rate(r: float, limit: float) -> float:
    late = _ORDINARY >= _SPLIT
    return fit_decay(Exponential(), _ORDINARY[late], flow(r, _ORDINARY)[late], limit).rate


def _flows(evidence: Evidence) -> Findings:
    law = _power(flow(0.0, _DEGENERATE))
    alpha = float(law.exponent)
    return Findings(
        {
            POWER: Estimate.exact(alpha),
            THETA: Estimate.exact(float(lojasiewicz(np.array(alpha)))),
            RATE: Estimate.exact(_rate(1.0, 0.0)),
            OTHER_RATE: Estimate.exact(_rate(-1.0, 1.0)),
        },
        f"The flow of r/2 x² + x⁴/4 from ½, integrated to 12 digits. At r = 0 BIC prefers the power law by "
        f"{float(law.evidence):.0f}.",
    )


def _hoelder(evidence: Evidence) -> Findings:
    path = flow(0.0, _DEGENERATE)
    found = {SMOOTH: 2 * path + path**2, STILL: path**2, ROUGH: path**_BETA}
    return Findings(
        {check: Estimate.exact(_power(value).exponent) for check, value in found.items()},
        "2x + x², x² and √x along the flow of x⁴/4, whose x falls as t^−½. The corollary gives an upper bound, which "
        "the second does not use up.",
    )


def _minima(evidence: Evidence) -> Findings:
    """Exponents of d(x, Z) along flows to degenerate minima: of x^2k/2k, and of x²y²/2 towards the point in which its
    lines of minima cross."""
    found = {
        f"x^{2 * k}": (
            _power(_integrated(lambda t, x, k=k: -(x ** (2 * k - 1)), [0.5], _DEGENERATE)[0]),
            1 - 1 / (2 * k),
        )
        for k in (2, 3, 4)
    }
    crossing = _integrated(lambda t, x: [-x[0] * x[1] ** 2, -(x[0] ** 2) * x[1]], [0.5, 0.5], _DEGENERATE)
    found["x²y²"] = (_power(crossing.min(axis=0)), 3 / 4)
    rates = {name: (float(law.exponent), (1 - theta) / (2 * theta - 1)) for name, (law, theta) in found.items()}
    each = ", ".join(f"{name} {rate:.4f} ({bound:.4f})" for name, (rate, bound) in rates.items())
    return Findings(
        {FASTER: Estimate.exact(min(rate / bound for rate, bound in rates.values()))},
        f"Exponents, with the bound in brackets: {each}. The minima of x²y² are two lines; the flow is along the "
        "diagonal, to where they cross.",
    )


def _constant(evidence: Evidence) -> Findings:
    x = np.geomspace(1e-3, 1e3, 61)
    ratios = x**3 / (x**4 / 4) ** 0.75
    return Findings(
        {CONSTANT: Estimate.exact(ratios.mean())},
        "The ratio is the same for all x, so that θ = ¾ is right; but C = 4^¾ = 2√2. A misprint, which touches nothing "
        "else.",
    )


def magnetisation(r: float) -> float:
    """The positive m with m = tanh(m / (1 + r)), r < 0."""
    return float(brentq(lambda m: np.tanh(m / (1 + r)) - m, np.sqrt(-r) / 10, 1.0, xtol=1e-15))  # type: ignore[arg-type]


def _ising(evidence: Evidence) -> Findings:
    r = -np.geomspace(1e-6, 1e-4, 21)
    slope, constant = np.polyfit(np.log(-r), np.log([magnetisation(x) for x in r]), 1)
    return Findings(
        {ORDER: Estimate.exact(slope)},
        f"Mean-field magnetisation for T = 1 + r from 1 − 10⁻⁴ to 1 − 10⁻⁶: |m| ≈ {np.exp(constant):.3f} "
        f"|r|^{slope:.4f}. The constant is √3 = 1.732, not 1: the paper's expansion of tanh lacks a factor 1/3, which "
        "leaves the exponent as it is.",
    )


def _polynomial(parameters, _):
    square = jnp.square(parameters["w"])
    x, y = jnp.stack([jnp.ones(2), square, jnp.square(square)], axis=1)
    return x @ parameters["c"] @ y


def _coefficients(evidence: Evidence[Effort]) -> Findings:
    tables = []
    for terms in _POLYNOMIALS.values():
        c = np.zeros((3, 3), np.float32)
        c[tuple(np.transpose(terms))] = 1
        tables.append(c)
    found = learning_coefficient(
        _polynomial,
        Whole(()),
        [{"w": jnp.zeros(2), "c": jnp.asarray(c)} for c in tables],
        [Setting(step=2e-3, nbeta=_NBETA)],
        Sampling(MALA(), chains=64, burn_in=1000, draws=evidence.effort.draws),
        [_W],
    )
    truth = np.array([polynomial_excess(c.astype(float), _NBETA, gamma=1.0) for c in tables])
    value, error = found.value.ravel(), found.error.ravel()
    told = ", ".join(
        f"{name}: {v:.3f} ± {e:.3f} ({t:.3f})" for name, v, e, t in zip(_POLYNOMIALS, value, error, truth, strict=True)
    )
    off = max(abs(aoyagi(widths, rank) - known) for (widths, rank), known in _LINEAR.items())
    return Findings(
        {
            OFF: Estimate.exact(np.max(np.abs(value - truth) / error)),
            SPREAD: Estimate.exact(np.max(error / truth)),
            LINEAR: Estimate.exact(off),
        },
        f"At nβ = {_NBETA:.0f} and γ = 1, with the truth by quadrature in brackets: {told}.",
    )


CLAIMS = (
    Claim(
        "collisions/13",
        "Example A.5",
        "Gradient flow falls as t^−½ on x⁴/4 and exponentially on r/2 x² + x⁴/4.",
        (POWER, THETA, RATE, OTHER_RATE),
        _flows,
        quote="When r = 0 we instead solve x′(t) = −x(t)³ to obtain |x(t)| = 1/√2 (t + B)^−½",
    ),
    Claim(
        "collisions/14",
        "Corollary A.4",
        "A β-Hölder measurement of a gradient flow converges at its rate to the power β, or faster.",
        (SMOOTH, STILL, ROUGH),
        _hoelder,
        quote="If θ > ½ then |Q(x(t)) − Q*| ≤ A′(t + B′)^−αβ for all t > T.",
        history=(
            Revision(
                "The exponents of 2x + x² and √x are 1/2 and 1/4.",
                "replicated",
                "the corollary gives an upper bound: a measurement may fall faster.",
            ),
        ),
    ),
    Claim(
        "collisions/15",
        "App. A.2.1",
        "The magnetisation of the mean-field Ising model is |m| ~ |r|^½ below the critical temperature.",
        (ORDER,),
        _ising,
        quote="Writing m in terms of r we find the power law relationship |m| ∼ |r|^½",
    ),
    Claim(
        "collisions/16",
        "App. B.1",
        "Sampling estimates the learning coefficient of losses in which it is known.",
        (OFF, SPREAD, LINEAR),
        _coefficients,
        quote="Estimating the local learning coefficient in (3) amounts to sampling from the tempered posterior "
        "distribution in (4).",
        history=(
            Revision(
                "Errors of λ̂ below four standard errors, these below a twentieth of the truth.",
                "replicated",
                "it is a test of this code, not of the paper.",
            ),
        ),
    ),
    Claim(
        "collisions/17",
        "Corollary A.3",
        "A gradient flow approaches degenerate minima as a power of time, with the exponent of Łojasiewicz or faster.",
        (FASTER,),
        _minima,
        quote="If θ > ½ then d(x(t), Z) ≤ A(t + B)^−α for all t, where α = (1−θ)/(2θ−1) > 0 and A, B are constants, "
        "A > 0.",
    ),
    Claim(
        "collisions/18",
        "Example A.5",
        "The first Łojasiewicz inequality of x⁴/4 is an equality with C = 4 and θ = ¾.",
        (CONSTANT,),
        _constant,
        quote="Setting C = 4 and θ = ¾ we obtain equality for all x ∈ ℝ.",
    ),
)
