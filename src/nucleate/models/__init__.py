"""Who learns: small `eqx.Module`s, written for one network and one example."""

from nucleate.models.addition import SumDecoder
from nucleate.models.attention import Attention, LayerNorm, look_at_all, look_at_others, look_back
from nucleate.models.classifier import Classifier
from nucleate.models.dropout import Dropout
from nucleate.models.groups import ProductDecoder
from nucleate.models.joint import (
    ContextAttention,
    ExpAttention,
    JointBlock,
    LinearAttention,
    SoftmaxAttention,
    identity,
)
from nucleate.models.losses import cross_entropy
from nucleate.models.mlp import MLP
from nucleate.models.modular import ConcatDecoder, PairTable
from nucleate.models.pair_transformer import BlocksDecoder, PairTransformer
from nucleate.models.particles import Frame, ParticleTransformer, Prediction
from nucleate.models.pytorch.model import TorchModel, from_torch
from nucleate.models.quadratic import Quadratic
from nucleate.models.sequence_transformer import SequenceShape, SequenceTransformer, Trace
from nucleate.models.token_attention import TokenAttention
from nucleate.models.transformer import (
    EncoderBlock,
    Inside,
    TransformerSize,
    encode,
    encoder_blocks,
    post_norm,
    pre_norm,
)

__all__ = [
    "MLP",
    "Attention",
    "BlocksDecoder",
    "Classifier",
    "ConcatDecoder",
    "ContextAttention",
    "Dropout",
    "EncoderBlock",
    "ExpAttention",
    "Frame",
    "Inside",
    "JointBlock",
    "LayerNorm",
    "LinearAttention",
    "PairTable",
    "PairTransformer",
    "ParticleTransformer",
    "Prediction",
    "ProductDecoder",
    "Quadratic",
    "SequenceShape",
    "SequenceTransformer",
    "SoftmaxAttention",
    "SumDecoder",
    "TokenAttention",
    "TorchModel",
    "Trace",
    "TransformerSize",
    "cross_entropy",
    "encode",
    "encoder_blocks",
    "from_torch",
    "identity",
    "look_at_all",
    "look_at_others",
    "look_back",
    "post_norm",
    "pre_norm",
]
