"""Records of frequencies whose fate is known from their start."""

import numpy as np
import xarray as xr

STEPS = [0, 3, 4, 1000]


def planted(embeddings=4, trials=5, freqs=29, noise=0.0, seed=0):
    """Frequencies that survive if signal0 + 1000 gradient + noise > 90, in units like those of the paper."""
    rng = np.random.default_rng(seed)
    embedding = np.repeat(np.arange(embeddings), trials)
    signal0 = rng.normal(90, 8, size=(embeddings, freqs))[embedding]
    gradient = rng.normal(0, 0.008, size=signal0.shape)
    alive = signal0 + 1000 * gradient + noise * rng.normal(size=signal0.shape) > 90
    third = signal0 * 0.98
    signal = np.stack([signal0, third, third + gradient * signal0, np.where(alive, 60.0, 5.0)], axis=1)
    return xr.Dataset(
        {
            "signal": (("member", "step", "freq"), signal),
            "mean_signal": (("member", "step"), np.full(signal.shape[:2], 20.0)),
        },
        coords={"step": STEPS, "seed_embedding": ("member", embedding + 100)},
    )


def start(record):
    s = record["signal"].values
    return s[:, 0], (s[:, 2] - s[:, 1]) / s[:, 0], s[:, 3] > 10
