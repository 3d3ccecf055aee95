"""A claim is written down before it is measured; a verdict is what the measurement says of it."""

import math
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from pathlib import Path
from typing import Any, Protocol, TypeVar, runtime_checkable

import xarray as xr

from nucleate.claims.statistics import Estimate
from nucleate.record import load

T = TypeVar("T")


class Verdict(StrEnum):
    """What a measurement says of a claim."""

    REPLICATED = "replicated"
    CONTRADICTED = "contradicted"
    INCONCLUSIVE = "inconclusive"


@dataclass(frozen=True)
class Region:
    """Where a number must lie for a claim to hold: low ≤ value ≤ high.

    The whole interval inside replicates, the whole interval outside contradicts, anything between is inconclusive.

    >>> Region(0.35, 0.45).judge(Estimate(0.4, 0.38, 0.42))
    <Verdict.REPLICATED: 'replicated'>
    >>> Region(low=0).judge(Estimate(0.1, -0.1, 0.3))
    <Verdict.INCONCLUSIVE: 'inconclusive'>
    """

    low: float = -math.inf
    high: float = math.inf

    def __post_init__(self):
        if not self.low <= self.high:
            raise ValueError(f"Region.low must be <= high; got {self.low} and {self.high}.")

    @classmethod
    def around(cls, value: float, tolerance: float) -> "Region":
        return cls(value - tolerance, value + tolerance)

    def judge(self, estimate: Estimate) -> Verdict:
        if math.isnan(estimate.low) or math.isnan(estimate.high):
            return Verdict.INCONCLUSIVE
        if self.low <= estimate.low and estimate.high <= self.high:
            return Verdict.REPLICATED
        if estimate.high < self.low or self.high < estimate.low:
            return Verdict.CONTRADICTED
        return Verdict.INCONCLUSIVE

    def __str__(self) -> str:
        if self.low == self.high:
            return f"= {self.low:g}"
        if math.isinf(self.high):
            return f"≥ {self.low:g}"
        if math.isinf(self.low):
            return f"≤ {self.high:g}"
        return f"in [{self.low:g}, {self.high:g}]"


@dataclass(frozen=True)
class Check:
    """One number that a claim stands or falls with: what it is, what the paper says, what is accepted."""

    label: str
    expected: str
    region: Region


@dataclass(frozen=True)
class Findings:
    """What was measured: an estimate for each of the claim's checks, by label, and what there is to say about it."""

    estimates: Mapping[str, Estimate]
    note: str = ""


@runtime_checkable
class Source(Protocol):
    """Where a record comes from and what it cost: a `Run`, or anything like it."""

    @property
    def about(self) -> Mapping[str, Any]: ...

    @property
    def record_path(self) -> Path: ...

    def record(self) -> xr.Dataset: ...


@dataclass(frozen=True)
class Evidence:
    """What a measurement may look at: finished runs by experiment name, and how many random samples to draw, or
    runs to simulate, where a statement needs no training."""

    runs: Mapping[str, Source]
    samples: int
    _records: dict[str, xr.Dataset] = field(default_factory=dict, repr=False)
    _results: dict[Callable, Any] = field(default_factory=dict, repr=False)

    def record(self, name: str) -> xr.Dataset:
        """The record of an experiment, loaded once."""
        if name not in self._records:
            run = self.runs[name]
            self._records[name] = load(run.record(), run.record_path)
        return self._records[name]

    def once(self, compute: Callable[["Evidence"], T]) -> T:
        """`compute(evidence)`, computed the first time and kept: a fit that several claims and figures share."""
        if compute not in self._results:
            self._results[compute] = compute(self)
        return self._results[compute]


@dataclass(frozen=True)
class Claim:
    """A checkable statement of a paper.

    `id`: paper and ledger number. `source`: where the paper says it. `needs`: names of the experiments whose records
    it looks at. `measure`: from evidence to findings; it never sees the acceptance regions.
    """

    id: str
    source: str
    statement: str
    checks: tuple[Check, ...]
    measure: Callable[[Evidence], Findings]
    needs: tuple[str, ...] = ()

    def __post_init__(self):
        if not self.checks:
            raise ValueError(f"Claim {self.id} needs at least one check; got none.")

    @property
    def paper(self) -> str:
        return self.id.split("/")[0]

    def judge(self, evidence: Evidence) -> "Judgement":
        """Measure and compare."""
        began = time.monotonic()
        findings = self.measure(evidence)
        if set(findings.estimates) != {check.label for check in self.checks}:
            raise ValueError(
                f"Claim {self.id} measured {sorted(findings.estimates)}; "
                f"its checks are {sorted(check.label for check in self.checks)}."
            )
        runs = [evidence.runs[name].about for name in self.needs]
        seconds = time.monotonic() - began + sum(run.get("seconds", 0.0) for run in runs)
        return Judgement(
            self,
            findings,
            members=sum(run["members"] for run in runs),
            steps=max((run["steps"] for run in runs), default=0),
            seconds=round(seconds, 2),
        )


@dataclass(frozen=True)
class Judgement:
    """A claim with what was found, and what it cost."""

    claim: Claim
    findings: Findings
    members: int
    steps: int
    seconds: float

    def of(self, check: Check) -> Verdict:
        return check.region.judge(self.findings.estimates[check.label])

    @property
    def verdict(self) -> Verdict:
        """Contradicted if any check is, replicated if all are, inconclusive otherwise."""
        verdicts = [self.of(check) for check in self.claim.checks]
        if Verdict.CONTRADICTED in verdicts:
            return Verdict.CONTRADICTED
        return Verdict.INCONCLUSIVE if Verdict.INCONCLUSIVE in verdicts else Verdict.REPLICATED

    @property
    def decisive(self) -> Check:
        """The check that the verdict rests on: the first that has it."""
        return next(check for check in self.claim.checks if self.of(check) == self.verdict)

    def row(self) -> dict[str, Any]:
        """One row of a scorecard, in plain JSON types."""
        check, claim = self.decisive, self.claim
        return {
            "claim": claim.id,
            "paper": claim.paper,
            "source": claim.source,
            "statement": claim.statement,
            "verdict": str(self.verdict),
            "expected": f"{check.label}: {check.expected}",
            **_plain(self.findings.estimates[check.label]),
            "members": self.members,
            "steps": self.steps,
            "seconds": self.seconds,
            "rule": "; ".join(f"{c.label} {c.region}" for c in claim.checks),
            "note": self.findings.note,
            "checks": [
                {
                    "label": c.label,
                    "expected": c.expected,
                    "verdict": str(self.of(c)),
                    **_plain(self.findings.estimates[c.label]),
                }
                for c in claim.checks
            ],
        }


def _plain(estimate: Estimate) -> dict[str, Any]:
    """JSON has neither NaN nor infinity: what is unknown or endless is null."""
    interval = [estimate.low, estimate.high]
    return {
        "measured": estimate.value if math.isfinite(estimate.value) else None,
        "interval": interval if all(map(math.isfinite, interval)) else None,
    }
