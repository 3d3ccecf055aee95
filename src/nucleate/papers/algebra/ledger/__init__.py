"""The talk's claims 1-5, 20-26, 29 and 30; the others are those of the paper `attention`."""

from nucleate.claims import in_order
from nucleate.papers.algebra.ledger import exact, navigator, network, occam, paths, solutions

CLAIMS = in_order(exact.CLAIMS, occam.CLAIMS, network.CLAIMS, solutions.CLAIMS, navigator.CLAIMS, paths.CLAIMS)

__all__ = ["CLAIMS"]
