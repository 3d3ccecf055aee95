"""What the paper claims, each claim with the rule by which it is judged.

Rules were fixed before the fleets of `docs/collisions-standard.md` were looked at; what earlier fleets changed in them
is told there.
"""

from nucleate.papers.collisions.ledger.exact import CLAIMS as _exact
from nucleate.papers.collisions.ledger.geometry import CLAIMS as _geometry
from nucleate.papers.collisions.ledger.heads import CLAIMS as _heads
from nucleate.papers.collisions.ledger.laws import CLAIMS as _laws
from nucleate.papers.collisions.ledger.simulator import CLAIMS as _simulator

CLAIMS = tuple(
    sorted((*_heads, *_laws, *_geometry, *_simulator, *_exact), key=lambda claim: int(claim.id.split("/")[1]))
)
