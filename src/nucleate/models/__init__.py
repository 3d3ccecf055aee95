"""Who learns: small `eqx.Module`s, written for one network and one example."""

from nucleate.models.addition import SumDecoder
from nucleate.models.mlp import MLP

__all__ = ["MLP", "SumDecoder"]
