"""Command lines made from the real commands and options, with absurd values in their places. Nothing is trained: a plan
that is accepted has passed, and so has a replication that is about to begin."""

import dataclasses
import random
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, ClassVar, final
from unittest import mock

from tests.attack.case import Attack, Case
from tests.attack.ground import NEIGHBOUR, Answer, call, place_to_work, touched

import nucleate.fleet
import nucleate.papers
from nucleate.papers import PAPERS, paper

_HUGE = ("2147483648", "9223372036854775807", "9223372036854775808", "18446744073709551616", "1" + 30 * "0")
_NUMBERS = (
    *"0 1 2 3 -1 -0 1.5 0.0 1e-300 1e308 -1e308 1e309 nan inf -inf 1_000 0x10 ٣".split(),  # noqa: SIM905 - as a list, twenty lines
    *_HUGE,
)
_WORDS = (
    *"x None true False é 🌀 \x00 \udcff ' \" [/bold] [red]z [[ \\ -- - --help -h = --out %s {}".split(" "),  # noqa: SIM905 - as a list, twenty lines
    *("", " ", "a b", "$(touch x)", "`touch x`", "; rm -rf .", "\n", "a\nb", "x" * 5000),
)
_PATHS = (
    *". .. nowhere a/b/c x[/bold]y [red]z é -x \x00 ~ /proc/nowhere /dev/null file file/below link empty".split(" "),  # noqa: SIM905 - as a list, twenty lines
    *("", "a\nb", "a b", "x" * 300, f"../{NEIGHBOUR}", f"../{NEIGHBOUR}/run.json"),
)
_COMMANDS = ("tour", "list", "replicate", "resume", "report", "runs", "show")
_BUDGETS = ("quick", "standard", "paper", "huge", "", "QUICK")


class Accepted(BaseException):
    """The command was about to train."""


def _accept(*_: Any, **__: Any) -> Any:
    raise Accepted


@contextmanager
def _nothing_is_trained() -> Iterator[None]:
    """Commands import what they call at the last moment, from the rooms themselves."""
    with mock.patch.object(nucleate.fleet, "train", _accept), mock.patch.object(nucleate.papers, "replicate", _accept):
        yield


@final
class CommandLines(Attack):
    """A grammar of commands: three in five train an experiment with one to four options, the rest is all others."""

    name: ClassVar[str] = "command-lines"
    enough: ClassVar[int] = 300
    seconds: ClassVar[float] = 20.0

    def __init__(self):
        experiments = [item for each in PAPERS for item in paper(each).experiments.items()]
        self._experiments = {name: sizes.quick for name, sizes in experiments if sizes.quick}
        self._targets = [*PAPERS, *(claim.id for each in PAPERS for claim in paper(each).claims)]

    def case(self, number: int, rng: random.Random) -> Case:
        args = self._run(rng) if rng.random() < 0.6 else self._other(rng)
        if rng.random() < 0.1:
            args.insert(rng.randrange(len(args) + 1), rng.choice(_WORDS))
        return Case(f"nucleate {args}", lambda: _strike(args))

    def _run(self, rng: random.Random) -> list[str]:
        name = rng.choice(list(self._experiments))
        fields = [field.name for field in dataclasses.fields(self._experiments[name])]
        args = ["run", name if rng.random() < 0.95 else rng.choice(_WORDS + tuple(PAPERS))]
        for chosen in rng.sample(fields, rng.randint(1, min(4, len(fields)))):
            flag = chosen.replace("_", "-") if rng.random() < 0.95 else chosen[:-1]
            args.append(f"--{flag}" if rng.random() < 0.95 else f"--no-{flag}")
            values = _NUMBERS if rng.random() < 0.8 else _WORDS
            args += rng.choices(values, k=rng.choice((0, 1, 1, 1, 1, 1, 2, 5)))
        return args + (["--out", rng.choice(_PATHS)] if rng.random() < 0.3 else [])

    def _other(self, rng: random.Random) -> list[str]:
        command = rng.choice((*_COMMANDS, rng.choice(_WORDS)))
        args = [command]
        if command in ("resume", "report", "show"):
            args.append(rng.choice(_PATHS))
        if command in ("list", "replicate"):
            args.append(rng.choice((*self._targets, *_WORDS)))
        options = {"tour": ["--out"], "runs": ["--root"], "replicate": ["--out", "--budget", "--json", "--fresh"]}
        for option in options.get(command, []):
            if rng.random() < 0.4:
                value = rng.choice(_BUDGETS if option == "--budget" else _PATHS)
                args += [option] if option == "--fresh" else [option, value]
        return args


def _strike(args: list[str]) -> str:
    with place_to_work("ground") as work, _nothing_is_trained():
        Path("file").write_text("not a folder")
        Path("empty").mkdir()
        Path("link").symlink_to(work / "../neighbour", target_is_directory=True)
        try:
            answer = _called(args)
        except Accepted:
            return touched(work / "../neighbour")
        wrong = answer.wrong or touched(work / "../neighbour")
        lines = 1 if any("\n" in arg for arg in args) else len(answer.err.strip().splitlines())
        return wrong or (
            f"{lines} lines of error: {answer.err.strip()[:300]}" if answer.code == 2 and lines > 1 else ""
        )


def _called(args: list[str]) -> Answer:
    answer = call(*args)
    if answer.code is None and "tests.attack.command_lines.Accepted" in answer.err:
        raise Accepted
    return answer
