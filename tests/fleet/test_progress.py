import io
import re
import sys
from types import ModuleType

import pytest
from rich.console import Console

from nucleate.fleet import Bar, Silent, Watcher
from nucleate.fleet.progress import usual_watcher


def test_who_watches():
    assert isinstance(Bar(), Watcher)
    assert isinstance(Silent(), Watcher)


def test_a_bar_on_a_terminal_shows_name_detail_and_share():
    console = Console(file=io.StringIO(), force_terminal=True, width=160)
    bar = Bar(console)
    bar.begin("phase-diagram", 1000, detail="12 members")
    bar.say("measuring the block size")
    bar.advance(250)
    bar.advance(250)
    bar.end()
    shown = console.file.getvalue()
    for part in ("phase-diagram", "50%", "12 members", "left"):
        assert part in shown
    assert "measuring" not in shown.splitlines()[-1]


def test_a_bar_tells_what_is_left_from_what_it_took():
    console = Console(file=io.StringIO(), force_terminal=True, width=160)
    bar = Bar(console)
    bar.begin("fleet", 1000)
    bar.end()
    assert "-:--:-- left" in console.file.getvalue()
    assert "took" not in console.file.getvalue()
    bar.begin("fleet", 1000)
    bar.advance(1000)
    bar.end()
    assert re.search(r"took \d:\d\d:\d\d", console.file.getvalue())


@pytest.mark.parametrize("terminal", [True, False])
def test_a_name_is_not_markup(terminal, capsys, monkeypatch):
    monkeypatch.setenv("COLUMNS", "160")
    monkeypatch.setenv("FORCE_COLOR" if terminal else "NO_COLOR", "1")
    bar = Bar(quiet_seconds=0.0)
    bar.begin("x[/bold]y", 1000, detail="[red]")
    bar.say(":warning: [/red]")
    bar.advance(250)
    bar.end()
    shown = capsys.readouterr().err
    assert "x[/bold]y" in shown
    assert ("[red]" if terminal else "(:warning: [/red])") in shown


def test_a_bar_off_a_terminal_says_a_line_now_and_then():
    console = Console(file=io.StringIO(), width=160)
    bar = Bar(console, quiet_seconds=0.0)
    bar.begin("fleet", 1000)
    bar.advance(250)
    bar.end()
    assert re.search(r"fleet:  25%, about \d+ s left", console.file.getvalue())


def test_a_bar_off_a_terminal_is_otherwise_quiet():
    console = Console(file=io.StringIO(), width=160)
    bar = Bar(console)
    bar.begin("fleet", 1000)
    for _ in range(10):
        bar.advance(100)
    bar.end()
    assert console.file.getvalue().strip() == ""


def test_what_is_said_off_a_terminal_is_a_line_now_and_then():
    console = Console(file=io.StringIO(), width=160)
    bar = Bar(console, quiet_seconds=0.0)
    bar.begin("fleet", 1000)
    bar.say("making the data of member 2 of 5, about 210 s left")
    bar.say("")
    bar.end()
    assert console.file.getvalue().splitlines() == ["fleet (making the data of member 2 of 5, about 210 s left)"]


def test_who_watches_if_nothing_is_said_depends_on_who_looks(monkeypatch):
    assert isinstance(usual_watcher(), Silent)  # a test's output is no terminal
    monkeypatch.setenv("FORCE_COLOR", "1")
    assert isinstance(usual_watcher(), Bar)


def test_a_bar_in_a_notebook_is_one_line_that_is_kept_up_to_date(monkeypatch):
    shown: list[list[str]] = []

    class Handle:
        def update(self, bundle, raw):
            shown[-1].append(bundle["text/plain"])

    def display(bundle, raw, display_id):
        shown.append([bundle["text/plain"]])
        return Handle()

    notebook = ModuleType("IPython.display")
    notebook.display = display
    monkeypatch.setitem(sys.modules, "IPython", ModuleType("IPython"))
    monkeypatch.setitem(sys.modules, "IPython.display", notebook)
    bar = Bar(Console(force_jupyter=True))
    for name in ("first", "second"):
        bar.begin(name, 1000)
        bar._spoke -= 1
        bar.say("making data")
        bar._spoke -= 1
        bar.advance(250)
        bar.advance(250)  # too soon to be shown
        bar.advance(500)
        bar.end()
    first, second = shown
    assert first[0] == "first (making data)"
    assert re.fullmatch(r"first:  25%, about \d+ s left", first[1])
    assert first[2:] == ["first: 100%, took 0 s"]
    assert second[0] == "second (making data)"
