"""Claims 26, 27, 38 and 39: how well potentials explain forces and predict runs."""

import numpy as np

from nucleate.claims import Check, Claim, Estimate, Evidence, Findings, Region, Threshold, bootstrap, ratio
from nucleate.papers.repons import readings
from nucleate.papers.repons.experiments import DECODERS, LINE, PLANE
from nucleate.papers.repons.ledger import estimates
from nucleate.papers.repons.ledger.estimates import LOSSES, TRIVIAL, where_fitted

_ABOUT_02, _ABOUT_04 = Region.between(0.1, 0.3), Region.between(0.3, 0.5)
_SLIGHTLY_BELOW_0 = Region(-0.1, 0, high_open=True)

FORCE = Check("R² of the force on held-out runs", "high; at least half", Region.at_least(0.5))
CURL = Check("R² that only a force without a potential can add", "little", Region.at_most(0.01))
DECODER = Check(
    "share of token pairs that two decoders order differently, from the same start",
    "little, if embeddings alone decide",
    Region.at_most(0.1),
)

LOSS = {name: Check(f"{name} loss", "about 0.2", _ABOUT_02) for name in LOSSES}
GAIN = {name: Check(f"{name} loss minus that of a trivial prediction", "below 0", Region.below(0)) for name in LOSSES}

COSINE = Check(
    "cosine between mixed second derivatives of f_a at 0 and those of (x1 + x2 − x3 − x4)²",
    "near 1",
    Region.at_least(0.8),
)
GENERAL = {
    name: Check(f"{name} loss minus that of the symmetric potential", "slightly below 0", _SLIGHTLY_BELOW_0)
    for name in LOSSES
}

PLANE_LOSS = {name: Check(f"{name} loss in d = 2", "about 0.4", _ABOUT_04) for name in LOSSES}
WORSE = {
    name: Check(f"{name} loss in d = 2 minus that in d = 1", "above 0", Region.above(0), Threshold.PAPER)
    for name in LOSSES
}


@where_fitted(FORCE, CURL, DECODER)
def _conservative(evidence: Evidence) -> Findings:
    found, scores = evidence.once(readings.line_potentials), evidence.once(readings.line_scores)
    curls = evidence.once(readings.line_curls)
    ceiling = evidence.once(readings.ceiling)
    explained = [fit.force_r2 for fit in found.fits]
    note = (
        f"All snapshots of {scores.sizes['member']} runs together; run by run, each around its own mean, the median "
        f"R² is {np.median(scores.force_r2):.3f}. On the fitted runs it is {min(explained):.2f} to "
        f"{max(explained):.2f}."
    )
    if curls:
        note += (
            f" With any linear conservative force added R² is {np.median([c.conservative for c in curls]):.3f}, and "
            f"with any linear force {np.median([c.general for c in curls]):.3f} (in {len(curls)} disjoint parts of the "
            "fitted runs, each halved by run)."
        )
    if len(ceiling.trajectory):
        note += (
            f" {len(ceiling.trajectory)} initial embeddings were given to several decoders each: from one start, two "
            f"networks have a trajectory loss of {ceiling.trajectory.mean():.3f} against each other, the least that "
            "any law of the embeddings alone can reach."
        )
    r2 = lambda missed, total: 1 - ratio(missed.sum(), total.sum())
    return Findings(
        {
            FORCE: bootstrap(r2, *evidence.once(readings.line_forces)),
            CURL: bootstrap(np.mean, np.array([curl.gain for curl in curls])),
            DECODER: bootstrap(np.mean, ceiling.representation, bounds=(0, 1)),
        },
        note,
    )


@where_fitted(*LOSS.values(), *GAIN.values())
def _losses(evidence: Evidence) -> Findings:
    scores = evidence.once(readings.line_scores)
    trivial = {name: scores[TRIVIAL[name]].values for name in LOSSES}
    return Findings(
        {LOSS[name]: estimates.mean(scores, name) for name in LOSSES}
        | {GAIN[name]: estimates.difference(estimates.loss_of(scores, name), trivial[name]) for name in LOSSES},
        f"{scores.sizes['member']} runs that were neither fitted nor used to choose the fit, from step 0 to the end, "
        f"compared at every fifth snapshot. Means: {estimates.in_words(scores)}.",
    )


@where_fitted(COSINE, *GENERAL.values())
def _general(evidence: Evidence) -> Findings:
    general, symmetric = evidence.once(readings.general_scores), evidence.once(readings.line_scores)
    hessian = evidence.once(readings.attraction_hessian)
    sign = np.array([1.0, 1.0, -1.0, -1.0])
    off = ~np.eye(4, dtype=bool)
    cosine = ratio(float(hessian[off] @ np.outer(sign, sign)[off]), np.linalg.norm(hessian[off]) * np.sqrt(off.sum()))
    largest = np.abs(hessian[off]).max()
    told = ", ".join(f"{ratio(hessian[a, b], largest):.2f}" for a, b in zip(*np.triu_indices(4, k=1), strict=True))
    return Findings(
        {COSINE: Estimate.exact(cosine) if np.isfinite(cosine) else Estimate.unknown()}
        | {
            GENERAL[name]: estimates.difference(estimates.loss_of(general, name), estimates.loss_of(symmetric, name))
            for name in LOSSES
        },
        "The cosine is that of a single fit and has no interval. Mixed derivatives of f_a at 0 over the largest of "
        f"them, x1x2, x1x3, x1x4, x2x3, x2x4, x3x4: {told}. Means without symmetry: {estimates.in_words(general)}.",
    )


@where_fitted(*PLANE_LOSS.values(), *WORSE.values())
def _worse(evidence: Evidence) -> Findings:
    line, plane = evidence.once(readings.line_scores), evidence.once(readings.rotation_scores)
    return Findings(
        {PLANE_LOSS[name]: estimates.mean(plane, name) for name in LOSSES}
        | {
            WORSE[name]: estimates.difference_of_means(estimates.loss_of(plane, name), estimates.loss_of(line, name))
            for name in LOSSES
        },
        f"Rotationally symmetric potentials, {plane.sizes['member']} held-out runs. d = 2: "
        f"{estimates.in_words(plane)}; R² of the force {plane.attrs['force_r2']:.3f}. d = 1: "
        f"{estimates.in_words(line)}; R² {line.attrs['force_r2']:.3f}.",
    )


CLAIMS = (
    Claim(
        "repons/26",
        "Sec. 3",
        "The evolution of embeddings is modelled by a conservative force, attractive and repulsive.",
        (FORCE, CURL, DECODER),
        _conservative,
        (LINE, DECODERS),
        quote="the evolution of repons can be successfully modeled by a conservative force (i.e., a force defined from "
        "a potential energy) with both attractive and repulsive components",
    ),
    Claim(
        "repons/27",
        "App. B",
        "In d = 1 trajectory and representation losses are about 0.2.",
        (*LOSS.values(), *GAIN.values()),
        _losses,
        (LINE,),
        quote="trajectory and representation losses of ~ 0.4, compared to the ~ 0.2 of the d = 1 case",
    ),
    Claim(
        "repons/38",
        "App. A, Fig. 3",
        "Without translation invariance slices of the attractive potential look like (x1 ± x2)², and losses are "
        "slightly lower.",
        (COSINE, *GENERAL.values()),
        _general,
        (LINE,),
        quote="the local behavior of these slices is incredibly simple, learning functions of the form (x1 ± x2)² … "
        "While these models do obtain slightly lower trajectory and representation losses, the difference does not "
        "appear to be meaningful",
    ),
    Claim(
        "repons/39",
        "App. B",
        "In d = 2 losses are about 0.4, considerably worse than in d = 1.",
        (*PLANE_LOSS.values(), *WORSE.values()),
        _worse,
        (LINE, PLANE),
        quote="The d = 2 models perform considerably worse than the d = 1 models, with trajectory and representation "
        "losses of ~ 0.4, compared to the ~ 0.2 of the d = 1 case.",
    ),
)
