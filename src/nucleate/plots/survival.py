"""How many circles survive, how often each does, and what distinguishes survivors from the dead."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.ticker import MaxNLocator, PercentFormatter
from numpy.typing import ArrayLike

from nucleate.claims import bootstrap, share
from nucleate.plots.circles import DEAD, SURVIVED
from nucleate.plots.scales import log_x
from nucleate.plots.style import FRACTION_MAP, INK, MUTED, PALETTE, Number

_RESAMPLES = 1000
_DOT_AREA, _LEAST_AREA, _MOST_AREA = 14.0, 5.0, 130.0  # in points²: of one network, and of any dot
_ABOVE = {"loc": "lower left", "bbox_to_anchor": (0.0, 1.0), "borderaxespad": 0.0, "columnspacing": 1.2}
"""Places a one-line legend above the axes, off the data."""


def count_curve(
    ax: Axes,
    x: ArrayLike,
    counts: ArrayLike,
    *,
    hollow: ArrayLike | None = None,
    note: str = "nothing separated",
    label: str = "mean",
    color: str = PALETTE[0],
    xlog: bool = False,
    xlabel: str = "",
    ylabel: str = "surviving circles",
) -> None:
    """The mean of a count against a parameter, with its 95 % bootstrap band, over dots for the networks.

    `counts` and `hollow` are [network] like `x`, or [x, network]; a count that is not finite is left out.
    The area of a dot is the number of networks with that count. Networks that are `hollow`, for the reason
    given in `note`, add a ring around the others; they are part of the mean.
    Source: [ding2024survival], Figures 5, 10 and 14.

    >>> from nucleate.plots import panels, style
    >>> with style():
    ...     figure, (ax,) = panels()
    ...     count_curve(ax, [17, 23], [[2, 3, 3], [3, 4, 0]], hollow=[[0, 0, 0], [0, 0, 1]])
    >>> [text.get_text() for text in ax.get_legend().get_texts()]
    ['mean', 'nothing separated (1 of 6)']
    """
    x, counts, hollow = _networks(x, counts, hollow)
    where = np.unique(x)
    estimates = [_mean(counts[x == position]) for position in where]
    mean, low, high = np.array(estimates).T if estimates else np.empty((3, 0))
    if xlog:
        log_x(ax, x)
    elif np.all(x == x.round()):
        ax.xaxis.set_major_locator(MaxNLocator(integer=True))
    ax.fill_between(where, low, high, color=color, alpha=0.25, lw=0, zorder=3)
    ax.plot(where, mean, color=color, marker="o", ms=4.5, mec="white", mew=0.6, zorder=4, label=label)
    said = f"{note} ({hollow.sum():,} of {x.size:,})"
    _draw_networks(ax, x, counts, hollow, color, said)
    ax.yaxis.set_major_locator(MaxNLocator(integer=True))
    ax.set(xlabel=xlabel, ylabel=ylabel)
    if hollow.any() or label != "mean":
        ax.legend(loc="best")


def rate_curve(
    ax: Axes,
    groups: Mapping[str, tuple[ArrayLike, ArrayLike, ArrayLike]],
    *,
    xlabel: str = "",
    ylabel: str = "survival rate",
) -> None:
    """Success rates against a parameter, with 95 % bands; `groups` maps label to (x, hits, trials).

    Points without trials leave a gap. Source: [ding2024survival], Figures 6 and 7.

    >>> from nucleate.plots import panels, style
    >>> with style():
    ...     figure, (ax,) = panels()
    ...     rate_curve(ax, {"largest": ([0.1, 0.9], [50, 48], [50, 50]), "second": ([0.1, 0.9], [2, 40], [50, 50])})
    >>> ax.lines[0].get_ydata().tolist()
    [1.0, 0.96]
    """
    colors = _line_colors(len(groups))
    many = len(groups) > 6
    band = 0.05 if many else 0.09 if len(groups) > 3 else 0.2
    dot: dict[str, Any] = {"lw": 1.3} if many else {"marker": "o", "ms": 4, "mec": "white", "mew": 0.5}
    for color, (label, columns) in zip(colors, groups.items(), strict=True):
        x, hits, trials = (np.asarray(column) for column in columns)
        if not x.ndim == 1 or not x.shape == hits.shape == trials.shape:
            raise ValueError(
                f"rate_curve: x, hits and trials of {label!r} must be [x]; got {x.shape}, {hits.shape}, {trials.shape}."
            )
        estimates = [share(int(hit), int(trial)) for hit, trial in zip(hits, trials, strict=True)]
        low, high = [e.low for e in estimates], [e.high for e in estimates]
        ax.fill_between(x, low, high, color=color, alpha=band, lw=0)
        ax.plot(x, [e.value for e in estimates], color=color, label=label, **dot)
    ax.set(xlabel=xlabel, ylabel=ylabel, ylim=(-0.03, 1.03))
    ax.locator_params(axis="x", nbins=5)  # or small numbers would touch
    ax.yaxis.set_major_formatter(PercentFormatter(1.0, decimals=0))
    if len(groups) > 1:
        ax.legend(loc="upper left", bbox_to_anchor=(1.0, 1.0), borderaxespad=0.0, handlelength=1.4)


def fitness_plane(
    ax: Axes,
    signal: ArrayLike,
    gradient: ArrayLike,
    alive: ArrayLike,
    *,
    boundary: tuple[Number, Number, Number] | None = None,
    xlabel: str = "initial signal",
    ylabel: str = "relative gradient",
) -> None:
    """Each frequency by its two measures of fitness, survivors drawn over the dead, with the line that divides them.

    `boundary` is (w_g, w_s, b) of the line w_g g + w_s s + b = 0; the positive side, where survivors are expected,
    is tinted. Source: [ding2024survival], Figure 7.

    >>> from nucleate.plots import panels, style
    >>> with style():
    ...     figure, (ax,) = panels()
    ...     fitness_plane(ax, [1, 2, 3], [0, 1, 1], [False, False, True], boundary=(0, 1, -2.5))
    >>> [text.get_text() for text in ax.get_legend().get_texts()]
    ['dead (2)', 'survived (1)', 'boundary']
    """
    signal, gradient = np.asarray(signal, float).ravel(), np.asarray(gradient, float).ravel()
    alive = np.asarray(alive, bool).ravel()
    if not signal.shape == gradient.shape == alive.shape:
        raise ValueError(
            "fitness_plane: signal, gradient and alive must have one shape; "
            f"got {signal.shape}, {gradient.shape} and {alive.shape}."
        )
    finite = np.isfinite(signal) & np.isfinite(gradient)
    opacity = float(np.clip(60 / max(1, finite.sum()) ** 0.6, 0.25, 0.85))
    looks = ((False, "dead", "#8A9099", 13), (True, "survived", SURVIVED, 17))
    for status, name, color, size in looks:
        here = finite & (alive == status)
        look = {"s": size, "alpha": opacity if not status else max(opacity, 0.55), "lw": 0, "zorder": 2 + status}
        ax.scatter(signal[here], gradient[here], color=color, label=f"{name} ({here.sum():,})", **look)
    if boundary is not None:
        _divide(ax, *(float(weight) for weight in boundary))
    ax.set(xlabel=xlabel, ylabel=ylabel)
    ax.locator_params(axis="x", nbins=6)
    legend = ax.legend(ncols=3, handletextpad=0.4, **_ABOVE)
    for handle in filter(None, legend.legend_handles):
        handle.set_alpha(1.0)


def two_histograms(
    ax: Axes,
    values: ArrayLike,
    alive: ArrayLike,
    *,
    bins: int = 30,
    xlabel: str = "",
    ylabel: str = "share of group",
    labels: tuple[str, str] = ("dead", "survived"),
) -> None:
    """Histograms of `values` among survivors and among the dead, with their medians.

    The bars of each group add up to 1. Values that are not finite are left out. `labels` name the two groups: first
    those not `alive`, then those `alive`. Source: [ding2024survival], Figures 7 and 11.

    >>> from nucleate.plots import panels, style
    >>> with style():
    ...     figure, (ax,) = panels()
    ...     two_histograms(ax, [1, 2, 3, 4], [False, False, True, True], bins=3)
    >>> [text.get_text() for text in ax.get_legend().get_texts()]
    ['dead (2)', 'survived (2)']
    """
    values, alive = np.asarray(values, float).ravel(), np.asarray(alive, bool).ravel()
    if values.shape != alive.shape:
        raise ValueError(f"two_histograms: values and alive must have one shape; got {values.shape}, {alive.shape}.")
    finite = np.isfinite(values)
    edges = np.histogram_bin_edges(values[finite], bins)
    for status, name, fill, line in ((False, labels[0], DEAD, "#5F656D"), (True, labels[1], SURVIVED, SURVIVED)):
        group = values[finite & (alive == status)]
        weights = np.full(group.size, 1 / max(1, group.size))
        heights, _ = np.histogram(group, edges, weights=weights)
        ax.stairs(
            heights, edges, fill=True, color=fill, alpha=0.45, zorder=2 + status, label=f"{name} ({group.size:,})"
        )
        ax.stairs(heights, edges, color=line, lw=1.2, zorder=4)
        if group.size:
            ax.axvline(float(np.median(group)), color=line, lw=1.4, ls=(0, (4, 2)), zorder=5)
    ax.set(xlabel=xlabel, ylabel=ylabel, xlim=(edges[0], edges[-1]))
    ax.set_ylim(bottom=0)
    ax.locator_params(axis="x", nbins=5)
    ax.legend(ncols=2, handlelength=1.2, **_ABOVE)
    _remark(ax, "dashed: medians")


def _networks(x: ArrayLike, counts: ArrayLike, hollow: ArrayLike | None) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Flat x, counts and hollow of equal length, without counts that are not finite."""
    x, counts = np.asarray(x, float), np.asarray(counts, float)
    hollow = np.zeros(counts.shape, bool) if hollow is None else np.asarray(hollow, bool)
    if counts.ndim == 2 and x.ndim == 1 and len(x) == len(counts):
        x = np.broadcast_to(x[:, None], counts.shape)
    if not x.shape == counts.shape == hollow.shape:
        raise ValueError(
            "count_curve: counts and hollow must be [network] like x, or [x, network]; "
            f"got x {x.shape}, counts {counts.shape} and hollow {hollow.shape}."
        )
    finite = np.isfinite(counts)
    return x[finite], counts[finite], hollow[finite]


def _mean(values: np.ndarray) -> tuple[float, float, float]:
    """The mean and its interval, which is undefined for a single network."""
    if values.size < 2:
        return float(values.mean()), np.nan, np.nan
    estimate = bootstrap(np.mean, values, resamples=_RESAMPLES)
    return estimate.value, estimate.low, estimate.high


def _draw_networks(ax: Axes, x: np.ndarray, counts: np.ndarray, hollow: np.ndarray, color: str, said: str) -> None:
    """A disc at each (x, count) for its networks, and around it a ring for those that are `hollow`."""
    places, which = np.unique(np.stack([x, counts], axis=1), axis=0, return_inverse=True)
    total = np.bincount(which.ravel(), minlength=len(places))
    filled = np.bincount(which.ravel(), ~hollow, minlength=len(places))
    area = min(_DOT_AREA, _MOST_AREA / max(1, total.max(initial=1)))
    discs, rings = filled > 0, total > filled
    look: dict[str, Any] = {"color": color, "alpha": 0.35, "lw": 0, "zorder": 2}
    ax.scatter(*places[discs].T, s=np.maximum(area * filled[discs], _LEAST_AREA), **look)
    if rings.any():
        look = {"facecolors": "none", "edgecolors": MUTED, "linewidths": 0.8, "alpha": 0.85, "zorder": 2}
        ax.scatter(*places[rings].T, s=np.maximum(area * total[rings], _LEAST_AREA), label=said, **look)
    if total.max(initial=1) > 1:
        _remark(ax, "dot area: networks")


def _remark(ax: Axes, text: str) -> None:
    """Write above the right end of the axes, once however many curves they hold."""
    if text not in [other.get_text() for other in ax.texts]:
        ax.annotate(text, (1, 1), xycoords="axes fraction", xytext=(0, 4), textcoords="offset points", ha="right",
                    va="bottom", fontsize=8.5, color=MUTED)  # fmt: skip


def _line_colors(count: int) -> list:
    """Colours of the palette, or shades if there are too few."""
    if count < len(PALETTE):
        return list(PALETTE[:count])
    return [FRACTION_MAP(float(shade)) for shade in np.linspace(0, 1, count)]


def _divide(ax: Axes, w_gradient: float, w_signal: float, intercept: float) -> None:
    """Draw the decision boundary within the present limits, and tint its positive side."""
    (left, right), (bottom, top) = ax.get_xlim(), ax.get_ylim()
    if w_gradient == w_signal == 0:
        raise ValueError("fitness_plane: boundary must have a non-zero weight; got (0, 0, …).")
    signal, gradient = np.meshgrid([left, right], [bottom, top])
    height = w_gradient * gradient + w_signal * signal + intercept
    if height.max() > 0:
        ax.contourf(signal, gradient, height, levels=[0, 2 * height.max()], colors=[SURVIVED], alpha=0.08, zorder=0)
    if w_gradient:
        ends = [-(w_signal * x + intercept) / w_gradient for x in (left, right)]
        ax.plot([left, right], ends, color=INK, lw=1.5, ls=(0, (4, 2)), zorder=5, label="boundary")
    else:
        edge = -intercept / w_signal
        ax.plot([edge, edge], [bottom, top], color=INK, lw=1.5, ls=(0, (4, 2)), zorder=5, label="boundary")
    ax.set(xlim=(left, right), ylim=(bottom, top))
