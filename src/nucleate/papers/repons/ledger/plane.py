"""Claims 40 to 45: two dimensions."""

import numpy as np

from nucleate.claims import Check, Claim, Estimate, Evidence, Findings, Region, bootstrap, share
from nucleate.observables import is_line, lattice_regularity, line_angle
from nucleate.papers.repons import potentials, readings
from nucleate.papers.repons.ledger.forces import difference, in_words
from nucleate.theories.pairs import crater, landmarks

_NONE = Region(0, 0.01)
_ORDERED = 0.75  # quantile of the regularity from which a configuration is called an ordered lattice
_NEAR, _ROUNDING = 0.1, 1e-3  # of the reach: where a peak at 0 must be the highest; of the range: as high
_NEAR_AXIS = np.pi / 12  # of the angles of random lines, a third is as near to an axis


def _absent(evidence: Evidence) -> Findings:
    record = readings.whole(evidence.record(readings.PLANE))
    lines = is_line(readings.final(record))
    held_out = readings.whole(evidence.record(readings.HELD_OUT))
    accuracy, dim = held_out.valid_accuracy.values[:, -1], held_out.dim.values
    perfect = {d: accuracy[dim == d] == 1 for d in np.unique(dim).tolist()}
    tried = int(held_out.train_size[0])
    return Findings(
        {
            "share of lines": share(int(lines.sum()), len(lines)),
            "share of networks with perfect validation accuracy": share(int(perfect[2].sum()), len(perfect[2])),
        },
        f"{len(lines)} networks trained on all pairs. Generalisation is measured on another fleet, trained on "
        f"{tried} of {held_out.sizes['pair']} pairs: "
        + ", ".join(
            f"d = {d}: mean validation accuracy {accuracy[dim == d].mean():.3f}, {int(hits.sum())} of {len(hits)} "
            "perfect"
            for d, hits in perfect.items()
        )
        + ".",
    )


def _predicted(evidence: Evidence) -> Findings:
    simulated, recorded = (
        is_line(evidence.once(potentials.rotation_ends)),
        is_line(readings.final(evidence.once(potentials.plane_parts).tested)),
    )
    other = is_line(evidence.once(potentials.parity_ends))
    return Findings(
        {
            "share of simulations that end as a line": share(int(simulated.sum()), len(simulated)),
            "share of the same networks that do": share(int(recorded.sum()), len(recorded)),
        },
        f"Flow in the best of the rotationally symmetric potentials, from the starts of {len(simulated)} held-out "
        f"runs. With parity symmetry {int(other.sum())} of {len(other)} end as a line.",
    )


def _less(one: np.ndarray, other: np.ndarray) -> Estimate:
    """A share less another one, of other networks."""
    if not (len(one) and len(other)):
        return Estimate.unknown()
    apart = lambda a, b: float(np.mean(a) - np.mean(b))
    return bootstrap(apart, one.astype(float), other.astype(float), apart=True)


def _recovered(evidence: Evidence) -> Findings:
    record = readings.whole(evidence.record(readings.NARROW))
    lines = is_line(readings.final(record))
    narrow = record.width.values == record.width.values.min()
    treated = narrow & (record.wd.values == record.wd.values.max())
    controls = {
        "with a narrow layer alone": narrow & (record.wd.values == 0),
        "with weight decay alone": ~narrow & (record.wd.values == record.wd.values.max()),
    }
    cells = sorted(set(zip(record.wd.values.tolist(), record.width.values.tolist(), strict=True)))
    told = ", ".join(
        f"λ = {wd:g}, {width} units: {int(lines[here].sum())} of {int(here.sum())} "
        f"(accuracy {record.accuracy.values[here, -1].mean():.2f})"
        for wd, width in cells
        if (here := (record.wd.values == wd) & (record.width.values == width)).any()
    )
    return Findings(
        {
            "share of lines with weight decay and a narrow layer": share(int(lines[treated].sum()), int(treated.sum())),
            **{
                f"that share less the one {name}": _less(lines[treated], lines[here]) for name, here in controls.items()
            },
        },
        f"{int(record.steps)} steps. Lines: {told}. The strongest weight decay is judged, which a pilot had chosen.",
    )


def _axes(evidence: Evidence) -> Findings:
    ends = evidence.once(potentials.parity_ends)
    lines = ends[is_line(ends)]
    angle = line_angle(lines) if len(lines) else np.empty(0)
    near = np.minimum(angle % (np.pi / 2), np.pi / 2 - angle % (np.pi / 2)) <= _NEAR_AXIS
    parity, rotation = evidence.once(potentials.parity_scores), evidence.once(potentials.rotation_scores)
    return Findings(
        {
            "share of simulated lines within 15° of an axis": share(int(near.sum()), len(near)),
            **{
                f"{name} loss, parity minus rotation": difference(
                    parity[f"{name}_loss"].values, rotation[f"{name}_loss"].values
                )
                for name in ("trajectory", "representation")
            },
        },
        f"{len(lines)} of {len(ends)} flows in the best parity-symmetric potential end as a line; of random angles a "
        f"third would be that near. Parity: {in_words(parity)}. Rotation: {in_words(rotation)}.",
    )


def lattice_lengths(evidence: Evidence) -> tuple[np.ndarray, int]:
    """Lengths of same-label displacements in the most ordered lattices, [network, term], and how many there are."""
    record = readings.whole(evidence.record(readings.PLANE))
    ends = readings.final(record)
    ends = ends[~is_line(ends)]
    order = lattice_regularity(ends)
    chosen = ends[order >= np.nanquantile(order, _ORDERED)]
    same = np.asarray(evidence.once(potentials.plane_rotation).best.terms.same.maps)[:, 0]
    return np.linalg.norm(same @ chosen, axis=-1), len(chosen)


def _crater(evidence: Evidence) -> Findings:
    found = evidence.once(potentials.plane_rotation)
    marks = found.each(lambda r, f: (landmarks(r, f).well_edge, crater(r, f)), 0)
    edge = float(np.median(marks[:, 0]))
    lengths, count = lattice_lengths(evidence)
    if np.isnan(edge):
        unknown = dict.fromkeys((check.label for check in _CRATER), Estimate.unknown())
        return Findings(unknown, "The slope of f_a never falls to half of its maximum: there is no edge of a well.")
    inside, outside = (lengths <= found.well).mean(1), (lengths > edge).mean(1)
    with_minimum = int(np.isfinite(marks[:, 1]).sum())
    place = np.where(np.isfinite(marks[:, 1]), marks[:, 1], marks[:, 0])
    return Findings(
        {
            "radius of the crater": potentials.spread(place),
            "share of same-label pairs of ordered lattices in the quadratic well": bootstrap(np.mean, inside),
            "share of them in the crater": bootstrap(np.mean, outside),
            "share of them between the two": bootstrap(np.mean, 1 - inside - outside),
        },
        f"{count} networks, the most regular quarter of all that are no lines. Quadratic up to {found.well:.2f}, "
        f"slope down to half of its maximum at {edge:.2f}, where the crater begins; {with_minimum} of {len(marks)} "
        "fits have a minimum there (the radius is that of the minimum, or else of the crater's beginning).",
    )


def _higgs(evidence: Evidence) -> Findings:
    found = evidence.once(potentials.plane_rotation)
    r, curves = found.curves(1)
    marks = found.each(lambda r, f: (landmarks(r, f).minimum, landmarks(r, f).barrier), 1)
    at_0 = curves[:, len(r) // 2]
    lowest = np.array([np.interp(minimum, r, f) for minimum, f in zip(marks[:, 0], curves, strict=True)])
    near = np.abs(r) <= _NEAR * found.reach[1]
    # A rim between 0 and the minimum would make it a crater, not a ring around a peak.
    peak = at_0 >= curves[:, near].max(axis=1) - _ROUNDING * np.ptp(curves, axis=1)
    depth = np.where(np.isfinite(lowest) & peak, at_0 - lowest, 0) / np.ptp(curves, axis=1)
    return Findings(
        {"depth of a ring of minima below the peak at 0, in units of the range of f_r": potentials.spread(depth)},
        f"{int(np.isfinite(marks[:, 0]).sum())} of {len(marks)} rotationally symmetric fits have a ring of minima "
        f"within the 99 % range (|r| ≤ {found.reach[1]:.2f}), at a median radius of {np.nanmedian(marks[:, 0]):.2f}."
        if np.isfinite(marks[:, 0]).any()
        else f"No fit has a minimum within the 99 % range (|r| ≤ {found.reach[1]:.2f}).",
    )


_CRATER = (
    Check("radius of the crater", "2", Region(1.5, 2.5)),
    Check("share of same-label pairs of ordered lattices in the quadratic well", "many", Region(0.2, 1)),
    Check("share of them in the crater", "some", Region(0.05, 1)),
    Check("share of them between the two", "none", Region(0, 0.1)),
)

CLAIMS = (
    Claim(
        "repons/40",
        "App. B",
        "In d = 2 the data contain no lines, and no network generalises.",
        (
            Check("share of lines", "none", _NONE),
            Check("share of networks with perfect validation accuracy", "none", _NONE),
        ),
        _absent,
        (readings.PLANE, readings.HELD_OUT),
    ),
    Claim(
        "repons/41",
        "App. B",
        "The potential in d = 2 commonly predicts lines, which are absent from the data.",
        (
            Check("share of simulations that end as a line", "common", Region(0.05, 1)),
            Check("share of the same networks that do", "none", Region(0, 0.05)),
        ),
        _predicted,
        (readings.PLANE,),
    ),
    Claim(
        "repons/42",
        "App. B",
        "With weight decay and a narrow hidden layer, networks in d = 2 recover lines.",
        (
            Check("share of lines with weight decay and a narrow layer", "some", Region(0.01, 1)),
            Check("that share less the one with a narrow layer alone", "above 0", Region(1e-9, 1)),
            Check("that share less the one with weight decay alone", "above 0", Region(1e-9, 1)),
        ),
        _recovered,
        (readings.NARROW,),
    ),
    Claim(
        "repons/43",
        "Sec. 3.2, Fig. 4a",
        "Simulated lines prefer the axes, and parity- and rotation-symmetric potentials have equal losses.",
        (
            Check("share of simulated lines within 15° of an axis", "most; a third by chance", Region(1 / 3 + 1e-9, 1)),
            Check("trajectory loss, parity minus rotation", "0", Region(-0.05, 0.05)),
            Check("representation loss, parity minus rotation", "0", Region(-0.05, 0.05)),
        ),
        _axes,
        (readings.PLANE,),
    ),
    Claim(
        "repons/44",
        "App. B, Fig. 4b",
        "In ordered lattices same-label pairs lie in the quadratic well or in a crater at r ≈ 2, and nowhere else.",
        _CRATER,
        _crater,
        (readings.PLANE,),
    ),
    Claim(
        "repons/45",
        "Sec. 3.2, Fig. 2b",
        "The repulsive potential in d = 2 is Higgs-like: a peak in a ring of minima.",
        (
            Check(
                "depth of a ring of minima below the peak at 0, in units of the range of f_r",
                "a ring",
                Region(0.05, 1),
            ),
        ),
        _higgs,
        (readings.PLANE,),
    ),
)
