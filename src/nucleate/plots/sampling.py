"""Chains that sample a posterior: their traces, and their estimates at different settings."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from matplotlib.axes import Axes
from numpy.typing import ArrayLike

from nucleate.plots.scales import log_x
from nucleate.plots.style import INK, MUTED, PALETTE, Number


def chain_traces(
    ax: Axes,
    trace: ArrayLike,
    *,
    burn_in: int = 0,
    value: Number | None = None,
    error: Number | None = None,
    xlabel: str = "chain step",
    ylabel: str = r"$n\beta\,(L_m(w) - L_m(w_0))$",
) -> None:
    """Every chain of `trace[chain, step]`, with the burn-in shaded, and the mean after it.

    Pale lines are chains; the dark line is the running mean over a fiftieth of the steps and all chains; the dashed
    line is `value`, with twice its `error` on either side. A healthy trace is flat after the burn-in and has no spikes;
    a cross marks where a chain stops being finite. Source: [lau2025llc].

    >>> from nucleate.plots import panels, style
    >>> with style():
    ...     figure, (ax,) = panels()
    ...     chain_traces(ax, [[0.0, 2.0, 4.0, 5.0], [0.0, 3.0, 5.0, 4.0]], burn_in=2, value=4.5, error=0.3)
    >>> [text.get_text() for text in ax.get_legend().get_texts()]
    ['2 chains', 'mean', '4.5 ± 0.3']
    """
    trace = np.asarray(trace, float)
    if trace.ndim != 2 or not trace.size:
        raise ValueError(f"chain_traces: trace must be [chain, step]; got {trace.shape}.")
    chains, steps = trace.shape
    if not 0 <= burn_in < steps:
        raise ValueError(f"chain_traces: burn_in must be between 0 and {steps - 1}; got {burn_in}.")
    lines = ax.plot(trace.T, color=PALETTE[0], alpha=max(0.15, 0.6 / chains**0.5), lw=0.8)
    lines[0].set_label(f"{chains} chain{'s' * (chains > 1)}")
    width = max(1, steps // 50)
    mean = np.convolve(trace.mean(0), np.full(width, 1 / width), mode="valid")
    ax.plot(np.arange(mean.size) + (width - 1) / 2, mean, color=INK, lw=1.6, label="mean")
    if burn_in:
        ax.axvspan(0, burn_in, color=MUTED, alpha=0.12, lw=0)
    if value is not None and np.isfinite(value):
        spread = 0.0 if error is None or not np.isfinite(error) else 2 * float(error)
        label = f"{value:.3g}" + (f" ± {error:.1g}" if spread else "")
        ax.axhline(float(value), color=PALETTE[1], lw=1.2, ls=(0, (4, 3)), label=label)
        ax.axhspan(float(value) - spread, float(value) + spread, color=PALETTE[1], alpha=0.15, lw=0)
    _mark_ends(ax, trace)
    ax.set(xlabel=xlabel, ylabel=ylabel, xlim=(0, max(steps - 1, 1)))
    ax.legend(loc="best")


def plateau_curves(
    ax: Axes,
    step: ArrayLike,
    value: ArrayLike,
    error: ArrayLike,
    trusted: ArrayLike,
    *,
    labels: Sequence[str] = (),
    truth: Number | None = None,
    xlabel: str = r"step size $\epsilon$",
    ylabel: str = r"$\hat\lambda$",
) -> None:
    """A coefficient `value[curve, step]` over step sizes, with bars of twice its error: trust it where it is flat.

    Filled dots are `trusted`, hollow ones raise a doubt, and values that are not finite are crosses on the upper edge.
    `truth` is a level to compare with. Source: the sweeps of [lau2025llc].

    >>> from nucleate.plots import panels, style
    >>> with style():
    ...     figure, (ax,) = panels()
    ...     plateau_curves(ax, [1e-5, 1e-4], [[2.0, 2.1]], [[0.1, 0.1]], [[True, False]], labels=["nβ = 100"], truth=2)
    >>> [text.get_text() for text in ax.get_legend().get_texts()]
    ['nβ = 100']
    """
    step = np.asarray(step, float)
    value, error, trusted = np.asarray(value, float), np.asarray(error, float), np.asarray(trusted, bool)
    for name, values in {"value": value, "error": error, "trusted": trusted}.items():
        if values.ndim != 2 or values.shape != (len(value), step.size):
            raise ValueError(f"plateau_curves: {name} must be [curve, step={step.size}]; got {values.shape}.")
    if labels and len(labels) != len(value):
        raise ValueError(f"plateau_curves: labels must have one entry per curve, {len(value)}; got {len(labels)}.")
    if truth is not None:
        ax.axhline(float(truth), color=MUTED, lw=1, ls=":", zorder=1)
    for number, (y, bar, good) in enumerate(zip(value, error, trusted, strict=True)):
        color, label = PALETTE[number % len(PALETTE)], labels[number] if labels else None
        ax.errorbar(step, y, 2 * bar, color=color, lw=1.4, elinewidth=1, capsize=2, zorder=2, label=label)
        ax.scatter(step[good], y[good], color=color, s=30, zorder=3)
        ax.scatter(step[~good], y[~good], facecolors="white", edgecolors=color, s=30, zorder=3)
        lost = step[~np.isfinite(y)]
        if lost.size:
            height = np.full(lost.size, 0.97 - 0.04 * number)
            ax.scatter(lost, height, transform=ax.get_xaxis_transform(), marker="x", color=color, s=28, zorder=3)
    log_x(ax, step)
    ax.set(xlabel=xlabel, ylabel=ylabel)
    if labels:
        ax.legend(loc="best")


def _mark_ends(ax: Axes, trace: np.ndarray) -> None:
    """Put a cross where a chain was last finite."""
    for chain in trace:
        lost = np.flatnonzero(~np.isfinite(chain))
        if lost.size:
            last = max(int(lost[0]) - 1, 0)
            height = chain[last] if np.isfinite(chain[last]) else 0.0
            ax.scatter([last], [height], marker="x", color=PALETTE[1], s=40, zorder=4)
