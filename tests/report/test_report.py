import base64
import dataclasses
import gzip
import re
import sys
from pathlib import Path

import pytest
from pages import Parsed
from PIL import Image

from nucleate.claims import CheckRow, ClaimRow, Revision
from nucleate.plots import Picture
from nucleate.record import Recorder
from nucleate.report import Page, RunSummary, write_report, write_run_report


def check(verdict="replicated", **changes):
    made = CheckRow("r", "near 1", verdict, 0.98765, (0.95, 0.99), "≥ 0.9", "the paper's", units=33)
    return dataclasses.replace(made, **changes)


def claim(name="grokking/14", verdict="replicated", **changes):
    row = ClaimRow(
        claim=name,
        paper="grokking",
        source="Fig. 3c",
        statement="Predicted and measured accuracy agree.",
        members=33,
        steps=5000,
        seconds=24.2,
        note="Holds for three thresholds.",
        checks=(check(verdict),),
    )
    return dataclasses.replace(row, **changes)


def run(**changes):
    summary = RunSummary(
        name="toy",
        experiment="grokking/data size",
        members=33,
        steps=5000,
        seconds=150.0,
        status="complete",
        outcomes={"finished": 32, "diverged": 1},
        config={"task": {"p": 10}, "decoder": {"lr": 1.2345678e-4, "widths": [200, 200]}, "note": None},
        versions={"jax": "0.7.2"},
        git="abc123-dirty",
        platform={"cores": 2},
    )
    return dataclasses.replace(summary, **changes)


@pytest.fixture
def write(tmp_path):
    def page(**changes):
        made = Page("Grokking", "Standard budget", "2026-01-31", scorecard=[claim()], runs=[run()])
        target = tmp_path / "out" / "report.html"
        return write_report(target, dataclasses.replace(made, **changes)).read_text(encoding="utf-8")

    return page


@pytest.fixture
def figures(tmp_path):
    pictures = []
    for name, size in (
        ("square.png", (1, 1)),
        ("wide.png", (900, 300)),
        ("square.gif", (1, 1)),
        ("wide.gif", (80, 30)),
    ):
        Image.new("L", size).save(tmp_path / name)
        pictures.append(Picture(tmp_path / name, f"Title of {name}", f"Caption of {name}"))
    return pictures


def test_the_page_is_well_formed_and_holds_every_claim(write, figures):
    rows = [claim(f"grokking/{n}", v) for n, v in enumerate(("replicated", "contradicted", "inconclusive"))]
    page = Parsed(write(scorecard=rows, figures=figures, runs=[run(), run(name="phases")]))
    assert len(page.find("details", "claim")) == 3
    for row in rows:
        assert row.claim in page.words
    for words in ("Grokking", "Standard budget", "2026-01-31", "Fig. 3c", "r: near 1", "0.988", "[0.95, 0.99]"):
        assert words in page.words
    for words in ("33 × 5,000", "24.2 s", "r ≥ 0.9", "Holds for three thresholds.", "Caption of wide.png"):
        assert words in page.words


def test_each_verdict_is_counted_in_words_and_in_colour_with_equal_weight(write):
    verdicts = ["replicated"] * 3 + ["contradicted"] * 2
    page = Parsed(write(scorecard=[claim(f"a/{n}", v) for n, v in enumerate(verdicts)]))
    assert "3 ✓ replicated 2 ✗ contradicted 0 ? inconclusive" in page.words
    assert [tile["data-verdict"] for tile in page.find("button", "tile")] == [
        "replicated",
        "contradicted",
        "inconclusive",
    ]
    assert len(page.find("span", "badge")) == 10  # of claims and of their checks
    css = Path(sys.modules["nucleate.report"].__file__).with_name("report.css").read_text()
    for verdict in ("replicated", "contradicted", "inconclusive"):
        # The one rule that may tell verdicts apart is their colour.
        assert re.findall(rf"\.{verdict}\b.*", css) == [f".{verdict} {{ --verdict: var(--{verdict}); }}"]


def test_nothing_is_fetched_from_elsewhere(write, figures):
    text = write(figures=figures)
    assert not re.search(r"https?://|//cdn|@import|url\(", text)
    page = Parsed(text)
    for tag, attributes in page.elements:
        assert tag not in {"link", "iframe", "object"}
        assert (attributes.get("src") or "data:").startswith("data:")
        assert re.match(r"#|data:application/gzip;base64,", attributes.get("href", "#"))


def test_images_are_embedded_whole_with_their_size_and_wide_ones_get_the_width(write, figures):
    page = Parsed(write(figures=figures))
    images = [image for image in page.find("img") if image["alt"]]
    for image, figure in zip(images, figures, strict=True):
        kind = figure.path.suffix.removeprefix(".")
        assert base64.b64decode(image["src"].removeprefix(f"data:image/{kind};base64,")) == figure.path.read_bytes()
    sizes = [("1", "1"), ("900", "300"), ("1", "1"), ("80", "30")]
    assert [(image["width"], image["height"]) for image in images] == sizes
    assert [figure.get("class") for figure in page.find("figure")] == [None, "wide"] * 2


def test_all_that_comes_from_outside_is_escaped(write, figures):
    evil = "<script>alert(1)</script>\"'&<b>"
    texts = dict.fromkeys(("label", "expected", "region", "threshold", "reason", "judged", "lacks"), evil)
    row = claim(checks=(check("inconclusive", **texts),), history=(Revision(evil, evil, evil),))
    row = dataclasses.replace(row, **dict.fromkeys(("claim", "paper", "source", "statement", "note", "quote"), evil))
    text = write(
        title=evil,
        subtitle=evil,
        created=evil,
        scorecard=[row],
        figures=[Picture(figures[0].path, evil, evil)],
        failures=[evil],
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
    page = Parsed(text)
    assert len(page.find("script")) == 1
    assert not page.find("b")
    assert text.count("<script>") == 1
    assert page.words.count(evil) >= 30
    (shown,) = page.find("details", "claim")
    assert re.fullmatch(r"claim-[A-Za-z0-9-]*", shown["id"])


def test_what_failed_comes_first(write):
    page = Parsed(write(failures=["claim a/1: ValueError: no data", "figure figure_2: OSError: no font"]))
    assert "2 failures" in page.words
    assert page.words.index("What failed") < page.words.index("Scorecard")
    assert "claim a/1: ValueError: no data" in page.words
    assert "failures.log" in page.words
    assert "What failed" not in Parsed(write()).words


def test_an_inconclusive_claim_says_why(write):
    early = check(
        "inconclusive", interval=None, reason="too early", judged="from 900 steps on", lacks="100 steps so far"
    )
    page = Parsed(write(scorecard=[claim(checks=(early,))]))
    assert "? inconclusive grokking/14 # too early" in page.words  # without opening it
    assert "too early: 100 steps so far" in page.words
    assert "r ≥ 0.9 (threshold: the paper's; from 900 steps on)" in page.words


def test_a_claim_shows_the_papers_words_its_thresholds_and_its_former_rules(write):
    history = (Revision("r ≥ 0", "replicated", "nothing could fail it."),)
    page = Parsed(write(scorecard=[claim(quote="They align well.", history=history)]))
    assert len(page.find("blockquote")) == 1
    assert "They align well." in page.words
    assert "≥ 0.9 the paper's" in page.words
    assert "By the rule “r ≥ 0” it was replicated. Changed because nothing could fail it." in page.words
    plain = Parsed(write())
    assert not plain.find("blockquote")
    assert "Former rules" not in plain.words


def test_settings_are_shown_exactly_and_results_rounded(write):
    config = {"seeds": list(range(200)), "lr": 1.2345678e-4, "nested": {"deep": {"p": 10}}, "empty": {}}
    words = Parsed(write(runs=[run(config=config)], scorecard=[claim(checks=(check(measured=3e-17),))])).words
    assert "0.00012345678" in words
    assert "nested.deep.p 10" in words
    assert "0, 1, 2, …, 198, 199, (200 values)" in words
    assert "e-17" not in words


def test_a_claim_that_needed_no_training_says_so(write):
    assert "no training" in Parsed(write(scorecard=[claim(members=0, steps=0)])).words


def test_what_was_not_measured_is_a_dash(write):
    row = claim(checks=(check("inconclusive", measured=None, interval=None),), note="")
    words = Parsed(write(scorecard=[row])).words
    assert "Measured –" in words
    assert "What was found" not in words


def test_a_run_without_claims_has_no_scorecard(write):
    page = Parsed(write(scorecard=[]))
    assert "Scorecard" not in page.words
    assert not page.find("button", "tile")
    assert "1 run · 33 networks trained · 2.5 min" in page.words


def test_an_unfinished_run_says_so(write):
    assert "interrupted" in Parsed(write(runs=[run(status="interrupted")])).words
    assert "complete" not in Parsed(write(runs=[run(status="complete")])).words.replace("complete in itself", "")


def test_the_same_results_make_the_same_page(write):
    assert write() == write()


def test_rewriting_replaces_and_leaves_nothing_behind(write, tmp_path):
    write()
    assert "Second" in write(title="Second")
    assert [file.name for file in (tmp_path / "out").iterdir()] == ["report.html"]


@pytest.mark.parametrize("content", [b"hello", b"", b"\xff\xd8\xff\xe0 a JPEG", b"\x89PNG\r\n\x1a\n", b"GIF89a"])
def test_a_figure_that_is_missing_or_not_an_image_is_refused_by_name(write, tmp_path, content):
    with pytest.raises(FileNotFoundError, match=r"gone\.png"):
        write(figures=[Picture(tmp_path / "gone.png", "", "")])
    (tmp_path / "text.png").write_bytes(content)
    with pytest.raises(ValueError, match=r"must be a PNG or GIF image; .*text\.png is not"):
        write(figures=[Picture(tmp_path / "text.png", "", "")])


def test_an_image_of_another_format_is_refused_by_name(write, tmp_path):
    Image.new("L", (2, 2)).save(tmp_path / "photo.png", format="JPEG")
    with pytest.raises(ValueError, match=r"photo\.png is not"):
        write(figures=[Picture(tmp_path / "photo.png", "", "")])


@pytest.fixture
def linked(write, tmp_path):
    """A page of two claims, three figures and two runs, of which some belong together."""
    pictures = []
    for name, title, experiments in (
        ("a", "Fig. 3: accuracy", ("grokking/data-size",)),
        ("b", "Potentials", ("grokking/phases",)),
        ("c", "Fig. 3: accuracy", ()),
    ):
        Image.new("L", (1, 1)).save(tmp_path / f"{name}.png")
        pictures.append(Picture(tmp_path / f"{name}.png", title, "", experiments))
    rows = [
        claim("grokking/14", needs=("grokking/data-size",)),
        claim("grokking/2", source="Sec. 3.1", needs=("grokking/phases", "grokking/data-size")),
    ]
    runs = [run(name="data-size", experiment="grokking/data-size"), run(name="phases.2", experiment="grokking/phases")]
    (tmp_path / "a.csv").write_text("panel,x\n1,0.5\n")
    return Parsed(write(scorecard=rows, figures=pictures, runs=runs))


def test_claims_figures_and_runs_link_to_each_other(linked):
    links = {}  # from each part, to which
    part = ""
    for _, attributes in linked.elements:
        part = attributes.get("id", part)
        if "permalink" not in attributes.get("class", "") and attributes.get("href", "").startswith("#"):
            links.setdefault(part, []).append(attributes["href"])
    assert links == {
        "claim-grokking-14": ["#figure-Fig-3-accuracy", "#figure-Fig-3-accuracy-2", "#run-data-size"],
        "claim-grokking-2": ["#figure-Fig-3-accuracy", "#figure-Potentials", "#run-data-size", "#run-phases-2"],
        "figure-Fig-3-accuracy": ["#claim-grokking-14", "#claim-grokking-2", "#run-data-size"],
        "figure-Potentials": ["#claim-grokking-2", "#run-phases-2"],
        "figure-Fig-3-accuracy-2": ["#claim-grokking-14"],
        "run-data-size": ["#claim-grokking-14", "#claim-grokking-2", "#figure-Fig-3-accuracy"],
        "run-phases-2": ["#claim-grokking-2", "#figure-Potentials"],
    }


def test_every_link_leads_somewhere_and_every_part_has_one_to_itself(linked):
    anchors = [attributes["id"] for _, attributes in linked.elements if "id" in attributes]
    assert len(set(anchors)) == len(anchors)
    targets = [attributes["href"] for _, attributes in linked.elements if attributes.get("href", "").startswith("#")]
    assert set(targets) <= {f"#{anchor}" for anchor in anchors}
    own = [attributes["href"].removeprefix("#") for attributes in linked.find("a", "permalink")]
    assert own == [anchor for anchor in anchors if anchor.split("-")[0] in ("claim", "figure", "run")]


def test_the_data_of_a_figure_are_in_the_page(linked):
    (link,) = linked.find("a", "data")
    assert link["download"] == "a.csv.gz"
    packed = base64.b64decode(link["href"].removeprefix("data:application/gzip;base64,"))
    assert gzip.decompress(packed) == b"panel,x\n1,0.5\n"


def test_very_many_data_stay_beside_the_picture(write, figures, monkeypatch):
    monkeypatch.setattr("nucleate.report.report._MOST_DATA", 20)
    figures[0].path.with_suffix(".csv").write_text("x\n" + "0.5\n" * 100)
    page = Parsed(write(figures=figures[:1]))
    assert "Data: square.csv, beside the picture in the folder of the run" in page.words
    assert not page.find("a", "data")


def test_claims_can_be_sorted_on_a_narrow_screen():
    css = Path(sys.modules["nucleate.report"].__file__).with_name("report.css").read_text()
    narrow = css[css.index("@media (max-width: 960px)") :]
    assert ".columns { display: flex" in narrow
    assert ".columns { display: none" not in css


def test_a_run_in_which_nothing_was_recorded_yet_is_a_page_without_pictures(tmp_path):
    with Recorder(tmp_path / "run") as recorder:
        page = Parsed(write_run_report(recorder.run).read_text())
    assert "run" in page.text
    assert "figure" not in {tag for tag, _ in page.elements}
