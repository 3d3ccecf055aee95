"""What users name is text, on a terminal of any width."""

import shutil
from pathlib import Path

import pytest
from toy_paper import PAPER, raising

import nucleate.papers
from nucleate.cli import main
from nucleate.record import Run

NAMES = ["x[/bold]y", "[red]z", "[link=a]", ":warning:", "a b", "$x$", "<b>&amp;"]


@pytest.fixture
def toys(capsys, monkeypatch, tmp_path):
    """The command line in a folder of its own, with the toy paper: its exit code, output and errors."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(nucleate.papers, "PAPERS", ("toy",))
    monkeypatch.setattr(nucleate.papers, "paper", {"toy": PAPER}.__getitem__)

    def call(*args: str, **errors) -> tuple[int, str, str]:
        with raising(**errors):
            code = main(list(args))
        return code, *capsys.readouterr()

    return call


@pytest.mark.parametrize("name", NAMES)
def test_a_folder_is_called_by_its_name(toy, toys, name):
    replication, run = name, f"first {name}"
    for folder in (toy.parent / replication, toy.parent / run):
        folder.parent.mkdir(exist_ok=True)  # there is a slash in one
    shutil.copytree(toy / "first", toy.parent / run)
    toy.rename(toy.parent / replication)
    for args in (["resume", run], ["show", run], ["report", run], ["runs", "--root", "."], ["resume", replication]):
        code, shown, errors = toys(*args)
        assert (code, errors) == (0, "")
        assert args[-1] in shown or run in shown
    assert f"Report: {Path(replication) / 'report.html'}" in shown


@pytest.mark.parametrize("name", NAMES)
def test_what_a_run_says_of_itself_is_not_markup(toy, toys, name):
    run = Run.open(toy / "first")
    run.update(experiment=name, config={name: name}, git=name)
    code, shown, _ = toys("show", "toy/first")
    assert code == 0
    assert f"{name} {name}" in shown
    code, shown, _ = toys("runs", "--root", "toy")
    assert code == 0
    assert name in shown
    assert toys("report", "toy/first")[0] == 0
    page = (toy / "first/report.html").read_text()
    assert "<b>" not in page.split("</style>")[1].split("<script>")[0]


def test_an_error_is_not_markup_either(toy, toys):
    code, shown, _ = toys("resume", "toy", fall=ValueError("in [/bold] <b> *x*"))
    assert code == 1
    assert "failed: claim toy/1: ValueError: in [/bold] <b> *x*" in shown
    assert "in [/bold] &lt;b&gt; *x*" in (toy / "report.html").read_text()
    assert r"in \[/bold] &lt;b&gt; \*x\*" in (toy / "scorecard.md").read_text()
    assert toys("show", "[/bold]\n\x1b[31m") == (
        2,
        "",
        "error: [/bold] ␛[31m is not a run directory: there is no such folder. `nucleate runs` lists yours.\n",
    )


def test_control_codes_do_not_reach_the_terminal(toy, toys):
    Run.open(toy / "first").update(experiment="\x1b[2J\x07\x9b", git="\x1b]0;title\x07")
    for args in (["show", "toy/first"], ["runs", "--root", "toy"]):
        code, shown, _ = toys(*args)
        assert code == 0
        assert "␛[2J\ufffd" in shown
        assert not set(shown) & {"\x1b", "\x07", "\x9b"}


@pytest.mark.parametrize("columns", ["0", "1", "20", "80", "ten"])
def test_no_path_is_cut_however_narrow_the_terminal(toy, toys, monkeypatch, columns):
    monkeypatch.setenv("COLUMNS", columns)
    folder = toy.parent / ("a" * 60) / ("b" * 60)
    folder.mkdir(parents=True)
    (toy / "first").rename(folder / "first")
    assert f"{folder / 'first'}\n" in toys("runs", "--root", str(toy.parent))[1]
    assert f"{folder / 'first'}\n" in toys("show", str(folder / "first"))[1]
    assert str(folder / "first/report.html") in toys("report", str(folder / "first"))[1]


@pytest.mark.parametrize("columns", ["0", "1", "20", "80", "ten"])
def test_a_scorecard_can_be_read_however_narrow_the_terminal(toy, toys, monkeypatch, columns):
    monkeypatch.setenv("COLUMNS", columns)
    code, shown, _ = toys("resume", "toy")
    assert code == 0
    assert "The loss falls." in shown
    assert "toy/3" in shown
    assert "contradicted" in shown
    if columns == "80":
        assert max(map(len, shown.splitlines()[:-1])) == 80
        assert "expected  loss at the end over loss at the start: falls" in shown


def test_a_path_is_a_line_of_its_own_where_the_terminal_is_narrow(toy, toys, monkeypatch):
    monkeypatch.setenv("COLUMNS", "60")
    monkeypatch.setattr("sys.stdout.isatty", lambda: True)
    lines = toys("runs", "--root", "toy")[1].splitlines()
    assert "toy/first" in lines
    assert lines[lines.index("toy/first") + 1].startswith("  complete")


def test_nothing_is_replicated_unasked(toys):
    for asked in ([], [""]):
        code, shown, errors = toys("replicate", *asked, "--budget", "quick")
        assert (code, shown) == (2, "")
        assert errors == (
            "error: nucleate replicate: which paper or claim? `nucleate list` shows them; `nucleate replicate all` "
            "takes every paper (toy), up to 45 minutes each at the standard budget.\n"
        )
