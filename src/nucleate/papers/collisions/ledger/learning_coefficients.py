"""Claims 7 and 8: the learning coefficient of a head while its correlation follows a power law."""

from collections.abc import Iterable
from typing import NamedTuple

import numpy as np
import xarray as xr

from nucleate.claims import Check, Claim, Estimate, Evidence, Findings, Reason, Revision, words
from nucleate.observables import Doubt
from nucleate.papers.collisions.experiments import BOX, Effort
from nucleate.papers.collisions.ledger.maturity import SETTLED, finished
from nucleate.papers.collisions.ledger.shares import or_fewer, or_more, share_in_networks
from nucleate.papers.collisions.readings import power_laws
from nucleate.papers.collisions.readings.fleets import networks
from nucleate.papers.collisions.readings.learning_coefficients import SETTING, HeadCoefficients, of_heads

_FLAT = 0.25  # of its mean, per octave: what changes less is a plateau; what grows as t changes by 0.7
_SURE = 2.0  # errors by which a change must be below that, or above
_BEFORE = 4.0  # the time before a law begins is that from a quarter of its first step on
_FEWEST = 3  # checkpoints of a plateau or a slope
_OCTAVES = 0.5  # the shortest plateau
_UNBELIEVABLE = Doubt.DIVERGED | Doubt.UNMIXED
_NEGATIVE = 2.0  # errors below 0 from which on w₀ is no minimum; a head that does little has λ = 0

RESTS = Check("share of heads whose λ̂ rests within the power law", "most", words.MOST, mature=SETTLED)
RISES = Check("share of heads whose λ̂ rises before the law begins", "not said", None)
EARLIER_OF_ONE = Check(
    "share of heads with one power law that have an earlier plateau", "none", words.NONE, mature=SETTLED
)
EARLIER_OF_TWO = Check("share of heads with two power laws that have an earlier plateau", "one case", None)


class Change(NamedTuple):
    """How much a coefficient changes per octave of training, over its mean; with its error."""

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
    laws = evidence.once(power_laws.of_correlation).sel(member=found.member[unit])
    return laws.isel(block=found.block[unit], head=found.head[unit])


def _closing_window(evidence: Evidence[Effort], found: HeadCoefficients, unit: int) -> tuple[float, float]:
    """First and last step of the power law with which a head's |c| closes; NaN if it closes otherwise."""
    end = power_laws.closing(_laws_of(evidence, found, unit))
    return (float(end.start), float(end.end)) if power_laws.decays(end) else (float("nan"), float("nan"))


class _Heads(NamedTuple):
    """In each network, of how many heads something is known, and for how many of them it holds."""

    hits: np.ndarray
    total: np.ndarray
    finished: np.ndarray

    @classmethod
    def of(cls, evidence: Evidence[Effort], member: np.ndarray, seen: list[bool | None]) -> "_Heads":
        """Of heads of the networks `member`; None where it is not known."""
        record = networks(evidence)
        known = np.array([holds is not None for holds in seen], bool)
        holds = np.array([bool(holds) for holds in seen], bool)
        own = record.member.values[:, None] == member
        return cls((own & holds).sum(1).astype(float), (own & known).sum(1).astype(float), finished(record))

    @property
    def share(self) -> Estimate:
        return share_in_networks(self.hits, self.total)

    def __str__(self) -> str:
        return f"{self.hits.sum():.0f} of {self.total.sum():.0f}"


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
            RESTS: or_more(*_Heads.of(evidence, member, [each.flat for each in inside])),
            RISES: _Heads.of(evidence, member, [each.rises for each in before]).share,
        },
        f"{len(units)} collision heads of {len(np.unique(member))} networks, {laws} of which end in a power law. "
        f"Change of λ̂ per octave of the law, over its mean: {reach}. λ̂ rests if it changes by less than "
        f"{_FLAT}, by {_SURE:g} errors: {_counted(inside)}. Of {int((~found.collision).sum())} other heads in "
        f"the same stretches: {_counted(controls)}. {_doubts(found)}",
    )


def _doubts(found: HeadCoefficients) -> str:
    counts = ", ".join(f"{int((found.doubt & doubt > 0).sum())} {str(doubt.name).lower()}" for doubt in Doubt)
    lost = int(np.isnan(believed(found)).sum())
    known = found.statistical > 0
    larger = np.median(found.error[known] / found.statistical[known]) if known.any() else np.nan
    return (
        f"Of {found.doubt.size} coefficients: {counts}; {lost} are left out that diverged, did not mix, or are "
        f"negative by more than {_NEGATIVE:g} errors. With what chains have not reached, and the bias of their steps, "
        f"an error is {larger:.2g} times the statistical one (median). Throughout, nβ = {SETTING.nbeta:g} and "
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
    units, value = np.flatnonzero(found.collision), believed(found)
    seen: dict[bool, list[bool | None]] = {True: [], False: []}  # of heads with two laws or more, and of others
    for unit in units.tolist():
        start, _ = _closing_window(evidence, found, unit)
        count = plateaus(found.step, value[unit], found.error[unit], start)
        laws = _laws_of(evidence, found, unit)
        two = bool((power_laws.decays(laws) & (laws.exponent.values >= power_laws.SLOWEST)).sum() > 1)
        for kind, heads in seen.items():
            heads.append(None if count is None or kind != two else count > 0)
    one, several = (_Heads.of(evidence, found.member[units], seen[kind]) for kind in (False, True))
    return Findings(
        {EARLIER_OF_ONE: or_fewer(*one), EARLIER_OF_TWO: several.share},
        f"{several} heads with two or more falling power laws have a plateau before the last law begins, and {one} "
        "heads with one; others have too few coefficients before it. A plateau lasts at least half an octave, has at "
        f"least three checkpoints, and rests by the rule of claim 7. {_doubts(found)}",
    )


CLAIMS = (
    Claim(
        "collisions/7",
        "Sec. 3.2, Figs. 1, 16-35",
        "The learning coefficient of a collision head plateaus where its correlation follows a power law.",
        (RESTS, RISES),
        _plateau,
        (BOX,),
        "We observe that in most cases the following occur simultaneously: (a) collision detection behaviour emerges, "
        "(b) the attention-distance correlation enters a power law regime, (c) the parameter-restricted local learning "
        "coefficient plateaus.",
        history=(
            Revision(
                "Median change of λ̂ per octave of the law at most 0.1 of its mean, and at least 0.1 before it.",
                "inconclusive",
                "a tenth is less than the errors of λ̂, which were not asked.",
            ),
            Revision(
                "In at least half of the networks of a box of 14 × 14, λ̂ of all heads rests within the law, and rises "
                "before it.",
                "inconclusive",
                "of four networks no outcome decides that; the paper counts heads, “in most cases”, and does not say "
                "that λ̂ rises just before the law.",
            ),
        ),
    ),
    Claim(
        "collisions/8",
        "Sec. 3.3",
        "An earlier plateau of the learning coefficient occurs only in heads with two power laws.",
        (EARLIER_OF_ONE, EARLIER_OF_TWO),
        _earlier,
        (BOX,),
        "note that such plateaus in the LLC do not occur in heads without two power laws",
        history=(
            Revision(
                "Heads with two power laws have an earlier plateau in at least half of the networks, and heads with "
                "one in at most half.",
                "inconclusive",
                "of four networks no outcome decides that; the paper shows one head with two, and says that others "
                "have none.",
            ),
        ),
    ),
)
