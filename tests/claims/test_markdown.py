"""What is said in a scorecard is shown as it was said, whatever it looks like to Markdown or to a browser."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st
from markdown_it import MarkdownIt

from nucleate.claims import CheckRow, ClaimRow, Revision, to_markdown
from nucleate.claims.markdown import plain

READER = MarkdownIt("commonmark").enable(["table", "strikethrough"])
TRICKS = [
    "<script>alert(1)</script>",
    "<img src=x onerror=alert(1)>",
    "[click](javascript:alert(1))",
    "![x](http://a/b.png)",
    "[0.3, 0.5](http://a)",
    "[0.3, 0.5]: http://a",
    "<http://a>",
    "&lt;b&gt; &amp; &copy;",
    "a | b || c",
    "*all* **of** _it_ __here__ r_c n_h_ _",
    "`code` ``` ~~gone~~ $x$ \\ \\* \\|",
    "# heading",
    "- item",
    "+ item",
    "1. item",
    "12) item",
    "---",
    "===",
    "> quote",
    "0.41 [0.35, 0.45]",
]
WORDS = {"text", "text_special", "softbreak"}


def shown(markdown: str, around: set[str]) -> str:
    """What a reader sees of one block, which holds nothing but words."""
    tokens = READER.parse(markdown)
    assert {token.type for token in tokens} <= {f"{name}_{end}" for name in around for end in ("open", "close")} | {
        "inline"
    }
    children = [child for token in tokens for child in token.children or ()]
    assert {child.type for child in children} <= WORDS
    return "".join(child.content for child in children if child.type != "softbreak")


@pytest.mark.parametrize("words", TRICKS)
def test_a_line_is_shown_as_it_is(words):
    assert shown(plain(words), {"paragraph"}) == words
    assert shown(f"- {plain(words)}", {"bullet_list", "list_item", "paragraph"}) == words
    assert shown(f"> {plain(words)}", {"blockquote", "paragraph"}) == words


@given(st.text(st.sampled_from("ab1 <>[]()!*_`~#-+=|\\&;:/.$\n"), min_size=1, max_size=25))
def test_any_line_is_shown_as_it_is(words):
    said = " ".join(words.split())
    assert shown(plain(words), {"paragraph"} if said else set()) == said


@pytest.mark.parametrize("words", TRICKS)
def test_a_scorecard_holds_no_markup_but_its_own(words):
    check = CheckRow(words, words, "inconclusive", 0.41, (0.35, 0.45), words, words, 8, words, words, words)
    row = ClaimRow(words, words, words, words, 4, 5, 1.0, words, (check,), words, (Revision(words, words, words),))
    html = READER.render(to_markdown([row, row]))
    tags = set(re.findall(r"<\s*([a-zA-Z!?/][^\s>]*)", html))
    ours = {"table", "thead", "tbody", "tr", "th", "td", "p", "strong", "ul", "li", "blockquote"}
    assert tags <= ours | {f"/{tag}" for tag in ours}
    assert html.count("<tr>") == 3
    assert html.count("<td>") == 16
