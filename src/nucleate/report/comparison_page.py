"""A comparison of runs as a page of its own."""

from __future__ import annotations

import math
import tempfile
from collections.abc import Sequence
from itertools import groupby
from pathlib import Path

import numpy as np

from nucleate.claims import Estimate
from nucleate.claims.formats import interval, number
from nucleate.plots import Picture, compared_curves, compared_ends, save, style
from nucleate.record import Run
from nucleate.report.comparison import Comparison, in_words
from nucleate.report.report import Page, Table, write_report
from nucleate.report.runs import describe

_MOST_ROWS = 40
_MOST_PANELS = 4


def write_comparison(target: Path | str, comparison: Comparison, runs: Sequence[Run]) -> Path:
    """What differs between runs, their curves and their ends, as one self-contained HTML page; its path."""
    with tempfile.TemporaryDirectory() as folder:
        return write_report(
            target,
            Page(
                title=" and ".join(comparison.names),
                subtitle=f"{len(runs)} runs side by side",
                created=max(run.about.created for run in runs),
                tables=_tables(comparison),
                figures=_pictures(comparison, Path(folder)),
                runs=[describe(run) for run in runs],
            ),
        )


def told(estimate: Estimate | None) -> str:
    """An estimate with its interval and its number of networks, or why there is none.

    >>> told(Estimate(0.5, 0.25, 0.75, 8)), told(Estimate.open(0.5, units=3)), told(None)
    ('0.5 [0.25, 0.75], n = 8', '0.5, n = 3 (too few)', '–')
    """
    if estimate is None or (estimate.units == 0 and math.isnan(estimate.value)):
        return "–"
    known = f" {interval([estimate.low, estimate.high], always=True)}" if estimate.reason is None else ""
    why = f" ({estimate.reason})" if estimate.reason else ""
    return f"{number(estimate.value)}{known}, n = {estimate.units}{why}"


def _tables(comparison: Comparison) -> list[Table]:
    endings = [(each.quantity, each.where, *map(told, each.estimates)) for each in comparison.endings]
    note = (
        "Medians over n networks, with intervals of 95 %, of the last values up to the last step that all runs have; "
        "shares up to that step, with exact intervals. Networks that diverged are counted to the end of each run, and "
        "are in no median."
    )
    found = [_settings(comparison)]
    found += [Table("Where they ended", ("quantity", "at", *comparison.names), endings, note)] if endings else []
    found += [Table("What they do not share", (), [[line] for line in comparison.apart])] if comparison.apart else []
    return found


def _settings(comparison: Comparison) -> Table:
    title = "Settings that differ"
    if not comparison.settings:
        return Table(title, (), [[f"None: all {comparison.alike} are the same."]])
    rows = [(row.name, *row.values) for row in comparison.settings]
    return Table(title, ("setting", *comparison.names), rows, f"{comparison.alike} others are the same in all.")


def _pictures(comparison: Comparison, folder: Path) -> list[Picture]:
    pictures = []
    with style():
        if comparison.curves:
            groups, count = _groups(comparison), len(_places(comparison))
            drawn = compared_curves(comparison.records, comparison.curves, groups)
            words = (
                "The median over networks that differ in seeds alone; shaded is their middle half. A network counts "
                "until it stops or diverges."
            )
            rest = (
                f" Drawn for {len(groups)} of {count} combinations of hyperparameters." if len(groups) < count else ""
            )
            pictures.append(Picture(save(drawn, folder / "curves.png"), "Curves", words + rest))
        quantities = {key: list(found) for key, found in groupby(comparison.endings, lambda each: each.quantity)}
        ends = {
            key: {each.where: list(map(_numbers, each.estimates)) for each in found}
            for key, found in quantities.items()
            if len(found) <= _MOST_ROWS
        }
        if ends:
            words = "Medians and shares with intervals of 95 %; those of too few networks are open."
            drawn = compared_ends(comparison.names, ends)
            pictures.append(Picture(save(drawn, folder / "ends.png"), "Where they ended", words))
    return pictures


def _groups(comparison: Comparison) -> dict[str, dict[str, np.ndarray]]:
    """The members of each run at each place; where there are too many places to be told apart, those in most runs."""
    every = _places(comparison)
    having = {place: [name for name in comparison.names if place in comparison.places[name]] for place in every}
    chosen = sorted(every, key=lambda place: -len(having[place]))[:_MOST_PANELS]
    return {
        in_words(place): {name: comparison.places[name][place].members for name in having[place]}
        for place in every
        if place in chosen
    }


def _places(comparison: Comparison) -> list:
    return sorted({place for found in comparison.places.values() for place in found})


def _numbers(estimate: Estimate | None) -> tuple[float, float, float]:
    return (math.nan, math.nan, math.nan) if estimate is None else (estimate.value, estimate.low, estimate.high)
