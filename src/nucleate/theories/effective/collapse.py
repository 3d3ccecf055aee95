r"""Class collapse: the effective loss for labelled points (Appendix I of [liu2022grokking])."""

from typing import Any

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Float, Int

from nucleate.theories.flow import integrate


def collapse_loss(
    points: Float[Array | np.ndarray, "point dim"],
    label: Int[Array | np.ndarray, " point"],
    *,
    scale_invariant: bool = True,
) -> Float[Array, ""]:
    r"""How far the points of each class are from one another.

        ℓ_eff = ℓ/Z,    ℓ = Σ_{(x,y)∈P} |f_x − f_y|² = Σ_x n_x |f_x − mean_x|²,    Z = Σ_x |f_x|²

    `points` are the f_x, and P the unordered pairs of points with the same `label`; n_x is the size of the
    class of x and mean_x its mean. The second form takes a time linear in the number of points. Without
    `scale_invariant` the loss is ℓ alone. Eq. 32 of [liu2022grokking].

    >>> points = np.array([[1.0], [3.0], [0.0]], np.float32)
    >>> round(float(collapse_loss(points, np.array([0, 0, 1]))), 6)
    0.4
    >>> float(collapse_loss(points, np.array([0, 0, 1]), scale_invariant=False))
    4.0
    """
    points = jnp.asarray(points)
    size = points.shape[0]
    _, group = jnp.unique(jnp.asarray(label), return_inverse=True, size=size)
    count = jax.ops.segment_sum(jnp.ones((size, 1), points.dtype), group, size)[group]
    mean = jax.ops.segment_sum(points, group, size)[group] / count
    spread = jnp.sum(count * (points - mean) ** 2)
    return spread / jnp.sum(points**2) if scale_invariant else spread


def collapse_velocity(
    points: Float[Array | np.ndarray, "point dim"],
    label: Int[Array | np.ndarray, " point"],
    *,
    scale_invariant: bool = True,
) -> Float[Array, "point dim"]:
    r"""The velocity of points that are drawn to those of their own class: gradient flow on `collapse_loss`.

        df_x/dt = −∂ℓ_eff/∂f_x = −(2/Z) Σ_{y~x} (f_x − f_y) + (2ℓ/Z²) f_x

    y ~ x are the points with the `label` of x. This flow preserves Z. Without `scale_invariant` the velocity is
    −∂ℓ/∂f_x, the first term without 1/Z. In that flow Z falls, though not below Σ_x |mean_x|², because the mean of
    a class does not move. In the scale-invariant flow all class means grow by a common factor. Neither flow
    turns the means towards a simplex. Eq. 33 of [liu2022grokking].

    >>> points = np.array([[1.0], [3.0]], np.float32)
    >>> collapse_velocity(points, np.array([0, 0]), scale_invariant=False).tolist()
    [[4.0], [-4.0]]
    >>> abs(float((points * collapse_velocity(points, np.array([0, 0]))).sum())) < 1e-6
    True
    """
    return -jax.grad(collapse_loss)(jnp.asarray(points), label, scale_invariant=scale_invariant)


class _Velocity(eqx.Module):
    """`collapse_velocity` for given labels, as a pytree: `integrate` compiles it once per shape."""

    label: Any
    scale_invariant: bool = eqx.field(static=True)

    def __call__(self, points) -> Any:
        return collapse_velocity(points, self.label, scale_invariant=self.scale_invariant)


def collapse_trajectory(
    points: Float[Array | np.ndarray, "point dim"],
    label: Int[Array | np.ndarray, " point"],
    times: Float[Array | np.ndarray, " time"],
    *,
    scale_invariant: bool = True,
) -> Float[np.ndarray, "time point dim"]:
    r"""Where `collapse_velocity` takes the `points`, at each of `times`.

    Each class contracts towards its mean at its own rate, 2n/Z for a class of n points, and everything is
    scaled to preserve Z. Time is that of gradient flow at learning rate 1. Appendix I of
    [liu2022grokking].

    >>> points = np.array([[1.0], [3.0]])
    >>> collapse_trajectory(points, np.array([0, 0]), np.array([0.0, 9.0]), scale_invariant=False)[1].round(6)
    array([[2.],
           [2.]])
    """
    velocity = _Velocity(np.asarray(label), scale_invariant)
    return integrate(velocity, np.asarray(points), times)
