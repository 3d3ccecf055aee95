"""Many attention heads over training: their scores, the numbers of each kind, and the laws they follow."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
from matplotlib.axes import Axes
from matplotlib.collections import QuadMesh
from matplotlib.colors import LinearSegmentedColormap
from matplotlib.patheffects import withStroke
from matplotlib.ticker import MaxNLocator
from numpy.typing import ArrayLike

from nucleate.plots.scales import log_x, log_y
from nucleate.plots.style import INK, MUTED, PALETTE, Number

_DENSITY = LinearSegmentedColormap.from_list("nucleate_density", ["#BCD7EA", PALETTE[0], "#071E36"]).with_extremes(
    under="white"
)
_VALUE, _LAW, _OTHER = PALETTE[0], PALETTE[1], PALETTE[2]


def score_histogram(
    ax: Axes, step: ArrayLike, score: ArrayLike, *, bins: int = 40, percentile: Number = 95, title: str = ""
) -> QuadMesh:
    """The distribution of scores in [0, 1] over training: each column is a histogram of `score[step, head]`.

    Colour is the share of heads in a bin, white for none. It saturates at the `percentile` of the non-empty bins, since
    dense clusters would otherwise hide all others. Source: [hitchcock2025emergence], Figure 2.

    >>> from nucleate.plots import panels, style
    >>> with style():
    ...     figure, (ax,) = panels()
    ...     mesh = score_histogram(ax, [0, 100], [[0.1, 0.1, 0.2], [0.1, 0.9, 0.9]], bins=2)
    >>> mesh.get_array().round(2).tolist()  # a row is a bin, a column a step
    [[1.0, 0.33], [0.0, 0.67]]
    """
    step, score = np.asarray(step, float), np.asarray(score, float)
    if score.ndim != 2 or len(score) != step.size or not score.size:
        raise ValueError(f"score_histogram: score must be [step={step.size}, head]; got {score.shape}.")
    edges = np.linspace(0, 1, bins + 1)
    seen = [row[np.isfinite(row)] for row in np.clip(score, 0, 1)]
    share = np.stack([np.histogram(row, edges)[0] / max(row.size, 1) for row in seen], axis=1)
    full = share[share > 0]
    most = float(np.percentile(full, float(percentile))) if full.size else 1.0
    least = float(full.min()) if full.size else 0.5
    mesh = ax.pcolormesh(_columns(step), edges, share, cmap=_DENSITY, vmin=min(least, 0.99 * most), vmax=most)
    ax.set(xlabel="training step", ylabel="collision detection score", ylim=(0, 1), xlim=(step[0], max(step[-1], 1)))
    ax.xaxis.set_major_locator(MaxNLocator(4))
    ax.xaxis.set_major_formatter(lambda value, _: f"{value:,.0f}")
    ax.set_title(title, pad=8)
    return mesh


def _columns(step: np.ndarray) -> np.ndarray:
    """Edges of columns that meet midway between steps and do not extend beyond the first and last step."""
    return np.concatenate([step[:1], (step[1:] + step[:-1]) / 2, [step[-1] if step.size > 1 else step[-1] + 1]])


def count_bars(
    ax: Axes, counts: Mapping[str, ArrayLike], *, ylabel: str = "heads", xlabel: str = "block", most: int | None = None
) -> None:
    """Stacked counts of each kind: one group of bars per block, with one bar per network.

    `counts` maps kind to [network, block]; `most` is the largest possible sum. An empty bar is a short line.
    Source: [hitchcock2025emergence], Figure 5.

    >>> from nucleate.plots import panels, style
    >>> with style():
    ...     figure, (ax,) = panels()
    ...     count_bars(ax, {"true": [[0, 2], [0, 1]], "partial": [[0, 1], [1, 1]]}, most=4)
    >>> [text.get_text() for text in ax.get_legend().get_texts()], [int(bar.get_height()) for bar in ax.patches[:4]]
    (['true', 'partial'], [0, 2, 0, 1])
    """
    tables = {kind: np.asarray(table, int) for kind, table in counts.items()}
    shapes = {table.shape for table in tables.values()}
    if len(shapes) != 1 or len(shape := next(iter(shapes))) != 2:
        raise ValueError(f"count_bars: counts must all be [network, block]; got {[*map(np.shape, counts.values())]}.")
    networks, blocks = shape
    width = 0.8 / networks
    for network in range(networks):
        x = np.arange(blocks) + (network - (networks - 1) / 2) * width
        floor = np.zeros(blocks, int)
        ax.hlines(np.zeros(blocks), x - 0.4 * width, x + 0.4 * width, color=MUTED, lw=1.4, zorder=3)
        for (kind, table), color in zip(tables.items(), PALETTE, strict=False):
            label = kind if network == 0 else None
            ax.bar(x, table[network], 0.86 * width, floor, color=color, label=label)
            floor = floor + table[network]
    top = max(int(np.sum([*tables.values()], axis=0).max()), most or 1)
    ax.set(xlabel=xlabel, ylabel=ylabel, xticks=range(blocks), ylim=(0, 1.04 * top))
    ax.yaxis.set_major_locator(MaxNLocator(5, integer=True))
    ax.legend(loc="upper left")


def law_curve(
    ax: Axes,
    step: ArrayLike,
    value: ArrayLike,
    laws: Sequence[tuple[Number, Number, Number, Number]] = (),
    *,
    level: Number | None = None,
    named: int = 3,
    ylabel: str = "|c|",
) -> None:
    """|`value`| over training on logarithmic axes, and the power laws A t^−α fitted to parts of it.

    A law is (start, end, α, ln A); the last `named` laws are labelled with their slopes −α. `level` is the limit of an
    ideal value (dotted). Steps ≤ 0 are left out. Source: [hitchcock2025emergence], Figures 1 and 16 to 35.

    >>> from nucleate.plots import panels, style
    >>> with style():
    ...     figure, (ax,) = panels()
    ...     law_curve(ax, [0, 10, 100], [0.0, -0.5, -0.05], [(10, 100, 1.0, np.log(5))])
    >>> ax.lines[1].get_ydata().round(3).tolist()
    [0.5, 0.05]
    """
    step, value = np.asarray(step, float), np.abs(np.asarray(value, float))
    if value.shape != step.shape or step.ndim != 1:
        raise ValueError(f"law_curve: value must be [step={step.size}]; got {value.shape}.")
    there = step > 0
    ax.plot(step[there], value[there], color=_VALUE, lw=1.3)
    if level is not None:
        ax.axhline(abs(float(level)), color=MUTED, lw=1, ls=":", zorder=1)
    for start, end, exponent, constant in laws:
        ends = np.array([start, end], float)
        heights = np.exp(float(constant)) * ends ** -float(exponent)
        ax.plot(ends, heights, color=_LAW, lw=2.4, alpha=0.85, zorder=3, solid_capstyle="butt")
    for start, end, exponent, constant in laws[-named:] if named else ():
        _name_slope(ax, float(start * end) ** 0.5, -float(exponent), float(constant))
    log_x(ax, step[there])
    log_y(ax, value[there] if level is None else np.append(value[there], abs(float(level))), decades=2)
    ax.set(xlabel="training step", ylabel=ylabel)


def _name_slope(ax: Axes, middle: float, slope: float, constant: float) -> None:
    """Write the slope above the middle of its line, to the right of a falling line and to the left of a rising one."""
    side = -8 * np.sign(slope)
    ax.annotate(
        f"{slope:z.2f}".replace("-", "−"),
        (middle, float(np.exp(constant) * middle**slope)),
        xytext=(side, 5),
        textcoords="offset points",
        ha="left" if side > 0 else "right" if side < 0 else "center",
        va="bottom",
        fontsize=8.5,
        color=_LAW,
        path_effects=[withStroke(linewidth=2.4, foreground="white")],
        zorder=5,
    )


def second_curve(
    ax: Axes, step: ArrayLike, value: ArrayLike, error: ArrayLike, trusted: ArrayLike, *, ylabel: str = "LLC"
) -> Axes:
    """`value[step]` with bars of twice its error, on a second y axis to the right of a `law_curve`.

    Hollow dots are not `trusted`; values that are not finite are left out. Returns the new axes.
    Source: [hitchcock2025emergence], Figure 1.

    >>> from nucleate.plots import panels, style
    >>> with style():
    ...     figure, (ax,) = panels()
    ...     law_curve(ax, [1, 10, 100], [0.1, 0.5, 0.4])
    ...     right = second_curve(ax, [10, 100], [2.0, np.nan], [0.1, np.nan], [True, False])
    >>> right.get_ylabel(), right.get_yscale()
    ('LLC', 'linear')
    """
    step, value, error = (np.asarray(values, float) for values in (step, value, error))
    trusted = np.asarray(trusted, bool)
    if not value.shape == error.shape == trusted.shape == step.shape:
        raise ValueError(
            f"second_curve: value, error and trusted must be [step={step.size}]; got {value.shape}, {error.shape} "
            f"and {trusted.shape}."
        )
    right = ax.twinx()
    there = np.isfinite(value) & (step > 0)
    step, value, error, trusted = step[there], value[there], np.nan_to_num(error[there]), trusted[there]
    right.errorbar(step, value, 2 * error, color=_OTHER, lw=1.2, elinewidth=1, capsize=2, zorder=2)
    right.scatter(step[trusted], value[trusted], color=_OTHER, s=18, zorder=3)
    right.scatter(step[~trusted], value[~trusted], facecolors="white", edgecolors=_OTHER, s=18, zorder=3)
    right.spines["right"].set(visible=True, color=_OTHER)
    right.tick_params(axis="y", colors=_OTHER, labelcolor=_OTHER)
    right.set_ylabel(ylabel, color=_OTHER)
    right.yaxis.set_major_locator(MaxNLocator(5))
    ax.yaxis.label.set_color(_VALUE)
    ax.set_zorder(right.get_zorder() + 1)  # or the new curve would cover the slopes of the laws
    ax.patch.set_visible(False)
    return right


def interval_rows(
    ax: Axes,
    names: Sequence[str],
    value: ArrayLike,
    error: ArrayLike,
    *,
    wide: ArrayLike | None = None,
    filled: ArrayLike | None = None,
    band: tuple[Number, Number] | None = None,
    within: tuple[Number, Number] | None = None,
    xlabel: str = "exponent",
) -> None:
    """One row per name, from top to bottom: `value` with the interval ± `error` thick and ± `wide` thin.

    Dots that are not `filled` are hollow. `band` is a range to compare with. The axis ends at `within`; a value beyond
    it is written at the edge. Source: [hitchcock2025emergence], Figure 6.

    >>> from nucleate.plots import panels, style
    >>> with style():
    ...     figure, (ax,) = panels()
    ...     interval_rows(ax, ["1-0", "2-3"], [-0.2, -0.5], [0.01, 0.1], wide=[0.05, 0.2], band=(-0.85, -0.05))
    >>> [label.get_text() for label in ax.get_yticklabels()]
    ['1-0', '2-3']
    """
    value, error = np.asarray(value, float), np.asarray(error, float)
    wide = error if wide is None else np.asarray(wide, float)
    filled = np.ones(value.size, bool) if filled is None else np.asarray(filled, bool)
    if not len(names) == value.size == error.size == wide.size == filled.size:
        raise ValueError(
            f"interval_rows: value, error, wide and filled must have one entry for each of {len(names)} names; got "
            f"{value.shape}, {error.shape}, {wide.shape} and {filled.shape}."
        )
    row = np.arange(value.size)
    if band is not None:
        ax.axvspan(float(band[0]), float(band[1]), color=MUTED, alpha=0.12, lw=0)
    ax.axvline(0, color=MUTED, lw=0.9, ls=":")
    ax.hlines(row, value - wide, value + wide, color=_VALUE, lw=0.9)
    ax.hlines(row, value - error, value + error, color=_VALUE, lw=3)
    ax.scatter(value[filled], row[filled], s=26, color=_VALUE, edgecolors=INK, linewidths=0.6, zorder=3)
    ax.scatter(value[~filled], row[~filled], s=26, color="white", edgecolors=_VALUE, zorder=3)
    if within is not None:
        _write_beyond(ax, value, (float(within[0]), float(within[1])))
    ax.set(yticks=row, yticklabels=names, ylim=(value.size - 0.4, -0.6), xlabel=xlabel)
    ax.tick_params(axis="y", length=0)


def _write_beyond(ax: Axes, value: np.ndarray, within: tuple[float, float]) -> None:
    """Write values that lie beyond the axis as numbers at its edge."""
    ax.set_xlim(within)
    for row, here in enumerate(value.tolist()):
        if within[0] <= here <= within[1] or not np.isfinite(here):
            continue
        right = here > within[1]
        text = f"{here:.1f} →" if right else f"← {here:.1f}"
        ax.text(
            within[int(right)],
            row,
            text.replace("-", "−"),
            ha="right" if right else "left",
            va="center",
            color=_VALUE,
            fontsize=8.5,
            bbox={"facecolor": "white", "edgecolor": "none", "pad": 1.5},  # hides an interval that reaches the edge
            zorder=4,
        )
