"""The claims of the circles paper, by number: each states its rule, and measures without seeing it."""

from nucleate.claims import in_order
from nucleate.papers.circles.ledger import (
    ablation,
    counting,
    equations,
    geometry,
    gradients,
    resources,
    signals,
    trends,
)

CLAIMS = in_order(
    counting.CLAIMS,
    trends.CLAIMS,
    geometry.CLAIMS,
    signals.CLAIMS,
    gradients.CLAIMS,
    resources.CLAIMS,
    equations.CLAIMS,
    ablation.CLAIMS,
)
