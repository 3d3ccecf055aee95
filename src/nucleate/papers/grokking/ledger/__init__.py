"""The paper's claims 1-24."""

from nucleate.claims import in_order
from nucleate.papers.grokking.ledger import accuracy, deduction, dynamics, flows, phases, sets

CLAIMS = in_order(sets.CLAIMS, deduction.CLAIMS, flows.CLAIMS, accuracy.CLAIMS, dynamics.CLAIMS, phases.CLAIMS)

__all__ = ["CLAIMS"]
