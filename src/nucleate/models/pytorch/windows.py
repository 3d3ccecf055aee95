"""Operations on windows of images and sequences: channels come before places, as in PyTorch."""

from collections.abc import Sequence

import jax.numpy as jnp
from jax import lax
from jaxtyping import Array


def convolution(
    x: Array,
    weight: Array,
    bias: Array | None,
    stride: Sequence[int],
    padding: Sequence[int],
    dilation: Sequence[int],
    transposed: bool,
    output_padding: Sequence[int],
    groups: int,
) -> Array:
    """In any number of dimensions. A transposed one spreads its input apart and convolves with the mirrored kernel."""
    places = range(2, weight.ndim)
    stride, padding, dilation = (_each(value, len(places)) for value in (stride, padding, dilation))
    edges, apart = [(edge, edge) for edge in padding], [1] * len(places)
    if transposed:
        into, out, *kernel = weight.shape
        weight = jnp.flip(weight, tuple(places)).reshape(groups, into // groups, out, *kernel)
        weight = weight.swapaxes(1, 2).reshape(groups * out, into // groups, *kernel)
        reach = [gap * (size - 1) - edge for gap, size, edge in zip(dilation, kernel, padding, strict=True)]
        edges = [(edge, edge + more) for edge, more in zip(reach, _each(output_padding, len(places)), strict=True)]
        stride, apart = [1] * len(places), stride
    y = lax.conv_general_dilated(x, weight, stride, edges, apart, dilation, feature_group_count=groups)
    return y if bias is None else y + bias.reshape(-1, *[1] * len(places))


def max_pool(
    x: Array,
    kernel: Sequence[int],
    stride: Sequence[int] = (),
    padding: Sequence[int] = (0,),
    dilation: Sequence[int] = (1,),
    ceil_mode: bool = False,
) -> tuple[Array, None]:
    """The largest value in each window, without its place."""
    kernel, padding, dilation = (_each(value, 2) for value in (kernel, padding, dilation))
    stride = _each(stride, 2) if stride else kernel
    _refuse(ceil_mode, "ceil_mode")
    spread = [(0, 0)] * (x.ndim - 2) + [(edge, edge) for edge in padding]
    whole = [1] * (x.ndim - 2)
    window = [*whole, *kernel], [*whole, *stride], spread, None, [*whole, *dilation]
    return lax.reduce_window(x, -jnp.inf, lax.max, *window), None


def average_pool(
    x: Array,
    kernel: Sequence[int],
    stride: Sequence[int] = (),
    padding: Sequence[int] = (0,),
    ceil_mode: bool = False,
    count_include_pad: bool = True,
    divisor_override: int | None = None,
) -> Array:
    """The mean of each window; what pads it counts, or not."""
    kernel, padding = _each(kernel, 2), _each(padding, 2)
    stride = _each(stride, 2) if stride else kernel
    _refuse(ceil_mode, "ceil_mode")
    whole = [1] * (x.ndim - 2)
    window = [*whole, *kernel], [*whole, *stride], [(0, 0)] * (x.ndim - 2) + [(edge, edge) for edge in padding]
    total = lax.reduce_window(x, 0.0, lax.add, *window)
    if divisor_override is not None:
        return total / divisor_override
    if count_include_pad:
        return total / (kernel[0] * kernel[1])
    return total / lax.reduce_window(jnp.ones_like(x), 0.0, lax.add, *window)


def pad(x: Array, edges: Sequence[int], value: float = 0.0) -> Array:
    """`edges`: before and after each axis, the last axis first; a negative one cuts off."""
    given = [(edges[i], edges[i + 1], 0) for i in range(len(edges) - 2, -1, -2)]
    spread = [(0, 0, 0)] * (x.ndim - len(given)) + given
    return lax.pad(x, jnp.asarray(value, x.dtype), spread)


def _each(value: Sequence[int], places: int) -> list[int]:
    """One number for each place; a single one is for all."""
    return [*value] * places if len(value) == 1 else [*value]


def _refuse(asked: bool, what: str) -> None:
    if asked:
        raise NotImplementedError(what)
