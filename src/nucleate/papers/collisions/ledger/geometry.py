"""Claims 7 and 8: the learning coefficient of a head while its correlation follows a power law."""

from collections.abc import Iterable
from typing import NamedTuple

import numpy as np

from nucleate.claims import Check, Claim, Estimate, Evidence, Findings, Region, share
from nucleate.observables import Doubt
from nucleate.papers.collisions import measures, readings
from nucleate.papers.collisions.ledger.laws import decays

_FLAT = 0.25  # of its mean, in an octave: what changes less is a plateau; what grows as t changes by 0.7
_SURE = 2.0  # standard errors by which a change must be below that, or above
_BEFORE = 4.0  # what a coefficient did before a law begins, is looked at from a quarter of that step on
_FEWEST = 3  # checkpoints of a plateau or a slope
_OCTAVES = 0.5  # the least that a plateau lasts
_UNBELIEVABLE = Doubt.DIVERGED | Doubt.UNMIXED
_NEGATIVE = 2.0  # standard errors below 0 from which on w₀ is no minimum; a head that does little has λ = 0


class Change(NamedTuple):
    """Of a coefficient in an octave of training, over its mean; with its standard error."""

    value: float
    error: float

    @property
    def flat(self) -> bool | None:
        """Whether it is a plateau, None if that cannot be told."""
        if abs(self.value) + _SURE * self.error <= _FLAT:
            return True
        return False if abs(self.value) - _SURE * self.error > _FLAT else None

    @property
    def rises(self) -> bool | None:
        """Whether it is a rise, None if that cannot be told."""
        if self.value - _SURE * self.error > _FLAT:
            return True
        return False if self.value + _SURE * self.error <= _FLAT else None


def change(step: np.ndarray, value: np.ndarray, error: np.ndarray) -> Change:
    """The slope of λ̂ over log₂ t, by least squares, over the mean of λ̂."""
    known = np.isfinite(value) & (step > 0)
    if known.sum() < _FEWEST or not value[known].mean() > 0:
        return Change(float("nan"), float("nan"))
    octave = np.log2(step[known])
    weight = (octave - octave.mean()) / np.sum(np.square(octave - octave.mean()))
    slope, spread = weight @ value[known], np.sqrt(np.square(weight) @ np.square(error[known]))
    return Change(float(slope / value[known].mean()), float(spread / value[known].mean()))


def last_law(evidence: Evidence, name: str, member: int, block: int, head: int) -> tuple[float, float]:
    """First and last step of the power law with which a head's |c| closes; NaN if it is none."""
    laws = evidence.once(measures.laws)[name].sel(member=member).isel(block=block, head=head)
    end = measures.closing(laws)
    return (float(end.start), float(end.end)) if decays(end) else (float("nan"), float("nan"))


def believed(found: measures.HeadCoefficients) -> np.ndarray:
    """λ̂ [unit, checkpoint], NaN where chains diverged or did not mix, or w₀ is no minimum."""
    doubtful = (found.doubt & int(_UNBELIEVABLE) > 0) | (found.value < -_NEGATIVE * found.error)
    return np.where(doubtful, np.nan, found.value)


def _in_all(member: np.ndarray, told: Iterable[bool | None]) -> Estimate:
    """The share of networks, of those of which something can be told, in which it is so of all such heads."""
    networks: dict[int, list[bool]] = {}
    for one, yes in zip(member.tolist(), told, strict=True):
        if yes is not None:
            networks.setdefault(one, []).append(yes)
    return share(sum(map(all, networks.values())), len(networks))


def _counted(changes: Iterable[Change]) -> str:
    told = [each.flat for each in changes if np.isfinite(each.value)]
    return f"{told.count(True)} plateaus, {told.count(False)} none, {told.count(None)} that cannot be told"


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
        of = lambda unit, rows: change(found.step[rows], value[unit, rows], found.error[unit, rows])
        within = (found.step >= start) & (found.step <= end)
        inside.append(of(unit, within))
        before.append(of(unit, (found.step >= start / _BEFORE) & (found.step <= start)))
        others = np.flatnonzero(~found.collision & (found.member == found.member[unit]))
        controls += [of(other, within) for other in others]
    member = found.member[units]
    known = [each.value for each in inside if np.isfinite(each.value)]
    return Findings(
        {
            labels[0]: _in_all(member, (each.flat for each in inside)),
            labels[1]: _in_all(member, (each.rises for each in before)),
        },
        f"{len(units)} collision heads of {len(np.unique(member))} networks in the large box, "
        f"{int(np.isfinite([w[0] for w in windows]).sum())} of which end in a power law. Change of λ̂ in an octave of "
        "the law, over its mean: "
        + (f"{min(known):.2f} to {max(known):.2f}" if known else "not known for any")
        + f". A plateau changes by less than {_FLAT}, by {_SURE:g} standard errors: {_counted(inside)}; in "
        f"{int((~found.collision).sum())} other heads, in the same stretches: {_counted(controls)}. {_doubts(found)}",
    )


def _doubts(found: measures.HeadCoefficients) -> str:
    named = (Doubt.DIVERGED, Doubt.NEGATIVE, Doubt.UNMIXED, Doubt.BIASED, Doubt.NOISY, Doubt.IMPRECISE)
    told = ", ".join(f"{int((found.doubt & doubt > 0).sum())} {str(doubt.name).lower()}" for doubt in named)
    lost = int(np.isnan(believed(found)).sum())
    return (
        f"Of {found.doubt.size} coefficients: {told}; {lost} that diverged, did not mix, or are negative by more than "
        f"{_NEGATIVE:g} standard errors are left out. They are those at nβ = {measures.SETTING.nbeta:g} and γ = "
        f"{measures.SETTING.gamma:g}."
    )


def plateaus(step: np.ndarray, value: np.ndarray, error: np.ndarray, until: float) -> int | None:
    """How many stretches of at least half an octave before `until`, apart from each other, in which λ̂ hardly
    changes; None if none could have been seen."""
    rows, count, first = np.flatnonzero((step > 0) & (step <= until) & np.isfinite(value)), 0, 0
    if len(rows) < _FEWEST or np.log2(step[rows[-1]] / step[rows[0]]) < _OCTAVES:
        return None
    while first <= len(rows) - _FEWEST:
        for stop in range(len(rows), first + _FEWEST - 1, -1):
            some = rows[first:stop]
            long = np.log2(step[some[-1]] / step[some[0]]) >= _OCTAVES
            if long and change(step[some], value[some], error[some]).flat:
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
        seen = plateaus(found.step, value[unit], found.error[unit], start)
        if seen is not None:
            laws = evidence.once(measures.laws)[found.experiment].sel(member=member).isel(block=block, head=head)
            many = int((decays(laws) & (laws.exponent.values >= measures.SLOWEST)).sum()) > 1
            (two if many else one).setdefault(member, []).append(seen > 0)
    any_of = lambda heads: share(sum(map(any, heads.values())), len(heads))
    two_heads, one_head = ([hit for hits in heads.values() for hit in hits] for heads in (two, one))
    return Findings(
        {labels[0]: any_of(two), labels[1]: any_of(one)},
        f"Of {len(two_heads)} heads with two or more falling power laws {sum(two_heads)} have a plateau before the "
        f"last law begins, of {len(one_head)} heads with one {sum(one_head)}; others have too few coefficients before "
        f"it. A plateau: three checkpoints or more over at least half an octave, by the rule of claim 7. "
        f"{_doubts(found)}",
    )


_PLATEAU = (
    Check("share of networks whose λ̂ rests within the power law, in all heads", "all", Region(0.5, 1)),
    Check("share of networks whose λ̂ rises before the law begins, in all heads", "all", Region(0.5, 1)),
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
