"""The paper's claims 1-39."""

from nucleate.claims import in_order
from nucleate.papers.grokking.ledger import (
    accuracy,
    collapse,
    deduction,
    dynamics,
    flows,
    groups,
    images,
    lottery,
    phases,
    sets,
    toy_maps,
    transformer,
)

CLAIMS = in_order(
    sets.CLAIMS,
    deduction.CLAIMS,
    flows.CLAIMS,
    accuracy.CLAIMS,
    dynamics.CLAIMS,
    phases.CLAIMS,
    toy_maps.CLAIMS,
    groups.CLAIMS,
    transformer.CLAIMS,
    lottery.CLAIMS,
    images.CLAIMS,
    collapse.CLAIMS,
)

__all__ = ["CLAIMS"]
