"""Notebooks as pages: run, and shown with what they give."""

import base64
import tempfile
from collections.abc import Iterator
from html import escape
from pathlib import Path

from docs.press import markdown
from docs.press.notebooks import Cell, Notebook, Output
from docs.press.site import PROJECT, Page


def tutorials() -> Iterator[Page]:
    """A page for each notebook, which is run when the page is made, in the order in which the front page names them."""
    front = (PROJECT / "README.md").read_text(encoding="utf-8")
    there = sorted((PROJECT / "docs" / "tutorials").glob("*.ipynb"))
    for path in sorted(there, key=lambda path: front.find(path.name) % len(front)):  # those that it does not name last
        notebook = Notebook.read(path)
        body = lambda link, notebook=notebook: _body(notebook, link)
        title = markdown.title(notebook.cells[0].source)
        yield Page("Tutorials", title, f"tutorials/{path.stem}.html", body, str(path.relative_to(PROJECT)))


def _body(notebook: Notebook, link: markdown.Link) -> str:
    if notebook.lacking:
        shown: list[list[Output]] = [[] for _ in notebook.cells]
    else:
        with tempfile.TemporaryDirectory() as folder:
            shown = notebook.run(Path(folder))
    head, *cells = [_cell(cell, outputs, link) for cell, outputs in zip(notebook.cells, shown, strict=True)]
    return "\n".join([head, _origin(notebook), *cells])


def _origin(notebook: Notebook) -> str:
    name = notebook.path.name
    ran = (
        f"It was not run for this page, because {' and '.join(notebook.lacking)} is missing here."
        if notebook.lacking
        else "Its results were computed for this page."
    )
    content = base64.b64encode(notebook.path.read_bytes()).decode("ascii")
    download = f'<a download="{name}" href="data:application/x-ipynb+json;base64,{content}">{name}</a>'
    return f'<p class="origin">This page is the notebook {download}. {ran}</p>'


def _cell(cell: Cell, outputs: list[Output], link: markdown.Link) -> str:
    if cell.kind == "markdown":
        return markdown.to_html(cell.source, link)
    return markdown.code(cell.source, "python") + "".join(map(_output, outputs))


def _output(output: Output) -> str:
    if isinstance(output.content, bytes):
        content = base64.b64encode(output.content).decode("ascii")
        return f'<img class="output" alt="what the cell above draws" src="data:image/png;base64,{content}">\n'
    if output.kind == "html":
        return f'<div class="output">{output.content}</div>\n'
    return f'<pre class="output">{escape(output.content)}</pre>\n'
