"""The paper's claims 1-40."""

from nucleate.claims import in_order
from nucleate.papers.grokking.ledger import (
    accuracy,
    collapse,
    competition,
    deduction,
    dynamics,
    flows,
    four_symbols,
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
    four_symbols.CLAIMS,
    competition.CLAIMS,
    phases.CLAIMS,
    toy_maps.CLAIMS,
    groups.CLAIMS,
    transformer.CLAIMS,
    lottery.CLAIMS,
    images.CLAIMS,
    collapse.CLAIMS,
)

__all__ = ["CLAIMS"]
