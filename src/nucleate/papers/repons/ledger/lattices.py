"""Claims 44 and 45: what the potentials look like in d = 2, and where lattices lie in them."""

import numpy as np

from nucleate.claims import Check, Claim, Evidence, Findings, Region, Revision, bootstrap, ratio, words
from nucleate.papers.repons import readings
from nucleate.papers.repons.experiments import LINE, PLANE
from nucleate.papers.repons.ledger.estimates import or_never, typical, where_fitted
from nucleate.papers.repons.ledger.maturity import LEARNED, PLANE_FITTED
from nucleate.theories.pairs import bow_place, crater, landmarks

_NEAR, _ROUNDING = 0.1, 1e-3  # of the reach: where a peak at 0 must be the highest; of the range: as high

RADIUS = Check("radius of the crater", "2", None)
ONE_SCALE = Check("radius of the crater over the minimum of f_r in d = 1", "1", words.CLOSE, mature=PLANE_FITTED)
IN_WELL = Check(
    "share of same-label pairs of ordered lattices in the quadratic well", "some", words.SOME, mature=LEARNED
)
IN_CRATER = Check("share of them in the crater", "the rest: some", words.SOME, mature=LEARNED)
DENSER = Check(
    "their density in the well over that in the crater",
    "highly concentrated over more disperse: above 1",
    Region.above(1),
    mature=LEARNED,
)
BETWEEN = Check("share of them between the two", "zero: none", words.NONE, mature=LEARNED)
_CRATER = (RADIUS, ONE_SCALE, IN_WELL, IN_CRATER, DENSER, BETWEEN)

RING = Check(
    "depth of a ring of minima below the peak at 0, in units of the range of f_r",
    "a ring",
    Region.at_least(0.05),
    mature=PLANE_FITTED,
)


@where_fitted(*_CRATER)
def _crater(evidence: Evidence) -> Findings:
    found = evidence.once(readings.rotation_potentials)
    edge = float(np.median(found.each(lambda r, f: or_never(landmarks(r, f).well_edge), 0)))
    if not np.isfinite(edge) or not found.well > 0:
        return Findings.none(_CRATER, "f_a is quadratic nowhere around 0, or its well has no edge within the data.")
    place = found.each(bow_place, 0)
    minimum = evidence.once(readings.line_potentials).each(lambda r, f: or_never(landmarks(r, f).minimum), 1)
    with_minimum = np.isfinite(found.each(crater, 0))
    at_the_rim = place >= found.curves(0)[0].max()
    simulated, trained = evidence.once(readings.flow_lattices), evidence.once(readings.network_lattices)
    inside, outside = _shares(simulated, found.well, edge)
    density = lambda within, beyond: ratio(within.mean() / found.well, beyond.mean() / (found.reach[0] - edge))
    told = " and ".join(f"{values.mean():.2f}" if len(values) else "–" for values in _shares(trained, found.well, edge))
    return Findings(
        {
            RADIUS: typical(place),
            ONE_SCALE: bootstrap(lambda a, b: ratio(np.median(a), np.median(b)), place, minimum, apart=True),
            IN_WELL: bootstrap(np.mean, inside, bounds=(0, 1)),
            IN_CRATER: bootstrap(np.mean, outside, bounds=(0, 1)),
            DENSER: bootstrap(density, inside, outside, bounds=(0, 1)),
            BETWEEN: bootstrap(np.mean, 1 - inside - outside, bounds=(0, 1)),
        },
        f"{len(simulated)} simulated configurations, the most regular quarter of those that are not lines. f_a is "
        f"quadratic up to {found.well:.2f}; its slope falls to half of the maximum at {edge:.2f}, where the crater "
        f"begins, and is smallest at the radius of the crater; {int(with_minimum.sum())} of {len(place)} potentials "
        f"have a minimum beyond the well. In {int(at_the_rim.sum())} that radius is where the data end, and the slope "
        f"may be smaller further out. In the {len(trained)} most regular networks, well and crater have {told} of "
        f"the pairs. {found.units}.",
    )


def _shares(lengths: np.ndarray, well: float, edge: float) -> tuple[np.ndarray, np.ndarray]:
    """Of each lattice, the share of displacements in the well and of those in the crater."""
    return (lengths <= well).mean(axis=1), (lengths > edge).mean(axis=1)


@where_fitted(RING)
def _higgs(evidence: Evidence) -> Findings:
    found = evidence.once(readings.rotation_potentials)
    r, curves = found.curves(1)
    minimum = found.each(lambda r, f: landmarks(r, f).minimum, 1)
    at_0 = curves[:, len(r) // 2]
    lowest = np.array([np.interp(place, r, f) for place, f in zip(minimum, curves, strict=True)])
    near = np.abs(r) <= _NEAR * found.reach[1]
    height = np.ptp(curves, axis=1)
    # A rim between 0 and the minimum would make it a crater, not a ring around a peak.
    peak = at_0 >= curves[:, near].max(axis=1) - _ROUNDING * height
    depth = np.where(np.isfinite(lowest) & peak, at_0 - lowest, 0)
    known = minimum[np.isfinite(minimum)]
    where = f"within the 99 % range (|r| ≤ {found.reach[1]:.2f})"
    told = f"{len(known)} of {len(minimum)} rotationally symmetric fits have a ring of minima {where}"
    return Findings(
        {RING: bootstrap(np.median, np.array([ratio(d, h) for d, h in zip(depth, height, strict=True)]))},
        f"{told}{f', at a median radius of {np.median(known):.2f}' if len(known) else ''}. {found.units}.",
    )


CLAIMS = (
    Claim(
        "repons/44",
        "App. B, Fig. 4b",
        "In ordered lattices same-label pairs lie in the quadratic well or, more dispersed, in a crater, and nowhere "
        "else; the crater is where d = 1 has its minima.",
        _CRATER,
        _crater,
        (LINE, PLANE),
        quote="the distribution of same-label pairs for lattice-like structures is highly concentrated in the "
        "quadratic and more disperse throughout the crater region, but zero everywhere else … the crater also occurs "
        "at a radius of r = 2, mirroring the appearance of local minima in the d = 1 case",
        history=(
            Revision(
                "The radius of the crater, or of the well's edge where there is no crater, is between 1.5 and 2.5; of "
                "the same-label pairs in networks at least 0.2 are in the well, at least 0.05 in the crater and at "
                "most 0.1 between them. The interval of the radius is the range of ten refits to runs of one set.",
                "contradicted",
                "lengths depend on hyperparameters, which the paper does not give: the radius is compared with d = 1; "
                "the paper's configurations are simulated, since its data have no lines; 0.2 and 0.05 were made for "
                "this claim; and refits that share their runs are not independent.",
            ),
        ),
    ),
    Claim(
        "repons/45",
        "Sec. 3.2, Fig. 2b",
        "The repulsive potential in d = 2 is Higgs-like: a peak in a ring of minima.",
        (RING,),
        _higgs,
        (PLANE,),
        quote="The repulsive potential resembles the Higgs potential, and is responsible for symmetry breaking of "
        "linear configurations.",
        history=(
            Revision(
                "Beyond a barrier there is a minimum at least 0.05 of the range of f_r lower.",
                "replicated",
                "a rim around a hollow at 0 would have passed.",
            ),
            Revision(
                "The depth is at least 0.05 of the range of f_r. The interval is the range of ten refits to runs drawn "
                "with replacement from one set.",
                "replicated",
                "refits that share their runs are not independent: potentials are fitted to disjoint runs now.",
            ),
        ),
    ),
)
