"""Who learns: small `eqx.Module`s, written for one network and one example."""

from nucleate.models.addition import SumDecoder
from nucleate.models.attention import Attention, Block, LayerNorm
from nucleate.models.losses import cross_entropy
from nucleate.models.mlp import MLP
from nucleate.models.modular import ConcatDecoder, PairTable
from nucleate.models.particles import Frame, ParticleTransformer, Prediction, TransformerSize

__all__ = [
    "MLP",
    "Attention",
    "Block",
    "ConcatDecoder",
    "Frame",
    "LayerNorm",
    "PairTable",
    "ParticleTransformer",
    "Prediction",
    "SumDecoder",
    "TransformerSize",
    "cross_entropy",
]
