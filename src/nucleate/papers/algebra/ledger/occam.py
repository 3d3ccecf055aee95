"""Claims 4 and 5: Occam's razor."""

import numpy as np

from nucleate.claims import Check, Claim, Estimate, Evidence, Findings, Region
from nucleate.papers.algebra.readings import occam as readings

_FLAT = Check("largest loss along paths from y * z' to e * z'", "0", Region.at_most(1e-20))
_FALLS = Check("largest step upwards of the norm along paths, as a share of the norm", "≤ 0", Region.at_most(1e-12))


def _path(evidence: Evidence) -> Findings:
    seen = evidence.once(readings.paths)
    rises = np.diff(seen.norm, axis=1) / seen.norm[:, :-1]
    fall = seen.norm[:, -1] / seen.norm[:, 0]
    note = (
        f"{len(seen.norm)} paths of {len(seen.time)} points, from random y of 2 to 4 nodes with r_kkk(y) = 1; z' is "
        f"z_F6 or z_M of {', '.join(readings.GROUPS)}. The norm ends at {np.median(fall):.0%} of its start (median). "
        "The theorem is the talk's, the path is ours: rows of nodes become equal in modulus, their products real, then "
        "positive, and then all go to one node."
    )
    return Findings({_FLAT: Estimate.exact(seen.loss.max()), _FALLS: Estimate.exact(rises.max())}, note)


_LARGER = Check(
    "smallest ‖y * z'‖/‖e * z'‖ of random y, if rows a, b and c of z' have equal norms", "≥ 1", Region.at_least(1)
)


def _inequality(evidence: Evidence) -> Findings:
    seen = evidence.once(readings.inequality)
    note = (
        f"{len(seen.balanced)} random y of 1 to 4 nodes, z' = z_F6 or z_M of {', '.join(readings.GROUPS)}, whose rows "
        f"have equal norms at each frequency; the median ratio is {np.median(seen.balanced):.2f}. The talk does not "
        "ask for equal norms. Without them the inequality does not hold in general: if z' is multiplied by a random "
        f"node first, the ratio is below 1 for {np.mean(seen.skewed < 1):.0%} of the same y, {seen.skewed.min():.2f} "
        "at the least, since y can then make rows more equal. Weight decay makes them equal in the end."
    )
    return Findings({_LARGER: Estimate.exact(seen.balanced.min())}, note)


CLAIMS = (
    Claim(
        "algebra/4",
        "Gradient Dynamics, Theorem (the Occam's razor)",
        "A path of zero loss leads from y * z' to the simpler solution e * z', and the norm never rises on it.",
        (_FLAT, _FALLS),
        _path,
        quote="If z = y * z' and both z and z' are global optimal, then there exists a path of zero loss connecting z "
        "and z'.",
    ),
    Claim(
        "algebra/5",
        "Gradient Dynamics, Theorem (the Occam's razor)",
        "The simpler solution has the smaller norm, ‖e * z'‖ ≤ ‖y * z'‖, if rows a, b and c of z' have equal norms.",
        (_LARGER,),
        _inequality,
        quote="L2 regularization will push the solution to e * z' (simpler solutions), since ‖e * z'‖₂ ≤ ‖y * z'‖₂",
    ),
)
