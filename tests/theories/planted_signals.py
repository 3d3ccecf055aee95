"""Records that follow known laws of signals."""

import numpy as np
import xarray as xr

from nucleate.theories import LinearFlow
from nucleate.theories.signals import LinearFlowFit

STEPS = np.arange(60)
UNEQUAL = np.cumsum(np.random.default_rng(9).integers(1, 4, size=60))
A = np.array([[-0.10, 0.03, 0.0], [-0.02, -0.05, 0.01], [0.0, 0.04, -0.20]])
B = np.array([0.5, 0.2, 0.1])


def recorded(x, step=STEPS, **coords):
    return xr.Dataset({"signal": (("member", "step", "freq"), x)}, coords={"step": step, **coords})


def followed(velocity, members=4, freqs=3, step=STEPS, seed=0, noise=0.0):
    """A record of members that follow the discrete map of `velocity` from random starts."""
    rng = np.random.default_rng(seed)
    x = [rng.uniform(1, 10, size=(members, freqs))]
    for dt in np.diff(step):
        x.append(x[-1] + dt * velocity(x[-1]))
    x = np.stack(x, axis=1)
    return recorded(x + noise * rng.normal(size=x.shape), step)


def linear(x):
    return x @ A.T + B


def law(matrix, intercept):
    matrix = np.asarray(matrix, float)
    return LinearFlowFit(
        LinearFlow(),
        xr.DataArray(matrix, dims=("freq", "source")),
        xr.DataArray(np.asarray(intercept, float), dims="freq"),
        converged=True,
    )
