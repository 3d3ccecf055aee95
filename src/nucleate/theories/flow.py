r"""Two ways to follow a flow dx/dt = v(x): in steps or, if v is linear, exactly.

Both work in double precision, whatever precision JAX is set to, and return NumPy arrays.
"""

from collections.abc import Callable
from typing import TypeVar

import diffrax
import equinox as eqx
import jax
import numpy as np
from jaxtyping import Array, Float

from nucleate.checking import checked

State = TypeVar("State")

_MAX_STEPS = 100_000


@eqx.filter_jit
def _solve(velocity, x0, times):
    solution = diffrax.diffeqsolve(
        diffrax.ODETerm(lambda t, x, args: velocity(x)),
        diffrax.Dopri8(),
        t0=0.0,
        t1=times[-1],
        dt0=None,
        y0=x0,
        saveat=diffrax.SaveAt(ts=times),
        # Steps end on the requested times: interpolating between steps would lose two digits.
        stepsize_controller=diffrax.ClipStepSizeController(
            diffrax.PIDController(rtol=1e-10, atol=1e-12), step_ts=times
        ),
        max_steps=_MAX_STEPS,
        adjoint=diffrax.ForwardMode(),  # never differentiated through; preparing for it is slow
    )
    return solution.ys


@checked
def integrate(velocity: Callable[[State], State], x0: State, times: Float[Array | np.ndarray, " time"]) -> State:
    r"""Follow dx/dt = velocity(x) from x(0) = `x0`, and return x at each of `times`.

    Dormand–Prince 8(7) with adaptive steps in float64, relative tolerance 1e-10. `x0` is an array or any
    pytree of arrays; every leaf of the result has a leading `time` axis. `times` are non-negative and never
    decrease; `x0` is the state at time 0, whether or not 0 is among them. A velocity that is a pytree (such as an
    `eqx.Partial`) is compiled once; a lambda is compiled at every call.

    >>> integrate(lambda x: -x, np.ones(1), np.array([0.0, 1.0])).round(6)
    array([[1.      ],
           [0.367879]])
    """
    times = np.asarray(times, np.float64)
    if times.size == 0 or times[0] < 0 or np.any(np.diff(times) < 0):
        raise ValueError(f"integrate: times must be non-negative and never decrease; got {times}.")
    # A Python float would be a compile-time constant, so that every learning rate would be a new program.
    velocity = jax.tree.map(lambda leaf: np.asarray(leaf) if isinstance(leaf, float) else leaf, velocity)
    with jax.enable_x64(True):
        x0 = jax.tree.map(lambda leaf: np.asarray(leaf, np.float64), x0)
        return jax.tree.map(np.asarray, _solve(velocity, x0, times))


def relax(
    matrix: Float[Array | np.ndarray, "*#set token token"],
    x0: Float[Array | np.ndarray, "*#set token dim"],
    times: Float[Array | np.ndarray, "*#set time"],
) -> Float[np.ndarray, "*set time token dim"]:
    r"""Follow the linear flow dx/dt = −H x exactly, by means of the eigenvectors of H.

        x(t) = Σ_i e^{−λ_i t} v_i (v_i · x(0)),    H v_i = λ_i v_i

    H: the symmetric `matrix`; x(0): `x0`; t: the `times`, in any order. Leading axes are broadcast, so that many
    flows can be followed at once. Source: [liu2022grokking], Eq. 9.

    >>> relax(np.diag([0.0, 1.0]), np.ones((2, 1)), np.array([1.0])).round(6)
    array([[[1.      ],
            [0.367879]]])
    """
    eigenvalues, vectors = np.linalg.eigh(np.asarray(matrix, np.float64))
    amplitudes = np.swapaxes(vectors, -1, -2) @ np.asarray(x0, np.float64)
    factors = np.exp(-np.asarray(times, np.float64)[..., :, None] * eigenvalues[..., None, :])
    return np.einsum("...ki,...ti,...id->...tkd", vectors, factors, amplitudes, optimize=True)
