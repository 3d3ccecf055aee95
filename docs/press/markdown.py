"""Markdown as HTML: headings with the anchors that GitHub gives them, links as the site has them, code in colours."""

import re
from collections.abc import Callable
from html import escape
from itertools import pairwise

from markdown_it import MarkdownIt
from markdown_it.token import Token
from pygments import highlight
from pygments.formatters import HtmlFormatter
from pygments.lexers import get_lexer_by_name

Link = Callable[[str], str]
"""Where a link of a document leads in the site."""

DAY, NIGHT = "default", "github-dark"
"""Styles of code, on white and on black."""

_COLORS = HtmlFormatter(nowrap=True)


def title(text: str) -> str:
    """The first heading of a document.

    >>> title("Before it.\\n# Words and `code`\\n## Later")
    'Words and code'
    """
    found = re.search(r"^# (.+)$", text, re.MULTILINE)
    if found is None:
        raise ValueError(f"a document needs a first heading; this one begins with {text[:40]!r}.")
    return found[1].replace("`", "")


def to_html(text: str, link: Link) -> str:
    """A document as HTML.

    >>> to_html("# A\\n[b](b.md#c)", lambda address: address.replace(".md", ".html"))
    '<h1 id="a">A</h1>\\n<p><a href="b.html#c">b</a></p>\\n'
    """
    parser = MarkdownIt("commonmark", {"html": False, "highlight": _highlighted}).enable("table")
    parser.add_render_rule("table_open", lambda *_: '<div class="scroll"><table>\n')
    parser.add_render_rule("table_close", lambda *_: "</table></div>\n")
    tokens = parser.parse(text)
    _name_headings(tokens)
    for token in (child for block in tokens for child in block.children or ()):
        for attribute in ("href", "src"):
            if attribute in token.attrs:
                token.attrs[attribute] = link(str(token.attrs[attribute]))
    return parser.renderer.render(tokens, parser.options, {})


def code(source: str, language: str) -> str:
    """Source code as HTML.

    >>> code("1", "python")
    '<pre><code><span class="mi">1</span>\\n</code></pre>\\n'
    """
    return f"<pre><code>{_highlighted(source, language, '')}</code></pre>\n"


def colors(style: str, within: str = "pre") -> str:
    """The CSS of highlighted code."""
    return HtmlFormatter(style=style).get_style_defs(within)


def _highlighted(source: str, language: str, _: str) -> str:
    return highlight(source, get_lexer_by_name(language), _COLORS) if language else escape(source)


def _name_headings(tokens: list[Token]) -> None:
    """Give headings anchors; a second one of the same name is numbered."""
    seen: dict[str, int] = {}
    for heading, inside in pairwise(tokens):
        if heading.type != "heading_open":
            continue
        name = _anchor("".join(child.content for child in inside.children or ()))
        seen[name] = seen.get(name, -1) + 1
        heading.attrs["id"] = f"{name}-{seen[name]}" if seen[name] else name


def _anchor(heading: str) -> str:
    """As GitHub names it.

    >>> _anchor("What is below 94 %.")
    'what-is-below-94-'
    """
    return re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-")
