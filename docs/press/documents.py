"""The project's Markdown files as pages."""

from collections.abc import Iterator
from pathlib import Path

from docs.press import markdown
from docs.press.site import PROJECT, Page

_PROJECT_FILES = ("ARCHITECTURE.md", "CONTRIBUTING.md", "benchmarks/README.md", "CHANGELOG.md")


def documents() -> Iterator[Page]:
    """The front page first, then guides, verdicts, and what concerns those who change the project."""
    yield _page("Start", PROJECT / "README.md", "index.html")
    guides = sorted((PROJECT / "docs").glob("*.md"))
    verdicts = [file for file in guides if file.stem == "scorecards" or file.stem.endswith("-standard")]
    for file in sorted(guides, key=lambda file: file.stem != "how-to"):
        if file not in verdicts:
            yield _page("Guides", file)
    for file in sorted(verdicts, key=lambda file: (file.stem != "scorecards", file.stem)):
        yield _page("Verdicts", file)
    for name in _PROJECT_FILES:
        yield _page("Project", PROJECT / name)


def _page(section: str, file: Path, address: str = "") -> Page:
    """A page of a Markdown file; `docs/intervals.md` is at `intervals.html`."""
    source = file.relative_to(PROJECT)
    text = file.read_text(encoding="utf-8")
    title = markdown.title(text).removesuffix(" at the standard budget")
    there = address or str(source.with_suffix(".html")).removeprefix("docs/")
    return Page(section, title, there, lambda link: markdown.to_html(text, link), str(source))
