"""Figures 1, 6 and 16 to 35: power laws of the attention-distance correlation, and learning coefficients."""

from pathlib import Path
from typing import cast

import numpy as np
import xarray as xr
from matplotlib.axes import Axes
from matplotlib.gridspec import GridSpec

from nucleate.claims import Evidence
from nucleate.papers.collisions.figures import choice
from nucleate.papers.collisions.figures.choice import Head
from nucleate.papers.collisions.readings import learning_coefficients, power_laws
from nucleate.papers.collisions.readings.fleets import networks
from nucleate.papers.collisions.readings.heads import formation_step
from nucleate.papers.collisions.readings.learning_coefficients import HeadCoefficients
from nucleate.plots import (
    Picture,
    attention_map,
    chain_traces,
    interval_rows,
    law_curve,
    mark,
    panels,
    save,
    second_curve,
)
from nucleate.record import NEVER

_TABLE_5 = (-power_laws.STEEPEST, -power_laws.SLOWEST)
_SHOWN = (-1.2, 1.2)  # slopes beyond are written as numbers
_COLUMNS = 4
_CORRELATION = (
    "Blue: |c|; orange: its power laws (R² ≥ 0.7) with their exponents; dotted: |c| of an ideal collision head."
)
_COEFFICIENT = " Green: the local learning coefficient, bars of twice its error; hollow where it is in doubt."


def _laws(evidence: Evidence, head: Head) -> list[tuple[float, float, float, float]]:
    """Start, end, α and ln A of each law of a head; regimes of rest and of noise are not laws."""
    table = head.of(evidence.once(power_laws.of_correlation))
    straight = (table.r2 >= power_laws.LEAST_R2) & (np.abs(table.exponent) >= power_laws.SLOWEST)
    table = table.where(straight)
    rows = np.stack([table[name].values for name in ("start", "end", "exponent", "constant")], axis=1)
    return [(a, b, c, d) for a, b, c, d in rows[np.isfinite(rows).all(1)].tolist()]


def _units(found: HeadCoefficients | None, collision: bool) -> dict[Head, int]:
    """The heads that have coefficients, and their rows: collision heads or controls."""
    if found is None:
        return {}
    rows = np.flatnonzero((found.collision == collision) & np.isfinite(found.value).any(1)).tolist()
    return {Head(int(found.member[row]), int(found.block[row]), int(found.head[row])): row for row in rows}


def _draw_head(ax: Axes, evidence: Evidence, head: Head, row: int | None, named: int = 3) -> Axes | None:
    """|c| with its laws, and the coefficient if it is known; returns the axes of the latter."""
    record = networks(evidence)
    value = head.of(record.correlation)
    level = float(record.contact_limit)
    law_curve(ax, record.step.values, value.values, _laws(evidence, head), level=level, named=named)
    found = evidence.once(learning_coefficients.of_heads)
    if found is None or row is None:
        return None
    trusted = found.doubt[row] == 0
    return second_curve(ax, found.step, found.value[row], found.error[row], trusted)


def _subject(evidence: Evidence) -> tuple[Head, int | None, bool]:
    """The head of Fig. 1, its row of coefficients, and whether it is a collision head.

    Of those with coefficients, or of all if there are none: one with two laws or more, if possible, and then the one
    with the highest score.
    """
    units = _units(evidence.once(learning_coefficients.of_heads), True)
    genuine = True
    candidates = list(units)
    if not candidates:
        candidates, genuine = choice.collision_heads(networks(evidence))
    score = choice.final_scores(networks(evidence))

    def rank(head: Head) -> tuple[int, float]:
        return min(len(_laws(evidence, head)), 2), float(head.of(score))

    head = max(candidates, key=rank)
    return head, units.get(head), genuine


def _checkpoints(record: xr.Dataset, head: Head) -> dict[str, int]:
    """Checkpoints halfway to when the head forms, when it has formed, and at the end."""
    steps = record.step_weights.values
    formed = formation_step(record)[record.member.values == head.member][0, head.block, head.head]
    last = len(steps) - 1
    at = last // 2 if formed == NEVER else int(np.searchsorted(steps, formed))
    middle = int(np.clip(at, 1, max(last - 1, 1)))
    before = int(np.searchsorted(steps, steps[middle] / 2, side="right")) - 1
    chosen = dict.fromkeys((before, middle, last))
    return dict(zip("ABC", chosen, strict=False))


@choice.of_finite_networks
def figure_1(evidence: Evidence, folder: Path) -> Picture:
    head, row, genuine = _subject(evidence)
    record = networks(evidence)
    box, steps = choice.box(record), record.step_weights.values
    shown = _checkpoints(record, head)
    state = choice.moments(record)[1]
    position, velocity = record.held_position.values[[state]], record.held_velocity.values[[state]]
    figure, axes = panels(2, len(shown), size=(3.0, 3.3))
    grid = cast(GridSpec, axes[0].get_gridspec())
    for ax in axes[: len(shown)]:
        ax.remove()
    low = 3.0 * box[1] / box[0] + 0.3  # as high as its maps
    figure.set_size_inches(3.0 * len(shown), 3.3 + low)
    grid.set_height_ratios([3.3, low])
    top = figure.add_subplot(grid[0, :])
    _draw_head(top, evidence, head, row)
    mark(top, {letter: max(float(steps[at]), 1.0) for letter, at in shown.items()})
    for ax, (letter, at) in zip(axes[len(shown) :], shown.items(), strict=True):
        seen = choice.attention(record, head, position, velocity, at)
        attention_map(ax, position[0], seen[0], box, title=f"{letter}: step {steps[at]:,}")
    kind = (
        "A collision head" if genuine else "No head detects collisions; shown is one of those with the highest scores"
    )
    formed = formation_step(record)[record.member.values == head.member][0, head.block, head.head]
    when = "before it forms, about when it has formed, and at the end" if formed != NEVER else "over training"
    return Picture(
        save(figure, folder / "figure_1.png"),
        "Fig. 1: a head forms",
        f"{kind}: {head.name} ({choice.fleet_name(record)}). {_CORRELATION}{_COEFFICIENT if row is not None else ''} "
        f"Below: whom it attends to in one held-out state, {when}.",
    )


@choice.of_finite_networks
def figure_6(evidence: Evidence, folder: Path) -> Picture:
    record = networks(evidence)
    heads, genuine = choice.collision_heads(record)
    table = evidence.once(power_laws.of_correlation)
    known = [(head, law) for head in heads if (law := _closing(head.of(table))) is not None]
    values = {key: [float(law[key]) for _, law in known] for key in ("exponent", "error", "correlated_error")}
    figure, (ax,) = panels(1, 1, size=(4.8, 1.5 + 0.22 * max(len(known), 6)))
    interval_rows(
        ax,
        [f"{head.member}: {head.block}-{head.head}" for head, _ in known],
        -np.array(values["exponent"]),
        values["error"],
        wide=values["correlated_error"],
        filled=[float(law.preferred) == 0 for _, law in known],
        band=_TABLE_5,
        within=_SHOWN,
        xlabel="slope of ln |c| over ln t, before it comes to rest",
    )
    ax.set_title(choice.fleet_name(record), pad=8)
    ax.set_ylabel("network: block-head")
    notes = [] if genuine else ["No head detects collisions: shown are the highest scores."]
    if len(known) < len(heads):
        notes.append(f"{len(heads) - len(known)} heads have no law.")
    return Picture(
        save(figure, folder / "figure_6.png"),
        "Fig. 6: exponents of collision heads",
        "Each row is a head. Thick: 95 % interval for independent errors, as in the paper; thin: for correlated "
        "errors. Filled: a power law fits better than an exponential or a stretched one. Shaded: the range of the "
        f"paper's Table 5. {' '.join(notes)}".strip(),
    )


def _closing(laws: xr.Dataset) -> xr.Dataset | None:
    law = power_laws.closing(laws)
    return law if np.isfinite(law.exponent) else None


def figures_16_to_35(evidence: Evidence, folder: Path) -> list[Picture]:
    """Collision heads on one page and the controls on another; none if no coefficients are known."""
    found = evidence.once(learning_coefficients.of_heads)
    entries = []
    for stem, collision, title in (
        ("figure_16", True, "Figs. 16–35: correlation and learning coefficient of collision heads"),
        ("figure_controls", False, "As Figs. 16–35, for non-collision heads"),
    ):
        units = _units(found, collision)
        if units:
            fleet = choice.fleet_name(networks(evidence))
            entries.append(
                Picture(_page(evidence, folder / f"{stem}.png", units), title, f"{fleet}. {_CORRELATION}{_COEFFICIENT}")
            )
    return entries


def traces(evidence: Evidence, folder: Path) -> Picture | None:
    """The chains behind the last coefficient of each head; none if no coefficients are known."""
    found = evidence.once(learning_coefficients.of_heads)
    units = {**_units(found, True), **_units(found, False)}
    if found is None or not units:
        return None
    columns = min(_COLUMNS, len(units))
    figure, axes = panels(-(-len(units) // columns), columns, size=(3.4, 2.4))
    for number, (ax, (head, row)) in enumerate(zip(axes, units.items(), strict=False)):
        value, error = found.value[row, -1], found.error[row, -1]
        chain_traces(ax, found.trace[row], burn_in=found.burn_in, value=value, error=error)
        ax.set_title(head.name if found.collision[row] else f"other {head.name}", fontsize=10, pad=6)
        if number % columns:
            ax.set_ylabel("")
        if number + columns < len(units):
            ax.set_xlabel("")
    for ax in axes[len(units) :]:
        ax.remove()
    return Picture(
        save(figure, folder / "traces.png"),
        "Chains of the learning coefficient",
        f"{len(found.trace[0])} chains for each head, from the weights at step {found.step[-1]:,}. Shaded: burn-in. A "
        "coefficient may be believed if the mean runs flat beyond it. Other heads are non-collision heads.",
    )


def _page(evidence: Evidence, path: Path, units: dict[Head, int]) -> Path:
    columns = min(_COLUMNS, len(units))
    rows = -(-len(units) // columns)
    figure, axes = panels(rows, columns, size=(3.9, 2.7))
    for number, (ax, (head, row)) in enumerate(zip(axes, units.items(), strict=False)):
        right = _draw_head(ax, evidence, head, row, named=1)
        ax.set_title(head.name, fontsize=10, pad=6)
        if number % columns:
            ax.set_ylabel("")
        if right is not None and number % columns < columns - 1 and number < len(units) - 1:
            right.set_ylabel("")
        if number + columns < len(units):
            ax.set_xlabel("")
    for ax in axes[len(units) :]:
        ax.remove()
    return save(figure, path)
