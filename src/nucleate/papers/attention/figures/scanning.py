"""Scan & Snap: token dynamics, scanning and snapping, entropies, and where the theory stops holding."""

from pathlib import Path
from typing import Any

import numpy as np
import xarray as xr
from matplotlib.axes import Axes
from matplotlib.lines import Line2D

from nucleate.claims import Evidence, NotTrained
from nucleate.papers.attention.experiments.scanning import TOKENS
from nucleate.papers.attention.readings import scanning as readings
from nucleate.papers.attention.recipe.scanning import ENDLESS
from nucleate.plots import PALETTE, Picture, panels, save, token_colors, value_map
from nucleate.record import stayed_finite
from nucleate.theories.scanning import Scans

_COMMON = "#9A9A9A"


def token_dynamics(evidence: Evidence, folder: Path) -> Picture | None:
    record = stayed_finite(evidence.record(TOKENS))
    plain = np.flatnonzero(record.momentum.values == record.momentum.values.min())
    if not len(plain):
        return None
    record = record.isel(member=plain)
    seen, step = Scans.read(record), np.maximum(record.step.values, 1)
    middle = np.median(seen.logits[:, :, 0], axis=0)  # of the first class: step, token
    weight = seen.probability[0] * np.exp(middle)
    share = weight / weight.sum(1, keepdims=True)
    own = np.flatnonzero(seen.is_distinct[0])
    common = np.flatnonzero((seen.probability[0] > 0) & ~seen.is_distinct[0])
    figure, (left, right) = panels(1, 2, size=(5.2, 4.0))
    for ax, values, name in ((left, middle, r"attention logit $z_{ml}$"), (right, share, "attention")):
        ax.plot(step, values[:, common], color=_COMMON, lw=1.1)
        for token, color in zip(own, token_colors(len(own)), strict=True):
            ax.plot(step, values[:, token], color=color)
        ax.set(xscale="log", xlabel="training step", ylabel=name, xlim=(1, step[-1]))
    low, high = seen.probability[0, own].min(), seen.probability[0, own].max()
    named = [
        Line2D([], [], color=_COMMON, label="common"),
        Line2D([], [], color=token_colors(len(own))[0], label=f"distinct, $P$ = {low:.3f}"),
        Line2D([], [], color=token_colors(len(own))[-1], label=f"distinct, $P$ = {high:.3f}"),
    ]
    left.legend(handles=named, loc="upper left")
    return Picture(
        save(figure, folder / "token_dynamics.png"),
        "Winners emerge: common tokens fall, distinct tokens rise",
        f"Attention of the first class, medians of {len(plain)} networks without momentum. Lines of distinct tokens go "
        "from dark, rare, to light, frequent. Left: logits. Right: attention to all occurrences of a token in a "
        "sequence without end.",
    )


def scanning_and_snapping(evidence: Evidence, folder: Path) -> Picture:
    scores, found = evidence.once(readings.ratio_scores), evidence.once(readings.regimes)
    figure, axes = panels(1, 3, size=(4.3, 3.9))
    ratios = np.unique(scores.ratio.values)
    for ratio, color in zip(ratios, _colors(len(ratios)), strict=True):
        here = scores.ratio.values == ratio
        time = scores.step.values * float((scores.eta_z * scores.mult).values[here][0])
        clock, talk = (np.median(scores[name].values[here], axis=0) for name in ("clock", "clock_fixed"))
        turn = np.median(found.turn[here])
        late = time > np.e
        axes[0].plot(time[late], clock[late], color=color, label=f"{ratio:.3g}")
        axes[0].plot(time[late], talk[late], color=color, lw=1, ls=(0, (4, 3)))
        axes[1].plot(np.log(np.log(time[late])), clock[late], color=color)
        _growth(axes[2], time[late], clock[late], color)
        if np.isfinite(turn):
            axes[0].plot(turn, np.interp(turn, time, clock), "o", ms=5, color=color, mec="white")
            axes[1].plot(np.log(np.log(turn)), np.interp(turn, time, clock), "o", ms=5, color=color, mec="white")
    axes[0].set(xscale="log", xlabel=r"$\eta_Y t$", ylabel=r"clock $B(t)$")
    axes[0].legend(title=r"$\eta_Z/\eta_Y$", loc="upper left")
    axes[1].set(xlabel=r"$\ln \ln \eta_Y t$", ylabel=r"clock $B(t)$")
    axes[2].set(xscale="log", xlabel=r"$\eta_Y t$", ylabel=r"$dB / d\,\ln t$")
    return Picture(
        save(figure, folder / "scanning_and_snapping.png"),
        "Scanning, then snapping: the clock of attention slows down",
        "Median clock of the networks of each η_Z/η_Y. Dots: where it grows fastest, measured over octaves of time. "
        "Left: a line would be B = O(ln t); dashed, the talk's law with C₀ fitted to all networks, which is meant for "
        "late times. Centre: a line would be B = O(ln ln t). Right: growth per unit of ln t.",
    )


def _growth(ax: Axes, time: np.ndarray, clock: np.ndarray, color) -> None:
    ends = time[time > 2 * time[0]]
    if len(ends):
        grown = np.interp(ends, time, clock) - np.interp(ends / 2, time, clock)
        ax.plot(ends, grown / np.log(2), color=color)


def entropy_maps(evidence: Evidence, folder: Path) -> Picture:
    found = evidence.once(readings.entropies)
    middle = np.nanmedian(found.value, axis=-1)
    span = (float(np.nanmin(middle)), float(np.nanmax(middle)) + 1e-6)
    figure, axes = panels(1, len(found.lasts), size=(3.6, 3.5))
    for ax, lasts, values in zip(axes, found.lasts, middle, strict=True):
        names = [f"{value:.3g}" for value in found.eta_z], [f"{value:.3g}" for value in found.mult]
        title = f"{lasts:.0f} last token{'s' if lasts > 1 else ''}"
        mesh = value_map(ax, values.T, *names, span=span, xlabel=r"$\eta_Z$", title=title)
    axes[0].set_ylabel(r"$\eta_Y / \eta_Z$")
    figure.colorbar(mesh, ax=axes, label="entropy over distinct tokens", aspect=24).outline.set_visible(False)  # type: ignore
    return Picture(
        save(figure, folder / "attention_entropy.png"),
        "Entropy of attention over distinct tokens",
        f"Medians of {found.value.shape[-1]} networks in each cell, in nats; attention that is even over ten distinct "
        "tokens has 2.30. The talk: smaller to the right, slightly larger upwards.",
    )


def validity(evidence: Evidence, folder: Path) -> Picture | None:
    try:
        lengths, sizes = evidence.once(readings.length_scores), evidence.once(readings.step_size_scores)
    except NotTrained:
        return None
    time = readings.shared_time(sizes)
    figure, axes = panels(2, 3, size=(4.3, 3.6))
    for row, (name, title, good) in zip((axes[:3], axes[3:]), _MEASURES, strict=True):
        end, then = lengths[name].values, readings.at_time(sizes, name, time) if good else sizes[name].values
        last = end[:, -1] if end.ndim == 2 else end
        _map(row[0], lengths, last, "length", title)
        _map(row[1], sizes, then, "eta_y", title)
    _error_by_gain(axes[2], evidence.once(readings.ratio_scores))
    _skill_by_ratio(axes[5], evidence.once(readings.ratio_scores))
    return Picture(
        save(figure, folder / "validity.png"),
        "Where the theory stops holding",
        "Medians of networks in each cell. Above: error of the closed form r(t) = r(0) χ(t), as a share of ln χ. "
        "Below: share of the motion of all logits that the theory explains if it is told the measured clock (1: all, "
        f"0: none, below: worse). Left: at the end, by the length of sequences. Centre: by step size, the "
        f"error at η_Y t = {time:.3g}, which all reach, the share over all of training. Right: networks that differ in "
        "η_Z/η_Y alone; the error against how far attention has formed, and the share with the measured and with the "
        "fitted clock.",
    )


_MEASURES = (("closed_form_error", "error of the closed form", True), ("skill_on_clock", "explained motion", False))


def _map(ax: Axes, scores: xr.Dataset, values: np.ndarray, column: str, title: str) -> None:
    table, xs, ys = readings.cells(scores, values, column, "ratio")
    if column == "length":  # without end comes last
        order = np.argsort(np.where(xs == ENDLESS, np.inf, xs))
        table, xs = table[:, order], xs[order]
    names = ["∞" if column == "length" and x == ENDLESS else f"{x:.3g}" for x in xs], [f"{y:.3g}" for y in ys]
    label = "length of sequences" if column == "length" else r"step size $\eta_Y$"
    look: dict[str, Any] = {"xlabel": label, "ylabel": r"$\eta_Z / \eta_Y$", "title": title}
    if title == _MEASURES[0][1]:
        value_map(ax, table, *names, span=(0.01, 1), log=True, **look)
    else:
        value_map(ax, table, *names, span=(0, 1), **look)


def _error_by_gain(ax: Axes, scores: xr.Dataset) -> None:
    ratios = np.unique(scores.ratio.values)
    for ratio, color in zip(ratios, _colors(len(ratios)), strict=True):
        here = scores.ratio.values == ratio
        gain, error = (np.median(scores[name].values[here], axis=0) for name in ("ln_chi", "closed_form_error"))
        seen = np.isfinite(error) & (gain > 0)
        ax.plot(gain[seen], error[seen], color=color, label=f"{ratio:.3g}")
    ax.set(xscale="log", yscale="log", xlabel=r"gain of the winner, $\ln\chi$", ylabel="error of the closed form")
    ax.legend(title=r"$\eta_Z/\eta_Y$")


def _skill_by_ratio(ax: Axes, scores: xr.Dataset) -> None:
    for name, label, color in (
        ("skill_on_clock", "measured clock", PALETTE[0]),
        ("skill", "fitted clock", PALETTE[1]),
    ):
        ax.plot(scores.ratio.values, scores[name].values, "o", ms=4, color=color, alpha=0.5, mec="white", mew=0.4)
        ratios = np.unique(scores.ratio.values)
        ax.plot(
            ratios, [np.median(scores[name].values[scores.ratio.values == r]) for r in ratios], color=color, label=label
        )
    ax.axhline(0, color=_COMMON, lw=1, ls=":")
    ax.set(xscale="log", xlabel=r"$\eta_Z / \eta_Y$", ylabel="explained motion", ylim=(-0.5, 1.05))
    ax.legend(loc="best")


def _colors(count: int) -> list:
    return token_colors(count)


FIGURES = (token_dynamics, scanning_and_snapping, entropy_maps, validity)
