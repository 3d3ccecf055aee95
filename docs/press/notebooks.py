"""Notebooks are run here, for the tests and for the site: cell after cell, in one namespace, with no Jupyter.

A notebook is kept without outputs, so what the site shows has just been computed. Its metadata may name packages
without which it cannot run: `"nucleate": {"needs": ["torch"]}`. A cell with Jupyter's own tag
`raises-exception` must raise, and shows the error.
"""

import ast
import contextlib
import importlib.util
import io
import json
import linecache
import sys
import warnings
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from types import CodeType, ModuleType
from typing import Any, Literal

import matplotlib
from matplotlib.figure import Figure

_RAISES = "raises-exception"
_DPI = 110


@dataclass(frozen=True)
class Output:
    """Something that a cell shows."""

    kind: Literal["text", "html", "png"]
    content: str | bytes


@dataclass(frozen=True)
class Cell:
    """A cell as it is written: Markdown or code."""

    kind: str
    source: str
    raises: bool = False


@dataclass(frozen=True)
class Notebook:
    """A notebook as it is kept, and the packages that it needs."""

    path: Path
    cells: tuple[Cell, ...]
    needs: tuple[str, ...] = ()

    @classmethod
    def read(cls, path: Path) -> "Notebook":
        tree = json.loads(path.read_text(encoding="utf-8"))
        cells = tuple(
            Cell(cell["cell_type"], "".join(cell["source"]), _RAISES in cell["metadata"].get("tags", ()))
            for cell in tree["cells"]
        )
        return cls(path, cells, tuple(tree["metadata"].get("nucleate", {}).get("needs", ())))

    @property
    def lacking(self) -> list[str]:
        """What it needs and is not installed."""
        return [package for package in self.needs if importlib.util.find_spec(package) is None]

    def run(self, folder: Path) -> list[list[Output]]:
        """What each cell shows, if it is run in `folder`. Warnings are errors."""
        module = ModuleType(f"notebook_{self.path.stem}")
        sys.modules[module.__name__] = module  # where classes look for the names in their annotations
        matplotlib.use("agg")
        try:
            with contextlib.chdir(folder), warnings.catch_warnings():
                warnings.simplefilter("error")
                return [self._run(number, module) for number in range(len(self.cells))]
        finally:
            del sys.modules[module.__name__]

    def _run(self, number: int, module: ModuleType) -> list[Output]:
        cell, shown = self.cells[number], []
        if cell.kind != "code":
            return shown
        name = f"{self.path}, cell {number + 1}"
        linecache.cache[name] = (len(cell.source), None, cell.source.splitlines(True), name)  # for tracebacks
        module.__dict__["display"] = lambda *values: shown.extend(map(_shown, values))
        body, last = _compiled(cell.source, name)
        with _raising(cell, name, shown), _printing(shown):
            exec(body, module.__dict__)
            value = eval(last, module.__dict__) if last else None
            if value is not None:
                shown.append(_shown(value))
        shown.extend(_figures())
        return shown


def _compiled(source: str, name: str) -> tuple[CodeType, CodeType | None]:
    """The statements of a cell, and its last line if that is an expression to be shown: one without a semicolon."""
    tree = ast.parse(source, name)
    last = None
    if tree.body and isinstance(tree.body[-1], ast.Expr) and not source.rstrip().endswith(";"):
        expression = ast.Expression(tree.body.pop().value)  # type: ignore[attr-defined]
        last = compile(expression, name, "eval", dont_inherit=True)
    return compile(tree, name, "exec", dont_inherit=True), last


@contextlib.contextmanager
def _printing(shown: list[Output]) -> Iterator[None]:
    """What is printed comes before the value of the last line."""
    with contextlib.redirect_stdout(io.StringIO()) as printed:
        try:
            yield
        finally:
            if text := printed.getvalue():
                shown.insert(0, Output("text", text))


@contextlib.contextmanager
def _raising(cell: Cell, name: str, shown: list[Output]) -> Iterator[None]:
    """A cell that should raise, and what it shows then."""
    if not cell.raises:
        yield
        return
    try:
        yield
    except Exception as error:
        shown.append(Output("text", f"{type(error).__name__}: {error}"))
    else:
        raise AssertionError(f"{name} is tagged {_RAISES} and raises nothing.")


def _shown(value: Any) -> Output:
    """A value as a notebook shows it."""
    if isinstance(value, Figure):
        return _picture(value)
    for name, kind in (("_repr_html_", "html"), ("_repr_png_", "png")):
        represent: Callable | None = getattr(value, name, None)
        if represent is not None and (content := represent()) is not None:
            return Output(kind, content)  # type: ignore[arg-type]
    return Output("text", repr(value))


def _figures() -> list[Output]:
    """The figures that pyplot has open, which are closed."""
    if (plt := sys.modules.get("matplotlib.pyplot")) is None:
        return []
    pictures = [_picture(plt.figure(number)) for number in plt.get_fignums()]
    plt.close("all")
    return pictures


def _picture(figure: Figure) -> Output:
    content = io.BytesIO()
    figure.savefig(content, format="png", dpi=_DPI, bbox_inches="tight")
    return Output("png", content.getvalue())
