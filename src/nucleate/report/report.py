"""The whole outcome of a replication on one page: a single HTML file that needs nothing but a browser."""

from __future__ import annotations

import base64
import gzip
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from html import escape
from importlib.resources import files
from pathlib import Path
from typing import Any

from PIL import Image, UnidentifiedImageError

from nucleate.claims import ClaimRow
from nucleate.claims.formats import duration
from nucleate.hypertext import table
from nucleate.plots import Picture
from nucleate.record import write_atomically
from nucleate.report.links import Links, permalink
from nucleate.report.runs import RunSummary
from nucleate.report.scorecard import paragraph, scorecard_section, tally
from nucleate.report.settings import exact, flat

_MOST_DATA = 2**18
"""Packed bytes, beyond which the data of a figure stay beside its picture."""


@dataclass(frozen=True)
class Table:
    """Rows of cells below their headings, which a report shows under a heading of its own; a cell may be `Html`."""

    heading: str
    head: Sequence[str]
    rows: Sequence[Sequence[object]]
    note: str = ""


@dataclass(frozen=True)
class Page:
    """What a report shows; parts that are empty are left out.

    `created` is printed as it is: the date belongs to the results, not to the moment the page is written.
    """

    title: str
    subtitle: str
    created: str
    scorecard: Sequence[ClaimRow] = ()
    tables: Sequence[Table] = ()
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
    links = Links(page.scorecard, page.figures, page.runs)
    sections = [
        _failures(page.failures) if page.failures else "",
        scorecard_section(page.scorecard, links) if page.scorecard else "",
        *map(_titled, page.tables),
        _gallery(page.figures, links) if page.figures else "",
        _runs(page.runs, links) if page.runs else "",
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


def _titled(shown: Table) -> str:
    return f"""<section class="table">
<h2>{escape(shown.heading)}</h2>
<div class="card scroll">{table(shown.rows, shown.head)}</div>
{paragraph(shown.note)}
</section>
"""


def _gallery(figures: Sequence[Picture], links: Links) -> str:
    cards = "".join(_card(figure, links) for figure in figures)
    return f'<section id="figures">\n<h2>Figures</h2>\n<div class="gallery">\n{cards}</div>\n</section>\n'


def _card(figure: Picture, links: Links) -> str:
    title, anchor = escape(figure.title), links.of_figure(figure)
    kind, width, height = _kind_and_size(figure.path)
    source = f"data:image/{kind};base64,{base64.b64encode(figure.path.read_bytes()).decode('ascii')}"
    return f"""<figure id="{anchor}"{' class="wide"' if width > 1.8 * height else ""}>
<button title="Enlarge"><img src="{source}" alt="{title}" width="{width}" height="{height}"></button>
<figcaption><strong>{title} {permalink(anchor, "figure")}</strong>{paragraph(figure.caption)}
{links.from_figure(figure)}{_data(figure)}</figcaption>
</figure>
"""


def _data(figure: Picture) -> str:
    """What a figure shows, to be saved as a file. The script unpacks it; without one, it is saved as it is."""
    if figure.data is None:
        return ""
    packed = gzip.compress(figure.data.read_bytes(), mtime=0)
    name = escape(figure.data.name)
    if len(packed) > _MOST_DATA:
        return f'<p class="links">Data: {name}, beside the picture in the folder of the run</p>'
    link = f"data:application/gzip;base64,{base64.b64encode(packed).decode('ascii')}"
    return f'<p class="links">Data: <a class="data" download="{name}.gz" href="{link}">{name}</a></p>'


def _kind_and_size(path: Path) -> tuple[str, int, int]:
    try:
        with Image.open(path, formats=("PNG", "GIF")) as image:
            return str(image.format).lower(), *image.size
    except UnidentifiedImageError:
        raise ValueError(f"Picture.path must be a PNG or GIF image; {path} is not.") from None


def _runs(runs: Sequence[RunSummary], links: Links) -> str:
    return f'<section id="runs">\n<h2>Runs</h2>\n{"".join(_run(run, links) for run in runs)}</section>\n'


def _run(run: RunSummary, links: Links) -> str:
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
    anchor = links.of_run(run)
    return f"""<details class="run" id="{anchor}">
<summary><strong>{escape(run.name)}</strong> {permalink(anchor, "run")}
<span class="sub">{escape(" · ".join(facts))}</span></summary>
<div class="inside">
{tables}{links.from_run(run)}</div>
</details>
"""


def _table(values: Mapping[str, Any]) -> str:
    return f'<div class="scroll">{table((key, exact(value)) for key, value in flat(values))}</div>'


def _plural(count: int, noun: str) -> str:
    return f"{count:,} {noun}{'' if count == 1 else 's'}"
