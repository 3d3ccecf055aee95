"""Claims 4 to 6 and 12: the laws by which the attention-distance correlation c of a head evolves."""

from collections.abc import Callable

import numpy as np
import xarray as xr

from nucleate.claims import Check, Claim, Evidence, Findings, Reason, Revision, bootstrap, ratio, words
from nucleate.observables import HeadClass
from nucleate.papers.collisions.experiments import BOX
from nucleate.papers.collisions.ledger.maturity import SETTLED, finished, settled
from nucleate.papers.collisions.ledger.shares import or_fewer, or_more, share_in_networks
from nucleate.papers.collisions.readings import power_laws
from nucleate.papers.collisions.readings.fleets import networks
from nucleate.papers.collisions.readings.heads import final_class
from nucleate.theories.power_laws import lojasiewicz

CLOSES = Check(
    "share of collision heads whose |c| closes with a falling power law", "all but six", words.MOST, mature=SETTLED
)
PREFERRED = Check("share of these in which it beats an exponential and a stretched one", "not said", None)
ELSEWHERE = Check("share of other heads whose |c| closes with a falling power law", "none", words.NONE, mature=SETTLED)
EXPONENTS = Check(
    f"share of exponents up to {power_laws.STEEPEST}", "all 45 of Table 5", words.NEARLY_ALL, mature=SETTLED
)
CONTACT = Check("c over the contact limit c*, median of a network's true heads", "not said", None)

_Laws = Callable[[Evidence], xr.Dataset]


def _closing(evidence: Evidence, laws: _Laws = power_laws.of_correlation) -> tuple[xr.Dataset, np.ndarray]:
    """The law with which each head closes, and whether that is a power law, [member, block, head]."""
    end = power_laws.closing(evidence.once(laws))
    return end, power_laws.decays(end)


def _of_networks(heads: np.ndarray) -> np.ndarray:
    """How many heads each network has."""
    return heads.sum(axis=(1, 2)).astype(float)


def _in_words(evidence: Evidence, heads: np.ndarray) -> str:
    quantities = {
        "|c|": power_laws.of_correlation,
        "|c − c*| (of which the theory speaks)": power_laws.of_distance_to_limit,
        "1 − score": power_laws.of_score,
    }
    counts = {what: int((heads & _closing(evidence, laws)[1]).sum()) for what, laws in quantities.items()}
    return ", ".join(f"{hits} of {int(heads.sum())} by {what}" for what, hits in counts.items())


def _others(record: xr.Dataset) -> np.ndarray:
    return final_class(record) == HeadClass.NONE


def _at_the_end(evidence: Evidence) -> Findings:
    record = networks(evidence)
    heads, (law, straight) = settled(record), _closing(evidence)
    hits, total = _of_networks(heads & straight), _of_networks(heads)
    preferred = _of_networks(heads & straight & (law.preferred.values == 0))
    young = int((final_class(record) > HeadClass.NONE).sum() - heads.sum())
    return Findings(
        {CLOSES: or_more(hits, total, finished(record)), PREFERRED: share_in_networks(preferred, hits)},
        "BIC cuts ln|c| over ln t into straight pieces, each at least as long as the shortest of the paper's. The last "
        f"that is steeper than {power_laws.SLOWEST} counts, and it is a power law if R² ≥ {power_laws.LEAST_R2} and it "
        f"falls. Collision heads with one: {_in_words(evidence, heads)}. Heads not counted, since they have "
        f"detected collisions for less than an octave: {young}. The alternatives fall to 0 as the power law does, in "
        "windows cut for the power law, which favours it.",
    )


def _nowhere_else(evidence: Evidence) -> Findings:
    record = networks(evidence)
    heads, (_, straight) = _others(record), _closing(evidence)
    return Findings(
        {ELSEWHERE: or_fewer(_of_networks(heads & straight), _of_networks(heads), finished(record))},
        f"Non-collision heads with a power law by the rule of claim 4: {_in_words(evidence, heads)}.",
    )


def _exponents(evidence: Evidence) -> Findings:
    record = networks(evidence)
    law, straight = _closing(evidence)
    chosen = settled(record) & straight
    inside = chosen & (law.exponent.values <= power_laws.STEEPEST)
    found = {EXPONENTS: or_more(_of_networks(inside), _of_networks(chosen), finished(record))}
    alpha, r2 = law.exponent.values[chosen], law.r2.values[chosen]
    if not len(alpha):
        return Findings(found, "No collision head closes with a falling power law.")
    theta = lojasiewicz(alpha)
    return Findings(
        found,
        f"{len(alpha)} exponents from {alpha.min():.3f} to {alpha.max():.3f}, median {np.median(alpha):.3f} (Table 5: "
        f"0.256), R² {r2.min():.2f} to {r2.max():.2f}; if c is smooth, Łojasiewicz exponents from {theta.min():.2f} to "
        f"{theta.max():.2f}. The paper's lower end, {power_laws.SLOWEST}, is part of the definition of a law.",
    )


def _contact(evidence: Evidence) -> Findings:
    record = networks(evidence)
    if not record.sizes["member"]:
        return Findings.none((CONTACT,), "No network stayed finite.", Reason.TOO_FEW)
    limit = float(record.contact_limit)
    true = final_class(record) == HeadClass.TRUE
    values = [c[heads] for c, heads in zip(record.correlation.values[:, -1], true, strict=True)]
    medians = np.array([ratio(float(np.median(each)), limit) for each in values if len(each)])
    every = np.concatenate(values)
    reach = f", with c from {every.min():.3f} to {every.max():.3f}" if len(every) else ""
    return Findings(
        {CONTACT: bootstrap(np.median, medians)},
        f"True heads: {len(every)}{reach}; c* = {limit:.3f} is the correlation of a head that attends equally to all "
        "particles in contact. The paper does not say where c ends; the corollary is about the distance to a limit, "
        "and Table 5 about |c|.",
    )


CLAIMS = (
    Claim(
        "collisions/4",
        "Sec. 3.2, Table 5",
        "Before it stops changing, the correlation of all but a few collision heads follows a power law.",
        (CLOSES, PREFERRED),
        _at_the_end,
        (BOX,),
        "At the end of its development (i.e. at the end of training or before the correlation function stops changing) "
        "the correlation function of a collision detection head evolves as a power law (see Figure 1). This occurs in "
        "all but six cases.",
        history=(
            Revision(
                "At least 0.6 of the collision heads of a box of 14 × 14, of which at least half prefer a power law to "
                "an exponential.",
                "contradicted",
                "heads that had just formed counted, in networks far from trained; “in most cases” are the paper's "
                "words, and it compares with no exponential.",
            ),
        ),
    ),
    Claim(
        "collisions/5",
        "Sec. 3.2",
        "No head that is not a collision detection head follows a power law.",
        (ELSEWHERE,),
        _nowhere_else,
        (BOX,),
        "There are no attention heads for which the attention-distance correlation follows a power law which are not "
        "collision detection heads.",
        history=(
            Revision(
                "At most a tenth of the other heads of four networks in a box of 14 × 14; intervals of single heads or "
                "of networks, whichever are wider.",
                "inconclusive",
                "33 heads could not have shown it: none of them ends at 0.104.",
            ),
        ),
    ),
    Claim(
        "collisions/6",
        "Fig. 6, Table 5",
        "The exponents of the power laws are no larger than 0.85.",
        (EXPONENTS,),
        _exponents,
        (BOX,),
        "We report the power law sections, corresponding fitted parameters, and the R² value of the linear fit in "
        "Table 5.",
        history=(
            Revision(
                "At least 0.7 of the exponents between 0.049 and 0.846.",
                "inconclusive",
                "the lower end is part of the definition of a law.",
            ),
            Revision("At least 0.7 of the exponents up to 0.846.", "inconclusive", "0.7 was a number of ours."),
        ),
    ),
    Claim(
        "collisions/12",
        "ours, from Cor. A.4",
        "The correlation of a true collision head ends at its contact limit c*, not at 0.",
        (CONTACT,),
        _contact,
        (BOX,),
        "If θ > ½ then |Q(x(t)) − Q*| ≤ A′(t + B′)^−αβ for all t > T.",
        history=(
            Revision(
                "c over c* between 0.8 and 1.2 in the median network.",
                "inconclusive",
                "the paper does not say it: it is reported, not judged.",
            ),
        ),
    ),
)
