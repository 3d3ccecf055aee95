"""Claims 26, 27, 38 and 39: how well potentials explain forces and predict runs."""

import numpy as np
import xarray as xr

from nucleate.claims import Check, Claim, Estimate, Evidence, Findings, Region, bootstrap
from nucleate.papers.repons import potentials, readings

_BELOW = Region(high=-1e-9)
_LOSSES = ("trajectory", "representation")
_BASELINES = {"trajectory_loss": "trajectory_loss_constant", "representation_loss": "representation_loss_initial"}


def mean(scores: xr.Dataset, name: str) -> Estimate:
    """A score's mean over runs that stayed finite, with the interval of resampled runs."""
    values = scores[name].values
    return bootstrap(np.mean, values[np.isfinite(values)])


def difference(one: np.ndarray, other: np.ndarray) -> Estimate:
    """Mean difference between two scores of the same runs."""
    known = np.isfinite(one) & np.isfinite(other)
    return bootstrap(lambda a, b: float(np.mean(a - b)), one[known], other[known])


def in_words(scores: xr.Dataset) -> str:
    """The losses of the flow beside those of trivial predictions, and how many flows ran away, which have no loss."""
    lost = int(np.isnan(scores.trajectory_loss).sum())
    trivial = dict(zip(_BASELINES, ("nothing moving", "the initial order"), strict=True))
    return "; ".join(
        f"{name.replace('_', ' ')} {float(scores[name].mean()):.3f}, of {trivial[name]} {float(scores[of].mean()):.3f}"
        for name, of in _BASELINES.items()
    ) + (f" ({lost} flows ran away and are left out)" if lost else "")


def _conservative(evidence: Evidence) -> Findings:
    found, scores = evidence.once(potentials.line), evidence.once(potentials.line_scores)
    curls = evidence.once(potentials.line_curls)
    gain = bootstrap(np.mean, np.array([curl.gain for curl in curls])) if curls else Estimate.unknown()
    ceiling = readings.ceiling(evidence.record(readings.DECODERS))
    explained = " to ".join(
        f"{fit.force_r2:.2f}" for fit in sorted(found.fits, key=lambda fit: fit.force_r2)[:: len(found.fits) - 1]
    )
    return Findings(
        {
            "R² of the force on held-out runs": bootstrap(
                lambda missed, total: 1 - float(missed.sum() / total.sum()), *evidence.once(potentials.line_forces)
            ),
            "R² that only a force without potential can add": gain,
            "share of token pairs that two decoders order differently, from the same start": bootstrap(
                np.mean, ceiling.representation
            ),
        },
        f"All snapshots of {scores.sizes['member']} runs together; run by run, each around its own mean, R² is "
        f"{np.median(scores.force_r2):.3f} on the median. On the fitted runs {explained}. With "
        f"any linear conservative force added R² is {np.median([c.conservative for c in curls]):.3f}, and with any "
        f"linear force {np.median([c.general for c in curls]):.3f} (in four parts of the fitted "
        f"runs, each halved by run). {len(ceiling.trajectory)} "
        f"embeddings were given to several decoders each: from one start, two networks have a trajectory loss of "
        f"{ceiling.trajectory.mean():.3f} against each other, the least that any law of the embeddings alone can "
        "reach.",
    )


def _losses(evidence: Evidence) -> Findings:
    scores = evidence.once(potentials.line_scores)
    return Findings(
        {
            **{f"{name} loss": mean(scores, f"{name}_loss") for name in _LOSSES},
            **{
                f"{name.replace('_', ' ')} minus that of a trivial prediction": difference(
                    scores[name].values, scores[of].values
                )
                for name, of in _BASELINES.items()
            },
        },
        f"{scores.sizes['member']} runs that were neither fitted nor used to choose the fit, from step 0 to the end, "
        f"compared at every fifth snapshot. Means: {in_words(scores)}.",
    )


def _hessian(evidence: Evidence) -> np.ndarray:
    """Second derivatives of f_a at 0, [4, 4], by central differences."""
    fit = evidence.once(potentials.general)
    h = 0.05 * fit.data_range.same
    unit = h * np.eye(4)
    f = lambda x: np.asarray(fit.potential(x).same)
    pairs = [(a, b) for a in range(4) for b in range(4)]
    corner = lambda s, t: np.stack([s * unit[a] + t * unit[b] for a, b in pairs])
    mixed = f(corner(1, 1)) - f(corner(1, -1)) - f(corner(-1, 1)) + f(corner(-1, -1))
    return (mixed / (4 * h * h)).reshape(4, 4)


def _general(evidence: Evidence) -> Findings:
    general, symmetric = evidence.once(potentials.general_scores), evidence.once(potentials.line_scores)
    hessian = _hessian(evidence)
    sign = np.array([1.0, 1.0, -1.0, -1.0])
    off = ~np.eye(4, dtype=bool)
    cosine = hessian[off] @ np.outer(sign, sign)[off] / (np.linalg.norm(hessian[off]) * np.sqrt(off.sum()))
    return Findings(
        {
            "cosine between mixed second derivatives of f_a at 0 and those of (x1 + x2 − x3 − x4)²": Estimate.exact(
                cosine
            ),
            **{
                f"{name} loss minus that of the symmetric potential": difference(
                    general[f"{name}_loss"].values, symmetric[f"{name}_loss"].values
                )
                for name in _LOSSES
            },
        },
        "Mixed derivatives of f_a at 0 over the largest of them, x1x2, x1x3, x1x4, x2x3, x2x4, x3x4: "
        + ", ".join(
            f"{hessian[a, b] / np.abs(hessian[off]).max():.2f}" for a, b in zip(*np.triu_indices(4, k=1), strict=True)
        )
        + f". Means without symmetry: {in_words(general)}.",
    )


def _worse(evidence: Evidence) -> Findings:
    line, plane = evidence.once(potentials.line_scores), evidence.once(potentials.rotation_scores)
    apart = {}
    for name in _LOSSES:
        one, two = (scores[f"{name}_loss"].values for scores in (plane, line))
        apart[f"{name} loss in d = 2"] = mean(plane, f"{name}_loss")
        apart[f"{name} loss in d = 2 minus that in d = 1"] = bootstrap(
            lambda a, b: float(np.mean(a) - np.mean(b)), one[np.isfinite(one)], two[np.isfinite(two)], apart=True
        )
    return Findings(
        apart,
        f"Rotationally symmetric potentials, {plane.sizes['member']} held-out runs. d = 2: {in_words(plane)}; R² of "
        f"the force {plane.attrs['force_r2']:.3f}. d = 1: {in_words(line)}; R² {line.attrs['force_r2']:.3f}.",
    )


_ABOUT_02, _ABOUT_04 = Region(0.1, 0.3), Region(0.3, 0.5)

CLAIMS = (
    Claim(
        "repons/26",
        "Sec. 3",
        "The evolution of embeddings is modelled by a conservative force, attractive and repulsive.",
        (
            Check("R² of the force on held-out runs", "high; at least half", Region(0.5, 1)),
            Check("R² that only a force without potential can add", "little", Region(high=0.01)),
            Check(
                "share of token pairs that two decoders order differently, from the same start",
                "little, if embeddings alone decide",
                Region(0, 0.1),
            ),
        ),
        _conservative,
        (readings.LINE, readings.DECODERS),
    ),
    Claim(
        "repons/27",
        "App. B",
        "In d = 1 trajectory and representation losses are about 0.2.",
        (
            Check("trajectory loss", "about 0.2", _ABOUT_02),
            Check("representation loss", "about 0.2", _ABOUT_02),
            Check("trajectory loss minus that of a trivial prediction", "below 0", _BELOW),
            Check("representation loss minus that of a trivial prediction", "below 0", _BELOW),
        ),
        _losses,
        (readings.LINE,),
    ),
    Claim(
        "repons/38",
        "App. A, Fig. 3",
        "Without translation invariance slices of the attractive potential look like (x1 ± x2)², and losses are "
        "slightly lower.",
        (
            Check(
                "cosine between mixed second derivatives of f_a at 0 and those of (x1 + x2 − x3 − x4)²",
                "near 1",
                Region(0.8, 1),
            ),
            Check("trajectory loss minus that of the symmetric potential", "slightly below 0", Region(-0.1, -1e-9)),
            Check("representation loss minus that of the symmetric potential", "slightly below 0", Region(-0.1, -1e-9)),
        ),
        _general,
        (readings.LINE,),
    ),
    Claim(
        "repons/39",
        "App. B",
        "In d = 2 losses are about 0.4, considerably worse than in d = 1.",
        (
            Check("trajectory loss in d = 2", "about 0.4", _ABOUT_04),
            Check("representation loss in d = 2", "about 0.4", _ABOUT_04),
            Check("trajectory loss in d = 2 minus that in d = 1", "above 0", Region(low=1e-9)),
            Check("representation loss in d = 2 minus that in d = 1", "above 0", Region(low=1e-9)),
        ),
        _worse,
        (readings.LINE, readings.PLANE),
    ),
)
