"""The paper's claims 1-24, in the order of the ledger."""

from nucleate.papers.grokking.ledger import accuracy, deduction, dynamics, flows, phases, sets

CLAIMS = tuple(
    sorted(
        (claim for part in (sets, deduction, flows, accuracy, dynamics, phases) for claim in part.CLAIMS),
        key=lambda claim: int(claim.id.split("/")[1]),
    )
)

__all__ = ["CLAIMS"]
