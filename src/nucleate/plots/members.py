"""Every member of a fleet as a line of its own."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from matplotlib.axes import Axes
from numpy.typing import ArrayLike

from nucleate.plots.scales import log_x
from nucleate.plots.style import MUTED, PALETTE, Number


def member_curves(
    ax: Axes,
    step: ArrayLike,
    groups: Mapping[str, ArrayLike],
    *,
    threshold: Number | None = None,
    xlog: bool = False,
    ylabel: str = "accuracy",
    title: str = "",
) -> None:
    """The curve `values[member, step]` of each member of each group; a line ends where its member was stopped.

    `threshold` is a level of y (dotted).

    >>> from nucleate.plots import panels, style
    >>> with style():
    ...     figure, (ax,) = panels()
    ...     member_curves(ax, [0, 1, 2], {"training": [[0.1, 0.9, np.nan], [0.1, 0.8, 1.0]]}, threshold=0.6)
    >>> len(ax.lines), [text.get_text() for text in ax.get_legend().get_texts()]
    (3, ['training'])
    """
    step = np.asarray(step, float)
    for turn, (label, values) in enumerate(groups.items()):
        values = np.asarray(values, float)
        if values.ndim != 2 or values.shape[1] != step.size:
            raise ValueError(f"member_curves: {label!r} must be [member, step={step.size}]; got {values.shape}.")
        look = {"color": PALETTE[turn % len(PALETTE)], "lw": 1.3, "alpha": 0.75}
        for number, curve in enumerate(values):
            ax.plot(step, curve, label=label if number == 0 else None, **look)
    if threshold is not None:
        ax.axhline(float(threshold), color=MUTED, lw=1, ls=":", zorder=1)
    if xlog:
        log_x(ax, step)
        ax.set_xlim(step.min(), step.max())
    ax.set(xlabel="training step", ylabel=ylabel, ylim=(0, 1.03))
    ax.set_title(title)
    if groups:
        ax.legend(loc="best")
