"""What the paper claims, each claim with the rule by which it is judged.

Rules were fixed before the fleets of `docs/collisions-standard.md` were looked at; it also says what earlier fleets
changed in them.
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
