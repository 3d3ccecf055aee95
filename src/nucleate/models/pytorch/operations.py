"""PyTorch's operations as JAX's: a table from the name of an operation to a function of its arguments.

What the table knows is taken as it is; everything else is decomposed by PyTorch into operations that it knows. Types of
results are not its business: `Program` gives each the type that PyTorch gave it. Derivatives are, wherever those of the
obvious formula differ from PyTorch's: at kinks (relu, clamp, norms at 0) and where a branch not taken overflows.
"""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import jax
import jax.numpy as jnp
from jax import lax
from jaxtyping import Array

from nucleate.models.pytorch.layers import (
    addmm,
    attention,
    batch_norm_by_batch,
    batch_norm_by_buffers,
    embedding,
    group_norm,
    layer_norm,
    linear,
    native_dropout,
)
from nucleate.models.pytorch.places import (
    expand,
    gather,
    index,
    index_put,
    scatter,
    scatter_add,
    select_scatter,
    slice_,
    slice_scatter,
    split,
    squeeze,
)
from nucleate.models.pytorch.pointwise import (
    binary_cross_entropy,
    clamp,
    divide,
    elu,
    gelu,
    hardsigmoid,
    hardswish,
    hardtanh,
    power,
    softplus,
)
from nucleate.models.pytorch.reductions import (
    absolute,
    axes_of,
    extreme,
    place,
    reduced,
    sort,
    std,
    topk,
    variance,
    vector_norm,
    with_mean,
)
from nucleate.models.pytorch.windows import average_pool, convolution, max_pool, pad


def summed(sign: int) -> Callable:
    return lambda x, y, alpha=1: x + sign * (y if alpha == 1 else alpha * y)


def arange(start: Any, end: Any, step: Any = 1, **_: Any) -> Array:
    return jnp.arange(start, end, step)


def _same(x: Array, *_: Any, **__: Any) -> Array:
    return x


OPERATIONS: Mapping[str, Callable] = {
    "_adaptive_avg_pool2d": lambda x, size: average_pool(x, _even(x.shape[-2:], size)),
    "_log_softmax": lambda x, dim, _: jax.nn.log_softmax(x, dim),
    "_native_batch_norm_legit.no_stats": batch_norm_by_batch,
    "_native_batch_norm_legit_no_training": batch_norm_by_buffers,
    "_softmax": lambda x, dim, _: jax.nn.softmax(x, dim),
    "_to_copy": _same,
    "abs": absolute,
    "acos": jnp.acos,
    "acosh": jnp.acosh,
    "add": summed(1),
    "addmm": addmm,
    "alias": _same,
    "amax": reduced(jnp.max),
    "amin": reduced(jnp.min),
    "any": reduced(jnp.any),
    "arange.start_step": arange,
    "argmax": place(jnp.argmax),
    "argmin": place(jnp.argmin),
    "asin": jnp.asin,
    "asinh": jnp.asinh,
    "atan": jnp.atan,
    "atan2": jnp.atan2,
    "atanh": jnp.atanh,
    "avg_pool2d": average_pool,
    "binary_cross_entropy": binary_cross_entropy,
    "bitwise_and": jnp.bitwise_and,
    "bitwise_not": jnp.bitwise_not,
    "bitwise_or": jnp.bitwise_or,
    "bitwise_xor": jnp.bitwise_xor,
    "bmm": jnp.matmul,
    "cat": lambda parts, dim=0: jnp.concatenate([part for part in parts if part.shape != (0,)], dim),
    "ceil": jnp.ceil,
    "clamp": clamp,
    "clone": _same,
    "constant_pad_nd": pad,
    "convolution": convolution,
    "copy": lambda x, source, *_: jnp.broadcast_to(source, x.shape),
    "cos": jnp.cos,
    "cosh": jnp.cosh,
    "cumprod": lambda x, dim, **_: jnp.cumprod(x, dim),
    "cumsum": lambda x, dim, **_: jnp.cumsum(x, dim),
    "detach_copy": lax.stop_gradient,
    "diagonal": lambda x, offset=0, dim1=0, dim2=1: jnp.diagonal(x, offset, dim1, dim2),
    "div": divide,
    "elu": elu,
    "embedding": embedding,
    "empty": lambda shape, **_: jnp.zeros(shape),
    "empty_permuted": lambda shape, order, **_: jnp.zeros(shape),
    "eq": jnp.equal,
    "erf": jax.scipy.special.erf,
    "exp": jnp.exp,
    "expand": expand,
    "expm1": jnp.expm1,
    "fill": lambda x, value: jnp.full(x.shape, value),
    "flip": lambda x, dims: jnp.flip(x, dims),
    "floor": jnp.floor,
    "fmod": jnp.fmod,
    "full": lambda shape, value, **_: jnp.full(shape, value),
    "full_like": lambda x, value, **_: jnp.full(x.shape, value),
    "gather": gather,
    "ge": jnp.greater_equal,
    "gelu": gelu,
    "gt": jnp.greater,
    "hardsigmoid": hardsigmoid,
    "hardswish": hardswish,
    "hardtanh": hardtanh,
    "index": index,
    "index_put": index_put,
    "index_select": lambda x, dim, index: jnp.take(x, index, dim),
    "isinf": jnp.isinf,
    "isnan": jnp.isnan,
    "layer_norm": layer_norm,
    "le": jnp.less_equal,
    "leaky_relu": lambda x, slope=0.01: jnp.where(x > 0, x, slope * x),
    "lift_fresh_copy": _same,
    "linalg_vector_norm": vector_norm,
    "linear": linear,
    "log": jnp.log,
    "log10": jnp.log10,
    "log1p": jnp.log1p,
    "log2": jnp.log2,
    "log_sigmoid_forward": lambda x: (jax.nn.log_sigmoid(x), None),
    "logical_and": jnp.logical_and,
    "logical_not": jnp.logical_not,
    "logical_or": jnp.logical_or,
    "logical_xor": jnp.logical_xor,
    "logsumexp": lambda x, dim, keepdim=False: jax.nn.logsumexp(x, axes_of(dim), keepdims=keepdim),
    "lt": jnp.less,
    "matmul": jnp.matmul,
    "max.default": reduced(jnp.max),
    "max.dim": extreme(jnp.argmax),
    "max_pool2d_with_indices": max_pool,
    "maximum": jnp.maximum,
    "mean": reduced(jnp.mean),
    "min.default": reduced(jnp.min),
    "min.dim": extreme(jnp.argmin),
    "minimum": jnp.minimum,
    "mish": lambda x: x * jnp.tanh(jax.nn.softplus(x)),
    "mm": jnp.matmul,
    "mul": jnp.multiply,
    "native_dropout": native_dropout,
    "native_group_norm": group_norm,
    "ne": jnp.not_equal,
    "neg": jnp.negative,
    "permute": lambda x, dims: x.transpose(dims),
    "pow": power,
    "prod": reduced(jnp.prod),
    "reciprocal": jnp.reciprocal,
    "relu": jax.nn.relu,
    "remainder": jnp.remainder,
    "repeat": lambda x, times: jnp.tile(x, times),
    "round": jnp.round,
    "rsqrt": lambda x: lax.rsqrt(jnp.asarray(x, float)),
    "scalar_tensor": lambda value, **_: jnp.asarray(value),
    "scaled_dot_product_attention": attention,
    "scatter.src": scatter,
    "scatter.value": scatter,
    "scatter_add": scatter_add,
    "select": lambda x, dim, index: lax.index_in_dim(x, index, dim, keepdims=False),
    "select_scatter": select_scatter,
    "sigmoid": lambda x: jax.nn.sigmoid(jnp.asarray(x, float)),
    "sign": jnp.sign,
    "silu": jax.nn.silu,
    "sin": jnp.sin,
    "sinh": jnp.sinh,
    "slice": slice_,
    "slice_scatter": slice_scatter,
    "softplus": softplus,
    "sort": sort,
    "split_with_sizes": split,
    "sqrt": jnp.sqrt,
    "squeeze.dim": squeeze,
    "squeeze.dims": squeeze,
    "std.correction": std,
    "std_mean.correction": with_mean(std),
    "sub": summed(-1),
    "sum": reduced(jnp.sum),
    "tan": jnp.tan,
    "tanh": jnp.tanh,
    "topk": topk,
    "trunc": jnp.trunc,
    "unsqueeze": jnp.expand_dims,
    "var.correction": variance,
    "var_mean.correction": with_mean(variance),
    "view": lambda x, shape: x.reshape(shape),
    "where": jnp.where,
}
"""By the name of an operation, or of one of its overloads."""

CHANCY = {"native_dropout", "scaled_dot_product_attention"}
"""Those that drop some of their numbers while a network trains."""

RANDOM = {
    *(
        "bernoulli",
        "exponential",
        "multinomial",
        "normal",
        "normal_functional",
        "poisson",
        "rand",
        "rand_like",
        "randint",
    ),
    *("randint_like", "randn", "randn_like", "randperm", "rrelu_with_noise_functional", "uniform"),
}
"""Those that draw random numbers, which no key decides about."""


def _even(shape: Sequence[int], size: Sequence[int]) -> list[int]:
    if any(here % there for here, there in zip(shape, size, strict=True)):
        raise NotImplementedError(f"an average over windows of unequal size, from {tuple(shape)} to {tuple(size)}")
    return [here // there for here, there in zip(shape, size, strict=True)]
