"""The claims of the repons paper, in the ledger's order: each states its rule, and measures without seeing it."""

from nucleate.papers.repons.ledger import configurations, forces, plane, shapes

CLAIMS = tuple(
    sorted(
        (*forces.CLAIMS, *shapes.CLAIMS, *configurations.CLAIMS, *plane.CLAIMS),
        key=lambda claim: int(claim.id.split("/")[1]),
    )
)
