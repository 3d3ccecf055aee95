"""The claims of the circles paper, in the ledger's order: each states its rule, and measures without seeing it."""

from nucleate.papers.circles.ledger import ablation, counting, equations, fittest, geometry, resources

CLAIMS = tuple(
    sorted(
        (
            *counting.CLAIMS,
            *geometry.CLAIMS,
            *fittest.CLAIMS,
            *resources.CLAIMS,
            *equations.CLAIMS,
            *ablation.CLAIMS,
        ),
        key=lambda claim: int(claim.id.split("/")[1]),
    )
)
