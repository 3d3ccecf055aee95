"""A claim is written down before it is measured; a verdict is what the measurement says of it."""

import abc
import math
import re
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Any, final

import xarray as xr

from nucleate.checking import Checked, Count
from nucleate.claims.evidence import Evidence
from nucleate.claims.formats import in_one_line
from nucleate.claims.region import Region, Verdict
from nucleate.claims.scorecard import CheckRow, ClaimRow, Revision
from nucleate.claims.statistics import Estimate, Reason


class Threshold(StrEnum):
    """Whose number an acceptance region is made of."""

    PAPER = "the paper's"
    OURS = "ours"


class Maturity(abc.ABC):
    """When a check can first be judged."""

    @property
    @abc.abstractmethod
    def experiments(self) -> tuple[str, ...]:
        """The experiments that it looks at."""

    @abc.abstractmethod
    def lacks(self, evidence: Evidence) -> str:
        """What the runs still lack, in words; empty if nothing."""

    @abc.abstractmethod
    def __str__(self) -> str: ...


@final
@dataclass(frozen=True)
class Steps(Checked, Maturity):
    """Every run of the experiments `of` has had at least `least` optimiser steps.

    >>> print(Steps(30_000, "circles/long"))
    once circles/long has had 30,000 steps
    """

    least: Count
    of: str | tuple[str, ...]

    @property
    def experiments(self) -> tuple[str, ...]:
        return (self.of,) if isinstance(self.of, str) else self.of

    def lacks(self, evidence: Evidence) -> str:
        short = {name: evidence.about(name).steps for name in self.experiments}
        return ", ".join(f"{name} has had {steps:,} steps" for name, steps in short.items() if steps < self.least)

    def __str__(self) -> str:
        have = "have" if len(self.experiments) > 1 else "has"
        return f"once {' and '.join(self.experiments)} {have} had {self.least:,} steps"


@final
@dataclass(frozen=True)
class When(Maturity):
    """`holds` is true of an experiment's record; `says`: what that means, such as "heads have formed"."""

    says: str
    of: str
    holds: Callable[[xr.Dataset], bool]

    @property
    def experiments(self) -> tuple[str, ...]:
        return (self.of,)

    def lacks(self, evidence: Evidence) -> str:
        return "" if self.holds(evidence.record(self.of)) else f"not yet in {self.of}: {self.says}"

    def __str__(self) -> str:
        return f"when, in {self.of}, {self.says}"


@dataclass(frozen=True)
class Check(Checked):
    """One number that a claim stands or falls with.

    `expected`: what the paper says it is; `region`: what is accepted, or None for a number that is shown and not
    judged; `threshold`: whose number that is. Until it is `mature`, a check is inconclusive (too early), whatever its
    number.
    """

    label: str
    expected: str
    region: Region | None
    threshold: Threshold = Threshold.OURS
    mature: Maturity | None = None

    def judged(self, estimate: Estimate, evidence: Evidence) -> CheckRow:
        """The check with what was found, as a row of a scorecard."""
        # Not asked if there is nothing to read, or if it may have been the runs that could not be read.
        unread = estimate.reason in (Reason.FAILED, Reason.LEFT_OUT)
        lacks = self.mature.lacks(evidence) if self.mature and not unread else ""
        if lacks:
            estimate = estimate.too_early()
        verdict = self.region.judge(estimate) if self.region else Verdict.SHOWN
        # An interval that straddles a bound wants more units, or more steps.
        undecided = estimate.reason or (Reason.TOO_EARLY if estimate.pending else Reason.TOO_FEW)
        return CheckRow(
            label=self.label,
            expected=self.expected,
            verdict=str(verdict),
            **_plain(estimate),
            region=str(self.region or ""),
            threshold=str(self.threshold) if self.region else "",
            units=estimate.units,
            reason=str(undecided) if verdict is Verdict.INCONCLUSIVE else "",
            judged=str(self.mature or ""),
            lacks=lacks,
        )


@dataclass(frozen=True)
class Findings:
    """What was measured: an estimate for each of the claim's checks, and a note on them.

    None instead of an estimate: the check is not asked of runs like these, which the note then says. At least one is.
    """

    estimates: Mapping[Check, Estimate | None]
    note: str = ""

    @classmethod
    def none(cls, checks: tuple[Check, ...], note: str, reason: Reason = Reason.UNDEFINED) -> "Findings":
        """Nothing could be measured, and why."""
        return cls(dict.fromkeys(checks, Estimate.unknown(reason)), note)


@dataclass(frozen=True)
class Claim(Checked):
    """A checkable statement of a paper.

    `id`: paper and number. `source`: where the paper says it. `measure`: from evidence to findings, without regard to
    the acceptance regions; a claim of which nothing is judged is shown, and not counted. `needs`: names of the
    experiments whose records it looks at. `quote`: the paper's own words. `history`: the rules by which it was judged
    before.
    """

    id: str
    source: str
    statement: str
    checks: tuple[Check, ...]
    measure: Callable[[Evidence], Findings]
    needs: tuple[str, ...] = ()
    quote: str = ""
    history: tuple[Revision, ...] = ()

    def check(self) -> None:
        if not re.fullmatch(r"[^/]+/[0-9]+", self.id):
            self.refuse("id", f"must be a paper and a number, such as grokking/14; got {self.id!r}")
        if not self.checks:
            raise ValueError(f"Claim {self.id} needs at least one check; got none.")
        labels = [check.label for check in self.checks]
        if len(set(labels)) < len(labels):
            raise ValueError(f"Claim {self.id} has two checks with the same label; got {labels}.")
        for check in self.checks:
            if undeclared := set(check.mature.experiments if check.mature else ()) - set(self.needs):
                raise ValueError(f"Claim {self.id} waits for {sorted(undeclared)}; add it to `needs`.")

    @property
    def paper(self) -> str:
        return self.id.split("/")[0]

    @property
    def number(self) -> int:
        return int(self.id.split("/")[1])

    def judge(self, evidence: Evidence) -> ClaimRow:
        """Measure and compare."""
        began = time.monotonic()
        with evidence.only(self.needs), evidence.naming_columns(), evidence.measuring():
            findings = self.measure(evidence)
            if set(findings.estimates) != set(self.checks):
                labels = lambda checks: sorted(check.label for check in checks)
                raise ValueError(
                    f"Claim {self.id} measured {labels(findings.estimates)}; its checks are {labels(self.checks)}."
                )
            if all(found is None for found in findings.estimates.values()):
                raise ValueError(f"Claim {self.id} must ask at least one check; it asked none.")
            return self._row(findings, evidence, self.needs, time.monotonic() - began)

    def failed(self, error: Exception, evidence: Evidence) -> ClaimRow:
        """The row of a claim whose measurement raised."""
        note = f"The measurement failed: {in_one_line(error)}."
        return self._row(Findings.none(self.checks, note, Reason.FAILED), evidence, self.needs)

    def left_out(self, experiments: tuple[str, ...], evidence: Evidence) -> ClaimRow:
        """The row of a claim some of whose experiments are not trained at the budget of this replication."""
        note = f"This budget does not train {', '.join(experiments)}."
        return self._row(Findings.none(self.checks, note, Reason.LEFT_OUT), evidence, ())

    def _row(self, findings: Findings, evidence: Evidence, read: tuple[str, ...], seconds: float = 0.0) -> ClaimRow:
        runs = [evidence.about(name) for name in read]
        asked = {check: findings.estimates[check] for check in self.checks}
        return ClaimRow(
            claim=self.id,
            paper=self.paper,
            source=self.source,
            statement=self.statement,
            quote=self.quote,
            members=sum(run.members for run in runs),
            steps=max((run.steps for run in runs), default=0),
            seconds=round(seconds + sum(run.seconds for run in runs), 2),
            note=findings.note,
            checks=tuple(check.judged(found, evidence) for check, found in asked.items() if found is not None),
            history=self.history,
            needs=self.needs,
        )


def in_order(*parts: tuple[Claim, ...]) -> tuple[Claim, ...]:
    """All claims of a ledger, by number."""
    return tuple(sorted((claim for part in parts for claim in part), key=lambda claim: claim.number))


def _plain(estimate: Estimate) -> dict[str, Any]:
    """What is unknown is None, and so is an interval that allows everything."""
    interval = (float(estimate.low), float(estimate.high))
    known = not any(map(math.isnan, interval)) and interval != (-math.inf, math.inf)
    return {
        "measured": None if math.isnan(estimate.value) else float(estimate.value),
        "interval": interval if known else None,
    }
