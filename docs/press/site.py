"""A folder of pages that link to one another, made from the files of the project.

Links are written as they work in the project, from file to file; here they lead to the page that was made of a file, to
a copy of it or, for Python, to its source in colours. One that leads nowhere is an error.
"""

import html.parser
import os
import shutil
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from html import escape
from pathlib import Path, PurePosixPath
from urllib.parse import unquote, urlsplit

from docs.press import markdown

PROJECT = Path(__file__).parents[2]


@dataclass(frozen=True)
class Page:
    """A page before it is laid out: its section, title and address, and what makes its HTML from a maker of links.

    `source`: the file of the project that links to this page name. Without a `section`, no menu has it; without a
    `body`, it is written by someone else.
    """

    section: str
    title: str
    address: str
    body: Callable[[markdown.Link], str] | None
    source: str = ""


class BrokenLinks(Exception):
    """Links that lead nowhere, a line each."""


@dataclass
class Site:
    """Pages, and the folder that they are written to."""

    folder: Path
    pages: list[Page] = field(default_factory=list)
    copied: set[str] = field(default_factory=set)

    def write(self) -> None:
        """Write every page, and those that links ask for."""
        self._file("style.css").write_text(stylesheet(), encoding="utf-8")
        for page in self.pages:  # which grow meanwhile, by sources that are linked
            if page.body is None:
                continue
            body = page.body(lambda link, page=page: self.address(link, page))
            self._file(page.address).write_text(_laid_out(page, body, self.pages), encoding="utf-8")

    def address(self, link: str, page: Page) -> str:
        """Where a link on a page leads, as the page has to write it. With / it begins in the project's folder."""
        parts = urlsplit(link)
        if parts.scheme or not parts.path:
            return link
        wanted = os.path.normpath(PurePosixPath("/", page.source).parent / unquote(parts.path))[1:]
        known = {each.source: each.address for each in self.pages if each.source}
        there = known.get(wanted) or self._taken_over(wanted, page)
        return _from(page.address, there) + (f"#{parts.fragment}" if parts.fragment else "")

    def _taken_over(self, wanted: str, page: Page) -> str:
        """The address of a file that no page was made of yet."""
        file = PROJECT / wanted
        if not file.is_file():
            raise BrokenLinks(f"{page.source or page.address}: there is no file {wanted} to link to")
        if file.suffix == ".py":
            source = Page("", wanted, f"source/{wanted}.html", lambda _: _source(file), wanted)
            self.pages.append(source)
            return source.address
        address = wanted.removeprefix("docs/")
        if address not in self.copied:
            self.copied.add(address)
            shutil.copyfile(file, self._file(address))
        return address

    def _file(self, address: str) -> Path:
        file = self.folder / address
        file.parent.mkdir(parents=True, exist_ok=True)
        return file

    def check(self) -> None:
        """Raise `BrokenLinks`, naming each, if a link leads to no file of the site or to no anchor of its page."""
        seen: dict[Path, _Links] = {}

        def links_of(file: Path) -> _Links:
            if file not in seen:
                seen[file] = _Links()
                seen[file].feed(file.read_text(encoding="utf-8"))
            return seen[file]

        broken = []
        for page in (page for page in self.pages if page.body is not None):
            file = self.folder / page.address
            for link in links_of(file).links:
                parts = urlsplit(link)
                there = file if not parts.path else (file.parent / unquote(parts.path)).resolve()
                if parts.scheme or (there.is_file() and (not parts.fragment or parts.fragment in links_of(there).ids)):
                    continue
                broken.append(f"{page.source or page.address}: {link}")
        if broken:
            raise BrokenLinks("\n".join(["links that lead nowhere:", *broken]))


class _Links(html.parser.HTMLParser):
    """The links of a page, and the anchors that it has."""

    def __init__(self):
        super().__init__()
        self.links: list[str] = []
        self.ids: set[str] = set()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.links += [value for name, value in attrs if name in ("href", "src") and value]
        self.ids |= {value for name, value in attrs if name == "id" and value}


def _from(page: str, address: str) -> str:
    """The relative link from a page to an address.

    >>> _from("tutorials/a_theory.html", "gallery/circles.html")
    '../gallery/circles.html'
    """
    return os.path.relpath(address, PurePosixPath(page).parent)


def _source(file: Path) -> str:
    name = file.relative_to(PROJECT)
    return f"<h1>{escape(str(name))}</h1>\n{markdown.code(file.read_text(encoding='utf-8'), 'python')}"


def _laid_out(page: Page, body: str, pages: Sequence[Page]) -> str:
    """A whole page, with the menu of all."""
    home = _from(page.address, "index.html")
    return f"""<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>{escape(page.title if page.address == "index.html" else f"{page.title} · nucleate")}</title>
<link rel="icon" href="data:,">
<link rel="stylesheet" href="{_from(page.address, "style.css")}">
</head>
<body>
<header><a class="home" href="{home}">nucleate</a>
<label for="menu">Contents</label></header>
<input type="checkbox" id="menu" aria-label="Show the contents">
<nav>{_menu(page, pages)}</nav>
<main>
{body}{_neighbours(page, pages)}</main>
</body>
</html>
"""


def _menu(page: Page, pages: Sequence[Page]) -> str:
    """All pages, by section."""
    parts = []
    for section in dict.fromkeys(each.section for each in pages if each.section):
        entries = "".join(_entry(each, page) for each in pages if each.section == section)
        parts.append(f"<h2>{escape(section)}</h2>\n<ul>\n{entries}</ul>\n")
    return "".join(parts)


def _entry(each: Page, page: Page) -> str:
    here = ' aria-current="page"' if each is page else ""
    return f'<li><a href="{_from(page.address, each.address)}"{here}>{escape(each.title)}</a></li>\n'


def _neighbours(page: Page, pages: Sequence[Page]) -> str:
    """The next page of the same section."""
    section = [each for each in pages if each.section == page.section]
    if not page.section or page is section[-1]:
        return ""
    following = section[section.index(page) + 1]
    return (
        f'<p class="next">Next: <a href="{_from(page.address, following.address)}">{escape(following.title)}</a></p>\n'
    )


def stylesheet() -> str:
    """The look of all pages, with the colours of code by light and by night."""
    own = (Path(__file__).parent / "style.css").read_text(encoding="utf-8")
    day, night = markdown.colors(markdown.DAY), markdown.colors(markdown.NIGHT)
    return f"{day}\n@media (prefers-color-scheme: dark) {{\n{night}\n}}\n{own}"
