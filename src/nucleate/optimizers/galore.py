"""GaLore: Adam in the subspace of a gradient's largest singular vectors."""

from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import optax
from jax.custom_batching import custom_vmap
from jaxtyping import Array, Bool, Float, Int, PyTree

from nucleate.checking import Count, checked
from nucleate.optimizers.matrices import Which, apart, as_matrix, every_matrix, matrix_shape, refuse_ranks


@checked
def galore(
    learning_rate: Any,
    rank: Count,
    gap: Count = 200,
    scale: float = 0.25,
    which: Which = every_matrix,
    weight_decay: Any = 0.0,
) -> optax.GradientTransformation:
    """Adam, whose moments for matrices are kept in low-rank projections of their gradients.

        W ← W − η (α [Adam(G P)] P^T + λ W),    P = V_r of G = U S V^T,    for m ≥ n
        W ← W − η (α P [Adam(P^T G)] + λ W),    P = U_r,                   for m < n

    G: the gradient of an m × n matrix; P: its first r = `rank` singular vectors on the shorter side, found afresh every
    `gap` steps, at the first too; α: `scale`; λ: `weight_decay`; η: `learning_rate`, a number or a schedule. Moments
    are kept as they are when P changes. Of the two signs that a singular vector may have, it gets the one with which
    its largest entry is positive. Only parameters meant by `which` are projected; others have full moments, and no α.

    `optax.contrib.galore` is not used: it projects the longer side, in whatever order the axes are given, which is the
    paper's algorithm for square matrices only, and takes a rank that is too large for the largest there is.
    Source: [zhao2024galore], Algorithm 2; the defaults are those of its scripts, which have η = 0.01.

    >>> from nucleate.optimizers import optimizer_floats
    >>> optimizer_floats(galore(0.01, rank=2), {"weight": jnp.zeros((4, 6))})  # 4 × 2 for P, twice 6 × 2 for moments
    32
    """
    return optax.chain(
        apart(which, in_projection(optax.scale_by_adam(), rank, gap, scale), optax.scale_by_adam()),
        optax.add_decayed_weights(weight_decay),
        optax.scale_by_learning_rate(learning_rate),
    )


class InProjection(NamedTuple):
    """The state of `in_projection`: steps so far, the projector of each matrix, and the state of what is inside."""

    step: Int[Array, ""]
    projector: PyTree
    inner: PyTree


@checked
def in_projection(
    inner: optax.GradientTransformation, rank: Count, gap: Count = 200, scale: float = 1.0
) -> optax.GradientTransformation:
    """`inner`, applied to low-rank projections of gradients; all parameters must be matrices. See `galore`.

    >>> best = in_projection(optax.identity(), rank=1)  # without moments: the best approximation of rank 1
    >>> gradient = jnp.diag(jnp.array([3.0, 1.0]))
    >>> best.update(gradient, best.init(gradient))[0].tolist()
    [[3.0, 0.0], [0.0, 0.0]]
    """

    def init(params: PyTree) -> InProjection:
        refuse_ranks("galore", rank, params)
        projector = jax.tree.map(lambda leaf: jnp.zeros((min(matrix_shape(leaf.shape)), rank), leaf.dtype), params)
        projected = jax.tree.map(project, params, projector)
        return InProjection(jnp.zeros((), jnp.int32), projector, inner.init(projected))

    def update(grads: PyTree, state: InProjection, params: PyTree = None) -> tuple[PyTree, InProjection]:
        due = state.step % gap == 0
        projector = jax.tree.map(lambda grad, old: _renewed(due, as_matrix(grad), old), grads, state.projector)
        low, after = inner.update(jax.tree.map(project, grads, projector), state.inner)
        updates = jax.tree.map(lambda grad, part, onto: scale * _back(part, onto, grad), grads, low, projector)
        return updates, InProjection(jnp.asarray(optax.safe_increment(state.step)), projector, after)

    return optax.GradientTransformation(init, update)  # type: ignore[arg-type]


def project(gradient: Float[Array, "..."], projector: Float[Array, "side rank"]) -> Float[Array, "row column"]:
    """G P, or P^T G for a matrix that is wider than high."""
    matrix = as_matrix(gradient)
    return projector.T @ matrix if _is_wide(matrix) else matrix @ projector


def _back(
    part: Float[Array, "row column"], projector: Float[Array, "side rank"], gradient: Float[Array, "..."]
) -> Float[Array, "..."]:
    """R P^T, or P R, in the gradient's own shape."""
    matrix = projector @ part if _is_wide(as_matrix(gradient)) else part @ projector.T
    return matrix.reshape(gradient.shape)


def _is_wide(matrix: Float[Array, "row column"]) -> bool:
    return matrix.shape[0] < matrix.shape[1]


@custom_vmap
def _renewed(
    due: Bool[Array, ""], matrix: Float[Array, "row column"], projector: Float[Array, "side rank"]
) -> Float[Array, "side rank"]:
    """The projector of this gradient if it is due, and else as it was."""
    return jax.lax.cond(due, lambda: _singular_vectors(matrix, projector.shape[1]), lambda: projector)


@_renewed.def_vmap
def _renewed_together(size: int, batched: list[bool], due: Array, matrix: Array, projector: Array) -> Any:
    """Networks of a block that step together renew together: vmapped as it stands, a branch is always computed, and
    the step of a small transformer would take many times as long."""
    due, matrix, projector = (
        array if is_batched else jnp.broadcast_to(array, (size, *array.shape))
        for array, is_batched in zip((due, matrix, projector), batched, strict=True)
    )

    def renew() -> Array:
        new = jax.vmap(lambda matrix: _singular_vectors(matrix, projector.shape[-1]))(matrix)
        return jnp.where(due[:, None, None], new, projector)

    return jax.lax.cond(due.any(), renew, lambda: projector), True


def _singular_vectors(matrix: Float[Array, "row column"], rank: int) -> Float[Array, "side rank"]:
    """The first singular vectors on the shorter side, as columns, with the largest entry of each positive."""
    left, _, right = jnp.linalg.svd(matrix, full_matrices=False)
    vectors = (left if _is_wide(matrix) else right.T)[:, :rank]
    largest = jnp.take_along_axis(vectors, jnp.abs(vectors).argmax(0, keepdims=True), axis=0)
    return vectors * jnp.where(largest < 0, -1, 1)
