"""How the tokens of one network move during training."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from matplotlib.axes import Axes
from matplotlib.lines import Line2D
from numpy.typing import ArrayLike

from nucleate.plots.labels import end_labels, mark
from nucleate.plots.style import Number, token_colors


def trajectories(
    ax: Axes,
    step: ArrayLike,
    values: ArrayLike,
    *,
    title: str = "",
    xlabel: str = "training step",
    ylabel: str = "",
    marks: Mapping[str, Number] | None = None,
) -> list[Line2D]:
    """One line for each token of `values[step, token]`, with the token's number at its end.

    `marks` maps labels to steps, such as {"3 $n_h$": 1200}, drawn as dashed lines labelled above. A token that
    stops being finite is labelled at its last finite value.

    >>> from nucleate.plots import panels, style
    >>> with style():
    ...     figure, (ax,) = panels()
    ...     lines = trajectories(ax, [0, 1, 2], [[0.0, 0.1], [0.1, 0.1], [0.5, 0.1]], marks={"now": 1})
    >>> len(lines), [text.get_text() for text in ax.texts]
    (2, ['0', '1', 'now'])
    """
    step, values = np.asarray(step, float), np.asarray(values, float)
    if values.ndim != 2 or values.shape[0] != step.size:
        raise ValueError(f"trajectories: values must be [step={step.size}, token]; got {values.shape}.")
    colors = token_colors(values.shape[1])
    lines = [ax.plot(step, values[:, token], color=colors[token])[0] for token in range(values.shape[1])]
    alive = np.flatnonzero(np.isfinite(values).any(axis=0))
    ends = [values[np.isfinite(values[:, token]), token][-1] for token in alive]
    end_labels(ax, ends, [str(token) for token in alive], [colors[token] for token in alive], x=step[-1])
    if step[0] < step[-1]:
        ax.set_xlim(step[0], step[-1])
    if marks:
        mark(ax, marks)
    ax.set(title=title, xlabel=xlabel, ylabel=ylabel)
    return lines
