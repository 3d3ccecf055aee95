"""Who learns: small `eqx.Module`s, written for one network and one example."""

from nucleate.models.addition import SumDecoder
from nucleate.models.mlp import MLP
from nucleate.models.modular import ConcatDecoder, PairTable

__all__ = ["MLP", "ConcatDecoder", "PairTable", "SumDecoder"]
