"""The talk's claims 6-19, 27, 28, 31 and 32; the others are those of the paper `algebra`."""

from nucleate.claims import in_order
from nucleate.papers.attention.ledger import galore, joint, scanning, text, trees

CLAIMS = in_order(joint.CLAIMS, trees.CLAIMS, scanning.CLAIMS, text.CLAIMS, galore.CLAIMS)

__all__ = ["CLAIMS"]
