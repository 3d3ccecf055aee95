"""Claims 4 to 6, 9 and 12: how the attention-distance correlation c of a head evolves."""

import numpy as np
import xarray as xr

from nucleate.claims import Check, Claim, Evidence, Findings, Region, bootstrap
from nucleate.observables import HeadClass, head_class
from nucleate.papers.collisions import measures, readings
from nucleate.theories import lojasiewicz

_LEAST_R2 = 0.7  # of a power law: of the paper's 45, all but one have more
_EXPONENTS = (0.049, 0.846)  # the smallest and the largest of Table 5
_MOVE = 2**0.5  # a change of exponent within half an octave of a change of kind belongs to it


def decays(laws: xr.Dataset) -> np.ndarray:
    """Which laws are power laws in the paper's sense: straight on a log-log plot, and falling."""
    return ((laws.r2 >= _LEAST_R2) & (laws.exponent > 0)).values


def _of_heads(evidence: Evidence, laws) -> list[tuple[np.ndarray, np.ndarray, xr.Dataset]]:
    """Of each network: the kinds of its heads, which end in a power law, and the laws they end in."""
    found = []
    for name in measures.EXPERIMENTS:
        kinds = readings.final_class(measures.record(evidence, name))
        end = measures.last(evidence.once(laws)[name])
        found += [(kind, decays(end.isel(member=m)), end.isel(member=m)) for m, kind in enumerate(kinds)]
    return found


def _ratio(hits: np.ndarray, total: np.ndarray) -> float:
    return float(hits.sum() / total.sum()) if total.sum() else float("nan")


def _shares(networks, where) -> tuple[np.ndarray, np.ndarray]:
    hits = np.array([np.sum(where(kind) & straight) for kind, straight, _ in networks], float)
    return hits, np.array([np.sum(where(kind)) for kind, _, _ in networks], float)


def _is_collision(kind: np.ndarray) -> np.ndarray:
    return kind > HeadClass.NONE


def _at_the_end(evidence: Evidence) -> Findings:
    networks = _of_heads(evidence, measures.laws)
    hits, total = _shares(networks, _is_collision)
    preferred = np.array([np.sum(_is_collision(k) & s & (e.preferred.values == 0)) for k, s, e in networks], float)
    to_limit, _ = _shares(_of_heads(evidence, measures.laws_to_limit), _is_collision)
    return Findings(
        {
            "share of collision heads whose |c| ends in a falling power law": bootstrap(_ratio, hits, total),
            "share of these in which it beats an exponential and a stretched one": bootstrap(_ratio, preferred, hits),
        },
        "The last of the straight pieces into which BIC cuts ln|c| over ln t, each at least half an octave long; a "
        f"power law has R² ≥ {_LEAST_R2} and falls. {int(hits.sum())} of {int(total.sum())} collision heads. |c − "
        f"c*|, of which the theory speaks, ends in one in {int(to_limit.sum())}.",
    )


def _nowhere_else(evidence: Evidence) -> Findings:
    networks = _of_heads(evidence, measures.laws)
    hits, total = _shares(networks, lambda kind: kind == HeadClass.NONE)
    return Findings(
        {"share of other heads whose |c| ends in a falling power law": bootstrap(_ratio, hits, total)},
        f"{int(hits.sum())} of {int(total.sum())} heads that detect no collisions, by the rule of claim 4.",
    )


def _exponents(evidence: Evidence) -> Findings:
    networks = _of_heads(evidence, measures.laws)
    inside, total, every, r2 = [], [], [], []
    for kind, straight, end in networks:
        alpha = end.exponent.values[_is_collision(kind) & straight]
        inside.append(np.sum((alpha >= _EXPONENTS[0]) & (alpha <= _EXPONENTS[1])))
        total.append(len(alpha))
        every += alpha.tolist()
        r2 += end.r2.values[_is_collision(kind) & straight].tolist()
    told = (
        f"{len(every)} exponents from {min(every):.3f} to {max(every):.3f}, R² {min(r2):.2f} to {max(r2):.2f}; "
        f"Łojasiewicz exponents, if c is smooth, {lojasiewicz(np.array(max(every))):.2f} to "
        f"{lojasiewicz(np.array(min(every))):.2f}."
        if every
        else "No collision head ends in a falling power law."
    )
    return Findings(
        {
            "share of exponents between 0.049 and 0.846": bootstrap(
                _ratio, np.array(inside, float), np.array(total, float)
            )
        },
        told,
    )


def _first_true(score: np.ndarray, step: np.ndarray) -> tuple[float, float]:
    """When a head that ends as a true one began to be a partial one for good, and when it became a true one for "
    "good."""
    kinds = head_class(score)
    begin = np.flatnonzero(kinds == HeadClass.NONE)
    turn = np.flatnonzero(kinds != HeadClass.TRUE)
    first = step[begin[-1] + 1] if len(begin) else step[0]
    true = step[turn[-1] + 1] if len(turn) else step[0]
    return float(first), float(true)


def moves(evidence: Evidence) -> list[tuple[str, int, int, int, float, float]]:
    """Heads that were partial for half an octave and then became true: experiment, member, block, head, both steps."""
    found = []
    for name in measures.EXPERIMENTS:
        record = measures.record(evidence, name)
        score, kinds, step = readings.corrected(record), readings.final_class(record), record.step.values
        for member, block, head in np.argwhere(kinds == HeadClass.TRUE).tolist():
            first, true = _first_true(score[member, :, block, head], step)
            if true >= _MOVE * max(first, 1):
                found.append((name, member, block, head, first, true))
    return found


def _variants(evidence: Evidence) -> Findings:
    moved = moves(evidence)
    changed = []
    for name, member, block, head, _, true in moved:
        laws = evidence.once(measures.laws)[name].isel(member=member, block=block, head=head)
        starts = laws.start.values[1:]
        changed.append(bool(np.any((starts >= true / _MOVE) & (starts <= true * _MOVE))))
    # A window of an octave would often hold a change of exponent by chance; a head's changes are few.
    chance = []
    for name, member, block, head, first, _ in moved:
        laws = evidence.once(measures.laws)[name].isel(member=member, block=block, head=head)
        starts = laws.start.values[1:]
        span = np.log2(float(measures.record(evidence, name).step.values[-1]) / max(first, 1))
        chance.append(min(np.sum(starts >= first) / max(span, 1), 1))
    told = ", ".join(f"{name.split('/')[1]} {m}: {b}-{h} at step {true:.0f}" for name, m, b, h, _, true in moved)
    return Findings(
        {
            "share of heads that turn from partial to true with a change of exponent then": bootstrap(
                lambda x: float(np.mean(x)), np.array(changed, float)
            ),
            "that share less what would be so by chance": bootstrap(
                lambda x, y: float(np.mean(x - y)), np.array(changed, float), np.array(chance, float)
            ),
        },
        f"{len(moved)} heads were partial for half an octave and then true for good ({told or 'none'}); a change of "
        "exponent within half an octave of that counts. Attention maps before and after are in the figures.",
    )


def _contact(evidence: Evidence) -> Findings:
    ratios, told = [], []
    for name in measures.EXPERIMENTS:
        record = measures.record(evidence, name)
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
        "At the end the attention-distance correlation of all but a few collision heads follows a power law.",
        (
            Check("share of collision heads whose |c| ends in a falling power law", "most", Region(0.75, 1)),
            Check("share of these in which it beats an exponential and a stretched one", "most", Region(0.5, 1)),
        ),
        _at_the_end,
        measures.EXPERIMENTS,
    ),
    Claim(
        "collisions/5",
        "Sec. 3.2",
        "No head that is not a collision detection head follows a power law.",
        (Check("share of other heads whose |c| ends in a falling power law", "none", Region(0, 0.05)),),
        _nowhere_else,
        measures.EXPERIMENTS,
    ),
    Claim(
        "collisions/6",
        "Fig. 6, Table 5",
        "The exponents lie between −0.05 and −0.85.",
        (Check("share of exponents between 0.049 and 0.846", "all", Region(0.9, 1)),),
        _exponents,
        measures.EXPERIMENTS,
    ),
    Claim(
        "collisions/9",
        "Sec. 3.3, Fig. 1",
        "A head moves from one variant of collision detection to another, and its exponent changes when it does.",
        (
            Check(
                "share of heads that turn from partial to true with a change of exponent then", "most", Region(0.5, 1)
            ),
            Check("that share less what would be so by chance", "above 0", Region(1e-9, 1)),
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
