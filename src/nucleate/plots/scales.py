"""Log axes that can show zeros: training starts at step 0, and a removed circle has signal 0."""

from __future__ import annotations

import numpy as np
from matplotlib.axes import Axes
from matplotlib.axis import Axis
from matplotlib.ticker import FixedFormatter, FixedLocator, MaxNLocator
from numpy.typing import ArrayLike

from nucleate.plots.style import Number

_ZERO_WIDTH = 0.5
"""Width, in decades, of the linear piece between 0 and the first positive value."""

_MOST_TICKS = 6


def log_x(ax: Axes, values: ArrayLike) -> None:
    """Make x logarithmic; a 0 among `values` gets its own place to the left of the first positive one.

    >>> from nucleate.plots import panels, style
    >>> with style():
    ...     figure, (ax,) = panels()
    ...     log_x(ax, [0, 1, 10, 100])
    >>> ax.get_xscale(), [label.get_text() for label in ax.get_xticklabels()]
    ('symlog', ['0', '1', '10', '100'])
    """
    values = np.asarray(values, float)
    if np.any(values < 0):
        raise ValueError(f"log_x: a log axis needs values >= 0; got {values.min():g}.")
    positive = values[values > 0]
    if not positive.size:
        return
    first, last = float(positive.min()), float(positive.max())
    if positive.size == values.size:
        ax.set_xscale("log")
    else:
        ax.set_xscale("symlog", linthresh=first, linscale=_ZERO_WIDTH)
    _name_decades(ax.xaxis, first, last, zero=positive.size < values.size)


def log_y(ax: Axes, values: ArrayLike, *, decades: Number = 6) -> None:
    """Make y logarithmic and fit it to the positive `values`; zeros leave the axes through the bottom.

    So does anything more than `decades` below the largest value: a signal that weight decay has taken to 10^−40
    would otherwise squeeze the survivors into a line.

    >>> from nucleate.plots import panels, style
    >>> with style():
    ...     figure, (ax,) = panels()
    ...     log_y(ax, [0.0, 1e-2, 1e2])
    >>> low, high = map(float, ax.get_ylim())
    >>> 1e-3 < low < 1e-2, 1e2 < high < 1e3
    (True, True)
    """
    values = np.asarray(values, float)
    shown = values[np.isfinite(values) & (values > 0)]
    ax.set_yscale("log", nonpositive="clip")
    if not shown.size:
        ax.set_ylim(0.1, 10)
        return
    high = float(shown.max())
    low = max(float(shown.min()), high * 10.0 ** -float(decades))
    margin = (high / low) ** 0.06 if high > 1.001 * low else 1.5
    low, high = low / margin, high * margin
    ax.set_ylim(low, high)
    _name_decades(ax.yaxis, low, high, zero=False)


def _name_decades(axis: Axis, low: float, high: float, zero: bool) -> None:
    """Ticks at powers of ten; on a shorter axis also at 3 times these, or at 2 and 5 times; on a very short one at
    round numbers."""
    powers = np.arange(np.floor(np.log10(low)), np.ceil(np.log10(high)) + 1)
    ticks = _inside(10.0**powers, low, high)
    if ticks.size < 3:
        ticks = _inside(np.outer(10.0**powers, (1, 2, 5)).ravel(), low, high)
        if ticks.size > 4:  # their labels would touch in a narrow panel
            ticks = _inside(np.outer(10.0**powers, (1, 3)).ravel(), low, high)
        if ticks.size < 3 and low < high:
            ticks = _inside(np.array(MaxNLocator(4).tick_values(low, high)), low, high)
        minor = np.array([])
    else:
        ticks = ticks[:: -(-ticks.size // _MOST_TICKS)]
        minor = _inside(np.outer(10.0**powers, np.arange(1, 10)).ravel(), low, high)
    plain = ticks.size > 0 and ticks[0] >= 9e-4 and ticks[-1] <= 1.1e5
    labels = [f"{tick:.12g}" if plain else _power(tick) for tick in ticks]
    axis.set_major_locator(FixedLocator([0.0, *ticks.tolist()] if zero else ticks.tolist()))
    axis.set_major_formatter(FixedFormatter(["0", *labels] if zero else labels))
    axis.set_minor_locator(FixedLocator(minor.tolist()))
    axis.set_minor_formatter(FixedFormatter([]))


def _inside(ticks: np.ndarray, low: float, high: float) -> np.ndarray:
    return ticks[(ticks >= low * (1 - 1e-9)) & (ticks <= high * (1 + 1e-9))]


def _power(value: float) -> str:
    exponent = int(np.floor(np.log10(value) + 1e-9))
    factor = value / 10.0**exponent
    return f"$10^{{{exponent}}}$" if abs(factor - 1) < 1e-6 else f"${factor:.3g}\\times10^{{{exponent}}}$"
