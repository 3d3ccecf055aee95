"""Following small flows in double precision. They are too small to be worth a compiled program."""

from collections.abc import Callable

import numpy as np
from jaxtyping import Float
from scipy.integrate import solve_ivp


def follow(
    velocity: Callable[[np.ndarray], np.ndarray], x0: Float[np.ndarray, "*state"], times: Float[np.ndarray, " time"]
) -> Float[np.ndarray, "time ..."]:
    """dx/dt = velocity(x) from `x0`, the state at time 0, at `times`, which never decrease: adaptive steps (DOP853).

    >>> follow(lambda x: -x, np.ones(1), np.array([0.0, 1.0])).round(6).ravel().tolist()
    [1.0, 0.367879]
    """
    if times.size == 0 or times[0] < 0 or np.any(np.diff(times) < 0):
        raise ValueError(f"times must be non-negative and never decrease, and at least one; got {times}.")
    asked, where = np.unique(np.append(0.0, times), return_inverse=True)
    path = np.repeat(x0.reshape(1, -1), len(asked), axis=0)
    if asked[-1] > 0:
        flat = lambda t, x: velocity(x.reshape(x0.shape)).ravel()
        found = solve_ivp(flat, (0.0, asked[-1]), x0.ravel(), method="DOP853", t_eval=asked, rtol=1e-11, atol=1e-13)
        if not found.success:
            raise ValueError(f"the flow could not be followed to {asked[-1]:g}: {found.message}")
        path = found.y.T
    return path[where[1:]].reshape(len(times), *x0.shape)
