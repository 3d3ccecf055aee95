"""The paper's figures 3, 4, 5, 6, 10, 11 and 12, drawn from records."""

from pathlib import Path

import numpy as np

from nucleate.claims import Evidence, share
from nucleate.explorer import FigureEntry
from nucleate.observables import Distance, MeanSquare, linear_residual, vote
from nucleate.papers.grokking import readings
from nucleate.papers.grokking.four_symbols import figure_11, figure_12
from nucleate.papers.grokking.structure import CRITICAL, P, survey
from nucleate.plots import (
    PALETTE,
    above_diagonal,
    agreement,
    median_line,
    panels,
    phase_diagram,
    phase_legend,
    save,
    style,
    trajectories,
    transition,
)
from nucleate.record import NEVER

_CRITICAL_MARK = {"$r_c$ = 0.4": CRITICAL}


def draw(evidence: Evidence, folder: Path) -> list[FigureEntry]:
    """Every figure, in the order of the paper."""
    folder.mkdir(parents=True, exist_ok=True)
    with style():
        return [
            figure(evidence, folder)
            for figure in (
                _figure_3,
                _figure_4ab,
                _figure_4cd,
                _figure_5,
                _figure_6,
                _figure_10,
                figure_11,
                figure_12,
            )
        ]


def _figure_3(evidence: Evidence, folder: Path) -> FigureEntry:
    found = readings.qualities(evidence.record(readings.DATA_SIZE), MeanSquare())
    figure, (left, middle, right) = panels(1, 3)
    above_diagonal(left, found["fraction"], found["accuracy"], ylabel="Acc (network)")
    above_diagonal(middle, found["fraction"], found["predicted accuracy"], ylabel=r"$\widehat{Acc}$ (representation)")
    agreement(
        right,
        found["predicted accuracy"],
        found["accuracy"],
        found["fraction"],
        xlabel=r"$\widehat{Acc}$ (representation)",
        ylabel="Acc (network)",
        clabel="training fraction",
    )
    return FigureEntry(
        save(figure, folder / "figure_3.png"),
        "Fig. 3: representation quality predicts generalization",
        "Accuracy on all pairs, measured and predicted from the final embedding, against training fraction, and "
        "against each other. Each dot is a network; the dashed diagonal is pure memorization.",
    )


def _figure_4ab(evidence: Evidence, folder: Path) -> FigureEntry:
    seen = survey(P, evidence.samples)
    probability = [share(int(row.sum()), len(row)) for row in seen.linear]
    record = evidence.record(readings.TRANSITION)
    figure, (left, right) = panels(1, 2)
    transition(
        left,
        seen.fraction,
        [e.value for e in probability],
        [e.low for e in probability],
        [e.high for e in probability],
        threshold=0.5,
        marks=_CRITICAL_MARK,
        xlabel="training fraction",
        ylabel="P(unique linear structure)",
    )
    median_line(
        right,
        record.in_train.values.mean(1),
        _reached(record),
        budget=int(record.steps),
        ylog=True,
        xlabel="training fraction",
        ylabel="steps to RQI > 0.95",
    )
    return FigureEntry(
        save(figure, folder / "figure_4ab.png"),
        "Fig. 4ab: a critical training size",
        f"Left: share of {evidence.samples} random training sets of each size that determine the line (band: 95 %). "
        "Right: steps that networks need to form it; triangles did not get there.",
    )


def _reached(record) -> np.ndarray:
    steps = record.rqi95_step.values.astype(float)
    return np.where(steps == NEVER, np.nan, steps)


def _figure_4cd(evidence: Evidence, folder: Path) -> FigureEntry:
    record = readings.with_normalized_embedding(evidence.record(readings.TRAJECTORIES))
    seen, unseen = readings.split_by_member(record)
    fit = readings.fit_theory(seen)
    score = fit.score(unseen)
    # The unseen network of median skill: neither the best nor the worst case.
    chosen = int(np.argsort(score.skill.values)[len(score.skill) // 2])
    member = unseen.isel(member=chosen)
    start, step, eta = member.embedding.values[0], record.step.values, float(member.eta_repr)
    theory = fit.simulate(start, step * eta)[..., 0]
    n_h = fit.timescale(start) * fit.rate / eta
    shown = step <= max(8 * n_h, 4 * n_h / fit.rate)
    figure, (left, middle, right) = panels(1, 3)
    marks = {"3 $n_h$": 3 * n_h} if 3 * n_h <= step[-1] else {}
    trajectories(left, step[shown], theory[shown], title="effective theory", ylabel="normalized embedding", marks=marks)
    trajectories(
        middle,
        step[shown],
        member.embedding.values[shown, :, 0],
        title="network (unseen by the fit)",
        marks=marks,
    )
    error = score.error.values
    right.plot(step, np.nanmedian(score.error_constant.values, 0), color="0.55", label="nothing moves")
    right.plot(step, np.nanmedian(error, 0), color=PALETTE[0], label="effective theory")
    low, high = np.nanquantile(error, [0.25, 0.75], axis=0)
    right.fill_between(step, low, high, color=PALETTE[0], alpha=0.2, lw=0)
    right.set(
        xlabel="training step",
        ylabel="Procrustes error",
        title=f"{len(score.member)} unseen networks",
        ylim=(0, None),
    )
    right.legend()
    residual = float(linear_residual(member.embedding.values[-1]))
    return FigureEntry(
        save(figure, folder / "figure_4cd.png"),
        "Fig. 4cd: embeddings of theory and network",
        f"A network of median skill ({float(score.skill[chosen]):.2f}), {residual:.0%} of whose variance is off the "
        f"line at the end. The theory's one fitted number is its rate, {fit.rate:.2f}, from other networks. Right: "
        "error on unseen networks, median and quartiles.",
    )


def _figure_5(evidence: Evidence, folder: Path) -> FigureEntry:
    seen = survey(P, evidence.samples)
    rate = seen.rate / (P - 1)
    low, high = np.quantile(rate, [0.1, 0.9], axis=1)
    record = evidence.record(readings.TRANSITION)
    predicted = readings.theory_steps(record)
    fraction = record.in_train.values.mean(1)
    figure, (left, right) = panels(1, 2)
    transition(
        left,
        seen.fraction,
        rate.mean(1),
        low,
        high,
        marks=_CRITICAL_MARK,
        xlabel="training fraction",
        ylabel=r"grokking rate $\lambda_3$",
    )
    median_line(
        right,
        fraction,
        _reached(record),
        budget=int(record.steps),
        ylog=True,
        xlabel="training fraction",
        ylabel="steps to RQI > 0.95",
        label="network",
    )
    finite = np.isfinite(predicted)
    sizes = np.unique(fraction[finite])
    right.plot(
        sizes,
        [np.median(predicted[finite & (fraction == size)]) for size in sizes],
        color=PALETTE[1],
        ls="--",
        label=r"theory, $1/(\lambda_3\eta)$",
    )
    if (inside := right.get_legend()) is not None:
        inside.remove()
    figure.legend(*right.get_legend_handles_labels(), loc="outside lower right", ncols=4)
    return FigureEntry(
        save(figure, folder / "figure_5.png"),
        "Fig. 5: how grokking time depends on data",
        "Left: λ3 of random training sets (mean; band: 10-90 %) for normalized embeddings. Right: steps to RQI > "
        "0.95 of networks, and the theory's 1/(λ3 η).",
    )


def _figure_6(evidence: Evidence, folder: Path) -> FigureEntry:
    maps = (
        (readings.PHASE_RATES, "eta_repr", r"$\eta$ representation", True, "regression: learning rates"),
        (readings.PHASE_DECAY, "wd_dec", "decoder weight decay", False, "regression: weight decay"),
        (
            readings.PHASE_DECAY_CLASSES,
            "wd_dec",
            "decoder weight decay",
            False,
            "classification: weight decay",
        ),
    )
    figure, axes = panels(1, 3)
    undecided = False
    for ax, (name, y, ylabel, ylog, title) in zip(axes, maps, strict=True):
        codes, xs, ys = readings.phases(evidence.record(name), "eta_dec", y)
        winner, votes = vote(codes, -1)
        undecided |= bool((winner < 0).any())
        labels = {"xlabel": r"$\eta$ decoder", "ylabel": ylabel, "title": title}
        phase_diagram(ax, winner, votes, xs, ys, xlog=True, ylog=ylog, legend=False, **labels)
        if not ylog:
            ax.invert_yaxis()
    phase_legend(axes[-1], undecided=undecided)
    steps = int(evidence.record(readings.PHASE_RATES).steps)
    return FigureEntry(
        save(figure, folder / "figure_6.png"),
        "Fig. 6abc: four phases of learning",
        f"Phase by majority of {codes.shape[-1]} seeds after {steps} steps, on splits from which 90 % validation "
        "accuracy is possible; numbers are the winner's share where the vote was split.",
    )


def _figure_10(evidence: Evidence, folder: Path) -> FigureEntry:
    found = readings.qualities(evidence.record(readings.DATA_SIZE), Distance(0.01))
    figure, axes = panels(2, 3)
    for row, (real, ideal, name) in enumerate((("rqi", "ideal rqi", "RQI"), ("accuracy", "ideal accuracy", "Acc"))):
        first, second, third = axes[3 * row : 3 * row + 3]
        bar = r"$\overline{" + name + "}$ (ideal)"
        above_diagonal(first, found["fraction"], found[real], ylabel=f"{name} (network)", note="")
        above_diagonal(second, found["fraction"], found[ideal], ylabel=bar, note="")
        agreement(
            third,
            found[ideal],
            found[real],
            found["fraction"],
            xlabel=bar,
            ylabel=f"{name} (network)",
            clabel="training fraction",
        )
    return FigureEntry(
        save(figure, folder / "figure_10.png"),
        "Fig. 10: real and ideal models",
        "RQI (|d| ≤ 0.01) and accuracy of trained networks and of the ideal model on the same training sets. The "
        "ideal model bounds the real one where dots lie below the diagonal.",
    )


__all__ = ["draw"]
