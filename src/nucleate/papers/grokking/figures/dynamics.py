"""Figures 4 and 5: when representations form, by theory and in networks."""

from itertools import cycle
from pathlib import Path

import numpy as np
import xarray as xr
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from nucleate.claims import Evidence, share
from nucleate.observables import linear_residual
from nucleate.papers.grokking import readings
from nucleate.papers.grokking.experiments import TRANSITION
from nucleate.papers.grokking.recipe import P
from nucleate.plots import PALETTE, Picture, median_line, panels, save, trajectories, transition


def figure_4ab(evidence: Evidence, folder: Path) -> Picture:
    seen = evidence.once(readings.survey)
    probability = [share(int(row.sum()), len(row)) for row in seen.linear]
    figure, (left, right) = panels(1, 2)
    transition(
        left,
        seen.fraction,
        [e.value for e in probability],
        [e.low for e in probability],
        [e.high for e in probability],
        threshold=0.5,
        marks=_critical_mark(seen),
        xlabel="training fraction",
        ylabel="P(unique linear structure)",
    )
    record = evidence.record(TRANSITION)
    rates = readings.learning_rates(record)
    for color, name in zip(cycle(PALETTE), np.unique(rates), strict=False):
        _steps_to_line(right, record.isel(member=np.flatnonzero(rates == name)), color=color, label=name)
    _legend(figure, right, *np.unique(rates))
    return Picture(
        save(figure, folder / "figure_4ab.png"),
        "Fig. 4ab: a critical training size",
        f"Left: share of {seen.linear.shape[1]:,} random training sets of each size that determine the line (band: "
        f"95 %); it crosses one half at r_c = {seen.critical:.2f}. Right: steps that networks need to form the line, "
        "and their median, by learning rates (representation, decoder), which the paper does not give; triangles did "
        "not get there.",
    )


def figure_5(evidence: Evidence, folder: Path) -> Picture:
    seen = evidence.once(readings.survey)
    rate = seen.rate / (P - 1)  # Z0 of a normalised embedding is P − 1
    low, high = np.quantile(rate, [0.1, 0.9], axis=1)
    averaged = seen.averaged_rate.mean(1) * seen.known.max() / (P - 1)
    record = evidence.record(TRANSITION)
    slowest = np.flatnonzero(record.eta_repr.values == record.eta_repr.values.min())  # as in the caption
    record = record.isel(member=slowest)
    predicted, fraction = readings.theory_steps(record), record.in_train.values.mean(1)
    figure, (left, right) = panels(1, 2)
    transition(
        left,
        seen.fraction,
        rate.mean(1),
        low,
        high,
        marks=_critical_mark(seen),
        xlabel="training fraction",
        ylabel=r"grokking rate $\lambda_3$",
    )
    left.plot(seen.fraction, averaged, color=PALETTE[1], ls="--", label=r"Eq. 5, times $|P_0|$")
    left.legend()
    _steps_to_line(right, record, label="network")
    finite = np.isfinite(predicted)
    sizes = np.unique(fraction[finite])
    medians = [np.median(predicted[finite & (fraction == size)]) for size in sizes]
    right.plot(sizes, medians, color=PALETTE[1], ls="--", label=r"theory, $1/(\lambda_3\eta)$")
    _make_room(right, medians)
    _legend(figure, right)
    return Picture(
        save(figure, folder / "figure_5.png"),
        "Fig. 5: how grokking time depends on data",
        "Left: λ3 of random training sets (mean; band: 10-90 %) for normalized embeddings, with the loss summed over "
        "parallelograms as in the authors' code; dashed: averaged over them, as in Eq. 5. Right: steps that networks "
        "need to reach RQI > 0.95, and the theory's 1/(λ3 η), by the sum.",
    )


def _critical_mark(seen: readings.Survey) -> dict[str, float]:
    return {f"$r_c$ = {seen.critical:.2f}": seen.critical} if np.isfinite(seen.critical) else {}


def _steps_to_line(ax: Axes, record: xr.Dataset, **how: str) -> None:
    steps = readings.steps_to(record, "rqi95")
    median_line(
        ax,
        record.in_train.values.mean(1),
        np.where(np.isfinite(steps), steps, np.nan),
        budget=int(record.steps),
        ylog=True,
        xlabel="training fraction",
        ylabel="steps to RQI > 0.95",
        **how,
    )


def _legend(figure: Figure, ax: Axes, *only: str) -> None:
    """The legend of a panel below the figure, of everything or `only` of these."""
    if (inside := ax.get_legend()) is not None:
        inside.remove()
    entries = dict(zip(*ax.get_legend_handles_labels()[::-1], strict=True))
    chosen = {label: entries[label] for label in only or entries}
    figure.legend(chosen.values(), chosen.keys(), loc="outside lower right", ncols=4)


def _make_room(ax: Axes, values: list[float]) -> None:
    """Stretch a logarithmic y axis, which fits the networks, so that it holds these values, too."""
    if values:
        low, high = ax.get_ylim()
        ax.set_ylim(min(low, min(values) / 1.3), max(high, max(values) * 1.3))


def figure_4cd(evidence: Evidence, folder: Path) -> Picture | None:
    test = evidence.once(readings.theory_test)
    if test is None or not np.isfinite(test.score.skill).any():
        return None
    fit, score, n_h = test.fit, test.score, test.n_h
    # The unseen network of median skill: neither the best nor the worst case.
    chosen = int(np.argsort(score.skill.values)[np.isfinite(score.skill.values).sum() // 2])
    record = readings.normalized_trajectories(evidence)
    member = record.sel(member=score.member.values[chosen])
    network, step = member.embedding.values, record.step.values
    theory = fit.simulate(network[0], step * float(member.eta_repr))
    shown = step <= max(8 * n_h, 4 * n_h / fit.rate)
    marks = {"3 $n_h$": 3 * n_h} if 3 * n_h <= step[-1] else {}
    figure, (left, middle, right) = panels(1, 3)
    trajectories(
        left, step[shown], theory[shown, :, 0], title="effective theory", ylabel="normalized embedding", marks=marks
    )
    trajectories(middle, step[shown], network[shown, :, 0], title="network (unseen by the fit)", marks=marks)
    _errors(right, test, step)
    residual = float(linear_residual(network[-1]))
    return Picture(
        save(figure, folder / "figure_4cd.png"),
        "Fig. 4cd: embeddings of theory and network",
        f"A network of median skill ({float(score.skill[chosen]):.2f}), {residual:.0%} of whose variance is off the "
        f"line at the end. The theory's one fitted number is its rate, {fit.rate:.2f}, from other networks. Right: "
        "error on unseen networks, median and quartiles.",
    )


def _errors(ax: Axes, test: readings.TheoryTest, step: np.ndarray) -> None:
    """The theory's error on unseen networks over time, beside that of a theory in which nothing moves."""
    finite = np.isfinite(test.score.error.values).any(1)
    error, constant = (test.score[name].values[finite] for name in ("error", "error_constant"))
    ax.plot(step, np.nanmedian(constant, 0), color="0.55", label="nothing moves")
    ax.plot(step, np.nanmedian(error, 0), color=PALETTE[0], label="effective theory")
    low, high = np.nanquantile(error, [0.25, 0.75], axis=0)
    ax.fill_between(step, low, high, color=PALETTE[0], alpha=0.2, lw=0)
    ax.set(xlabel="training step", ylabel="Procrustes error", title=f"{len(error)} unseen networks", ylim=(0, None))
    ax.legend()
