"""Claims 4 to 6 and 12: the laws by which the attention-distance correlation c of a head evolves."""

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
import xarray as xr

from nucleate.claims import Check, Claim, Evidence, Findings, Region, bootstrap, ratio, share
from nucleate.observables import HeadClass
from nucleate.papers.collisions.experiments import BOXES, LARGE
from nucleate.papers.collisions.ledger.maturity import FORMED_IN_LARGE, TRUE_HEAD
from nucleate.papers.collisions.ledger.shares import share_of_heads
from nucleate.papers.collisions.readings import power_laws
from nucleate.papers.collisions.readings.fleets import box_name, fleets
from nucleate.papers.collisions.readings.heads import final_class
from nucleate.theories.power_laws import lojasiewicz

CLOSES = Check(
    "share of collision heads whose |c| closes with a falling power law",
    "most",
    Region.at_least(0.6),
    mature=FORMED_IN_LARGE,
)
PREFERRED = Check(
    "share of these in which it beats an exponential and a stretched one",
    "most",
    Region.at_least(0.5),
    mature=FORMED_IN_LARGE,
)
ELSEWHERE = Check(
    "share of other heads whose |c| closes with a falling power law",
    "none",
    Region.at_most(0.1),
    mature=FORMED_IN_LARGE,
)
EXPONENTS = Check("share of exponents up to 0.846", "all", Region.at_least(0.7), mature=FORMED_IN_LARGE)
CONTACT = Check(
    "c over the contact limit c*, median of a network's true heads", "1", Region.around(1, 0.2), mature=TRUE_HEAD
)


class _Network(NamedTuple):
    """The heads of a network, [block, head]: their kinds, which close with a power law, and their closing laws."""

    kind: np.ndarray
    straight: np.ndarray
    law: xr.Dataset


_Laws = Callable[[Evidence], dict[str, xr.Dataset]]
_Where = Callable[[np.ndarray], np.ndarray]


def _networks(evidence: Evidence, experiment: str, laws: _Laws = power_laws.of_correlation) -> list[_Network]:
    """The networks of an experiment; none if none stayed finite."""
    record = fleets(evidence).get(experiment)
    if record is None:
        return []
    end = power_laws.closing(evidence.once(laws)[experiment])
    each = [end.isel(member=row) for row in range(record.sizes["member"])]
    return [_Network(kind, power_laws.decays(law), law) for kind, law in zip(final_class(record), each, strict=True)]


def _counts(networks: list[_Network], where: _Where) -> tuple[np.ndarray, np.ndarray]:
    """For each network, the heads of a kind that close with a power law, and all heads of that kind."""
    hits = np.array([np.sum(where(one.kind) & one.straight) for one in networks], float)
    return hits, np.array([np.sum(where(one.kind)) for one in networks], float)


def _is_collision(kind: np.ndarray) -> np.ndarray:
    return kind > HeadClass.NONE


def _is_other(kind: np.ndarray) -> np.ndarray:
    return kind == HeadClass.NONE


def _in_words(evidence: Evidence, where: _Where) -> str:
    boxes = []
    for name in BOXES:
        quantities = {
            "|c|": power_laws.of_correlation,
            "|c − c*| (of which the theory speaks)": power_laws.of_distance_to_limit,
            "1 − score": power_laws.of_score,
        }
        counts = {what: _counts(_networks(evidence, name, laws), where) for what, laws in quantities.items()}
        told = ", ".join(f"{hits.sum():.0f} of {total.sum():.0f} by {what}" for what, (hits, total) in counts.items())
        boxes.append(f"{box_name(name)}: {told}")
    return "; ".join(boxes)


def _at_the_end(evidence: Evidence) -> Findings:
    networks = _networks(evidence, LARGE)
    hits, total = _counts(networks, _is_collision)
    beats = [_is_collision(one.kind) & one.straight & (one.law.preferred.values == 0) for one in networks]
    preferred = np.array([np.sum(each) for each in beats], float)
    return Findings(
        {CLOSES: share_of_heads(hits, total), PREFERRED: share_of_heads(preferred, hits)},
        "BIC cuts ln|c| over ln t into straight pieces, each at least as long as the shortest of the paper's. The last "
        f"piece steeper than {power_laws.SLOWEST} counts; it is a power law if R² ≥ {power_laws.LEAST_R2} and it "
        f"falls. Collision heads with one: {_in_words(evidence, _is_collision)}. Only the large box is judged. The "
        "alternatives fall to 0 as the power law does, in windows cut for the power law, which favours it.",
    )


def _nowhere_else(evidence: Evidence) -> Findings:
    hits, total = _counts(_networks(evidence, LARGE), _is_other)
    return Findings(
        {ELSEWHERE: share_of_heads(hits, total)},
        f"Non-collision heads with a power law by the rule of claim 4: {_in_words(evidence, _is_other)}. Even if none "
        f"of those judged had one, the interval would reach up to {share(0, int(total.sum())).high:.2f}.",
    )


def _exponents(evidence: Evidence) -> Findings:
    networks = _networks(evidence, LARGE)
    chosen = [_is_collision(one.kind) & one.straight for one in networks]
    alphas = [one.law.exponent.values[where] for one, where in zip(networks, chosen, strict=True)]
    inside = np.array([np.sum(alpha <= power_laws.STEEPEST) for alpha in alphas], float)
    total = np.array([len(alpha) for alpha in alphas], float)
    every = np.concatenate([np.empty(0), *alphas])
    if not len(every):
        return Findings(
            {EXPONENTS: share_of_heads(inside, total)}, "No collision head closes with a falling power law."
        )
    r2 = np.concatenate([one.law.r2.values[where] for one, where in zip(networks, chosen, strict=True)])
    theta = lojasiewicz(every)
    return Findings(
        {EXPONENTS: share_of_heads(inside, total)},
        f"{len(every)} exponents from {every.min():.3f} to {every.max():.3f}, R² {r2.min():.2f} to {r2.max():.2f}; if "
        f"c is smooth, Łojasiewicz exponents from {theta.min():.2f} to {theta.max():.2f}. The lower end, "
        f"{power_laws.SLOWEST}, is part of the definition of a law.",
    )


def _contact(evidence: Evidence) -> Findings:
    medians, boxes = [], []
    for name, record in fleets(evidence).items():
        kinds, limit = final_class(record), float(record.contact_limit)
        values = [c[kind == HeadClass.TRUE] for c, kind in zip(record.correlation.values[:, -1], kinds, strict=True)]
        medians += [ratio(float(np.median(value)), limit) for value in values if len(value)]
        every = np.concatenate(values)
        reach = f", c from {every.min():.3f} to {every.max():.3f}" if len(every) else ""
        boxes.append(f"{box_name(name)}, c* = {limit:.3f}: {len(every)} true heads{reach}")
    return Findings(
        {CONTACT: bootstrap(np.median, np.array(medians))},
        f"{'; '.join(boxes)}. c* is the correlation of a head that attends equally to all particles in contact.",
    )


CLAIMS = (
    Claim(
        "collisions/4",
        "Sec. 3.2, Table 5",
        "Before it stops changing, the correlation of all but a few collision heads follows a power law.",
        (CLOSES, PREFERRED),
        _at_the_end,
        BOXES,
        "At the end of its development (i.e. at the end of training or before the correlation function stops changing) "
        "the correlation function of a collision detection head evolves as a power law (see Figure 1). This occurs in "
        "all but six cases.",
    ),
    Claim(
        "collisions/5",
        "Sec. 3.2",
        "No head that is not a collision detection head follows a power law.",
        (ELSEWHERE,),
        _nowhere_else,
        BOXES,
        "There are no attention heads for which the attention-distance correlation follows a power law which are not "
        "collision detection heads.",
    ),
    Claim(
        "collisions/6",
        "Fig. 6, Table 5",
        "The exponents lie between −0.05 and −0.85.",
        (EXPONENTS,),
        _exponents,
        BOXES,
    ),
    Claim(
        "collisions/12",
        "ours, from Cor. A.4",
        "The correlation of a true collision head ends at its contact limit c*, not at 0.",
        (CONTACT,),
        _contact,
        BOXES,
    ),
)
