"""What would decide a claim that is open for too few networks."""

import math

from nucleate.claims.claim import Claim
from nucleate.claims.region import Region, Verdict
from nucleate.claims.scorecard import CheckRow, ClaimRow
from nucleate.claims.statistics import Estimate, Reason

_ENOUGH = 9  # units for which every kind of interval has two ends, at the strictest of planned looks
_MANY = 1_000_000


def times_as_many(claim: Claim, row: ClaimRow, wider: float = 1.0) -> float | None:
    """How many times as many networks would decide a claim, if what was found stays what it is; None if it is decided,
    or if networks would not help: it is too early, undefined or failed, or nothing is trained for it.

    The half-width of an interval falls as 1/√n, so a check is decided when n has grown by (half-width/distance)², with
    the distance of the number from the bound. One check that fails is enough to contradict; to replicate, all must
    hold. `wider`: how much wider intervals will be at the level of the next look.
    """
    regions = {check.label: check.region for check in claim.checks}
    undecided = [check for check in row.checks if check.verdict == Verdict.INCONCLUSIVE]
    few = {check: regions.get(check.label) for check in undecided if check.reason == Reason.TOO_FEW}
    against = [_growth(region, check) for check, region in few.items() if _is_outside(region, check)]
    if row.verdict != Verdict.INCONCLUSIVE or not row.members or not (against or len(few) == len(undecided)):
        return None
    times = min(against) if against else max(_growth(region, check) for check, region in few.items())
    return max(times * wider**2, 1.0)


def networks_more(row: ClaimRow, times: float) -> str:
    """In words.

    >>> check = CheckRow("R²", "near 1", "inconclusive", 0.4, (0.35, 0.45), units=8)
    >>> networks_more(ClaimRow("a/1", "a", "", "", 70, 10, 1.0, "", (check,)), 2.93)
    'about 140 networks more'
    """
    more = row.members * (times - 1)
    if more > _MANY:
        return f"more than {_MANY:,} networks more"
    digits = 10 ** max(0, len(str(math.ceil(more))) - 2)
    count = max(1, math.ceil(more / digits) * digits)
    return f"about {count:,} network{'s' if count > 1 else ''} more"


def _is_outside(region: Region | None, check: CheckRow) -> bool:
    """Whether what was found speaks against the claim."""
    if region is None or check.measured is None:
        return False
    return region.judge(Estimate.exact(check.measured)) == Verdict.CONTRADICTED


def _growth(region: Region | None, check: CheckRow) -> float:
    """By how much the units of an undecided check must grow."""
    if region is None or check.measured is None or not math.isfinite(check.measured):
        return math.inf
    low, high = check.interval or (-math.inf, math.inf)
    value = check.measured
    if _is_outside(region, check):  # the end that reaches into the region must leave it
        bounds = [(high - value, region.low - value) if value <= region.low else (value - low, value - region.high)]
    else:
        bounds = [(value - low, value - region.low), (high - value, region.high - value)]
    return max(_until(half, distance, check.units) for half, distance in bounds)


def _until(half: float, distance: float, units: int) -> float:
    """By how much units must grow for a half-width to become as small as a distance."""
    if half < distance:
        return 1.0
    if math.isinf(half):
        return max(2.0, _ENOUGH / units) if units else math.inf
    return (half / distance) ** 2 if distance > 0 else math.inf
