"""The talk's claims 1-5, 20-26, 29 and 30; the others are those of the paper `attention`."""

from nucleate.claims import in_order
from nucleate.papers.algebra.ledger import network

CLAIMS = in_order(network.CLAIMS)

__all__ = ["CLAIMS"]
