"""Claims 28 to 31: what the potentials look like in d = 1."""

import numpy as np

from nucleate.claims import Check, Claim, Evidence, Findings, Region, ratio
from nucleate.papers.repons import readings
from nucleate.papers.repons.experiments import LINE
from nucleate.papers.repons.ledger.estimates import where_fitted
from nucleate.theories.pairs import bow, co_location, landmarks, quadratic_region

_NEAR_2 = Region.between(1.5, 2.5)
_SCALE = "The paper does not say in what units: its hyperparameters are unknown, and lengths depend on them."

HALF_OVER_EDGE = Check("half-width of the quadratic region over that of the well", "0.25", Region.between(0.1, 0.5))
HALF = Check("half-width of the quadratic region", "0.5", Region.between(0.25, 1))
EDGE = Check("half-width of the well", "2", _NEAR_2)

PEAK = Check(
    "height of the peak over a twentieth of the range, in units of the range of f_r",
    "a sharp peak",
    Region.at_least(0.05),
)
MINIMUM = Check("minimum of f_r", "2", _NEAR_2)

ONE_SCALE = Check("feature of f_a over minimum of f_r", "1", Region.between(0.8, 1.25))
BOW = Check("rank correlation of representation loss and slope beyond the well", "positive", Region.above(0))


def _told(values: np.ndarray) -> str:
    known = values[np.isfinite(values)]
    return f"{np.median(known):.2f} ({known.min():.2f} to {known.max():.2f})" if len(known) else "–"


@where_fitted(HALF_OVER_EDGE, HALF, EDGE)
def _attractive(evidence: Evidence) -> Findings:
    found = evidence.once(readings.line_potentials)
    half = found.each(lambda r, f: quadratic_region(r, f).half_width, 0)
    edge = found.each(lambda r, f: landmarks(r, f).well_edge, 0)
    return Findings(
        {
            HALF_OVER_EDGE: readings.range_of_refits(np.array([ratio(h, e) for h, e in zip(half, edge, strict=True)])),
            HALF: readings.range_of_refits(half),
            EDGE: readings.range_of_refits(edge),
        },
        f"{_SCALE} {len(found.fits)} fits; 99 % of same-label displacements are below {found.reach[0]:.2f}. The well "
        f"ends where the slope has fallen to half of its largest value. Quadratic up to {_told(half)}, well up to "
        f"{_told(edge)}. {found.caveat}",
    )


@where_fitted(PEAK, MINIMUM)
def _repulsive(evidence: Evidence) -> Findings:
    found = evidence.once(readings.line_potentials)
    marks = found.each(lambda r, f: (landmarks(r, f).minimum, landmarks(r, f).barrier), 1)
    r, curves = found.curves(1)
    height = np.ptp(curves, axis=1)
    middle = len(r) // 2
    fall = curves[:, middle] - curves[:, middle + len(r) // 20]
    over_height = lambda values: np.array([ratio(v, h) for v, h in zip(values, height, strict=True)])
    return Findings(
        {PEAK: readings.range_of_refits(over_height(fall)), MINIMUM: readings.range_of_refits(marks[:, 0])},
        f"{_SCALE} {len(found.fits)} fits; 99 % of the displacements are below {found.reach[1]:.2f}. "
        f"{int(np.isfinite(marks[:, 0]).sum())} of {len(marks)} have a minimum, at {_told(marks[:, 0])}, "
        f"{_told(over_height(marks[:, 1]))} of the range of f_r below the peak. {found.caveat}",
    )


def _rim(r: np.ndarray, f: np.ndarray) -> float:
    """Where a well stops rising; NaN if it rises all the way."""
    r, f = r[r >= 0], f[r >= 0]
    steepest = int(np.argmax(np.gradient(f, r)))
    beyond = np.flatnonzero(np.diff(f[steepest:]) <= 0)
    return float(r[steepest + beyond[0]]) if len(beyond) else float("nan")


@where_fitted(ONE_SCALE)
def _one_scale(evidence: Evidence) -> Findings:
    found = evidence.once(readings.line_potentials)
    r = np.linspace(0, 1, 401) * min(found.reach)
    both = []
    for fit in found.fits:
        value = fit.potential(r)
        both.append(co_location(r, np.asarray(value.same), np.asarray(value.different)))
    rim = found.each(_rim, 0)
    return Findings(
        {ONE_SCALE: readings.range_of_refits(np.array([one.ratio for one in both]))},
        "The feature of f_a is its crater or, failing that, the edge of the well: "
        f"{_told(np.array([one.attractive for one in both]))}; minimum of f_r: "
        f"{_told(np.array([one.repulsive for one in both]))}. f_a stops rising at {_told(rim)}. {found.caveat}",
    )


@where_fitted(BOW)
def _best_bows(evidence: Evidence) -> Findings:
    found = evidence.once(readings.line_potentials)
    bows = found.each(bow, 0)
    others = np.delete(bows, found.best_number)
    return Findings(
        {BOW: readings.rank_correlation_of_refits(found.losses, bows)},
        f"Smallest slope beyond the steepest point, over the steepest: {bows[found.best_number]:.3f} for the best of "
        f"{len(found.fits)}, {_told(others)} for the others. Representation losses {found.losses.min():.3f} to "
        f"{found.losses.max():.3f}. The fits share their runs, and the interval resamples them as if they did not.",
    )


CLAIMS = (
    Claim(
        "repons/28",
        "Sec. 3.1, Fig. 1a",
        "The attractive potential is quadratic within ±0.5 only, in a well that extends to ±2.",
        (HALF_OVER_EDGE, HALF, EDGE),
        _attractive,
        (LINE,),
        quote="The average potential takes the form of a central well that extends from [−2, 2], however the average "
        "extent of the quadratic (as measured by a polynomial fit with R² ≥ 0.999) is only [−0.5, 0.5].",
    ),
    Claim(
        "repons/29",
        "Sec. 3.1, Fig. 1b",
        "The repulsive potential has a sharp peak at 0 and minima at ±2.",
        (PEAK, MINIMUM),
        _repulsive,
        (LINE,),
        quote="Around zero, it has a sharp peak … Around ±2, this peak reverses course, leading to the creation of a "
        "local minima.",
    ),
    Claim(
        "repons/30",
        "Sec. 3.1",
        "Attractive and repulsive potential have their features at the same |r|.",
        (ONE_SCALE,),
        _one_scale,
        (LINE,),
        quote="both the attractive and repulsive potentials have minima-like features emerge at the same value of |r|, "
        "suggesting some characteristic length scale",
    ),
    Claim(
        "repons/31",
        "Sec. 3.1, Fig. 1a",
        "The potential with the lowest representation loss bows in more than the others.",
        (BOW,),
        _best_bows,
        (LINE,),
        quote="the best-performing potential (measured by representation loss over the test set) has a much more "
        "significant bow inwards, leading to an apparent local minimum",
    ),
)
