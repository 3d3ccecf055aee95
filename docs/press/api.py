"""The API by room: pdoc's pages, and one that leads to them."""

import importlib
import re
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import nucleate
from docs.press import markdown
from docs.press.site import PROJECT, Page

_CODE = "/src/nucleate"
_INNER, _INNERMOST = r"!nucleate\.\w+\.\w+", r"!nucleate\.\w+\.\w+\.\w+"  # modules that are not public
_ROW = re.compile(r"^\| `(\w+)/` \| (.+) \| (.+) \| `(\S+)` \|$", re.MULTILINE)


class Room(NamedTuple):
    """A row of ARCHITECTURE.md's table of rooms."""

    name: str
    holds: str
    protocol: str
    read_first: str

    @property
    def module(self) -> str:
        return f"nucleate.{self.name}"

    @property
    def names(self) -> list[str]:
        """Its public names."""
        return importlib.import_module(self.module).__all__


def rooms() -> list[Room]:
    """Every room, from top to bottom of the table."""
    found = [Room(*row) for row in _ROW.findall((PROJECT / "ARCHITECTURE.md").read_text(encoding="utf-8"))]
    there = {file.parent.name for file in Path(nucleate.__path__[0]).glob("*/__init__.py")}
    if {room.name for room in found} != there:
        raise ValueError(
            f"ARCHITECTURE.md's table must have the rooms {sorted(there)}; got {sorted(r.name for r in found)}."
        )
    return found


def write_modules(folder: Path) -> None:
    """pdoc's pages. It shows the names that are loaded, so every room first loads all of its own."""
    import pdoc  # which the tests do without

    for room in rooms():
        for name in room.names:
            getattr(importlib.import_module(room.module), name)
    pdoc.render.env.globals["night"] = markdown.colors(markdown.NIGHT, ".pdoc-code")
    pdoc.render.configure(math=True, template_directory=Path(__file__).parent / "pdoc")
    pdoc.pdoc("nucleate", _INNER, *_packages(), _INNERMOST, output_directory=folder)


def _packages() -> list[str]:
    """Packages inside rooms whose names are public, though their room does not repeat them."""
    return [
        f"nucleate.theories.{file.parent.name}"
        for file in sorted(Path(nucleate.__path__[0], "theories").glob("*/__init__.py"))
    ]


def pages() -> Iterator[Page]:
    """The page that leads to all rooms, and those of the rooms, which pdoc writes."""
    yield Page("API", "Rooms", "api/index.html", lambda link: markdown.to_html(_overview(), link))
    for room in rooms():
        yield Page("API", room.name, f"api/nucleate/{room.name}.html", None, f"{_CODE[1:]}/{room.name}")


def _overview() -> str:
    """All rooms in a table, then the names of each."""
    listed = [
        f"| [{room.name}]({_CODE}/{room.name}) | {room.holds} | {room.protocol} | {_first(room)} |" for room in rooms()
    ]
    return "\n".join(
        [
            "# The API by room",
            "",
            "A room is a package; it imports only rooms below it ([Architecture](/ARCHITECTURE.md)). Names are",
            "imported from their room: `from nucleate.record import Recorder`.",
            "",
            "| room | holds | its protocol | read first |",
            "|---|---|---|---|",
            *listed,
            *(line for room in rooms() for line in _names(room)),
        ]
    )


def _first(room: Room) -> str:
    path = f"{_CODE}/{room.read_first}"
    path = f"{path}__init__.py" if path.endswith("/") else path
    return f"[`{room.read_first}`]({path})"


def _names(room: Room) -> list[str]:
    named = ", ".join(f"[`{name}`]({_CODE}/{room.name}#{name})" for name in room.names)
    return ["", f"## {room.name}", "", named or "Loaded by the commands alone."]
