"""Claims 7 and 8: the learning coefficient of a head while its correlation follows a power law."""

from collections.abc import Iterable
from typing import NamedTuple

import numpy as np
import xarray as xr

from nucleate.claims import Check, Claim, Estimate, Evidence, Findings, Reason, Region, share
from nucleate.observables import Doubt
from nucleate.papers.collisions.experiments import BOXES, Effort
from nucleate.papers.collisions.ledger.maturity import FORMED_IN_LARGE
from nucleate.papers.collisions.readings import power_laws
from nucleate.papers.collisions.readings.learning_coefficients import SETTING, HeadCoefficients, of_heads

_FLAT = 0.25  # of its mean, per octave: what changes less is a plateau; what grows as t changes by 0.7
_SURE = 2.0  # standard errors by which a change must be below that, or above
_BEFORE = 4.0  # the time before a law begins is that from a quarter of its first step on
_FEWEST = 3  # checkpoints of a plateau or a slope
_OCTAVES = 0.5  # the shortest plateau
_UNBELIEVABLE = Doubt.DIVERGED | Doubt.UNMIXED
_NEGATIVE = 2.0  # standard errors below 0 from which on w₀ is no minimum; a head that does little has λ = 0

RESTS = Check(
    "share of networks whose λ̂ rests within the power law, in all heads",
    "all",
    Region.at_least(0.5),
    mature=FORMED_IN_LARGE,
)
RISES = Check(
    "share of networks whose λ̂ rises before the law begins, in all heads",
    "all",
    Region.at_least(0.5),
    mature=FORMED_IN_LARGE,
)
EARLIER_OF_TWO = Check(
    "share of networks whose heads with two power laws have an earlier plateau",
    "most",
    Region.at_least(0.5),
    mature=FORMED_IN_LARGE,
)
EARLIER_OF_ONE = Check(
    "share of networks whose heads with one power law have an earlier plateau",
    "none",
    Region.at_most(0.5),
    mature=FORMED_IN_LARGE,
)


class Change(NamedTuple):
    """How much a coefficient changes per octave of training, over its mean; with its standard error."""

    value: float
    error: float

    @property
    def flat(self) -> bool | None:
        """Whether it is a plateau, None if that is uncertain."""
        if abs(self.value) + _SURE * self.error <= _FLAT:
            return True
        return False if abs(self.value) - _SURE * self.error > _FLAT else None

    @property
    def rises(self) -> bool | None:
        """Whether it is a rise, None if that is uncertain."""
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


def believed(found: HeadCoefficients) -> np.ndarray:
    """λ̂ [unit, checkpoint], NaN where chains diverged or did not mix, or w₀ is no minimum."""
    doubtful = (found.doubt & int(_UNBELIEVABLE) > 0) | (found.value < -_NEGATIVE * found.error)
    return np.where(doubtful, np.nan, found.value)


def _laws_of(evidence: Evidence[Effort], found: HeadCoefficients, unit: int) -> xr.Dataset:
    """All laws of a head's |c|."""
    laws = evidence.once(power_laws.of_correlation)[found.experiment].sel(member=found.member[unit])
    return laws.isel(block=found.block[unit], head=found.head[unit])


def _closing_window(evidence: Evidence[Effort], found: HeadCoefficients, unit: int) -> tuple[float, float]:
    """First and last step of the power law with which a head's |c| closes; NaN if it closes otherwise."""
    end = power_laws.closing(_laws_of(evidence, found, unit))
    return (float(end.start), float(end.end)) if power_laws.decays(end) else (float("nan"), float("nan"))


def _in_all(member: np.ndarray, seen: Iterable[bool | None]) -> Estimate:
    """The share of networks in which something holds for all heads; heads of which it is uncertain do not count."""
    networks: dict[int, list[bool]] = {}
    for one, holds in zip(member.tolist(), seen, strict=True):
        if holds is not None:
            networks.setdefault(one, []).append(holds)
    return share(sum(map(all, networks.values())), len(networks))


def _counted(changes: Iterable[Change]) -> str:
    flat = [each.flat for each in changes if np.isfinite(each.value)]
    return f"{flat.count(True)} rest, {flat.count(False)} do not, {flat.count(None)} are uncertain"


def _plateau(evidence: Evidence[Effort]) -> Findings:
    found = evidence.once(of_heads)
    if found is None:
        return Findings.none((RESTS, RISES), "There is no collision head.", Reason.TOO_EARLY)
    units, value = np.flatnonzero(found.collision), believed(found)
    of = lambda unit, rows: change(found.step[rows], value[unit, rows], found.error[unit, rows])
    inside, before, controls, laws = [], [], [], 0
    for unit in units.tolist():
        start, end = _closing_window(evidence, found, unit)
        laws += np.isfinite(start)
        within = (found.step >= start) & (found.step <= end)
        inside.append(of(unit, within))
        before.append(of(unit, (found.step >= start / _BEFORE) & (found.step <= start)))
        others = np.flatnonzero(~found.collision & (found.member == found.member[unit]))
        controls += [of(other, within) for other in others]
    member = found.member[units]
    known = [each.value for each in inside if np.isfinite(each.value)]
    reach = f"from {min(known):.2f} to {max(known):.2f}" if known else "unknown in all heads"
    return Findings(
        {
            RESTS: _in_all(member, (each.flat for each in inside)),
            RISES: _in_all(member, (each.rises for each in before)),
        },
        f"{len(units)} collision heads of {len(np.unique(member))} networks in the large box, {laws} of which end in a "
        f"power law. Change of λ̂ per octave of the law, over its mean: {reach}. λ̂ rests if it changes by less than "
        f"{_FLAT}, by {_SURE:g} standard errors: {_counted(inside)}. Of {int((~found.collision).sum())} other heads in "
        f"the same stretches: {_counted(controls)}. {_doubts(found)}",
    )


def _doubts(found: HeadCoefficients) -> str:
    named = (Doubt.DIVERGED, Doubt.NEGATIVE, Doubt.UNMIXED, Doubt.BIASED, Doubt.NOISY, Doubt.IMPRECISE)
    counts = ", ".join(f"{int((found.doubt & doubt > 0).sum())} {str(doubt.name).lower()}" for doubt in named)
    lost = int(np.isnan(believed(found)).sum())
    return (
        f"Of {found.doubt.size} coefficients: {counts}; {lost} are left out that diverged, did not mix, or are "
        f"negative by more than {_NEGATIVE:g} standard errors. Throughout, nβ = {SETTING.nbeta:g} and "
        f"γ = {SETTING.gamma:g}."
    )


def plateaus(step: np.ndarray, value: np.ndarray, error: np.ndarray, until: float) -> int | None:
    """How many separate stretches of at least half an octave there are before `until` in which λ̂ hardly changes; None
    if none could have been seen."""
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


def _earlier(evidence: Evidence[Effort]) -> Findings:
    found = evidence.once(of_heads)
    if found is None:
        return Findings.none((EARLIER_OF_TWO, EARLIER_OF_ONE), "There is no collision head.", Reason.TOO_EARLY)
    value = believed(found)
    one: dict[int, list[bool]] = {}
    two: dict[int, list[bool]] = {}
    for unit in np.flatnonzero(found.collision).tolist():
        start, _ = _closing_window(evidence, found, unit)
        seen = plateaus(found.step, value[unit], found.error[unit], start)
        if seen is not None:
            laws = _laws_of(evidence, found, unit)
            falling = power_laws.decays(laws) & (laws.exponent.values >= power_laws.SLOWEST)
            (two if falling.sum() > 1 else one).setdefault(int(found.member[unit]), []).append(seen > 0)
    any_of = lambda networks: share(sum(map(any, networks.values())), len(networks))
    in_two, in_one = ([hit for hits in networks.values() for hit in hits] for networks in (two, one))
    return Findings(
        {EARLIER_OF_TWO: any_of(two), EARLIER_OF_ONE: any_of(one)},
        f"{sum(in_two)} of {len(in_two)} heads with two or more falling power laws have a plateau before the last law "
        f"begins, and {sum(in_one)} of {len(in_one)} heads with one; others have too few coefficients before it. A "
        "plateau lasts at least half an octave, has at least three checkpoints, and rests by the rule of claim 7. "
        f"{_doubts(found)}",
    )


CLAIMS = (
    Claim(
        "collisions/7",
        "Sec. 3.2, Figs. 1, 16-35",
        "The learning coefficient of a collision head plateaus where its correlation follows a power law.",
        (RESTS, RISES),
        _plateau,
        BOXES,
        "We observe that the local learning coefficient plateaus in sections of training where the cross-correlation "
        "function is governed by a power law.",
    ),
    Claim(
        "collisions/8",
        "Sec. 3.3",
        "An earlier plateau of the learning coefficient occurs only in heads with two power laws.",
        (EARLIER_OF_TWO, EARLIER_OF_ONE),
        _earlier,
        BOXES,
        "note that such plateaus in the LLC do not occur in heads without two power laws",
    ),
)
