"""Attention on text over training: maps, entropies by block, a film, and how near to orthogonal tokens stay."""

from pathlib import Path

import numpy as np
import xarray as xr
from matplotlib.axes import Axes

from nucleate.claims import Evidence
from nucleate.observables import random_cosine
from nucleate.papers.attention.experiments.text import ADAM, SGD
from nucleate.papers.attention.experiments.trees import TREES
from nucleate.papers.attention.readings import text as readings
from nucleate.plots import PALETTE, Picture, animate_sequence, panels, save, sequence_attention
from nucleate.plots.scales import log_x
from nucleate.record import stayed_finite

_SHOWN = 4
"""Steps at which attention is shown."""


def _one_of_each(record: xr.Dataset) -> dict[str, xr.Dataset]:
    """The first network of each depth that did not diverge."""
    depths = {int(depth): readings.of_depth(record, int(depth)) for depth in np.unique(record.blocks.values)}
    return {
        readings.blocks_in_words(depth): found.isel(member=0)
        for depth, found in depths.items()
        if found.sizes["member"]
    }


def _letters(record: xr.Dataset) -> list[str]:
    """The bytes of the window, as what can be printed of them."""
    return [chr(byte) if 33 <= byte < 127 else "·" for byte in record.window.values]


def attention_maps(evidence: Evidence, folder: Path) -> Picture | None:
    record = evidence.record(SGD)
    shown = _one_of_each(record)
    if not shown:
        return None
    steps = record.step_map.values
    chosen = np.unique(np.searchsorted(steps, [0, *np.geomspace(50, steps[-1], _SHOWN - 1)]).clip(0, len(steps) - 1))
    figure, axes = panels(len(shown), len(chosen), size=(3.3, 3.5))
    grid = np.array(axes).reshape(len(shown), len(chosen))
    for row, (name, member) in zip(grid, shown.items(), strict=True):
        for ax, place in zip(row, chosen, strict=True):
            title = f"{name}, step {steps[place]:,}"
            sequence_attention(ax, member.attention.values[place], text=_letters(record), title=title, highest=1.0)
    return Picture(
        save(figure, folder / "attention_on_text.png"),
        "Figure 7 of Scan & Snap: attention on text over training",
        f"Attention of the lowest block in one held-out window (dots: spaces and other bytes without a sign), for "
        f"transformers trained by SGD at a learning rate of {float(record.eta[0]):g}. Dark: none; bright: all of it.",
    )


def film(evidence: Evidence, folder: Path) -> Picture | None:
    record = evidence.record(SGD)
    shown = _one_of_each(record)
    if not shown:
        return None
    maps = {name: member.attention.values for name, member in shown.items()}
    curves = {name: np.exp(_entropy(values)) for name, values in maps.items()}
    path = animate_sequence(
        folder / "attention_on_text.gif", maps, record.step_map.values, curves, text=_letters(record)
    )
    return Picture(
        path,
        "Figure 7 of Scan & Snap, as a film: attention forms",
        "The networks and the window of the figure above; the curve is e to the power of the mean entropy of the rows.",
    )


def _entropy(attention: np.ndarray) -> np.ndarray:
    """The mean entropy of the rows of each frame [frame, query, key]."""
    logs = np.log(np.where(attention > 0, attention, 1))
    return -(attention * logs).sum(-1).mean(-1)


def entropies(evidence: Evidence, folder: Path) -> Picture | None:
    parts = [
        (f"{name}, {readings.blocks_in_words(int(depth))}", readings.of_depth(record, int(depth)))
        for name, record in (("SGD", evidence.record(SGD)), ("Adam", evidence.record(ADAM)))
        for depth in np.unique(record.blocks.values)
    ]
    parts = [(title, record) for title, record in parts if record.sizes["member"]]
    if not parts:
        return None
    figure, axes = panels(1, len(parts), size=(3.4, 3.6))
    for ax, (title, record) in zip(axes, parts, strict=True):
        depth = int(record.blocks[0])
        _curves(ax, record, record.entropy.values[:, :, :depth], [f"block {b + 1}" for b in range(depth)])
        ax.set(title=title, xlabel="training step", ylabel="attention entropy / nats" if ax is axes[0] else "")
        ax.legend(loc="lower left")
    low = min(ax.get_ylim()[0] for ax in axes)
    high = max(ax.get_ylim()[1] for ax in axes)
    for ax in axes:
        ax.set_ylim(low, high)
    return Picture(
        save(figure, folder / "entropy_on_text.png"),
        "Attention entropy on text, by block",
        "Medians and quartiles over networks, of the entropy averaged over queries of held-out windows; blocks count "
        "from the lowest.",
    )


def cosines(evidence: Evidence, folder: Path) -> Picture | None:
    text = stayed_finite(evidence.record(ADAM))
    deepest = readings.of_depth(text, int(text.blocks.max())) if text.sizes["member"] else text
    trees = stayed_finite(evidence.record(TREES))
    parts = [(t, r) for t, r in (("text, Adam", deepest), ("trees", trees)) if r.sizes["member"]]
    if not parts:
        return None
    figure, axes = panels(1, len(parts))
    for ax, (title, record) in zip(axes, parts, strict=True):
        layers = record.cosine.values
        names = ["embedding", *(f"after block {b}" for b in range(1, layers.shape[2]))]
        _curves(ax, record, layers, names)
        dim = int(record.dim[0])
        ax.axhline(random_cosine(dim), color="black", ls="--", lw=1.2, label=f"random, {dim} dimensions")
        ax.set(title=title, xlabel="training step", ylabel="median |cosine|", ylim=(0, 1))
        ax.legend(loc="upper right")
    return Picture(
        save(figure, folder / "cosines.png"),
        "Are embeddings orthogonal? Cosines between tokens at every layer",
        "Medians and quartiles over networks of the median |cosine| between the vectors of different tokens: of the "
        "embedding, and of the places of a sequence after each block. Dashed: vectors of random directions.",
    )


def _curves(ax: Axes, record: xr.Dataset, values: np.ndarray, names: list[str]) -> None:
    """Median and quartiles over members of `values` [member, step, curve], over training."""
    steps = record.step.values
    log_x(ax, steps)
    low, middle, high = np.nanquantile(values, (0.25, 0.5, 0.75), axis=0)
    for number, name in enumerate(names):
        color = PALETTE[number % len(PALETTE)]
        ax.fill_between(steps, low[:, number], high[:, number], color=color, alpha=0.2, lw=0)
        ax.plot(steps, middle[:, number], color=color, label=name)
    ax.set_xlim(0, steps[-1])


FIGURES = (attention_maps, film, entropies, cosines)
