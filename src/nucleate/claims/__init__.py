"""Claims and verdicts. Needs no JAX."""

from nucleate.claims.claim import Check, Claim, Evidence, Findings, Judgement, Region, Source, Verdict
from nucleate.claims.scorecard import summary, to_markdown, to_table, write_json
from nucleate.claims.statistics import Estimate, bootstrap, pearson, share, spearman

__all__ = [
    "Check",
    "Claim",
    "Estimate",
    "Evidence",
    "Findings",
    "Judgement",
    "Region",
    "Source",
    "Verdict",
    "bootstrap",
    "pearson",
    "share",
    "spearman",
    "summary",
    "to_markdown",
    "to_table",
    "write_json",
]
