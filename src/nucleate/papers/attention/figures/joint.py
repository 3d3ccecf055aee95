"""JoMA's figures: invariants, estimated logits, winners, sparse then dense, ranks and units on clusters."""

from pathlib import Path

import numpy as np
from matplotlib.axes import Axes

from nucleate.claims import Evidence
from nucleate.papers.attention.experiments.joint import JOINT, JOINT_LONG, JOINT_RELU
from nucleate.papers.attention.readings import joint as readings
from nucleate.papers.attention.readings import joint_fields
from nucleate.papers.attention.readings import joint_flows as flows
from nucleate.plots import FRACTION_MAP, PALETTE, Picture, agreement, panels, save, token_colors
from nucleate.record import stayed_finite


def band(ax: Axes, x: np.ndarray, curves: np.ndarray, color: str, label: str, style: str = "-") -> None:
    """The median of curves [unit, row], and their quartiles."""
    low, middle, high = np.nanquantile(curves, (0.25, 0.5, 0.75), axis=0)
    ax.fill_between(x, low, high, color=color, alpha=0.2, lw=0)
    ax.plot(x, middle, color=color, ls=style, label=label)


def joint_invariants(evidence: Evidence, folder: Path) -> Picture:
    seen = evidence.once(flows.drifts)
    figure, (left, right) = panels(1, 2, size=(5.4, 4.0))
    for color, rate, drift in zip(PALETTE, seen.rate, np.moveaxis(seen.exp, 1, 0), strict=False):
        band(left, seen.time[1:], drift[:, 1:], color, f"step {rate:g}")
    left.set(xlabel="time (steps × step size)", ylabel="relative drift", yscale="log", title="Exp attention")
    left.set_ylim(top=12 * np.nanmax(seen.exp[..., 1:]))
    left.legend(loc="upper right")
    lines = {
        "linear": (seen.linear, "-"),
        "exp": (seen.exp, "-"),
        "two queries, sum": (seen.queries, ":"),
        "two queries, one alone": (seen.alone, "--"),
        "softmax": (seen.softmax, "--"),
        "softmax, slide's bracket": (seen.slide, ":"),
    }
    for color, (name, (drift, style)) in zip(PALETTE, lines.items(), strict=False):
        right.plot(seen.rate, np.median(drift[..., -1], axis=0), style, color=color, marker="o", ms=4, label=name)
    guide = np.median(seen.exp[:, 0, -1]) * seen.rate / seen.rate[0]
    right.plot(seen.rate, 3 * guide, color="0.6", lw=1, ls=(0, (1, 2)), label="∝ step")
    right.set(xlabel="step size", ylabel="relative drift at the end", xscale="log", yscale="log", title="By step size")
    right.legend(loc="upper left", bbox_to_anchor=(1.01, 1.0), borderaxespad=0.0)
    return Picture(
        save(figure, folder / "joint_invariants.png"),
        "JoMA, Theorem 1: invariants and their drift",
        f"How far what gradient flow conserves has drifted, as a share of the way of the logits; {len(seen.exp)} "
        "networks of tanh units by gradient descent in double precision (left: medians and quartiles; right: medians "
        "at the end). Where there is an invariant, drift falls in proportion to the step size. One query alone, if "
        "two share the units, has none; softmax attention has one only as far as the mean attention is constant.",
    )


def joint_estimate(evidence: Evidence, folder: Path) -> Picture:
    seen = evidence.once(readings.estimates)
    figure, (left, middle, right) = panels(1, 3, size=(4.6, 4.0))
    named = {
        "ẑ": (seen.cosine, "-"),
        "½ Σ v² alone": (seen.first, "--"),
        "−‖v‖² b̄ alone": (seen.second, "--"),
        "ẑ, slide's bracket": (seen.slide, ":"),
        "ẑ of another network": (seen.other, ":"),
    }
    for color, (name, (cosine, style)) in zip(PALETTE, named.items(), strict=False):
        band(left, seen.step, cosine, color, name, style)
    left.set(xlabel="training step", ylabel="centred cosine with z", ylim=(-1.05, 1.05))
    left.legend(loc="best")
    band(middle, seen.step, seen.slope, PALETTE[0], "")
    middle.axhline(1.0, color="0.6", lw=1, ls=":")
    middle.set(xlabel="training step", ylabel="slope of z on ẑ", ylim=(0, None))
    centre = lambda values: values - values.mean(1, keepdims=True)
    token = np.broadcast_to(np.arange(seen.logits.shape[1]), seen.logits.shape)
    agreement(
        right,
        centre(seen.estimate),
        centre(seen.logits),
        token,
        diagonal=False,
        xlabel="estimate ẑ − mean, at the end",
        ylabel="logit z − mean",
        clabel="token",
    )
    return Picture(
        save(figure, folder / "joint_estimate.png"),
        "JoMA, verification: logits and their estimate",
        f"Softmax attention with linear units, {len(seen.cosine)} networks. Left: centred cosine of the logits with "
        "their estimate from the weights of the units (median and quartiles), and with parts of it; at the start it "
        "is 1 by the choice of c. Middle: the slope of the logits on their estimate, which a cosine ignores. Right: "
        "each token of each network at the end; tokens from half of their number on are common to all classes.",
    )


def joint_map(evidence: Evidence, folder: Path) -> Picture:
    seen = evidence.once(readings.estimate_map)
    figure, axes = panels(1, 3, size=(4.8, 4.0))
    drawn = (
        (seen.cosine, "centred cosine of z with ẑ", (0.0, 1.0)),
        (seen.slope, "slope of z on ẑ", (0.0, 1.0)),
        (seen.spread, "spread of the logits", (None, None)),
    )
    for ax, (cells, label, (low, high)) in zip(axes, drawn, strict=True):
        image = ax.imshow(cells, origin="lower", aspect="auto", cmap=FRACTION_MAP, vmin=low, vmax=high)
        ax.set_xticks(range(len(seen.eta)), [f"{value:g}" for value in seen.eta])
        ax.set_yticks(range(len(seen.init)), [f"{value:g}" for value in seen.init])
        bright = np.nanmean([np.nanmin(cells), np.nanmax(cells)]) if low is None else 0.6
        for (row, column), value in np.ndenumerate(cells):
            ink = "white" if value < bright else "#222222"
            ax.text(column, row, f"{value:.2f}", ha="center", va="center", fontsize=8.5, color=ink)
        ax.set(xlabel="learning rate", ylabel="scale of the init")
        bar = figure.colorbar(image, ax=ax, label=label, shrink=0.9, aspect=24)
        bar.outline.set_visible(False)
    return Picture(
        save(figure, folder / "joint_map.png"),
        "JoMA: where the estimate of the logits stops holding",
        "Medians at the end of training over learning rate and scale of the init, for the same number of steps. Left: "
        "centred cosine of logits and estimate, which is 1 at the start by the choice of c, so that it says little "
        "where logits have not spread (right: their standard deviation over tokens). Middle: the slope of the logits "
        "on the estimate, which should be 1, too.",
    )


def joint_winner(evidence: Evidence, folder: Path) -> Picture:
    seen = evidence.once(flows.winners)
    figure, (left, right) = panels(1, 2, size=(5.0, 4.0))
    largest = int(np.abs(seen.saliency[0]).argmax())
    order = np.argsort(np.abs(seen.saliency[0]))
    for color, token in zip(token_colors(len(order)), order, strict=True):
        left.plot(seen.time, seen.values[0, :, token], color=color, lw=2.4 if token == largest else 1.4)
        if token != largest:
            stop = flows.stopping_value(seen.saliency[0, token] / seen.saliency[0, largest])
            left.plot([1.0, 1.04], [stop * np.sign(seen.saliency[0, largest])] * 2, color=color, lw=2.4)
    left.axvline(1.0, color="0.6", lw=1, ls=":")
    left.set(xlabel="time / t*", ylabel="weight v of each token", xlim=(0, 1.05), title="One flow")
    for color, spread, name in (
        (PALETTE[1], seen.spread_slide, "erf(v/2)/Δ, on the slide"),
        (PALETTE[0], seen.spread, "erf(v/√2)/Δ"),
    ):
        band(right, seen.time[1:], np.maximum(spread, 1e-16), color, name)
    right.set(xlabel="time / t*", ylabel="relative difference between tokens", yscale="log", title="All flows")
    right.legend(loc="center right")
    return Picture(
        save(figure, folder / "joint_winner.png"),
        "JoMA, Theorem 2: the winner takes all",
        "Left: weights of ten tokens with random saliency, linear unit; darker tokens are less salient. The most "
        "salient one (thick) blows up at t*, the others stop where the marks on the right are. Right: how much what "
        f"should be equal for all tokens differs between them (median and quartiles over {len(seen.spread)} flows).",
    )


def joint_sparse_then_dense(evidence: Evidence, folder: Path) -> Picture:
    seen = evidence.once(flows.dips)
    figure, (left, centre, right) = panels(1, 3, size=(4.4, 4.0))
    chosen = np.unique(np.geomspace(1, len(seen.step) - 1, 10).astype(int))
    for color, row in zip(token_colors(len(chosen)), chosen, strict=True):
        left.plot(np.arange(1, len(seen.target) + 1), seen.values[row], color=color, label=f"{seen.step[row]:,}")
    left.plot(np.arange(1, len(seen.target) + 1), seen.target, color="black", ls="--", label="target μ")
    left.set(xlabel="component, by target", ylabel="v", title="One nonlinear flow")
    left.legend(title="step", fontsize=7.5, loc="upper left", ncols=2)
    for color, name, entropy in ((PALETTE[0], "nonlinear", seen.nonlinear), (PALETTE[1], "linear", seen.linear)):
        band(centre, seen.step, entropy, color, name)
    centre.set(xlabel="step", ylabel="entropy of attention (nats)", title="Flows", ylim=(0, None))
    centre.legend(loc="best")
    for color, name, experiment in ((PALETTE[0], "ReLU", JOINT_RELU), (PALETTE[1], "linear", JOINT_LONG)):
        record = stayed_finite(evidence.record(experiment))
        band(right, record.step.values, record.entropy.values, color, name)
    right.set(xlabel="training step", ylabel="entropy of attention (nats)", title="Trained networks", ylim=(0, None))
    right.locator_params(axis="x", nbins=4)
    right.legend(loc="best")
    return Picture(
        save(figure, folder / "joint_sparse_then_dense.png"),
        "JoMA, Theorem 4: sparse, then dense",
        "Left: components of one flow towards its target, from dark to light in time; those with large targets arrive "
        f"first. Centre: entropy of attention over {len(seen.linear)} nonlinear and linear flows (medians and "
        "quartiles). Right: entropy of the attention of networks trained on contexts.",
    )


def joint_ranks(evidence: Evidence, folder: Path) -> Picture:
    seen, record = evidence.once(flows.flow_ranks), stayed_finite(evidence.record(JOINT))
    figure, (left, right) = panels(1, 2, size=(5.0, 4.0))
    for color, label, style, ranks in (
        (PALETTE[0], "V", "-", seen.values),
        (PALETTE[1], "V̇", "-", seen.velocity),
        (PALETTE[5], "V, saliency of contexts", "--", seen.values_contexts),
        (PALETTE[4], "V̇, saliency of contexts", "--", seen.velocity_contexts),
    ):
        band(left, seen.time, ranks, color, label, style)
    left.set(xlabel="time / t*", ylabel="stable rank", title="Flows", ylim=(0, None))
    for color, name, label in (
        (PALETTE[0], "stable_rank", "V, stable"),
        (PALETTE[1], "stable_rank_gradient", "gradient, stable"),
        (PALETTE[5], "effective_rank", "V, effective"),
        (PALETTE[4], "effective_rank_gradient", "gradient, effective"),
    ):
        band(right, record.step.values, record[name].values, color, label, "-" if name.startswith("s") else "--")
    right.set(xlabel="training step", ylabel="rank", title="Trained networks", ylim=(0, None))
    for ax in (left, right):
        ax.legend(loc="best")
    return Picture(
        save(figure, folder / "joint_ranks.png"),
        "JoMA, more nodes: ranks over training",
        f"Medians and quartiles for 20 tokens and 20 units. Left: {len(seen.values)} flows from a zero start up to "
        f"just before the blow-up, with random saliency or that of contexts. Right: {record.sizes['member']} "
        "networks with softmax attention.",
    )


def joint_clusters(evidence: Evidence, folder: Path) -> Picture:
    seen, units = evidence.once(joint_fields.fields), evidence.once(readings.followed)
    figure, (left, centre, right) = panels(1, 3, size=(4.6, 4.0))
    number = np.broadcast_to(np.arange(len(seen.theory))[:, None], seen.theory.shape)
    agreement(left, seen.theory, seen.simulated, number, xlabel="Theorem 3", ylabel="simulated", clabel="unit")
    left.set_title("Velocity of ReLU units")
    chosen = int(np.argsort(units.error)[len(units.error) // 2])
    for color, dim in zip(token_colors(units.path.shape[2]), range(units.path.shape[2]), strict=True):
        centre.plot(units.step, units.path[chosen, :, dim], color=color, lw=0, marker="o", ms=3)
        centre.plot(units.step, units.theory[chosen, :, dim], color=color, lw=1.2)
    centre.set(xlabel="training step", ylabel="v", title="A trained unit (dots)")
    positive = units.pull > 0
    right.scatter(units.r2[positive], units.slowed[positive], color=PALETTE[0], s=26, alpha=0.8, label="κ > 0")
    right.scatter(units.r2[~positive], units.slowed[~positive], color=PALETTE[1], s=26, alpha=0.8, label="κ < 0")
    right.set(
        xlabel="share of the velocity's variation\nthat κ(μ − v) explains",
        ylabel="speed at the end / highest",
        title="The simplification",
        xlim=(-0.05, 1.05),
        ylim=(0, 1.05),
    )
    right.legend(loc="best")
    return Picture(
        save(figure, folder / "joint_clusters.png"),
        "JoMA, Theorem 3: units on clusters",
        "Left: components of E[g φ'(v·x + β) x] from random inputs, against the closed form for Gaussian clusters. "
        "Centre: the ReLU unit of median error, and the theorem's flow from its start (lines). Right: each trained "
        "unit; the simplification κ(μ − v) has an attracting target if κ > 0, and units that reached it would have "
        "slowed to 0.",
    )


FIGURES = (
    joint_invariants,
    joint_estimate,
    joint_map,
    joint_winner,
    joint_sparse_then_dense,
    joint_ranks,
    joint_clusters,
)
