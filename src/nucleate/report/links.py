"""How the parts of a page refer to each other: claims, the figures that illustrate them, the runs behind both."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from html import escape

from nucleate.claims import ClaimRow
from nucleate.hypertext import Html
from nucleate.plots import Picture
from nucleate.report.runs import RunSummary

_FIGURES = re.compile(r"\bFig(?:s|ures?)?\b\.? *((?:[0-9]+[a-z]*(?: *(?:, *and|,|and|–|-) *)?)+)")


def figure_numbers(text: str) -> set[int]:
    """The figures of a paper that a text names.

    >>> sorted(figure_numbers("Sec. 3.2, Figs. 1, 16-18; Fig. 3ab and 5")), figure_numbers("Table 5")
    ([1, 3, 5, 16, 17, 18], set())
    """
    found: set[int] = set()
    for named in _FIGURES.findall(text):
        for first, last in re.findall(r"([0-9]+)[a-z]*(?: *[–-] *([0-9]+))?", named):
            found |= set(range(int(first), int(last or first) + 1))
    return found


def slug(name: str) -> str:
    """A name as a part of an address."""
    return re.sub(r"[^A-Za-z0-9]+", "-", name).strip("-")


def permalink(anchor: str, what: str) -> Html:
    """A sign to click, which puts the address of a part of the page into the browser's bar."""
    return Html(f'<a class="permalink" href="#{anchor}" title="Link to this {what}">#</a>')


@dataclass(frozen=True)
class Links:
    """The parts of a page by their addresses, and which belong together.

    A figure illustrates a claim if both name the same figure of the paper or, where one of them names none, if the
    claim looks at every experiment that the figure shows.
    """

    claims: Sequence[ClaimRow] = ()
    figures: Sequence[Picture] = ()
    runs: Sequence[RunSummary] = ()

    @staticmethod
    def of_claim(row: ClaimRow) -> str:
        """The address of a claim."""
        return f"claim-{slug(row.claim)}"

    def of_figure(self, figure: Picture) -> str:
        """The address of a figure; two of one title have different ones."""
        alike = [other for other in self.figures if slug(other.title) == slug(figure.title)]
        number = alike.index(figure) if figure in alike else 0
        return f"figure-{slug(figure.title)}" + (f"-{number + 1}" if number else "")

    @staticmethod
    def of_run(run: RunSummary) -> str:
        """The address of a run."""
        return f"run-{slug(run.name)}"

    def from_claim(self, row: ClaimRow) -> Html:
        """Where to look on from a claim."""
        figures = [(self.of_figure(each), each.title) for each in self.figures if self._illustrates(each, row)]
        return _parts({"Figures": figures, "Runs": self._to_runs(row.needs)})

    def from_figure(self, figure: Picture) -> Html:
        """Where to look on from a figure."""
        claims = [(self.of_claim(row), row.claim) for row in self.claims if self._illustrates(figure, row)]
        return _parts({"Claims": claims, "Runs": self._to_runs(figure.experiments)})

    def from_run(self, run: RunSummary) -> Html:
        """Where to look on from a run."""
        claims = [(self.of_claim(row), row.claim) for row in self.claims if run.experiment in row.needs]
        figures = [(self.of_figure(each), each.title) for each in self.figures if run.experiment in each.experiments]
        return _parts({"Claims": claims, "Figures": figures})

    def _illustrates(self, figure: Picture, row: ClaimRow) -> bool:
        shown, named = self._numbers[figure.title], figure_numbers(row.source)
        if shown and named:
            return bool(shown & named)
        return bool(figure.experiments) and set(figure.experiments) <= set(row.needs)

    @cached_property
    def _numbers(self) -> dict[str, set[int]]:
        return {figure.title: figure_numbers(figure.title.split(":")[0]) for figure in self.figures}

    def _to_runs(self, experiments: Iterable[str]) -> list[tuple[str, str]]:
        wanted = set(experiments)
        return [(self.of_run(run), run.name) for run in self.runs if run.experiment in wanted]


def _parts(links: dict[str, list[tuple[str, str]]]) -> Html:
    """Links under their headings, on one line each."""
    lines = []
    for heading, parts in links.items():
        if parts:
            shown = ", ".join(f'<a href="#{anchor}">{escape(text)}</a>' for anchor, text in parts)
            lines.append(f'<p class="links">{heading}: {shown}</p>')
    return Html("\n".join(lines))
