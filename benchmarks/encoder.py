"""A transformer's block as PyTorch writes it, for the benchmarks of two transformers."""

import numpy as np
import torch


def torch_block(block, width: int, heads: int, hidden: int, dropout: float = 0.0) -> torch.nn.TransformerEncoderLayer:
    """PyTorch's own layer, with the weights of one of ours."""
    layer = torch.nn.TransformerEncoderLayer(width, heads, hidden, dropout, batch_first=True, norm_first=True)
    attention = block.attention
    (first, second), (before, after) = block.mlp.weights, block.mlp.biases
    weight = [tensor(part).reshape(width, width).T for part in (attention.query, attention.key, attention.value)]
    bias = [tensor(part).ravel() for part in (attention.query_bias, attention.key_bias, attention.value_bias)]
    layer.load_state_dict(
        {
            "self_attn.in_proj_weight": torch.cat(weight),
            "self_attn.in_proj_bias": torch.cat(bias),
            "self_attn.out_proj.weight": tensor(attention.output).reshape(width, width).T,
            "self_attn.out_proj.bias": tensor(attention.output_bias),
            "linear1.weight": tensor(first).T,
            "linear1.bias": tensor(before),
            "linear2.weight": tensor(second).T,
            "linear2.bias": tensor(after),
            "norm1.weight": tensor(block.attention_norm.weight),
            "norm1.bias": tensor(block.attention_norm.bias),
            "norm2.weight": tensor(block.mlp_norm.weight),
            "norm2.bias": tensor(block.mlp_norm.bias),
        }
    )
    return layer


def tensor(array) -> torch.Tensor:
    return torch.tensor(np.array(array))
