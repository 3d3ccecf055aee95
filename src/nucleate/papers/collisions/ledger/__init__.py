"""What the paper claims, each claim with the rule by which it is judged, and those by which it was judged before.

One fleet is judged; below the budget `paper`, its box and its networks are smaller than the paper's. What networks show
counts for a claim at once; against it, only what they show when they have finished learning (`maturity`).
"""

from nucleate.claims import in_order
from nucleate.papers.collisions.ledger import exact, heads, learning_coefficients, power_laws, simulator, variants

CLAIMS = in_order(
    heads.CLAIMS,
    power_laws.CLAIMS,
    learning_coefficients.CLAIMS,
    variants.CLAIMS,
    simulator.CLAIMS,
    exact.CLAIMS,
)
