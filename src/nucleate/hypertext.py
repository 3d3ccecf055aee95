"""Tables as HTML, for notebooks and reports: whatever is in them is text, and is escaped."""

import dataclasses
from collections.abc import Iterable, Mapping
from html import escape
from typing import Any

_FEW = 6  # numbers that are shown one by one
_LONG = 100


class Html(str):
    """Text that is HTML already, and is not escaped once more."""


def markup(value: object) -> Html:
    """A value as HTML.

    >>> markup("a < b"), markup(Html("<b>bold</b>"))
    ('a &lt; b', '<b>bold</b>')
    """
    return value if isinstance(value, Html) else Html(escape(str(value)))


def table(rows: Iterable[Iterable[object]], head: Iterable[object] = (), title: str = "") -> Html:
    """Rows of cells below their headings, and a title above all.

    >>> table([["loss", "< 1"]], title="The end")
    '<p><strong>The end</strong></p>\\n<table>\\n<tr><td>loss</td><td>&lt; 1</td></tr>\\n</table>'
    """
    lines = [_row(cells, "th") for cells in [tuple(head)] if cells]
    lines += [_row(cells, "td") for cells in rows]
    above = f"<p><strong>{markup(title)}</strong></p>\n" if title else ""
    return Html(f"{above}<table>\n{''.join(lines)}</table>")


def facts(known: Mapping[str, object], title: str = "") -> Html:
    """What is known of a thing: a row for each name, with its value in brief.

    >>> "<tr><td>rate</td><td>0.3333</td></tr>" in facts({"rate": 1 / 3})
    True
    """
    return table(([name, brief(value)] for name, value in known.items()), title=title)


class Tabled:
    """A dataclass that notebooks show as a table, and `print` as lines: its fields in brief, without what is long and
    no array."""

    def _repr_html_(self) -> Html:
        return facts(_fields(self), title=type(self).__name__)

    def __str__(self) -> str:
        return in_words(_fields(self), type(self).__name__)


def _fields(thing: Any) -> dict[str, object]:
    fields = {field.name: (field, getattr(thing, field.name)) for field in dataclasses.fields(thing)}
    return {name: value for name, (field, value) in fields.items() if field.repr or hasattr(value, "dtype")}


def in_words(known: Mapping[str, object], title: str) -> str:
    """The same for a terminal.

    >>> print(in_words({"rate": 1 / 3, "name": "flow"}, "A law"))
    A law
      rate  0.3333
      name  flow
    """
    width = max(map(len, known), default=0)
    return "\n".join([title, *(f"  {name:<{width}}  {brief(value)}" for name, value in known.items())])


def brief(value: Any) -> Html | str:
    """A value in one line: a few numbers in full, of many their number and range.

    >>> import numpy
    >>> brief(numpy.array([0.5, 1.0])), brief(numpy.arange(12.0).reshape(3, 4)), brief({"a": 1})
    ('0.5, 1', '3 × 4 numbers from 0 to 11', 'a: 1')
    """
    if isinstance(value, Html):
        return value
    if isinstance(value, float):
        return f"{value:.4g}"
    if hasattr(value, "shape") and hasattr(value, "dtype"):
        return _of_array(value)
    if isinstance(value, Mapping):
        return _cut(", ".join(f"{key}: {brief(item)}" for key, item in value.items()))
    if isinstance(value, list | tuple | range):
        return _cut(", ".join(map(brief, value[: 2 * _FEW])) + (", …" if len(value) > 2 * _FEW else ""))
    return _cut(" ".join(str(value).split()))


def _of_array(value: Any) -> str:
    sizes, items = " × ".join(map(str, value.shape)), value.size
    if items <= _FEW:
        numbers = getattr(value, "values", value).reshape(-1).tolist()
        return ", ".join(map(brief, numbers))
    if value.dtype.kind == "b":
        return f"{sizes} flags, {int(value.sum())} of them true"
    if value.dtype.kind not in "iuf":
        return f"{sizes} values of {value.dtype}"
    low, high = (float(end) for end in (value.min(), value.max()))
    return f"{sizes} numbers from {brief(low)} to {brief(high)}"


def _cut(text: str) -> str:
    return text if len(text) <= _LONG else f"{text[: _LONG - 1]}…"


def _row(cells: Iterable[object], kind: str) -> str:
    return f"<tr>{''.join(f'<{kind}>{markup(cell)}</{kind}>' for cell in cells)}</tr>\n"
