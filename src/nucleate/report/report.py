"""The whole outcome of a replication on one page: a single HTML file that needs nothing but a browser."""

from __future__ import annotations

import base64
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from html import escape
from importlib.resources import files
from pathlib import Path
from typing import Any

from PIL import Image, UnidentifiedImageError

from nucleate.claims import ClaimRow
from nucleate.claims.formats import duration
from nucleate.plots import Picture
from nucleate.record import write_atomically
from nucleate.report.runs import RunSummary
from nucleate.report.scorecard import paragraph, scorecard_section, tally

_MANY = 12
"""A list in a run's configuration that is longer than this is shown by its ends."""


@dataclass(frozen=True)
class Page:
    """What a report shows; parts that are empty are left out.

    `created` is printed as it is: the date belongs to the results, not to the moment the page is written.
    """

    title: str
    subtitle: str
    created: str
    scorecard: Sequence[ClaimRow] = ()
    figures: Sequence[Picture] = ()
    runs: Sequence[RunSummary] = ()
    failures: Sequence[str] = ()
    """Claims that could not be measured and figures that could not be drawn, a line each."""


def write_report(target: Path | str, page: Page) -> Path:
    """Write scorecard, figures and the runs behind them as one self-contained HTML file; return its path.

    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     file = write_report(Path(folder) / "report.html", Page("Grokking", "Quick budget", created="2026-01-31"))
    ...     file.read_text(encoding="utf-8").startswith("<!doctype html>")
    True
    """
    sections = [
        _failures(page.failures) if page.failures else "",
        scorecard_section(page.scorecard) if page.scorecard else "",
        _gallery(page.figures) if page.figures else "",
        _runs(page.runs) if page.runs else "",
    ]
    text = f"""<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>{escape(page.title)}</title>
<style>
{_asset("report.css")}</style>
</head>
<body>
<header>
<h1>{escape(page.title)}</h1>
<p class="subtitle">{escape(page.subtitle)}</p>
<p class="stamp">{escape(page.created)}</p>
{tally(page.scorecard) if page.scorecard else ""}<p class="totals">{escape(_totals(page))}</p>
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
    write_atomically(target, text.encode())
    return target


def _asset(name: str) -> str:
    return files("nucleate.report").joinpath(name).read_text(encoding="utf-8")


def _totals(page: Page) -> str:
    totals = [_plural(len(page.scorecard), "claim")] if page.scorecard else []
    if page.runs:
        networks = sum(run.members for run in page.runs)
        seconds = sum(run.seconds for run in page.runs)
        totals += [_plural(len(page.runs), "run"), f"{_plural(networks, 'network')} trained", duration(seconds)]
    totals += [_plural(len(page.failures), "failure")] if page.failures else []
    return " · ".join(totals)


def _failures(failures: Sequence[str]) -> str:
    lines = "".join(f"<li>{escape(line)}</li>\n" for line in failures)
    return f"""<section id="failures">
<h2>What failed</h2>
<ul>
{lines}</ul>
<p>None of it touched the other claims and figures. Tracebacks are in failures.log, beside this page.</p>
</section>
"""


def _gallery(figures: Sequence[Picture]) -> str:
    cards = "".join(_card(figure) for figure in figures)
    return f'<section id="figures">\n<h2>Figures</h2>\n<div class="gallery">\n{cards}</div>\n</section>\n'


def _card(figure: Picture) -> str:
    title = escape(figure.title)
    kind, width, height = _kind_and_size(figure.path)
    source = f"data:image/{kind};base64,{base64.b64encode(figure.path.read_bytes()).decode('ascii')}"
    return f"""<figure{' class="wide"' if width > 1.8 * height else ""}>
<button title="Enlarge"><img src="{source}" alt="{title}" width="{width}" height="{height}"></button>
<figcaption><strong>{title}</strong>{paragraph(figure.caption)}</figcaption>
</figure>
"""


def _kind_and_size(path: Path) -> tuple[str, int, int]:
    try:
        with Image.open(path, formats=("PNG", "GIF")) as image:
            return str(image.format).lower(), *image.size
    except UnidentifiedImageError:
        raise ValueError(f"Picture.path must be a PNG or GIF image; {path} is not.") from None


def _runs(runs: Sequence[RunSummary]) -> str:
    return f'<section id="runs">\n<h2>Runs</h2>\n{"".join(_run(run) for run in runs)}</section>\n'


def _run(run: RunSummary) -> str:
    tables = "".join(
        f"<div><h3>{heading}</h3>\n{_table(values)}</div>\n"
        for heading, values in (
            ("Configuration", run.config),
            ("How the networks ended", run.outcomes),
            ("Versions", {**run.versions, "git": run.git}),
            ("Machine", run.platform),
        )
        if values
    )
    facts = [run.experiment, f"{_plural(run.members, 'network')} × {run.steps:,} steps", duration(run.seconds)]
    if run.status != "complete":
        facts.append(run.status)
    return f"""<details class="run">
<summary><strong>{escape(run.name)}</strong>
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
