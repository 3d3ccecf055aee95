"""Claims 28 to 31: what the potentials look like in d = 1."""

import numpy as np

from nucleate.claims import Check, Claim, Evidence, Findings, Region, Revision, bootstrap, ratio, share, spearman, words
from nucleate.papers.repons import readings
from nucleate.papers.repons.experiments import LINE
from nucleate.papers.repons.ledger.estimates import or_never, typical, where_fitted
from nucleate.papers.repons.ledger.maturity import LINE_FITTED
from nucleate.theories.pairs import bow, co_location, landmarks, quadratic_region

_SCALE = "The paper does not say in what units: its hyperparameters are unknown, and lengths depend on them."
_QUARTER = 0.5 / 2  # the paper's quadratic region over its well

HALF_OVER_EDGE = Check(
    "half-width of the quadratic region over that of the well, in units of the paper's 0.5/2",
    "1",
    words.COMPARABLE,
    mature=LINE_FITTED,
)
HALF = Check("half-width of the quadratic region", "0.5", None)
EDGE = Check("half-width of the well", "2", None)

PEAK = Check(
    "height of the peak over a twentieth of the range, in units of the range of f_r",
    "a sharp peak",
    Region.at_least(0.05),
    mature=LINE_FITTED,
)
HAS_MINIMUM = Check("share of potentials that have a minimum beyond the peak", "most", words.MOST, mature=LINE_FITTED)
MINIMUM = Check("minimum of f_r", "2", None)

ONE_SCALE = Check("where f_a bows in most, over the minimum of f_r", "1", words.CLOSE, mature=LINE_FITTED)
BOW = Check(
    "rank correlation of representation loss and slope beyond the well",
    "positive",
    words.POSITIVE,
    mature=LINE_FITTED,
)


def _told(values: np.ndarray) -> str:
    known = values[np.isfinite(values)]
    return f"{np.median(known):.2f} ({known.min():.2f} to {known.max():.2f})" if len(known) else "–"


@where_fitted(HALF_OVER_EDGE, HALF, EDGE)
def _attractive(evidence: Evidence) -> Findings:
    found = evidence.once(readings.line_potentials)
    half = found.each(lambda r, f: quadratic_region(r, f).half_width, 0)
    edge = found.each(lambda r, f: or_never(landmarks(r, f).well_edge), 0)
    over = np.array([ratio(h, e) for h, e in zip(half, edge, strict=True)]) / _QUARTER
    return Findings(
        {HALF_OVER_EDGE: bootstrap(np.median, over), HALF: typical(half), EDGE: typical(edge)},
        f"{_SCALE} {found.units}; 99 % of same-label displacements are below {found.reach[0]:.2f}. The well ends where "
        f"the slope has fallen to half of its largest value. Quadratic up to {_told(half)}, well up to {_told(edge)}.",
    )


@where_fitted(PEAK, HAS_MINIMUM, MINIMUM)
def _repulsive(evidence: Evidence) -> Findings:
    found = evidence.once(readings.line_potentials)
    minimum, barrier = found.each(lambda r, f: (landmarks(r, f).minimum, landmarks(r, f).barrier), 1).T
    r, curves = found.curves(1)
    height = np.ptp(curves, axis=1)
    middle = len(r) // 2
    fall = curves[:, middle] - curves[:, middle + len(r) // 20]
    over_height = lambda values: np.array([ratio(v, h) for v, h in zip(values, height, strict=True)])
    has_one = np.isfinite(minimum[height > 0])
    return Findings(
        {
            PEAK: bootstrap(np.median, over_height(fall)),
            HAS_MINIMUM: share(int(has_one.sum()), len(has_one)),
            MINIMUM: typical(minimum),
        },
        f"{_SCALE} {found.units}; 99 % of the displacements are below {found.reach[1]:.2f}. {int(has_one.sum())} of "
        f"{len(has_one)} have a minimum, at {_told(minimum)}, {_told(over_height(barrier))} of the range of f_r below "
        "the peak.",
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
    places = np.full((len(found.fits), 2), np.nan)
    for number, fit in enumerate(found.fits):
        value = fit.potential(r)
        attract, repel = np.asarray(value.same), np.asarray(value.different)
        if np.ptp(attract) > 0 and np.ptp(repel) > 0:
            both = co_location(r, attract, repel)
            places[number] = both.attractive, or_never(both.repulsive)
    return Findings(
        {ONE_SCALE: bootstrap(np.median, np.array([ratio(bowed, low) for bowed, low in places]))},
        f"{found.units}. f_a bows in most where its slope beyond the steepest point is smallest: "
        f"{_told(places[:, 0])}; minimum of f_r: {_told(places[:, 1])}. f_a stops rising at "
        f"{_told(found.each(_rim, 0))}.",
    )


@where_fitted(BOW)
def _best_bows(evidence: Evidence) -> Findings:
    found = evidence.once(readings.line_potentials)
    bows = found.each(bow, 0)
    others = np.delete(bows, found.best_number)
    return Findings(
        {BOW: bootstrap(spearman, found.losses, bows)},
        f"Smallest slope beyond the steepest point, over the steepest: {bows[found.best_number]:.3f} for the best, "
        f"{_told(others)} for the others. Representation losses {found.losses.min():.3f} to {found.losses.max():.3f}. "
        f"{found.units}.",
    )


_REFITS = "The interval is the range of ten refits to runs drawn with replacement from one set"
_NOT_INDEPENDENT = "refits that share their runs are not independent: potentials are fitted to disjoint runs now"

CLAIMS = (
    Claim(
        "repons/28",
        "Sec. 3.1, Fig. 1a",
        "The attractive potential is quadratic in the middle of its well only: within ±0.5, in a well up to ±2.",
        (HALF_OVER_EDGE, HALF, EDGE),
        _attractive,
        (LINE,),
        quote="The average potential takes the form of a central well that extends from [−2, 2], however the average "
        "extent of the quadratic (as measured by a polynomial fit with R² ≥ 0.999) is only [−0.5, 0.5].",
        history=(
            Revision(
                "The quadratic region is between 0.25 and 1, the well between 1.5 and 2.5, and the one between 0.1 and "
                f"0.5 of the other. {_REFITS}.",
                "inconclusive",
                f"lengths depend on hyperparameters, which the paper does not give, and {_NOT_INDEPENDENT}.",
            ),
        ),
    ),
    Claim(
        "repons/29",
        "Sec. 3.1, Fig. 1b",
        "The repulsive potential has a sharp peak at 0 and minima around it, at ±2.",
        (PEAK, HAS_MINIMUM, MINIMUM),
        _repulsive,
        (LINE,),
        quote="Around zero, it has a sharp peak … Around ±2, this peak reverses course, leading to the creation of a "
        "local minima.",
        history=(
            Revision(
                "The peak falls by at least 0.05 of the range of f_r within a twentieth of the range, and the minimum "
                f"is between 1.5 and 2.5. {_REFITS}.",
                "contradicted",
                f"lengths depend on hyperparameters, which the paper does not give, and {_NOT_INDEPENDENT}.",
            ),
        ),
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
        history=(
            Revision(
                "The crater of f_a or, failing that, the edge of its well is between 0.8 and 1.25 of the minimum of "
                f"f_r. {_REFITS}.",
                "inconclusive",
                "fits with and without a crater were measured at different landmarks: every fit has a place where it "
                f"bows in most; and {_NOT_INDEPENDENT}.",
            ),
        ),
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
        history=(
            Revision(
                "The rank correlation over ten refits to runs drawn with replacement from one set is positive.",
                "inconclusive",
                f"{_NOT_INDEPENDENT}; ten that shared their runs were nearly alike.",
            ),
        ),
    ),
)
