"""Claims and verdicts. Needs no JAX."""

from nucleate.claims.claim import Check, Claim, Findings, Maturity, Steps, Threshold, When, in_order
from nucleate.claims.evidence import Evidence, FinishedRun
from nucleate.claims.region import Region, Verdict
from nucleate.claims.scorecard import (
    CheckRow,
    ClaimRow,
    Revision,
    read_json,
    summary,
    to_markdown,
    to_table,
    write_json,
)
from nucleate.claims.statistics import Estimate, Reason, bootstrap, pearson, ratio, share, spearman

__all__ = [
    "Check",
    "CheckRow",
    "Claim",
    "ClaimRow",
    "Estimate",
    "Evidence",
    "Findings",
    "FinishedRun",
    "Maturity",
    "Reason",
    "Region",
    "Revision",
    "Steps",
    "Threshold",
    "Verdict",
    "When",
    "bootstrap",
    "in_order",
    "pearson",
    "ratio",
    "read_json",
    "share",
    "spearman",
    "summary",
    "to_markdown",
    "to_table",
    "write_json",
]
