"""The progress of a run, as shown to the user."""

import threading
import time
from datetime import timedelta
from typing import Any, Protocol, runtime_checkable

from rich.console import Console
from rich.progress import (
    BarColumn,
    Progress,
    ProgressColumn,
    Task,
    TextColumn,
)
from rich.text import Text


@runtime_checkable
class Watcher(Protocol):
    """An observer that is told about a run as it proceeds."""

    def begin(self, name: str, total: int, *, unit: str = "steps", detail: str = "") -> None: ...
    def advance(self, count: int) -> None: ...
    def say(self, message: str) -> None: ...
    def tell(self, line: str) -> None: ...
    def end(self) -> None: ...


def usual_watcher() -> Watcher:
    """What shows a run if nothing else is asked for: a bar in terminals and notebooks, nothing elsewhere."""
    bar = Bar()
    return bar if bar.console.is_terminal or bar.console.is_jupyter else Silent()


class Silent:
    """Shows nothing."""

    def begin(self, name: str, total: int, *, unit: str = "steps", detail: str = "") -> None: ...
    def advance(self, count: int) -> None: ...
    def say(self, message: str) -> None: ...
    def tell(self, line: str) -> None: ...
    def end(self) -> None: ...


class _Speed(ProgressColumn):
    def render(self, task: Task) -> Text:
        if not task.speed:
            return Text("starting", style="progress.data.speed")
        return Text(
            f"{task.speed:>7,.3g} {task.fields['unit']}/s"
            if task.speed < 100
            else f"{task.speed:>7,.0f} {task.fields['unit']}/s",
            style="progress.data.speed",
        )


class _Time(ProgressColumn):
    max_refresh = 0.5

    def render(self, task: Task) -> Text:
        if task.finished:
            return Text(f"took {_clock(task.finished_time)}", style="progress.elapsed")
        return Text(f"{_clock(task.time_remaining)} left", style="progress.remaining")


def _clock(seconds: float | None) -> str:
    return "-:--:--" if seconds is None else str(timedelta(seconds=round(seconds)))


class _Cell:
    """One line below a cell of a notebook, which is written anew."""

    def __init__(self):
        self._handle: Any = None

    @property
    def is_shown(self) -> bool:
        return self._handle is not None

    def show(self, line: str) -> None:
        from IPython.display import display  # type: ignore[import-not-found]  # a notebook has it

        if self._handle is None:
            self._handle = display({"text/plain": line}, raw=True, display_id=True)
        else:
            self._handle.update({"text/plain": line}, raw=True)


class Bar:
    """A progress bar: name, members, speed, time left. In a notebook, a line that is kept up to date; elsewhere outside
    of a terminal, an occasional line of text."""

    def __init__(self, console: Console | None = None, quiet_seconds: float = 15.0):
        self.console = console or Console(stderr=True, markup=False, emoji=False, highlight=False)
        self._lock = threading.Lock()
        self._quiet_seconds = 0.5 if self.console.is_jupyter else quiet_seconds

    def begin(self, name: str, total: int, *, unit: str = "steps", detail: str = "") -> None:
        self._name, self._total, self._done, self._before = name, total, 0, 0
        self._first = self._began = self._spoke = time.monotonic()
        self._progress = Progress(
            TextColumn("{task.description}", style="bold", markup=False),  # a folder's name is not markup
            BarColumn(bar_width=None),
            TextColumn("{task.percentage:>3.0f}%"),
            TextColumn("{task.fields[detail]}", markup=False),
            _Speed(),
            _Time(),
            console=self.console,
            disable=not self.console.is_terminal,
            speed_estimate_period=20,
        )
        self._task = self._progress.add_task(name, total=total, unit=unit, detail=detail)
        self._progress.start()
        self._cell = _Cell()

    def advance(self, count: int) -> None:
        with self._lock:
            self._done += count
            self._progress.advance(self._task, count)
            now = time.monotonic()
            if not self.console.is_terminal and now - self._spoke > self._quiet_seconds:
                self._spoke = now
                left = (now - self._began) * (self._total - self._done) / max(self._done - self._before, 1)
                self._print(f"{self._name}: {self._done / self._total:4.0%}, about {left:.0f} s left")

    def say(self, message: str) -> None:
        """Show a message beside the name until the next; an empty message removes it."""
        described = f"{self._name} ({message})" if message else self._name
        self._progress.update(self._task, description=described)
        # Neither time nor steps before count towards the speed: nothing was trained, or by other workers.
        self._began, self._before = time.monotonic(), self._done
        if message and not self.console.is_terminal and self._began - self._spoke > self._quiet_seconds:
            self._spoke = self._began
            self._print(described)

    def tell(self, line: str) -> None:
        """Print a line that stays."""
        self.console.print(line, markup=False, highlight=False, soft_wrap=True)

    def end(self) -> None:
        self._progress.update(self._task, description=self._name)
        self._progress.stop()
        took = time.monotonic() - self._first
        if self.console.is_jupyter and (self._cell.is_shown or took > self._quiet_seconds):
            self._print(f"{self._name}: {self._done / self._total:4.0%}, took {took:.0f} s")

    def _print(self, line: str) -> None:
        if self.console.is_jupyter:
            self._cell.show(line)
        else:
            self.console.print(line)
