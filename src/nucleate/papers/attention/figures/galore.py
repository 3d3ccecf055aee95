"""Text learned by five methods: loss against memory, learning curves, learning rates, and the ranks of gradients."""

from pathlib import Path

import numpy as np

from nucleate.claims import Evidence
from nucleate.papers.attention.experiments.galore import BEST, TextFleet
from nucleate.papers.attention.readings import galore as readings
from nucleate.papers.attention.recipe.galore import KINDS, METHODS
from nucleate.plots import PALETTE, Picture, end_labels, panels, save
from nucleate.record import stayed_finite

_COLORS = dict(zip(METHODS, PALETTE, strict=False))


def figure_memory(evidence: Evidence, folder: Path) -> Picture | None:
    """Loss against optimiser memory."""
    found = evidence.once(readings.comparison)
    if not np.isfinite(found.bits).any():
        return None
    figure, axes = panels(1, 2, size=(4.6, 3.8))
    kept = (found.state, found.state + found.weights)
    for ax, floats, xlabel in zip(axes, kept, ("optimizer state", "weights and optimizer state"), strict=True):
        for method, x, bits in zip(found.method, floats / 1000, found.bits, strict=True):
            name, finite = METHODS[method], bits[np.isfinite(bits)]
            ax.scatter(np.full(finite.size, x), finite, s=16, alpha=0.5, lw=0, color=_COLORS[name])
            if finite.size:
                look = {"marker": "_", "s": 260, "lw": 2, "color": _COLORS[name]}
                ax.scatter([x], [finite.mean()], label=readings.NAMES[name], **look)
        ax.set(xlabel=f"{xlabel}, thousand floats", ylabel="bits per held-out byte")
        ax.set_xlim(left=0)
        ax.margins(y=0.15)
    axes[-1].legend(loc="center left", bbox_to_anchor=(1.02, 0.5))
    return Picture(
        save(figure, folder / "figure_galore_memory.png"),
        "GaLore: loss against memory",
        f"Networks at each method's best learning rate: a dot for each of {found.bits.shape[1]} seeds and a dash at "
        "their mean. Left: floats in the state of the optimizer, of all parameters. Right: with the weights that a "
        "method must keep; low-rank products keep factors only.",
    )


def figure_methods(evidence: Evidence, folder: Path) -> Picture | None:
    """Curves of the methods, and what they make of learning rates."""
    record, tried = stayed_finite(evidence.record(BEST)), evidence.once(readings.sweep)
    if record.sizes["member"] == 0:
        return None
    figure, (left, right) = panels(1, 2, size=(5.2, 3.8))
    ends = []
    for method, bits in readings.by_method(record, record.valid_bits.values.astype(float)).items():
        name, (low, middle, high) = METHODS[method], np.nanquantile(bits, (0, 0.5, 1), axis=0)
        left.fill_between(record.step.values, low, high, color=_COLORS[name], alpha=0.2, lw=0)
        left.plot(record.step.values, middle, color=_COLORS[name])
        ends.append((middle[-1], readings.NAMES[name], _COLORS[name]))
    last = float(record.step.values[-1])
    end_labels(left, *(list(part) for part in zip(*ends, strict=True)), x=last)
    left.set(xlabel="training step", ylabel="bits per held-out byte", xlim=(0, last))
    _zoom(left, record.valid_bits.values)
    for method, bits in zip(tried.method, tried.bits, strict=True):
        name = METHODS[method]
        right.plot(tried.eta, np.where(np.isfinite(bits), bits, np.nan), "o-", color=_COLORS[name], ms=4)
        best = int(bits.argmin())
        if np.isfinite(bits[best]):
            right.plot(tried.eta[best], bits[best], "o", color=_COLORS[name], ms=8, mec="black", mew=0.8)
    right.set(xscale="log", xlabel="learning rate", ylabel="bits per held-out byte, at the end")
    return Picture(
        save(figure, folder / "figure_galore_methods.png"),
        "GaLore: the methods, step by step and by learning rate",
        "Left: median and range over seeds, each method at its best learning rate. Right: means over the seeds that "
        "learning rates were chosen by, in the same colors; the best of each method is ringed. GaLore's updates of "
        "projected matrices are scaled by a further 0.25.",
    )


def figure_ranks(evidence: Evidence, folder: Path) -> Picture | None:
    """The rank of gradients over training."""
    ranks = evidence.once(readings.gradient_ranks)
    if not np.isfinite(ranks.kind).any():
        return None
    figure, (ax,) = panels(1, 1, size=(6.4, 3.8))
    for course, color in zip(ranks.kind, PALETTE, strict=False):
        ax.plot(ranks.step, course, color=color)
    end_labels(ax, list(ranks.kind[:, -1]), list(KINDS), list(PALETTE[: len(KINDS)]), x=float(ranks.step[-1]))
    ax.set(xlabel="training step", ylabel="stable rank of the gradient", xlim=(0, float(ranks.step[-1])))
    ax.set_ylim(bottom=1)
    width = TextFleet.from_json(evidence.about(BEST).config).width
    return Picture(
        save(figure, folder / "figure_galore_ranks.png"),
        "Gradients of text have a low rank",
        "Stable rank of the gradients of each kind of matrix in networks trained by Adam on text; medians over seeds "
        f"and blocks. The shorter side of each matrix is {width}; a square matrix of independent random numbers has a "
        f"stable rank of about a quarter of its side, here {width / 4:g}.",
    )


def _zoom(ax, bits: np.ndarray) -> None:
    """Leave out the first steps, in which all methods fall alike."""
    later = bits[:, bits.shape[1] // 10 :]
    later = later[np.isfinite(later)]
    if later.size and later.min() < later.max():
        room = 0.05 * (later.max() - later.min())
        ax.set_ylim(later.min() - room, later.max() + room)


FIGURES = (figure_memory, figure_methods, figure_ranks)
