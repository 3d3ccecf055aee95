"""Claims 28 to 31: what the potentials look like in d = 1."""

import numpy as np

from nucleate.claims import Check, Claim, Evidence, Findings, Region, bootstrap, spearman
from nucleate.papers.repons import potentials, readings
from nucleate.theories.pairs import bow, co_location, landmarks, quadratic_region

_NEAR_2 = Region(1.5, 2.5)
_SCALE = "The paper does not say in what units: its hyperparameters are unknown, and the length scale depends on them. "


def _numbers(values: np.ndarray) -> str:
    return (
        f"{np.nanmedian(values):.2f} ({np.nanmin(values):.2f} to {np.nanmax(values):.2f})"
        if np.isfinite(values).any()
        else "none"
    )


def _attractive(evidence: Evidence) -> Findings:
    found = evidence.once(potentials.line)
    half = found.each(lambda r, f: quadratic_region(r, f).half_width, 0)
    edge = found.each(lambda r, f: landmarks(r, f).well_edge, 0)
    return Findings(
        {
            "half-width of the quadratic region over that of the well": potentials.spread(half / edge),
            "half-width of the quadratic region": potentials.spread(half),
            "half-width of the well": potentials.spread(edge),
        },
        f"{_SCALE}{len(found.fits)} fits, 99 % of same-label displacements below {found.reach[0]:.2f}. The well ends "
        f"where the slope has fallen to half of its largest value. Quadratic up to {_numbers(half)}, well up to "
        f"{_numbers(edge)}.",
    )


def _repulsive(evidence: Evidence) -> Findings:
    found = evidence.once(potentials.line)
    marks = found.each(lambda r, f: (landmarks(r, f).minimum, landmarks(r, f).barrier), 1)
    r, curves = found.curves(1)
    height = np.ptp(curves, axis=1)
    middle = len(r) // 2
    peak = (curves[:, middle] - curves[:, middle + len(r) // 20]) / height
    return Findings(
        {
            "height of the peak over a twentieth of the range, in units of the range of f_r": potentials.spread(peak),
            "minimum of f_r": potentials.spread(marks[:, 0]),
        },
        f"{_SCALE}{len(found.fits)} fits, 99 % of the displacements below {found.reach[1]:.2f}; "
        f"{int(np.isfinite(marks[:, 0]).sum())} of {len(marks)} have a minimum, at {_numbers(marks[:, 0])}, "
        f"{_numbers(marks[:, 1] / height)} of the range of f_r below the peak.",
    )


def _rim(r: np.ndarray, f: np.ndarray) -> float:
    """Where a well stops rising; NaN if it rises all the way."""
    r, f = r[r >= 0], f[r >= 0]
    steepest = int(np.argmax(np.gradient(f, r)))
    beyond = np.flatnonzero(np.diff(f[steepest:]) <= 0)
    return float(r[steepest + beyond[0]]) if len(beyond) else float("nan")


def _one_scale(evidence: Evidence) -> Findings:
    found = evidence.once(potentials.line)
    r = np.linspace(0, 1, 401) * min(found.reach)
    both = []
    for fit in found.fits:
        value = fit.potential(r)
        both.append(co_location(r, np.asarray(value.same), np.asarray(value.different)))
    rim = found.each(_rim, 0)
    return Findings(
        {"feature of f_a over minimum of f_r": potentials.spread(np.array([one.ratio for one in both]))},
        "Feature of f_a, its crater or else the edge of the well: "
        f"{_numbers(np.array([one.attractive for one in both]))}; minimum of f_r: "
        f"{_numbers(np.array([one.repulsive for one in both]))}. f_a rises up to {_numbers(rim)}.",
    )


def _best_bows(evidence: Evidence) -> Findings:
    found = evidence.once(potentials.line)
    bows = found.each(bow, 0)
    best = int(np.argmin(found.losses))
    return Findings(
        {"rank correlation of representation loss and slope beyond the well": bootstrap(spearman, found.losses, bows)},
        f"Smallest slope beyond the steepest point, over the steepest: {bows[best]:.3f} for the best of "
        f"{len(found.fits)}, {np.delete(bows, best).mean():.3f} for the others on average. Representation losses "
        f"{found.losses.min():.3f} to {found.losses.max():.3f}.",
    )


CLAIMS = (
    Claim(
        "repons/28",
        "Sec. 3.1, Fig. 1a",
        "The attractive potential is quadratic within ±0.5 only, in a well that extends to ±2.",
        (
            Check("half-width of the quadratic region over that of the well", "0.25", Region(0.1, 0.5)),
            Check("half-width of the quadratic region", "0.5", Region(0.25, 1)),
            Check("half-width of the well", "2", _NEAR_2),
        ),
        _attractive,
        (readings.LINE,),
    ),
    Claim(
        "repons/29",
        "Sec. 3.1, Fig. 1b",
        "The repulsive potential has a sharp peak at 0 and minima at ±2.",
        (
            Check(
                "height of the peak over a twentieth of the range, in units of the range of f_r",
                "a sharp peak",
                Region(0.05, 1),
            ),
            Check("minimum of f_r", "2", _NEAR_2),
        ),
        _repulsive,
        (readings.LINE,),
    ),
    Claim(
        "repons/30",
        "Sec. 3.1",
        "Attractive and repulsive potential have their features at the same |r|.",
        (Check("feature of f_a over minimum of f_r", "1", Region(0.8, 1.25)),),
        _one_scale,
        (readings.LINE,),
    ),
    Claim(
        "repons/31",
        "Sec. 3.1, Fig. 1a",
        "The potential with the lowest representation loss bows in more than the others.",
        (Check("rank correlation of representation loss and slope beyond the well", "positive", Region(1e-9, 1)),),
        _best_bows,
        (readings.LINE,),
    ),
)
