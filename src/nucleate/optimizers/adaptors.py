"""Matrices that change by low-rank factors alone: W = BA, LoRA and ReLoRA, as optimisers.

The gradients of factors follow from that of the matrix they are part of, so no model needs to know of them: for
W = W₀ + s L R and the gradient G of W, they are s G R^T and s L^T G. An optimiser keeps the factors and their moments,
and changes W by what they have changed. What is trained is the same as in a model whose layers have adaptors.
"""

from collections.abc import Callable
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import optax
from jaxtyping import Array, Float, Int, PyTree

from nucleate.checking import Count, checked
from nucleate.optimizers.matrices import (
    Which,
    apart,
    as_matrix,
    every_matrix,
    matrix_shape,
    names_of,
    refuse_rank,
    refuse_ranks,
)

_ADAM = optax.scale_by_adam()


class Factors(NamedTuple):
    """L and R of a product L R: where weights are stored with inputs as rows, the A and B of papers, transposed."""

    left: Float[Array, "row rank"]
    right: Float[Array, "rank column"]


class Adapting(NamedTuple):
    """The state of an adaptor: steps so far, the `Factors` of each matrix, and Adam's moments of them."""

    step: Int[Array, ""]
    factors: PyTree
    moments: PyTree


@checked
def low_rank(learning_rate: Any, rank: Count, which: Which = every_matrix) -> optax.GradientTransformation:
    """Adam for the factors of matrices that are products: W = L R.

    L and R have r = `rank` columns and rows. They start as the best approximation of the initial W, with equal shares
    of its singular values: train a `truncated` model for W to be L R from the beginning. Parameters that are not meant
    by `which` are trained by Adam. `learning_rate`: a number or a schedule. Source: the row "Low-Rank" of
    [zhao2024galore], Table 2.

    >>> from nucleate.optimizers import optimizer_floats
    >>> optimizer_floats(low_rank(0.01, rank=2), {"weight": jnp.zeros((4, 6))})  # three times (4 + 6) × 2
    60
    """

    def init(params: PyTree) -> Adapting:
        refuse_ranks("low_rank", rank, params)
        return _start(jax.tree.map(lambda leaf: _best(as_matrix(leaf), rank), params))

    def update(grads: PyTree, state: Adapting, params: PyTree) -> tuple[PyTree, Adapting]:
        state = _stepped(grads, state, 1.0, _rate(learning_rate, state.step))
        # From W itself, so that rounding errors do not add up.
        change = lambda leaf, factors: (factors.left @ factors.right).reshape(leaf.shape) - leaf
        return jax.tree.map(change, params, state.factors), state

    return apart(which, optax.GradientTransformation(init, update), optax.adam(learning_rate))  # type: ignore[arg-type]


@checked
def lora(
    learning_rate: Any, rank: Count, key: Array, alpha: float = 32.0, which: Which = every_matrix
) -> optax.GradientTransformation:
    """Adam for factors that are added to matrices: W = W₀ + (α/r) L R.

    W₀: the initial matrix, which stays as it is; L: m × r, drawn uniformly within ±1/√m with `key`; R: r × n, zero at
    first; r: `rank`; α: `alpha`. Parameters that are not meant by `which` are trained by Adam. `learning_rate`: a
    number or a schedule. Source: [hu2022lora]; α as in [zhao2024galore].

    >>> from nucleate.optimizers import optimizer_floats
    >>> optimizer_floats(lora(0.01, 2, jax.random.key(0)), {"weight": jnp.zeros((4, 6))})  # three times (4 + 6) × 2
    60
    """
    draw = lambda params, step: _drawn("lora", params, rank, key)

    def update(grads: PyTree, state: Adapting, params: PyTree = None) -> tuple[PyTree, Adapting]:
        after = _stepped(grads, state, alpha / rank, _rate(learning_rate, state.step))
        return _added(grads, state.factors, after.factors, alpha / rank), after

    adaptors = optax.GradientTransformation(lambda params: _start(draw(params, 0)), update)  # type: ignore[arg-type]
    return apart(which, adaptors, optax.adam(learning_rate))


@checked
def relora(
    learning_rate: Any, rank: Count, key: Array, gap: Count = 200, alpha: float = 32.0, which: Which = every_matrix
) -> optax.GradientTransformation:
    """LoRA that starts afresh every `gap` steps: what was added becomes part of W₀, so that changes can have any rank.

    New factors are drawn, and their moments start from zero, as does the count by which Adam corrects them. After each
    start the factors' learning rate rises in proportion to steps, for a tenth of the gap. Other arguments: see `lora`.
    Source: [lialin2024relora], without its first phase of full-rank training, as in [zhao2024galore].

    >>> from nucleate.optimizers import optimizer_floats
    >>> optimizer_floats(relora(0.01, 2, jax.random.key(0)), {"weight": jnp.zeros((4, 6))})
    60
    """
    draw = lambda params, step: _drawn("relora", params, rank, jax.random.fold_in(key, step // gap))

    def update(grads: PyTree, state: Adapting, params: PyTree = None) -> tuple[PyTree, Adapting]:
        afresh = lambda: _start(draw(grads, state.step))._replace(step=state.step)
        state = jax.lax.cond((state.step % gap == 0) & (state.step > 0), afresh, lambda: state)
        ramp = jnp.minimum(1, (state.step % gap + 1) / max(gap // 10, 1))
        after = _stepped(grads, state, alpha / rank, ramp * _rate(learning_rate, state.step))
        return _added(grads, state.factors, after.factors, alpha / rank), after

    adaptors = optax.GradientTransformation(lambda params: _start(draw(params, 0)), update)  # type: ignore[arg-type]
    return apart(which, adaptors, optax.adam(learning_rate))


@checked
def truncated(params: PyTree, rank: Count, which: Which = every_matrix) -> PyTree:
    """A model, or its parameters, with every matrix that is meant replaced by its best approximation of some rank.

    >>> truncated({"weight": jnp.diag(jnp.array([3.0, 2.0, 1.0]))}, 2)["weight"].round(5).diagonal().tolist()
    [3.0, 2.0, 0.0]
    """

    def truncate(path: tuple[Any, ...], leaf: Any) -> Any:
        if not isinstance(leaf, jax.Array) or not which(names_of(path), leaf.shape):
            return leaf  # of a model, some leaves are functions
        refuse_rank("truncated", rank, names_of(path), leaf.shape)
        factors = _best(as_matrix(leaf), rank)
        return (factors.left @ factors.right).reshape(leaf.shape)

    return jax.tree_util.tree_map_with_path(truncate, params)


def _start(factors: PyTree) -> Adapting:
    return Adapting(jnp.zeros((), jnp.int32), factors, _ADAM.init(factors))


def _drawn(who: str, params: PyTree, rank: int, key: Array) -> PyTree:
    """Factors whose product is zero: L is random, R is nothing."""
    refuse_ranks(who, rank, params)
    leaves, structure = jax.tree.flatten(params)

    def factors(leaf: Array, key: Array) -> Factors:
        rows, columns = matrix_shape(leaf.shape)
        left = jax.random.uniform(key, (rows, rank), leaf.dtype, -(rows**-0.5), rows**-0.5)
        return Factors(left, jnp.zeros((rank, columns), leaf.dtype))

    keys = jax.random.split(key, max(len(leaves), 1))
    return structure.unflatten([factors(leaf, key) for leaf, key in zip(leaves, keys, strict=False)])


def _best(matrix: Float[Array, "row column"], rank: int) -> Factors:
    """The factors of the best approximation, each with the square roots of the singular values."""
    left, values, right = jnp.linalg.svd(matrix, full_matrices=False)
    root = jnp.sqrt(values[:rank])
    return Factors(left[:, :rank] * root, root[:, None] * right[:rank])


def _stepped(grads: PyTree, state: Adapting, scale: float, rate: Any) -> Adapting:
    """One step of Adam for the factors."""

    def gradients(grad: Array, factors: Factors) -> Factors:
        matrix = as_matrix(grad)
        return Factors(scale * matrix @ factors.right.T, scale * factors.left.T @ matrix)

    steps, moments = _ADAM.update(jax.tree.map(gradients, grads, state.factors), state.moments)
    factors = jax.tree.map(lambda factor, step: factor - rate * step, state.factors, steps)
    return Adapting(jnp.asarray(optax.safe_increment(state.step)), factors, moments)


def _added(grads: PyTree, before: PyTree, after: PyTree, scale: float) -> PyTree:
    """What the factors' step changes in the matrices."""
    change = lambda grad, old, new: (scale * (new.left @ new.right - old.left @ old.right)).reshape(grad.shape)
    return jax.tree.map(change, grads, before, after)


def _rate(learning_rate: Array | float | Callable, step: Int[Array, ""]) -> Any:
    return learning_rate(step) if callable(learning_rate) else learning_rate
