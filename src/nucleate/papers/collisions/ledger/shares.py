"""Shares of heads, where networks are the independent units."""

import numpy as np

from nucleate.claims import Estimate, bootstrap, ratio, share


def pooled_share(hits: np.ndarray, total: np.ndarray) -> Estimate:
    """Σ hits / Σ total over networks, each with `hits` of `total` heads; networks without any are left out."""
    hits, total = hits[total > 0], total[total > 0]
    largest = total.max(initial=1)
    # As parts of the largest network, so that both are between 0 and 1.
    return bootstrap(_pooled, hits / largest, total / largest, bounds=(0, 1))


def share_of_heads(hits: np.ndarray, total: np.ndarray) -> Estimate:
    """The pooled share, no surer than if heads were independent, nor than networks differ."""
    networks, heads = pooled_share(hits, total), share(int(hits.sum()), int(total.sum()))
    if networks.reason is not None:
        return networks
    return Estimate(heads.value, min(heads.low, networks.low), max(heads.high, networks.high), networks.units)


def _pooled(hits: np.ndarray, total: np.ndarray) -> float:
    return ratio(float(np.minimum(hits, total).sum()), float(total.sum()))
