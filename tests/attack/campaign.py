"""Attacks of every kind in turn, by workers that may die of them, and a list of what broke."""

import contextlib
import json
import os
import re
import subprocess
import sys
import tempfile
import threading
import time
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import count
from pathlib import Path
from typing import Any

from tests.attack.worker import found, kind_of, prepared

_ROOT = Path(__file__).parents[2]


@dataclass(frozen=True)
class Finding:
    """A case that broke something."""

    kind: str
    number: int
    what: str
    wrong: str

    @property
    def likeness(self) -> tuple[str, str]:
        """The same for findings that are most likely one: numbers and quoted words do not count."""
        return self.kind, re.sub(r"'[^']*'|\"[^\"]*\"|[0-9a-f]{8,}|\d+", "", self.wrong.split(": ", 1)[-1])[-120:]


@dataclass
class Campaign:
    """`seconds` of attack, or as many cases as are enough for the test suite."""

    kinds: tuple[str, ...]
    seed: int
    seconds: float | None
    workers: int = 1
    findings: list[Finding] = field(default_factory=list)
    cases: Counter[str] = field(default_factory=Counter)
    spent: Counter[str] = field(default_factory=Counter)

    def run(self) -> int:
        """The exit code: 1 if anything broke."""
        self._began, self._lock = time.monotonic(), threading.Lock()
        self._orders = self._in_turn()
        with tempfile.TemporaryDirectory(prefix="nucleate-attack-") as folder:
            os.environ.setdefault("XDG_CACHE_HOME", str(Path(folder, "cache")))
            threads = [threading.Thread(target=self._labour, args=(Path(folder, str(i)),)) for i in range(self.workers)]
            for thread in threads:
                thread.start()
            while any(thread.is_alive() for thread in threads):
                threads[0].join(timeout=1.0)
                self._show_progress()
                threads = [thread for thread in threads if thread.is_alive()] or threads[:1]
        counts = ", ".join(f"{self.cases[kind]} {kind}" for kind in self.kinds)
        print(f"\n{counts} in {time.monotonic() - self._began:.0f} s with seed {self.seed}: {self._verdict()}")
        return 1 if self.findings else 0

    def _verdict(self) -> str:
        alike = Counter(finding.likeness for finding in self.findings)
        if not alike:
            return "nothing broke."
        return f"{len(self.findings)} broke, in {len(alike)} ways."

    def _in_turn(self) -> Iterator[tuple[str, int]]:
        """The next case is of the kind that has had the least time."""
        if self.seconds is None:
            for kind in self.kinds:
                yield from ((kind, number) for number in range(kind_of(kind).enough))
            return
        numbers = {kind: count() for kind in self.kinds}
        while time.monotonic() - self._began < self.seconds:
            kind = min(self.kinds, key=lambda kind: self.spent[kind])
            self.spent[kind] += 0.01  # at once, so that another worker takes another kind
            yield kind, next(numbers[kind])

    def _labour(self, folder: Path) -> None:
        lives = count()
        worker = None
        while (order := self._next()) is not None:
            if worker is None:
                worker = Worker(folder / str(next(lives)), self.seed)
            kind, number = order
            what, wrong, seconds = worker.strike(kind, number)
            with self._lock:
                self.cases[kind] += 1
                self.spent[kind] += seconds
                if wrong:
                    self._tell(Finding(kind, number, what, wrong))
            if not worker.alive:
                worker = None
        if worker is not None:
            worker.dismiss()

    def _next(self) -> tuple[str, int] | None:
        with self._lock:
            return next(self._orders, None)

    def _tell(self, finding: Finding) -> None:
        known = finding.likeness in {other.likeness for other in self.findings}
        self.findings.append(finding)
        if not known:
            again = f"python -m tests.attack {finding.kind} --seed {self.seed} --case {finding.number}"
            print(f"\nBROKEN {finding.what[:600]}\n  {finding.wrong}\n  again: {again}", flush=True)

    def _show_progress(self) -> None:
        if sys.stdout.isatty():
            counts = ", ".join(f"{self.cases[kind]} {kind}" for kind in self.kinds)
            print(
                f"\r{time.monotonic() - self._began:5.0f} s: {counts}; {len(self.findings)} broke", end="", flush=True
            )


class Worker:
    """A process that strikes cases until one of them kills it."""

    def __init__(self, folder: Path, seed: int):
        folder.mkdir(parents=True)
        self._log = folder / "stderr"
        with self._log.open("w") as log:
            self._process = subprocess.Popen(
                [sys.executable, "-m", "tests.attack.worker", str(folder), str(seed)],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=log,
                text=True,
                cwd=_ROOT,
                env=os.environ | {"PYTHONPATH": os.pathsep.join([str(_ROOT / "src"), str(_ROOT)]), "COLUMNS": "200"},
            )
        self.alive = True

    def strike(self, kind: str, number: int) -> tuple[str, str, float]:
        """What the case was, what went wrong and how long it took."""
        self._write(f"{kind} {number}\n")
        what = self._read()
        answer = self._read() if what is not None else None
        if answer is not None:
            return what, *answer
        code = self.dismiss()
        return what or "preparing", f"the process ended with code {code}: {self._last_words()}", 0.0

    def dismiss(self) -> int:
        """Let the process end, if it has not; its exit code."""
        self.alive = False
        with contextlib.suppress(BrokenPipeError):
            self._process.communicate()
        return self._process.returncode

    def _write(self, line: str) -> None:
        assert self._process.stdin
        self._process.stdin.write(line)
        self._process.stdin.flush()

    def _read(self) -> Any:
        assert self._process.stdout
        line = self._process.stdout.readline()
        return json.loads(line) if line else None

    def _last_words(self) -> str:
        """Of the last dump of the threads' stacks: what it was about, and the first line of ours."""
        said = self._log.read_text(errors="replace")
        cause = re.findall(r"^(?:Timeout|Fatal Python error|F\d+|terminate called|.*Error: ).*$", said, re.MULTILINE)
        ours = re.findall(r'File "[^"]*?(nucleate/[^"]+)", line (\d+)', said)
        return f"{cause[-1] if cause else said[-300:]} ({':'.join(ours[0]) if ours else 'not in nucleate'})"


def strike_again(kind: str, seed: int, number: int) -> int:
    """One case, in this process, with all that it says."""
    with tempfile.TemporaryDirectory(prefix="nucleate-attack-") as folder:
        os.environ.setdefault("XDG_CACHE_HOME", str(Path(folder, "cache")))
        usual = Path.cwd()
        try:
            case = found(prepared(kind, Path(folder)), number, seed)
            print(case.what)
            from tests.attack import ground

            ground.loud = True
            wrong = case.strike()
        finally:
            os.chdir(usual)
    print(f"BROKEN {wrong}" if wrong else "nothing broke")
    return 1 if wrong else 0
