"""Shares of heads or rollouts, several of which belong to one network."""

import math

import numpy as np

from nucleate.claims import Estimate, Reason, level, ratio, share
from nucleate.claims.statistics import FEWEST


def share_in_networks(hits: np.ndarray, total: np.ndarray) -> Estimate:
    """Σ hits / Σ total over networks, each with `hits` of `total` heads; networks without any are left out.

        n = min[p (1 − p) / var p, Σ total] · (t_heads / t_networks)²

    Heads of a network are not independent of each other: the interval is the exact one of the n independent heads that
    would scatter as these do. p: the share; var p: its variance, by how networks differ (where all or none are hits,
    they do not differ, and all heads count); t: Student's quantile at the level that is set, for as many heads or
    networks. Source: [korn1998].

    >>> share_in_networks(np.full(8, 2.0), np.full(8, 4.0))  # not as sure as 16 of 32
    Estimate(value=0.5, low=0.268..., high=0.731..., units=8, reason=None)
    """
    from scipy.stats import t

    hits, total = hits[total > 0], total[total > 0]
    networks, heads = len(total), int(total.sum())
    value = ratio(float(hits.sum()), heads)
    if not networks:
        return Estimate.unknown(Reason.TOO_FEW)
    if networks < FEWEST:
        return Estimate.open(value, Reason.TOO_FEW, networks)
    variance = networks / (networks - 1) * float(np.square((hits - value * total) / heads).sum())
    independent = min(value * (1 - value) / variance, heads) if variance and 0 < value < 1 else heads
    quantile = (1 + level()) / 2
    independent *= float(t.ppf(quantile, heads - 1) / t.ppf(quantile, networks - 1)) ** 2
    whole = max(math.floor(independent), 1)
    fewest, most = math.floor(value * whole + 1e-9), math.ceil(value * whole - 1e-9)
    return Estimate(value, share(fewest, whole).low, share(most, whole).high, networks)


def or_more(hits: np.ndarray, total: np.ndarray, finished: np.ndarray) -> Estimate:
    """The share, in which misses of networks that have not finished learning may still become hits."""
    now = share_in_networks(hits, total)
    return now.or_later(now, share_in_networks(np.where(finished, hits, total), total))


def or_fewer(hits: np.ndarray, total: np.ndarray, finished: np.ndarray) -> Estimate:
    """The share, in which hits of networks that have not finished learning may still vanish."""
    now = share_in_networks(hits, total)
    return now.or_later(share_in_networks(np.where(finished, hits, 0), total), now)
