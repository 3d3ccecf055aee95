"""Claims 4 to 6, 9 and 12: how the attention-distance correlation c of a head evolves."""

import numpy as np
import xarray as xr

from nucleate.claims import Check, Claim, Estimate, Evidence, Findings, Region, bootstrap, share
from nucleate.observables import HeadClass, head_class
from nucleate.papers.collisions import measures, readings
from nucleate.theories.power_laws import lojasiewicz

_LEAST_R2 = 0.7  # of a power law: of the paper's 45, all but one have more
_LARGEST = 0.846  # exponent of Table 5
_MOVE = 2**0.5  # a change of exponent within half an octave of a change of kind belongs to it


def decays(laws: xr.Dataset) -> np.ndarray:
    """Which laws are power laws in the paper's sense: straight on a log-log plot, and falling."""
    return ((laws.r2 >= _LEAST_R2) & (laws.exponent > 0)).values


def _of_heads(
    laws: dict[str, xr.Dataset], evidence: Evidence, name: str
) -> list[tuple[np.ndarray, np.ndarray, xr.Dataset]]:
    """Of each network: the kinds of its heads, which close with a power law, and the laws they close with."""
    if name not in laws:
        return []
    kinds, end = readings.final_class(measures.fleets(evidence)[name]), measures.closing(laws[name])
    return [(kind, decays(end.isel(member=m)), end.isel(member=m)) for m, kind in enumerate(kinds)]


def _ratio(hits: np.ndarray, total: np.ndarray) -> float:
    return float(hits.sum() / total.sum()) if total.sum() else float("nan")


def share_of_heads(hits: np.ndarray, total: np.ndarray) -> Estimate:
    """A share of heads, counted for each network: no surer than if heads were independent, nor than networks differ."""
    heads, networks = share(int(hits.sum()), int(total.sum())), bootstrap(_ratio, hits, total)
    if not np.isfinite(heads.value):
        return heads
    if not np.isfinite(networks.value):  # too few networks have such heads to say how they differ
        return Estimate.open(heads.value)
    return Estimate(heads.value, min(heads.low, networks.low), max(heads.high, networks.high))


def _shares(networks, where) -> tuple[np.ndarray, np.ndarray]:
    hits = np.array([np.sum(where(kind) & straight) for kind, straight, _ in networks], float)
    return hits, np.array([np.sum(where(kind)) for kind, _, _ in networks], float)


def _is_collision(kind: np.ndarray) -> np.ndarray:
    return kind > HeadClass.NONE


def _is_other(kind: np.ndarray) -> np.ndarray:
    return kind == HeadClass.NONE


def _in_words(evidence: Evidence, where) -> str:
    told = []
    for name, box in ((readings.LARGE, "large"), (readings.SMALL, "small")):
        counts = []
        for laws in (measures.laws, measures.laws_to_limit, measures.laws_of_score):
            hits, total = _shares(_of_heads(evidence.once(laws), evidence, name), where)
            counts.append(f"{int(hits.sum())} of {int(total.sum())}")
        told.append(
            f"in the {box} box {counts[0]}; of |c − c*|, of which the theory speaks, {counts[1]}, and of 1 − score "
            f"{counts[2]}"
        )
    return "; ".join(told)


def _at_the_end(evidence: Evidence) -> Findings:
    networks = _of_heads(evidence.once(measures.laws), evidence, readings.LARGE)
    hits, total = _shares(networks, _is_collision)
    preferred = np.array([np.sum(_is_collision(k) & s & (e.preferred.values == 0)) for k, s, e in networks], float)
    return Findings(
        {
            "share of collision heads whose |c| closes with a falling power law": share_of_heads(hits, total),
            "share of these in which it beats an exponential and a stretched one": share_of_heads(preferred, hits),
        },
        "BIC cuts ln|c| over ln t into straight pieces, each at least as long as the shortest of the paper's; the last "
        f"that is steeper than {measures.SLOWEST} counts, and is a power law if R² ≥ {_LEAST_R2} and it falls. "
        f"Collision heads with one: {_in_words(evidence, _is_collision)}. The large box alone is judged. The "
        "alternatives fall to 0 as the power law does, in windows cut for the power law, which favours it.",
    )


def _nowhere_else(evidence: Evidence) -> Findings:
    networks = _of_heads(evidence.once(measures.laws), evidence, readings.LARGE)
    return Findings(
        {
            "share of other heads whose |c| closes with a falling power law": share_of_heads(
                *_shares(networks, _is_other)
            )
        },
        f"Heads that detect no collisions, by the rule of claim 4: {_in_words(evidence, _is_other)}. If none of those "
        f"judged did, the interval would end at {share(0, int(_shares(networks, _is_other)[1].sum())).high:.2f}.",
    )


def _exponents(evidence: Evidence) -> Findings:
    networks = _of_heads(evidence.once(measures.laws), evidence, readings.LARGE)
    inside, total, every, r2 = [], [], [], []
    for kind, straight, end in networks:
        alpha = end.exponent.values[_is_collision(kind) & straight]
        inside.append(np.sum(alpha <= _LARGEST))
        total.append(len(alpha))
        every += alpha.tolist()
        r2 += end.r2.values[_is_collision(kind) & straight].tolist()
    told = (
        f"{len(every)} exponents from {min(every):.3f} to {max(every):.3f}, R² {min(r2):.2f} to {max(r2):.2f}; "
        f"Łojasiewicz exponents, if c is smooth, {lojasiewicz(np.array(max(every))):.2f} to "
        f"{lojasiewicz(np.array(min(every))):.2f}. The lower end, {measures.SLOWEST}, is part of what is called a law."
        if every
        else "No collision head closes with a falling power law."
    )
    inside, total = np.array(inside, float), np.array(total, float)
    return Findings({"share of exponents up to 0.846": share_of_heads(inside, total)}, told)


def _first_true(score: np.ndarray, step: np.ndarray) -> tuple[float, float]:
    """When a head that ends as a true one began to be a partial one for good, and when it became a true one for
    good."""
    kinds = head_class(score)
    begin = np.flatnonzero(kinds == HeadClass.NONE)
    turn = np.flatnonzero(kinds != HeadClass.TRUE)
    first = step[begin[-1] + 1] if len(begin) else step[0]
    true = step[turn[-1] + 1] if len(turn) else step[0]
    return float(first), float(true)


def moves(evidence: Evidence) -> list[tuple[str, int, int, int, float, float]]:
    """Heads that were partial for half an octave and then became true: experiment, member, block, head, both steps."""
    found = []
    for name, record in measures.fleets(evidence).items():
        score, kinds, step = readings.corrected(record), readings.final_class(record), record.step.values
        for row, block, head in np.argwhere(kinds == HeadClass.TRUE).tolist():
            first, true = _first_true(score[row, :, block, head], step)
            if true >= _MOVE * max(first, 1):
                found.append((name, int(record.member[row]), block, head, first, true))
    return found


def _changes(laws: xr.Dataset) -> np.ndarray:
    """The steps at which a head's exponent becomes another, by more than both errors together."""
    exponent, error = laws.exponent.values, laws.correlated_error.values
    with np.errstate(invalid="ignore"):
        differ = np.abs(np.diff(exponent)) > np.hypot(error[1:], error[:-1])
    return laws.start.values[1:][differ]


def _variants(evidence: Evidence) -> Findings:
    moved = moves(evidence)
    changed, chance = [], []
    for name, member, block, head, first, true in moved:
        starts = _changes(evidence.once(measures.laws)[name].sel(member=member).isel(block=block, head=head))
        changed.append(bool(np.any((starts >= true / _MOVE) & (starts <= true * _MOVE))))
        # The window is an octave wide, and holds some of a head's changes by chance.
        span = np.log2(float(measures.fleets(evidence)[name].step.values[-1]) / max(first, 1))
        chance.append(min(np.sum(starts >= first) / max(span, 1), 1))
    told = ", ".join(f"{name.split('/')[1]} {m}: {b}-{h} at step {true:.0f}" for name, m, b, h, _, true in moved)
    networks = [at[:2] for at in moved]
    each = sorted(set(networks))
    all_changed = [all(c for c, network in zip(changed, networks, strict=True) if network == one) for one in each]
    surplus = np.array(changed, float) - np.array(chance, float)
    of_network = [np.mean([x for x, network in zip(surplus, networks, strict=True) if network == one]) for one in each]
    return Findings(
        {
            "share of networks in which all such heads change their exponent then": share(sum(all_changed), len(each)),
            "share of such heads that do, less what would be so by chance": bootstrap(
                lambda x: float(np.mean(x)), np.array(of_network)
            )
            if each
            else Estimate.unknown(),
        },
        f"{len(moved)} heads of {len(each)} networks were partial for half an octave and then true for good "
        f"({told or 'none'}); {sum(changed)} of them change their exponent within half an octave of that, "
        f"{sum(chance):.1f} would by chance.",
    )


def _contact(evidence: Evidence) -> Findings:
    ratios, told = [], []
    for name, record in measures.fleets(evidence).items():
        kinds, limit = readings.final_class(record), float(record.contact_limit)
        values = [record.correlation.values[m, -1][kind == HeadClass.TRUE] / limit for m, kind in enumerate(kinds)]
        ratios += [float(np.median(value)) for value in values if len(value)]
        every = np.concatenate(values)
        told.append(
            f"{name.split('/')[1]} box, c* = {limit:.3f}: {len(every)} true heads"
            + (f", c/c* from {every.min():.2f} to {every.max():.2f}" if len(every) else "")
        )
    return Findings(
        {"c over the contact limit c*, median of a network's true heads": bootstrap(np.median, np.array(ratios))},
        f"{'; '.join(told)}. c* is the correlation of a head that attends to all particles in contact alike.",
    )


CLAIMS = (
    Claim(
        "collisions/4",
        "Sec. 3.2, Table 5",
        "Before it stops changing, the correlation of all but a few collision heads follows a power law.",
        (
            Check("share of collision heads whose |c| closes with a falling power law", "most", Region(0.6, 1)),
            Check("share of these in which it beats an exponential and a stretched one", "most", Region(0.5, 1)),
        ),
        _at_the_end,
        measures.EXPERIMENTS,
    ),
    Claim(
        "collisions/5",
        "Sec. 3.2",
        "No head that is not a collision detection head follows a power law.",
        (Check("share of other heads whose |c| closes with a falling power law", "none", Region(0, 0.1)),),
        _nowhere_else,
        measures.EXPERIMENTS,
    ),
    Claim(
        "collisions/6",
        "Fig. 6, Table 5",
        "The exponents lie between −0.05 and −0.85.",
        (Check("share of exponents up to 0.846", "all", Region(0.7, 1)),),
        _exponents,
        measures.EXPERIMENTS,
    ),
    Claim(
        "collisions/9",
        "Sec. 3.3, Fig. 1",
        "A head moves from one variant of collision detection to another, and its exponent changes when it does.",
        (
            Check("share of networks in which all such heads change their exponent then", "most", Region(0.5, 1)),
            Check("share of such heads that do, less what would be so by chance", "above 0", Region(1e-9, 1)),
        ),
        _variants,
        measures.EXPERIMENTS,
    ),
    Claim(
        "collisions/12",
        "ours, from Cor. A.4",
        "The correlation of a true collision head ends at its contact limit c*, not at 0.",
        (Check("c over the contact limit c*, median of a network's true heads", "1", Region(0.8, 1.2)),),
        _contact,
        measures.EXPERIMENTS,
    ),
)
