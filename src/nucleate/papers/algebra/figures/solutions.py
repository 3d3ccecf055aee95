"""What networks found at each frequency: classes by d and by weight decay, orders, and angles of factors."""

from pathlib import Path

import numpy as np
from matplotlib.axes import Axes
from matplotlib.patches import Patch
from matplotlib.ticker import MaxNLocator

from nucleate.claims import Evidence, NotTrained
from nucleate.observables import FactorClass
from nucleate.papers.algebra.figures.classes import COLORS, NAMES
from nucleate.papers.algebra.readings import solutions as readings
from nucleate.papers.algebra.readings.solutions import Course
from nucleate.plots import PALETTE, Picture, panels, save
from nucleate.plots.scales import log_x

_WIDTH = 0.36


def distribution(evidence: Evidence, folder: Path) -> Picture:
    by_modulus = _trained(evidence)
    figure, (left, right) = panels(1, 2, size=(5.6, 4.4))
    for place, (d, found) in enumerate(by_modulus.items()):
        beside = d in readings.SLIDE
        _stack(left, place - beside * _WIDTH / 2, _counts(found.kind[:, -1][found.is_solution]))
        if beside:
            _stack(left, place + _WIDTH / 2, np.append(readings.slide_shares(d), [0, 0]), slide=True)
    left.set_xticks(range(len(by_modulus)), [f"{d}" for d in by_modulus])
    left.set(xlabel="elements d", ylabel="share of solutions", ylim=(0, 1), title="By group")
    by_decay = _by_decay(evidence)
    for place, kinds in enumerate(by_decay.values()):
        _stack(right, place, _counts(kinds), width=2 * _WIDTH)
    right.set_xticks(range(len(by_decay)), [f"{decay:g}" for decay in by_decay])
    right.set(xlabel="weight decay", ylim=(0, 1), title="By weight decay, d = 23")
    handles = [Patch(color=COLORS[kind], label=NAMES[kind]) for kind in FactorClass]
    handles.append(Patch(facecolor="white", edgecolor="black", hatch="///", label="talk, factorable ones"))
    figure.legend(handles=handles, loc="outside right center")
    return Picture(
        save(figure, folder / "distribution.png"),
        "Solutions by class, for several groups and weight decays",
        "Shares of the solutions that networks have at pairs of frequencies ±k at the end of training; where no nodes "
        "are left there is none. Left: with the talk's weight decay; hatched, the talk's table, which gives shares "
        "among factorable ones. Right: by weight decay.",
    )


def _trained(evidence: Evidence) -> dict[int, Course]:
    """Those that this budget trains."""
    found = {}
    for d, reading in readings.BY_MODULUS.items():
        try:
            found[d] = evidence.once(reading)
        except NotTrained:
            continue
    return found


def _by_decay(evidence: Evidence, values: str = "kind") -> dict[float, np.ndarray]:
    parts = [evidence.once(readings.c23), evidence.once(readings.decays)]
    decays = np.unique(np.concatenate([part.wd for part in parts]))
    return {
        float(decay): np.concatenate([getattr(part, values)[:, -1][_at(part, decay)] for part in parts])
        for decay in decays
    }


def _at(part: Course, decay: float) -> np.ndarray:
    """Which solutions are of networks with this decay, [member, freq]."""
    return part.is_solution & (part.wd == decay)[:, None]


def _counts(kinds: np.ndarray) -> np.ndarray:
    return np.array([np.mean(kinds == kind) if kinds.size else 0.0 for kind in FactorClass])


def _stack(ax: Axes, x: float, shares: np.ndarray, *, width: float = _WIDTH, slide: bool = False) -> None:
    bottom = 0.0
    for kind, height in zip(FactorClass, shares, strict=True):
        bar = ax.bar(x, height, 0.94 * width, bottom, color=COLORS[kind], alpha=0.75 if slide else 1.0, lw=0)
        if slide:
            bar[0].set(hatch="///", edgecolor="white")
        if height > 0.06:
            ax.text(x, bottom + height / 2, f"{100 * height:.0f}", ha="center", va="center", fontsize=8, color="white")
        bottom += height


def orders(evidence: Evidence, folder: Path) -> Picture:
    figure, (left, centre, right) = panels(1, 3, size=(4.4, 3.9))
    by_decay = _by_decay(evidence, "order")
    for color, (decay, order) in zip(PALETTE, by_decay.items(), strict=False):
        sizes, counts = np.unique(order, return_counts=True)
        left.plot(sizes, counts / counts.sum(), "o-", ms=3.5, color=color, label=f"{decay:g}")
    left.axvspan(3.5, 6.5, color="0.93", lw=0)
    left.set(xscale="log", xlabel="order", ylabel="share of solutions", title="Orders at the end")
    left.set_xticks([2, 4, 6, 10, 20, 40], ["2", "4", "6", "10", "20", "40"])
    left.minorticks_off()
    left.legend(title="weight decay")
    parts = [evidence.once(readings.decays), evidence.once(readings.c23)]
    decays = sorted({float(decay) for part in parts for decay in part.wd})
    for color, decay in zip(PALETTE, decays, strict=False):
        part = next(part for part in parts if decay in part.wd)
        chosen = part.order[part.wd == decay]
        centre.plot(part.step, chosen.mean((0, 2)), color=color)
        right.plot(part.step, np.isin(chosen, (4, 6)).mean((0, 2)), color=color)
    for ax, label in ((centre, "mean order"), (right, "share of order 4 or 6")):
        log_x(ax, parts[0].step)
        ax.set(xlabel="training step", ylabel=label, ylim=(0, None))
    centre.set_title("Over training")
    right.set(ylim=(0, 1.02), title="Over training")
    return Picture(
        save(figure, folder / "orders.png"),
        "Orders of solutions, by weight decay",
        "The order of a solution is the number of nodes whose amplitude is largest at its frequency, and above 0.05 "
        "there, which none has at the start. Left: at the end; the band has orders 4 to 6. Centre and right: over "
        "training, averaged over networks and all frequencies, with order 0 where there are no nodes; the number of "
        "nodes falls, until 4 or 6 are left.",
    )


_TICKS = (np.pi * np.arange(-4, 5) / 4, ("−π", "−3π/4", "−π/2", "−π/4", "0", "π/4", "π/2", "3π/4", "π"))


def angles(evidence: Evidence, folder: Path) -> Picture:
    seen = evidence.once(readings.angles)
    figure, axes = panels(1, 4, size=(3.7, 3.4))
    drawn = (
        (r"$\xi$", seen.xi, COLORS[FactorClass.XI_NU], [-3, -1, 1, 3]),
        (
            r"$\nu$ beside $z_{\mathrm{syn}}$",
            seen.nu,
            COLORS[FactorClass.SYN_NU],
            [-8 / 3, -2, -4 / 3, 4 / 3, 2, 8 / 3],
        ),
        (r"$\alpha$", seen.alpha, COLORS[FactorClass.SYN_TWISTED], []),
        (r"$\beta$", seen.beta, COLORS[FactorClass.SYN_TWISTED], []),
    )
    for ax, (name, values, color, lines) in zip(axes, drawn, strict=True):
        angle = values[np.isfinite(values)]
        for line in lines:
            ax.axvline(line * np.pi / 4, color="0.75", lw=1, ls=":", zorder=0)
        ax.hist(angle, np.linspace(-np.pi, np.pi, 49).tolist(), color=color)
        ax.set(xlabel=f"angle of {name}", title=f"{len(angle)} solution{'s' * (len(angle) != 1)}", xlim=(-np.pi, np.pi))
        ax.set_xticks(_TICKS[0][::2], _TICKS[1][::2])
        ax.yaxis.set_major_locator(MaxNLocator(integer=True))
    axes[0].set_ylabel("solutions")
    return Picture(
        save(figure, folder / "angles.png"),
        "Distribution of the parameters in the solutions",
        "Angles of the factors of all solutions of d = 23 at the end of training. Dotted: lines that the authors draw "
        "in their histograms. Nodes in another order have other angles: ξ, iξ, −ξ and −iξ are one solution, and so are "
        "ν, −ν, ν̄ and ν turned by a third, of which the one closest to ±π/2 is shown. Rows a and b exchanged make −iξ̄ "
        "of ξ.",
    )


FIGURES = (distribution, orders, angles)
