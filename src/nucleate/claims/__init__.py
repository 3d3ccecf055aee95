"""Claims and verdicts. Needs no JAX."""

from typing import TYPE_CHECKING

from nucleate.rooms import on_demand

if TYPE_CHECKING:
    from nucleate.claims.agreement import Agreement, agreement
    from nucleate.claims.claim import Check, Claim, Findings, Maturity, Steps, Threshold, When, in_order
    from nucleate.claims.correlations import partial_spearman, pearson, spearman, unexplained_ranks
    from nucleate.claims.evidence import Evidence, FinishedRun, NotTrained
    from nucleate.claims.formats import medians
    from nucleate.claims.looks import ERROR, ONCE, SEQUENTIAL, Looks, at_level, level
    from nucleate.claims.markdown import to_markdown
    from nucleate.claims.overview import to_overview
    from nucleate.claims.prospects import networks_more, times_as_many
    from nucleate.claims.region import Region, Verdict
    from nucleate.claims.scorecard import (
        CheckRow,
        ClaimRow,
        Revision,
        read_json,
        summary,
        to_table,
        write_json,
    )
    from nucleate.claims.statistics import (
        Estimate,
        Reason,
        bootstrap,
        difference_of_shares,
        median,
        ratio,
        share,
    )

__all__ = [
    "ERROR",
    "ONCE",
    "SEQUENTIAL",
    "Agreement",
    "Check",
    "CheckRow",
    "Claim",
    "ClaimRow",
    "Estimate",
    "Evidence",
    "Findings",
    "FinishedRun",
    "Looks",
    "Maturity",
    "NotTrained",
    "Reason",
    "Region",
    "Revision",
    "Steps",
    "Threshold",
    "Verdict",
    "When",
    "agreement",
    "at_level",
    "bootstrap",
    "difference_of_shares",
    "in_order",
    "level",
    "median",
    "medians",
    "networks_more",
    "partial_spearman",
    "pearson",
    "ratio",
    "read_json",
    "share",
    "spearman",
    "summary",
    "times_as_many",
    "to_markdown",
    "to_overview",
    "to_table",
    "unexplained_ranks",
    "write_json",
]

on_demand(__name__)
