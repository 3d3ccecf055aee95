"""The claims of the repons paper by number: each states its rule, and measures without seeing it."""

from nucleate.claims import in_order
from nucleate.papers.repons.ledger import configurations, forces, lattices, plane, shapes

CLAIMS = in_order(forces.CLAIMS, shapes.CLAIMS, configurations.CLAIMS, plane.CLAIMS, lattices.CLAIMS)
