"""The whole outcome of a replication on one page: a single HTML file that needs nothing but a browser."""

from __future__ import annotations

import base64
import struct
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from html import escape
from importlib.resources import files
from pathlib import Path
from typing import Any

from nucleate.explorer.formats import duration, paragraph
from nucleate.explorer.scorecard import check_claim, check_keys, scorecard_section, tally
from nucleate.record import write_atomically

_RUN_KEYS = "name experiment members steps seconds outcomes config versions git platform"
_PNG = b"\x89PNG\r\n\x1a\n"
_GIF = (b"GIF87a", b"GIF89a")
_MANY = 12
"""A list in a run's configuration that is longer than this is shown by its ends."""


@dataclass(frozen=True)
class FigureEntry:
    """A figure of the report: the image file (PNG or GIF), its title and its caption."""

    path: Path
    title: str
    caption: str


def write_report(
    target: Path | str,
    *,
    title: str,
    subtitle: str,
    created: str,
    scorecard: Sequence[Mapping[str, Any]],
    figures: Sequence[FigureEntry],
    runs: Sequence[Mapping[str, Any]],
) -> Path:
    """Write scorecard, figures and the runs behind them as one self-contained HTML file; return its path.

    `created` is printed as it is: the date belongs to the results, not to the moment the page is written.
    What is empty is left out.

    - A scorecard row has the keys claim, paper, source, statement, verdict ("replicated", "contradicted" or
      "inconclusive"), expected, measured, interval, members, steps, seconds, rule, note and checks, a list of
      rows with label, expected, measured, interval and verdict.
    - A run has the keys name, experiment, members, steps, seconds, outcomes (counts), config (nested),
      versions, git, platform and, if it is not complete, status.

    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     page = write_report(Path(folder) / "report.html", title="Grokking", subtitle="Quick budget",
    ...                         created="2026-01-31", scorecard=[], figures=[], runs=[])
    ...     page.read_text(encoding="utf-8").startswith("<!doctype html>")
    True
    """
    for row in scorecard:
        check_claim(row)
    for run in runs:
        check_keys(run, _RUN_KEYS, f"run {run.get('name')!r}")
    sections = [
        scorecard_section(scorecard) if scorecard else "",
        _gallery(figures) if figures else "",
        _runs(runs) if runs else "",
    ]
    page = f"""<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>{escape(title)}</title>
<style>
{_asset("report.css")}</style>
</head>
<body>
<header>
<h1>{escape(title)}</h1>
<p class="subtitle">{escape(subtitle)}</p>
<p class="stamp">{escape(created)}</p>
{tally(scorecard) if scorecard else ""}<p class="totals">{_totals(scorecard, runs)}</p>
</header>
<main>
{"".join(sections)}
</main>
<footer>Made by nucleate. This file is complete in itself.</footer>
<dialog aria-label="Enlarged figure"><img src="data:," alt=""></dialog>
<script>
{_asset("report.js")}</script>
</body>
</html>
"""
    target = Path(target)
    write_atomically(target, page.encode())
    return target


def _asset(name: str) -> str:
    return files("nucleate.explorer").joinpath(name).read_text(encoding="utf-8")


def _totals(scorecard: Sequence[Mapping[str, Any]], runs: Sequence[Mapping[str, Any]]) -> str:
    totals = [_plural(len(scorecard), "claim")] if scorecard else []
    if runs:
        networks = sum(run["members"] for run in runs)
        seconds = sum(run["seconds"] or 0 for run in runs)
        totals += [_plural(len(runs), "run"), f"{_plural(networks, 'network')} trained", duration(seconds)]
    return " · ".join(totals)


def _gallery(figures: Sequence[FigureEntry]) -> str:
    cards = "".join(_card(figure) for figure in figures)
    return f'<section id="figures">\n<h2>Figures</h2>\n<div class="gallery">\n{cards}</div>\n</section>\n'


def _card(figure: FigureEntry) -> str:
    image, title = figure.path.read_bytes(), escape(figure.title)
    kind, width, height = _kind_and_size(image, figure.path)
    source = f"data:image/{kind};base64,{base64.b64encode(image).decode('ascii')}"
    return f"""<figure{' class="wide"' if width > 1.8 * height else ""}>
<button title="Enlarge"><img src="{source}" alt="{title}" width="{width}" height="{height}"></button>
<figcaption><strong>{title}</strong>{paragraph(figure.caption)}</figcaption>
</figure>
"""


def _kind_and_size(image: bytes, path: Path) -> tuple[str, int, int]:
    if image.startswith(_PNG) and len(image) >= 24:
        return "png", *struct.unpack(">II", image[16:24])  # the first two fields of the IHDR chunk
    if image.startswith(_GIF) and len(image) >= 10:
        return "gif", *struct.unpack("<HH", image[6:10])  # the first two fields of the screen descriptor
    raise ValueError(f"FigureEntry.path must be a PNG or GIF image; {path} is not.")


def _runs(runs: Sequence[Mapping[str, Any]]) -> str:
    return f'<section id="runs">\n<h2>Runs</h2>\n{"".join(_run(run) for run in runs)}</section>\n'


def _run(run: Mapping[str, Any]) -> str:
    tables = "".join(
        f"<div><h3>{heading}</h3>\n{_table(values)}</div>\n"
        for heading, values in (
            ("Configuration", run["config"]),
            ("How the networks ended", run["outcomes"]),
            ("Versions", {**run["versions"], "git": run["git"]}),
            ("Machine", run["platform"]),
        )
        if values
    )
    facts = [
        run["experiment"],
        f"{_plural(run['members'], 'network')} × {run['steps']:,} steps",
        duration(run["seconds"]),
    ]
    if run.get("status", "complete") != "complete":
        facts.append(run["status"])
    return f"""<details class="run">
<summary><strong>{escape(run["name"])}</strong>
<span class="sub">{escape(" · ".join(facts))}</span></summary>
<div class="inside">
{tables}</div>
</details>
"""


def _table(values: Mapping[str, Any]) -> str:
    rows = "".join(f"<tr><td>{escape(key)}</td><td>{escape(_exact(value))}</td></tr>\n" for key, value in _flat(values))
    return f'<div class="scroll"><table>\n{rows}</table></div>'


def _flat(values: Mapping[str, Any], prefix: str = "") -> Iterator[tuple[str, Any]]:
    """Nested keys joined by dots."""
    for key, value in values.items():
        if isinstance(value, Mapping) and value:
            yield from _flat(value, f"{prefix}{key}.")
        else:
            yield f"{prefix}{key}", value


def _exact(value: Any) -> str:
    """A setting as it was set, unrounded: it must be possible to type it in again."""
    if isinstance(value, list | tuple):
        shown = [_exact(item) for item in value]
        if len(shown) > _MANY:
            shown = [*shown[:3], "…", *shown[-2:], f"({len(value)} values)"]
        return ", ".join(shown)
    return "–" if value is None else str(value)


def _plural(count: int, noun: str) -> str:
    return f"{count:,} {noun}{'' if count == 1 else 's'}"
