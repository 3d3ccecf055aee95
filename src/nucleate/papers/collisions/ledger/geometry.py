"""Claims 7 and 8: the learning coefficient of a head while its correlation follows a power law."""

import numpy as np

from nucleate.claims import Check, Claim, Estimate, Evidence, Findings, Region, bootstrap, share
from nucleate.observables import Doubt
from nucleate.papers.collisions import measures, readings
from nucleate.papers.collisions.ledger.laws import decays

_FLAT = 0.1  # of its mean, in an octave: what changes less is a plateau
_BEFORE = 4.0  # what a coefficient did before a law begins, is looked at from a quarter of that step on
_FEWEST = 3  # checkpoints of a plateau or a slope
_OCTAVES = 0.5  # the least that a plateau lasts
_UNBELIEVABLE = Doubt.DIVERGED | Doubt.UNMIXED
_NEGATIVE = 2.0  # standard errors below 0 from which on w₀ is no minimum; a head that does little has λ = 0


def growth(step: np.ndarray, value: np.ndarray) -> float:
    """Change in an octave over the mean: the slope of λ̂ over log₂ t, by least squares, over the mean of λ̂."""
    known = np.isfinite(value) & (step > 0)
    if known.sum() < _FEWEST or not value[known].mean() > 0:
        return float("nan")
    return float(np.polyfit(np.log2(step[known]), value[known], 1)[0] / value[known].mean())


def last_law(evidence: Evidence, name: str, member: int, block: int, head: int) -> tuple[float, float]:
    """First and last step of the power law with which a head's |c| closes; NaN if it is none."""
    laws = evidence.once(measures.laws)[name].sel(member=member).isel(block=block, head=head)
    end = measures.closing(laws)
    return (float(end.start), float(end.end)) if decays(end) else (float("nan"), float("nan"))


def _per_network(member: np.ndarray, value: np.ndarray) -> np.ndarray:
    """The median of each network that has one: heads of one network are not independent."""
    known = np.isfinite(value)
    return np.array([np.median(value[known & (member == m)]) for m in np.unique(member[known])])


def _plateau(evidence: Evidence) -> Findings:
    labels = [check.label for check in _PLATEAU]
    found = evidence.once(measures.coefficients)
    if found is None:
        return Findings(dict.fromkeys(labels, Estimate.unknown()), "There is no collision head.")
    units, value = np.flatnonzero(found.collision), believed(found)
    heads = [(int(found.member[u]), int(found.block[u]), int(found.head[u])) for u in units]
    windows = [last_law(evidence, found.experiment, *at) for at in heads]
    inside, before, controls = [], [], []
    for unit, (start, end) in zip(units, windows, strict=True):
        within = (found.step >= start) & (found.step <= end)
        earlier = (found.step >= start / _BEFORE) & (found.step <= start)
        inside.append(growth(found.step[within], value[unit, within]))
        before.append(growth(found.step[earlier], value[unit, earlier]))
        others = np.flatnonzero(~found.collision & (found.member == found.member[unit]))
        controls += [growth(found.step[within], value[other, within]) for other in others]
    member = found.member[units]
    controls = np.array(controls, float)
    known = controls[np.isfinite(controls)]
    told = f"; others in the same stretches {known.min():.2f} to {known.max():.2f}" if len(known) else ""
    within = np.array(inside)[np.isfinite(inside)]
    return Findings(
        {
            labels[0]: bootstrap(np.median, _per_network(member, np.array(inside))),
            labels[1]: bootstrap(np.median, _per_network(member, np.array(before))),
        },
        f"{len(units)} collision heads of {len(np.unique(member))} networks in the large box, "
        f"{int(np.isfinite([w[0] for w in windows]).sum())} of which end in a power law, and as many other heads as "
        f"there are. Change of λ̂ in an octave over its mean: within the law "
        + (f"{within.min():.2f} to {within.max():.2f}{told}" if len(within) else "not known for any")
        + f". {_doubts(found)}",
    )


def believed(found: measures.HeadCoefficients) -> np.ndarray:
    """λ̂ [unit, checkpoint], NaN where chains diverged or did not mix, or w₀ is no minimum."""
    doubtful = (found.doubt & int(_UNBELIEVABLE) > 0) | (found.value < -_NEGATIVE * found.error)
    return np.where(doubtful, np.nan, found.value)


def _doubts(found: measures.HeadCoefficients) -> str:
    named = (Doubt.DIVERGED, Doubt.NEGATIVE, Doubt.UNMIXED, Doubt.BIASED, Doubt.NOISY, Doubt.IMPRECISE)
    told = ", ".join(f"{int((found.doubt & doubt > 0).sum())} {str(doubt.name).lower()}" for doubt in named)
    lost = int(np.isnan(believed(found)).sum())
    return (
        f"Of {found.doubt.size} coefficients: {told}; {lost} that diverged, did not mix, or are negative by more than "
        f"{_NEGATIVE:g} standard errors are left out."
    )


def plateaus(step: np.ndarray, value: np.ndarray, until: float) -> int:
    """How many stretches of at least half an octave before `until`, apart from each other, in which λ̂ hardly
    changes."""
    last, count, first = np.flatnonzero((step > 0) & (step <= until)), 0, 0
    while first <= len(last) - _FEWEST:
        for stop in range(len(last), first + _FEWEST - 1, -1):
            rows = last[first:stop]
            long = np.log2(step[rows[-1]] / step[rows[0]]) >= _OCTAVES
            if long and abs(growth(step[rows], value[rows])) <= _FLAT:
                count, first = count + 1, stop - 1
                break
        first += 1
    return count


def _earlier(evidence: Evidence) -> Findings:
    labels = [check.label for check in _EARLIER]
    found = evidence.once(measures.coefficients)
    if found is None:
        return Findings(dict.fromkeys(labels, Estimate.unknown()), "There is no collision head.")
    one, two, value = {}, {}, believed(found)
    for unit in np.flatnonzero(found.collision):
        member, block, head = int(found.member[unit]), int(found.block[unit]), int(found.head[unit])
        start, _ = last_law(evidence, found.experiment, member, block, head)
        if np.isfinite(start):
            laws = evidence.once(measures.laws)[found.experiment].sel(member=member).isel(block=block, head=head)
            many = int(decays(laws).sum()) > 1
            (two if many else one).setdefault(member, []).append(plateaus(found.step, value[unit], start) > 0)
    any_of = lambda heads: share(sum(map(any, heads.values())), len(heads))
    two_heads, one_head = ([hit for hits in heads.values() for hit in hits] for heads in (two, one))
    return Findings(
        {labels[0]: any_of(two), labels[1]: any_of(one)},
        f"Of {len(two_heads)} heads with two or more falling power laws {sum(two_heads)} have a plateau before the "
        f"last law begins, of {len(one_head)} heads with one {sum(one_head)}. A plateau: three checkpoints or more "
        f"over at least half an octave, with λ̂ changing by at most {_FLAT} of its mean in an octave. {_doubts(found)}",
    )


_PLATEAU = (
    Check("change of λ̂ in an octave of the power law, over its mean", "a plateau", Region(-_FLAT, _FLAT)),
    Check("change of λ̂ in an octave before the law begins, over its mean", "it rises", Region(low=_FLAT)),
)
_EARLIER = (
    Check("share of networks whose heads with two power laws have an earlier plateau", "most", Region(0.5, 1)),
    Check("share of networks whose heads with one power law have an earlier plateau", "none", Region(0, 0.5)),
)

CLAIMS = (
    Claim(
        "collisions/7",
        "Sec. 3.2, Figs. 1, 16-35",
        "The learning coefficient of a collision head plateaus where its correlation follows a power law.",
        _PLATEAU,
        _plateau,
        (readings.LARGE,),
    ),
    Claim(
        "collisions/8",
        "Sec. 3.3",
        "An earlier plateau of the learning coefficient occurs only in heads with two power laws.",
        _EARLIER,
        _earlier,
        (readings.LARGE,),
    ),
)
