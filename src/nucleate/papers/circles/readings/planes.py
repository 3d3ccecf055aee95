"""Principal planes of an embedding, and how tokens lie on them."""

import numpy as np
import xarray as xr

from nucleate.record import last_row


def final_embedding(record: xr.Dataset, member: int) -> np.ndarray:
    """The last snapshot of a network's embedding."""
    return record.embedding.values[member, last_row(record, "step_embedding")[member]]


def principal_planes(embedding: np.ndarray, planes: int) -> np.ndarray:
    """Tokens on the leading pairs of principal components, [plane, token, 2]."""
    centred = embedding - embedding.mean(0)
    left, size, _ = np.linalg.svd(centred, full_matrices=False)
    scores = (left * size)[:, : 2 * planes]
    return scores.reshape(len(embedding), planes, 2).swapaxes(0, 1)


def neighbours(points: np.ndarray) -> int:
    """The difference between tokens that are neighbours by angle: the most common one, up to its sign modulo p.

    >>> angle = 2 * np.pi * 3 * np.arange(7) / 7
    >>> neighbours(np.stack([np.cos(angle), np.sin(angle)], axis=1))  # 3 · 2 = −1 modulo 7
    2
    """
    p = len(points)
    order = np.argsort(np.arctan2(points[:, 1], points[:, 0]))
    step = np.diff(order, append=order[:1]) % p
    return int(np.bincount(np.minimum(step, p - step)).argmax())
