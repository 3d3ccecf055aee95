"""Claims 1-3: the algebra of quadratic networks, exactly."""

import numpy as np

from nucleate.claims import Check, Claim, Estimate, Evidence, Findings, Region, Revision
from nucleate.papers.algebra.readings import exact as readings

_ROUNDING = Region.at_most(1e-12)
"""What double precision leaves of an identity."""

_ONE = Check("largest relative error of r(1) = 1", "0", _ROUNDING)
_SUM = Check("largest relative error of r(z₁ + z₂) = r(z₁) + r(z₂)", "0", _ROUNDING)
_PRODUCT = Check("largest relative error of r(z₁ * z₂) = r(z₁) r(z₂)", "0", _ROUNDING)


def _homomorphism(evidence: Evidence) -> Findings:
    seen = evidence.once(readings.identities)
    note = f"{seen.sums.size} pairs of random solutions, all r of each; groups {', '.join(readings.GROUPS)}."
    parts = {_ONE: seen.one, _SUM: seen.sums, _PRODUCT: seen.products}
    return Findings({check: Estimate.exact(errors.max()) for check, errors in parts.items()}, note)


_LOSS = Check(
    "largest relative error of the talk's sum over frequencies, against the loss of a network with z_p0 = 0",
    "0",
    _ROUNDING,
)


def _decomposition(evidence: Evidence) -> Findings:
    seen = evidence.once(readings.identities)
    note = (
        f"{seen.loss.size} networks with random normal weights, of which the mean over elements is taken away; groups "
        f"{', '.join(readings.GROUPS)}. The talk's sum is complete for such weights only. With their mean its error is "
        f"{np.median(seen.with_mean):.1%} (median); if the cross terms of the mean with r are added, the error is "
        f"{seen.extended.max():.0e} at most."
    )
    return Findings({_LOSS: Estimate.exact(seen.loss.max())}, note)


_SOLVED = Check(
    "largest mean square error of z_F6, z_F4/6 and z_M at d = 5, 7, 11 and 23, as networks", "0", Region.at_most(1e-20)
)


def _constructed(evidence: Evidence) -> Findings:
    seen = evidence.once(readings.constructed)
    last = [
        f"{kind} {nodes:,.0f} and {norm:.0f}"
        for kind, nodes, norm in zip(readings.KINDS, seen.nodes[-1], seen.norm[-1], strict=True)
    ]
    note = (
        f"In double precision, over all pairs. Nodes and ‖z‖² at d = {seen.modulus[-1]}: {'; '.join(last)}. The six "
        "nodes of z_F4/6 at its first frequency have the bias on (c, k) that cancels what the others leave in R_n."
    )
    return Findings({_SOLVED: Estimate.exact(np.max(seen.loss))}, note)


CLAIMS = (
    Claim(
        "algebra/1",
        "Ring Homomorphism",
        "The sums of monomials r are ring homomorphisms: of concatenated nodes they are sums, of Kronecker products of "
        "nodes they are products.",
        (_ONE, _SUM, _PRODUCT),
        _homomorphism,
        quote="A function r(z): Z ↦ C is a ring homomorphism, if r(1) = 1, r(z₁ + z₂) = r(z₁) + r(z₂), r(z₁ * z₂) = "
        "r(z₁)r(z₂). r_{k₁k₂k}(z) and r_{pk₁k₂k}(z) are ring homomorphisms!",
    ),
    Claim(
        "algebra/2",
        "Structure of Loss Functions",
        "The loss of a quadratic network whose weights have no mean, z_p0 = 0, is a sum over frequencies of squares of "
        "sums of monomials.",
        (_LOSS,),
        _decomposition,
        quote="MSE loss ℓ(z) = d⁻¹ Σ_{k≠0} ℓ_k(z) + 1 − 1/d, ℓ_k(z) = −2r_kkk + Σ_{k₁k₂} |r_{k₁k₂k}|² + ¼|Σ_p Σ_k' "
        "r_{p,k',−k',k}|² + ¼ Σ_{m≠0} Σ_p |Σ_k' r_{p,k',m−k',k}|²",
        history=(
            Revision(
                "The sum with the cross terms of a mean added is the loss of networks whose weights have a mean.",
                "not run",
                "the talk's sum has no such terms: it is now judged as it is printed.",
            ),
        ),
    ),
    Claim(
        "algebra/3",
        "Exemplar constructed global optimizers",
        "Optimisers composed of partial solutions, z_F6, z_F4/6 and z_M, have zero loss.",
        (_SOLVED,),
        _constructed,
        quote="Global Optimizer to MSE loss ℓ(z)! z_F6 = 6^{−1/3} Σ_k z_syn^(k) * z_ν^(k). Order-6 z_F6 (2*3), Order-4 "
        "z_F4/6 (2*2) (mixed with order-6), Perfect memorization (order-d per frequency) z_M = d^{−2/3} z_a * z_b",
    ),
)
