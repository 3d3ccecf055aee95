import base64
import re
import subprocess
import sys
from html.parser import HTMLParser
from pathlib import Path

import pytest

from nucleate.explorer import FigureEntry, write_report

# The smallest image there is: one transparent pixel.
PIXEL = base64.b64decode(
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="
)
WIDE = PIXEL[:16] + (900).to_bytes(4, "big") + (300).to_bytes(4, "big") + PIXEL[24:]
# The same in GIF, and one said to be 800 × 300: the sizes of a GIF are little-endian.
GIF = base64.b64decode("R0lGODlhAQABAIAAAAAAAP///yH5BAEAAAAALAAAAAABAAEAAAIBRAA7")
WIDE_GIF = b"GIF87a" + (800).to_bytes(2, "little") + (300).to_bytes(2, "little") + GIF[10:]
VOID = {"meta", "img", "input"}


class Page(HTMLParser):
    """Checks that tags balance while it collects what the page holds."""

    def __init__(self, text):
        super().__init__(convert_charrefs=True)
        self.open, self.elements, self.text = [], [], []
        self.feed(text)
        self.close()
        assert self.open == [], "tags left open"

    def handle_starttag(self, tag, attrs):
        self.elements.append((tag, dict(attrs)))
        if tag not in VOID:
            self.open.append(tag)

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, data):
        if not {"script", "style"} & set(self.open):
            self.text.append(data)

    @property
    def words(self):
        return " ".join(" ".join(self.text).split())

    def find(self, tag, name=""):
        """The attributes of each such tag that has this class."""
        found = (at for kind, at in self.elements if kind == tag)
        return [at for at in found if not name or name in (at.get("class") or "").split()]


def claim(name="grokking/14", verdict="replicated", **changes):
    row = {
        "claim": name,
        "paper": "Liu et al. 2022",
        "source": "Fig. 3c",
        "statement": "Predicted and measured accuracy agree.",
        "verdict": verdict,
        "expected": "r ≈ 1",
        "measured": 0.98765,
        "interval": [0.95, 0.99],
        "members": 33,
        "steps": 5000,
        "seconds": 24.2,
        "rule": "r ≥ 0.9",
        "note": "Holds for three thresholds.",
        "checks": [
            {"label": "r", "expected": 1, "measured": 0.98, "interval": [0.9, 1], "verdict": verdict},
        ],
    }
    return row | changes


def run(**changes):
    row = {
        "name": "toy",
        "experiment": "grokking/data size",
        "members": 33,
        "steps": 5000,
        "seconds": 150.0,
        "outcomes": {"finished": 32, "diverged": 1},
        "config": {"task": {"p": 10}, "decoder": {"lr": 1.2345678e-4, "widths": [200, 200]}, "note": None},
        "versions": {"jax": "0.7.2"},
        "git": "abc123-dirty",
        "platform": {"cores": 2},
    }
    return row | changes


@pytest.fixture
def write(tmp_path):
    def page(**changes):
        arguments = {
            "title": "Grokking",
            "subtitle": "Standard budget",
            "created": "2026-01-31",
            "scorecard": [claim()],
            "figures": [],
            "runs": [run()],
        }
        return write_report(tmp_path / "out" / "report.html", **(arguments | changes)).read_text(encoding="utf-8")

    return page


@pytest.fixture
def figures(tmp_path):
    entries = []
    for name, image in (("square.png", PIXEL), ("wide.png", WIDE)):
        (tmp_path / name).write_bytes(image)
        entries.append(FigureEntry(tmp_path / name, f"Title of {name}", f"Caption of {name}"))
    return entries


def test_the_page_is_well_formed_and_holds_every_claim(write, figures):
    rows = [claim(f"grokking/{n}", v) for n, v in enumerate(("replicated", "contradicted", "inconclusive"))]
    page = Page(write(scorecard=rows, figures=figures, runs=[run(), run(name="phases")]))
    assert len(page.find("details", "claim")) == 3
    for row in rows:
        assert row["claim"] in page.words
    for words in ("Grokking", "Standard budget", "2026-01-31", "Fig. 3c", "r ≈ 1", "0.988", "[0.95, 0.99]"):
        assert words in page.words
    for words in ("33 × 5,000", "24.2 s", "r ≥ 0.9", "Holds for three thresholds.", "Caption of wide.png"):
        assert words in page.words


def test_each_verdict_is_counted_in_words_and_in_colour_with_equal_weight(write):
    verdicts = ["replicated"] * 3 + ["contradicted"] * 2
    page = Page(write(scorecard=[claim(f"a/{n}", v, checks=[]) for n, v in enumerate(verdicts)]))
    assert "3 ✓ replicated 2 ✗ contradicted 0 ? inconclusive" in page.words
    assert [tile["data-verdict"] for tile in page.find("button", "tile")] == [
        "replicated",
        "contradicted",
        "inconclusive",
    ]
    assert len(page.find("span", "badge")) == 5
    css = Path(sys.modules["nucleate.explorer"].__file__).with_name("report.css").read_text()
    for verdict in ("replicated", "contradicted", "inconclusive"):
        # The one rule that may tell verdicts apart is their colour.
        assert re.findall(rf"\.{verdict}\b.*", css) == [f".{verdict} {{ --verdict: var(--{verdict}); }}"]


def test_nothing_is_fetched_from_elsewhere(write, figures):
    text = write(figures=figures)
    assert not re.search(r"https?://|//cdn|@import|url\(", text)
    page = Page(text)
    for tag, attributes in page.elements:
        assert tag not in {"link", "iframe", "object"}
        assert (attributes.get("src") or "data:").startswith("data:")
        assert "href" not in attributes


def test_images_are_embedded_whole_and_wide_ones_get_the_width(write, figures):
    page = Page(write(figures=figures))
    sources = [image["src"] for image in page.find("img") if image["alt"]]
    assert [base64.b64decode(source.removeprefix("data:image/png;base64,")) for source in sources] == [PIXEL, WIDE]
    assert [figure.get("class") for figure in page.find("figure")] == [None, "wide"]


def test_animations_are_embedded_as_gif_with_their_size(write, tmp_path):
    entries = []
    for name, image in (("square.gif", GIF), ("wide.gif", WIDE_GIF)):
        (tmp_path / name).write_bytes(image)
        entries.append(FigureEntry(tmp_path / name, name, "It moves."))
    page = Page(write(figures=entries))
    images = [image for image in page.find("img") if image["alt"]]
    sources = [base64.b64decode(image["src"].removeprefix("data:image/gif;base64,")) for image in images]
    assert sources == [GIF, WIDE_GIF]
    assert [(image["width"], image["height"]) for image in images] == [("1", "1"), ("800", "300")]
    assert [figure.get("class") for figure in page.find("figure")] == [None, "wide"]


def test_all_that_comes_from_outside_is_escaped(write, tmp_path):
    evil = "<script>alert(1)</script>\"'&<b>"
    image = tmp_path / "image.png"
    image.write_bytes(PIXEL)
    texts = ("claim", "paper", "source", "statement", "expected", "rule", "note")
    row = claim(**dict.fromkeys(texts, evil))
    row["checks"] = [row["checks"][0] | {"label": evil, "expected": evil}]
    text = write(
        title=evil,
        subtitle=evil,
        created=evil,
        scorecard=[row],
        figures=[FigureEntry(image, evil, evil)],
        runs=[
            run(
                name=evil,
                experiment=evil,
                outcomes={evil: 1},
                config={evil: {evil: [evil]}},
                versions={evil: evil},
                git=evil,
                platform={evil: evil},
                status=evil,
            )
        ],
    )
    page = Page(text)
    assert len(page.find("script")) == 1
    assert not page.find("b")
    assert text.count("<script>") == 1
    assert page.words.count(evil) >= 20
    (shown,) = page.find("details", "claim")
    assert re.fullmatch(r"claim-[A-Za-z0-9-]*", shown["id"])


def test_settings_are_shown_exactly_and_results_rounded(write):
    config = {"seeds": list(range(200)), "lr": 1.2345678e-4, "nested": {"deep": {"p": 10}}, "empty": {}}
    words = Page(write(runs=[run(config=config)], scorecard=[claim(measured=3e-17)])).words
    assert "0.00012345678" in words
    assert "nested.deep.p 10" in words
    assert "0, 1, 2, …, 198, 199, (200 values)" in words
    assert "e-17" not in words


def test_a_claim_that_needed_no_training_says_so(write):
    assert "no training" in Page(write(scorecard=[claim(members=0, steps=0)])).words


def test_what_was_not_measured_is_a_dash(write):
    row = claim(measured=None, interval=None, verdict="inconclusive", checks=[], note="")
    words = Page(write(scorecard=[row])).words
    assert "Measured –" in words
    assert "What was found" not in words


def test_a_run_without_claims_has_no_scorecard(write):
    page = Page(write(scorecard=[]))
    assert "Scorecard" not in page.words
    assert not page.find("button", "tile")
    assert "1 run · 33 networks trained · 2.5 min" in page.words


def test_an_unfinished_run_says_so(write):
    assert "interrupted" in Page(write(runs=[run(status="interrupted")])).words
    assert "complete ·" not in Page(write(runs=[run(status="complete")])).words


def test_the_same_results_make_the_same_page(write):
    assert write() == write()


def test_rewriting_replaces_and_leaves_nothing_behind(write, tmp_path):
    write()
    assert "Second" in write(title="Second")
    assert [file.name for file in (tmp_path / "out").iterdir()] == ["report.html"]


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"scorecard": [claim(verdict="maybe", checks=[])]}, r"row 'grokking/14': verdict must be .* got 'maybe'"),
        ({"scorecard": [{"claim": "a/1"}]}, r"row 'a/1' lacks \['checks', 'expected'"),
        ({"scorecard": [claim(checks=[{"label": "r"}])]}, r"check 'r' of 'grokking/14' lacks"),
        ({"runs": [{"name": "toy"}]}, r"run 'toy' lacks \['config'"),
    ],
)
def test_incomplete_rows_are_refused_by_name(write, changes, message):
    with pytest.raises(ValueError, match=message):
        write(**changes)


@pytest.mark.parametrize("content", [b"hello", b"", b"\xff\xd8\xff\xe0 a JPEG", PIXEL[:20], GIF[:8]])
def test_a_figure_that_is_missing_or_no_image_is_refused_by_name(write, tmp_path, content):
    with pytest.raises(FileNotFoundError, match=r"gone\.png"):
        write(figures=[FigureEntry(tmp_path / "gone.png", "", "")])
    (tmp_path / "text.png").write_bytes(content)
    with pytest.raises(ValueError, match=r"must be a PNG or GIF image; .*text\.png is not"):
        write(figures=[FigureEntry(tmp_path / "text.png", "", "")])


def test_reading_results_needs_no_jax_and_no_matplotlib():
    code = "import sys, nucleate.explorer; print([m for m in ('jax', 'matplotlib') if m in sys.modules])"
    found = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert found.stdout.strip() == "[]"
