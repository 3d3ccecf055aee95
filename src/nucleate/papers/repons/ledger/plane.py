"""Claims 40 to 45: two dimensions."""

import numpy as np

from nucleate.claims import Check, Claim, Evidence, Findings, Reason, Region, bootstrap, ratio
from nucleate.observables import is_line, line_angle
from nucleate.papers.repons import readings
from nucleate.papers.repons.experiments import HELD_OUT, NARROW, PLANE
from nucleate.papers.repons.ledger import estimates
from nucleate.papers.repons.ledger.estimates import LOSSES, where_fitted
from nucleate.theories.pairs import crater, landmarks

_NONE = Region.at_most(0.01)
_NEAR, _ROUNDING = 0.1, 1e-3  # of the reach: where a peak at 0 must be the highest; of the range: as high
_NEAR_AXIS = np.pi / 12  # a third of random lines are this near to an axis

LINES = Check("share of lines", "none", _NONE)
PERFECT = Check("share of networks with perfect validation accuracy", "none", _NONE)

SIMULATED_LINES = Check("share of simulations that end as a line", "common", Region.at_least(0.05))
SAME_NETWORKS = Check("share of the same networks that do", "none", Region.at_most(0.05))

RECOVERED = Check("share of lines with weight decay and a narrow layer", "some", Region.at_least(0.01))
OVER_NARROW = Check("that share minus the one with a narrow layer alone", "above 0", Region.above(0))
OVER_DECAY = Check("that share minus the one with weight decay alone", "above 0", Region.above(0))

ALONG_AXES = Check("share of simulated lines within 15° of an axis", "most; a third by chance", Region.above(1 / 3))
EQUAL = {name: Check(f"{name} loss, parity minus rotation", "0", Region.around(0, 0.05)) for name in LOSSES}

RADIUS = Check("radius of the crater", "2", Region.between(1.5, 2.5))
IN_WELL = Check("share of same-label pairs of ordered lattices in the quadratic well", "many", Region.at_least(0.2))
IN_CRATER = Check("share of them in the crater", "some", Region.at_least(0.05))
BETWEEN = Check("share of them between the two", "none", Region.between(0, 0.1))
_CRATER = (RADIUS, IN_WELL, IN_CRATER, BETWEEN)

RING = Check(
    "depth of a ring of minima below the peak at 0, in units of the range of f_r", "a ring", Region.at_least(0.05)
)


def _absent(evidence: Evidence) -> Findings:
    lines = is_line(readings.final_embedding(readings.networks(evidence, PLANE)))
    held_out = readings.networks(evidence, HELD_OUT)
    accuracy, dim = held_out.valid_accuracy.values[:, -1], held_out.dim.values
    told = "; ".join(
        f"in d = {d} mean validation accuracy {accuracy[dim == d].mean():.3f}, {int((accuracy[dim == d] == 1).sum())} "
        f"of {int((dim == d).sum())} perfect"
        for d in np.unique(dim).tolist()
    )
    trained = ", ".join(map(str, np.unique(held_out.train_size.values)))
    return Findings(
        {LINES: estimates.share_of(lines), PERFECT: estimates.share_of(accuracy[dim == 2] == 1)},
        f"{len(lines)} networks trained on all pairs. Generalisation is measured on another fleet, trained on "
        f"{trained or '–'} of {held_out.sizes['pair']} pairs: {told or 'none is left'}.",
    )


@where_fitted(SIMULATED_LINES, SAME_NETWORKS)
def _predicted(evidence: Evidence) -> Findings:
    simulated, other = (is_line(evidence.once(ends)) for ends in (readings.rotation_ends, readings.parity_ends))
    recorded = is_line(readings.final_embedding(readings.plane_parts(evidence).tested))
    return Findings(
        {SIMULATED_LINES: estimates.share_of(simulated), SAME_NETWORKS: estimates.share_of(recorded)},
        f"Flow in the best of the rotationally symmetric potentials, from the starts of {len(simulated)} held-out "
        f"runs. With parity symmetry {int(other.sum())} of {len(other)} end as a line.",
    )


def _recovered(evidence: Evidence) -> Findings:
    record = readings.networks(evidence, NARROW)
    if not record.sizes["member"]:
        return Findings.none((RECOVERED, OVER_NARROW, OVER_DECAY), "No network is left.", Reason.TOO_FEW)
    lines = is_line(readings.final_embedding(record))
    wd, width, accuracy = record.wd.values, record.width.values, record.accuracy.values[:, -1]
    narrow, strong = width == width.min(), wd == wd.max()
    treated = lines[narrow & strong]
    minus = lambda control: estimates.difference_of_means(treated.astype(float), lines[control].astype(float))
    cells = {(w, n): (wd == w) & (width == n) for w, n in zip(wd.tolist(), width.tolist(), strict=True)}
    told = ", ".join(
        f"λ = {w:g}, {n} units: {int(lines[here].sum())} of {int(here.sum())} (accuracy {accuracy[here].mean():.2f})"
        for (w, n), here in sorted(cells.items())
    )
    return Findings(
        {
            RECOVERED: estimates.share_of(treated),
            OVER_NARROW: minus(narrow & (wd == 0)),
            OVER_DECAY: minus(~narrow & strong),
        },
        f"{evidence.about(NARROW).steps:,} steps. Lines: {told}. The strongest weight decay is judged, chosen in a "
        "pilot.",
    )


@where_fitted(ALONG_AXES, *EQUAL.values())
def _axes(evidence: Evidence) -> Findings:
    ends = evidence.once(readings.parity_ends)
    lines = ends[is_line(ends)]
    angle = line_angle(lines) if len(lines) else np.empty(0)
    near = np.minimum(angle % (np.pi / 2), np.pi / 2 - angle % (np.pi / 2)) <= _NEAR_AXIS
    parity, rotation = evidence.once(readings.parity_scores), evidence.once(readings.rotation_scores)
    return Findings(
        {ALONG_AXES: estimates.share_of(near)}
        | {
            EQUAL[name]: estimates.difference(estimates.loss_of(parity, name), estimates.loss_of(rotation, name))
            for name in LOSSES
        },
        f"{len(lines)} of {len(ends)} flows in the best parity-symmetric potential end as a line; a third of random "
        f"angles would be that near. Parity: {estimates.in_words(parity)}. Rotation: {estimates.in_words(rotation)}.",
    )


@where_fitted(*_CRATER)
def _crater(evidence: Evidence) -> Findings:
    found = evidence.once(readings.rotation_potentials)
    marks = found.each(lambda r, f: (landmarks(r, f).well_edge, crater(r, f)), 0)
    edge = float(np.median(marks[:, 0]))
    if np.isnan(edge):
        return Findings.none(_CRATER, "The slope of f_a never falls to half of its maximum: the well has no edge.")
    lengths = evidence.once(readings.lattice_lengths)
    inside, outside = (lengths <= found.well).mean(1), (lengths > edge).mean(1)
    with_minimum = np.isfinite(marks[:, 1])
    return Findings(
        {
            RADIUS: readings.range_of_refits(np.where(with_minimum, marks[:, 1], marks[:, 0])),
            IN_WELL: bootstrap(np.mean, inside, bounds=(0, 1)),
            IN_CRATER: bootstrap(np.mean, outside, bounds=(0, 1)),
            BETWEEN: bootstrap(np.mean, 1 - inside - outside, bounds=(0, 1)),
        },
        f"{len(lengths)} networks, the most regular quarter of those that are not lines. f_a is quadratic up to "
        f"{found.well:.2f}; its slope falls to half of the maximum at {edge:.2f}, where the crater begins. "
        f"{int(with_minimum.sum())} of {len(marks)} fits have a minimum beyond (the radius is that of the minimum or, "
        f"failing that, where the crater begins). {found.caveat}",
    )


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
        {RING: readings.range_of_refits(np.array([ratio(d, h) for d, h in zip(depth, height, strict=True)]))},
        f"{told}{f', at a median radius of {np.median(known):.2f}' if len(known) else ''}. {found.caveat}",
    )


CLAIMS = (
    Claim(
        "repons/40",
        "App. B",
        "In d = 2 the data contain no lines, and no network generalises.",
        (LINES, PERFECT),
        _absent,
        (PLANE, HELD_OUT),
        quote="the canonical configuration of a line, is non-existent in the underlying data … none of the "
        "configurations in the dataset are generalizing ones (i.e., ones with perfect validation accuracy)",
    ),
    Claim(
        "repons/41",
        "App. B",
        "The potential in d = 2 commonly predicts lines, which are absent from the data.",
        (SIMULATED_LINES, SAME_NETWORKS),
        _predicted,
        (PLANE,),
        quote="one of the commonly predicted configurations by the potential, the canonical configuration of a line, "
        "is non-existent in the underlying data",
    ),
    Claim(
        "repons/42",
        "App. B",
        "With weight decay and a narrow hidden layer, networks in d = 2 recover lines.",
        (RECOVERED, OVER_NARROW, OVER_DECAY),
        _recovered,
        (NARROW,),
        quote="By training the underlying model with weight decay and a constrained hidden layer, it was possible to "
        "recover a linear configuration.",
    ),
    Claim(
        "repons/43",
        "Sec. 3.2, Fig. 4a",
        "Simulated lines prefer the axes, and parity- and rotation-symmetric potentials have equal losses.",
        (ALONG_AXES, *EQUAL.values()),
        _axes,
        (PLANE,),
        quote="Figure 4 (a) shows that linear configurations tend to be either horizontal or vertical. … There is no "
        "significant difference between the trajectory and representation losses of the parity- and "
        "rotationally-symmetric models",
    ),
    Claim(
        "repons/44",
        "App. B, Fig. 4b",
        "In ordered lattices same-label pairs lie in the quadratic well or in a crater at r ≈ 2, and nowhere else.",
        _CRATER,
        _crater,
        (PLANE,),
        quote="the distribution of same-label pairs for lattice-like structures is highly concentrated in the "
        "quadratic and more disperse throughout the crater region, but zero everywhere else … the crater also occurs "
        "at a radius of r = 2",
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
    ),
)
