"""One file is damaged: every command says so in a line, or is not affected, and none reports other numbers.

What is judged, of each command on each damaged file:

- no traceback, an exit code that means something, and the neighbour's files untouched;
- with exit code 0, `show` prints what it printed before and `report` writes the page it wrote before; `resume` and
  `replicate` leave records, scorecard and figures with the values they had, or with what cannot be read. Exempt are
  files that hold words and numbers without a checksum (`PLAIN`): there, another valid value is another value, and only
  the other two points are judged. So are the pixels of a figure, for `report`;
- once the file is what it was, the same command gives what it always gave.
"""

import json
import random
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any, ClassVar, final

from tests.attack.case import Attack, Case
from tests.attack.ground import Answer, call, place_to_work, touched
from tests.attack.toys import REPLICATE, RUN, difference, finish, leave_unfinished, numbers, only_toys

PLAIN = {"run.json", "replication.json", "scorecard.json"}
"""JSON in a run's folder that carries no checksum."""
ABSURD: tuple[Any, ...] = (
    *(None, True, -3, 0, 1e308, 10**30, float("nan"), float("inf"), "", "x", "[/bold]", "\x00", "é\ud800"),
    *([], {}, [None], {"a": {}}, "../../neighbour", "../neighbour", "/", "complete", "running"),
)
_COMMANDS = {
    "toy": (("report", "toy"), ("resume", "toy"), REPLICATE, ("runs", "--root", "."), ("show", "toy/first")),
    "run": (("show", "run"), ("report", "run"), ("resume", "run"), ("runs", "--root", ".")),
    "half": (("show", "half"), ("report", "half"), ("resume", "half"), ("runs", "--root", ".")),
}
_FRESH = (*REPLICATE, "--fresh")


def flip(file: Path, rng: random.Random) -> str:
    content = bytearray(file.read_bytes())
    if not content:
        return garbage(file, rng)
    at, bit = rng.randrange(len(content)), rng.randrange(8)
    content[at] ^= 1 << bit
    file.write_bytes(bytes(content))
    return f"bit {bit} of byte {at} flipped"


def rewrite(file: Path, rng: random.Random) -> str:
    """One byte is another one that text could hold: of JSON, often still JSON."""
    content = bytearray(file.read_bytes())
    if not content:
        return garbage(file, rng)
    at, new = rng.randrange(len(content)), rng.choice(b'0123456789aeinu-.,:"[]{} \n')
    content[at] = new
    file.write_bytes(bytes(content))
    return f"byte {at} is {chr(new)!r}"


def digit(file: Path, rng: random.Random) -> str:
    """Another number, as well-formed as the one that was there."""
    content = bytearray(file.read_bytes())
    places = [at for at, byte in enumerate(content) if byte in b"0123456789"]
    if not places:
        return flip(file, rng)
    at = rng.choice(places)
    content[at] = rng.choice([byte for byte in b"123456789" if byte != content[at]])
    file.write_bytes(bytes(content))
    return f"a digit, byte {at}, is {chr(content[at])}"


def truncate(file: Path, rng: random.Random) -> str:
    content = file.read_bytes()
    kept = rng.randrange(len(content)) if content else 0
    file.write_bytes(content[:kept])
    return f"cut to {kept} bytes"


def garbage(file: Path, rng: random.Random) -> str:
    file.write_bytes(rng.randbytes(rng.choice((1, 40, 3000))))
    return "random bytes"


def delete(file: Path, rng: random.Random) -> str:
    file.unlink()
    return "deleted"


def link(file: Path, rng: random.Random) -> str:
    """What is written here must not be written there."""
    file.unlink()
    target = Path("../neighbour", "picture.png" if file.suffix == ".png" else "notes.txt").absolute()
    file.symlink_to(target)
    return f"a link to {target.parent.name}/{target.name}"


def outside(file: Path, rng: random.Random) -> str:
    """A manifest whose runs and figures are the neighbour's; any other file is linked to one of the neighbour's."""
    if file.name != "replication.json":
        return link(file, rng)
    tree, there = json.loads(file.read_text(encoding="utf-8")), Path("../neighbour").absolute()
    tree["runs"] = rng.sample(["../../neighbour", str(there), "first/../../../neighbour", ".", "first"], 3)
    tree["figures"][0]["path"] = str(there / "picture.png")
    file.write_text(json.dumps(tree), encoding="utf-8")
    return f"runs are {tree['runs']}"


def field(file: Path, rng: random.Random) -> str:
    """JSON in which one value, at any depth, is missing or absurd; any other file is flipped."""
    try:
        tree = json.loads(file.read_text(encoding="utf-8"))
    except ValueError:
        return flip(file, rng)
    holder, path = {"": tree}, [""]
    while isinstance(holder[path[-1]], dict | list) and holder[path[-1]] and (len(path) == 1 or rng.random() < 0.7):
        holder = holder[path[-1]]
        path.append(rng.choice(list(holder) if isinstance(holder, dict) else range(len(holder))))
    name = "/".join(map(str, path[1:])) or "all of it"
    if len(path) > 1 and rng.random() < 0.3:
        del holder[path[-1]]
        said = f"{name} missing"
    else:
        holder[path[-1]] = rng.choice(ABSURD)
        said = f"{name} is {holder[path[-1]]!r}"
    file.write_text(json.dumps(holder[""] if len(path) == 1 else tree), encoding="utf-8")
    return said


_DAMAGES: tuple[Callable[[Path, random.Random], str], ...] = (
    *(flip, flip, flip, rewrite, digit, digit, field, field, truncate, garbage, delete, link, outside),
)


@final
class Flips(Attack):
    """A finished replication, a finished run and one that broke off, each with one file damaged."""

    name: ClassVar[str] = "flips"
    enough: ClassVar[int] = 90

    def __init__(self):
        whole = Path("whole").absolute()
        whole.mkdir()
        with only_toys(), place_to_work("ground") as work:
            for command in (REPLICATE, RUN):
                answer = call(*command)
                assert answer.code == 0, answer
            leave_unfinished(Path("half"))
            for name in ("toy/first", "run"):
                assert call("report", name).code == 0
            for name in _COMMANDS:
                shutil.copytree(name, whole / name)
            finish(Path("half"))
            self._numbers = {name: numbers(work / name) for name in _COMMANDS}
        self._whole = whole
        self._files = [
            (name, file.relative_to(whole / name).as_posix())
            for name in _COMMANDS
            for file in sorted((whole / name).rglob("*"))
            if file.is_file()
        ]
        with only_toys():
            self._said = {
                (name, command): self._said_of(name, command) for name, all_ in _COMMANDS.items() for command in all_
            }

    def case(self, number: int, rng: random.Random) -> Case:
        """Half of all cases hit JSON, which is a tenth of the files and has the most to lose."""
        plain = [(name, file) for name, file in self._files if Path(file).name in PLAIN or file.startswith("kept/")]
        name, file = rng.choice(plain if number % 2 else self._files)
        commands = _COMMANDS[name] + ((_FRESH,) if name == "toy" else ())
        command, damage, state = rng.choice(commands), rng.choice(_DAMAGES), rng.getrandbits(64)
        if number % 50 == 0:
            name, file, command, damage = "toy", "replication.json", _FRESH, outside
        words = f"{damage.__name__} in {name}/{file}, then nucleate {' '.join(command)}"
        return Case(words, lambda: self._strike(name, file, command, damage, state))

    def _said_of(self, name: str, command: tuple[str, ...]) -> tuple[str, str]:
        """What a command prints and the page it leaves, where nothing is damaged."""
        with place_to_work("ground"):
            shutil.copytree(self._whole / name, name)
            answer = call(*command)
            assert not answer.wrong, answer
            return answer.out, _page(name)

    def _strike(self, name: str, file: str, command: tuple[str, ...], damage: Callable, state: int) -> str:
        with only_toys(), place_to_work("ground") as work:
            shutil.copytree(self._whole / name, name)
            target = work / name / file
            said = damage(target, random.Random(state))
            answer = call(*command)
            wrong = answer.wrong or touched(work / "../neighbour")
            if not wrong and answer.code == 0 and target.name not in PLAIN:
                wrong = self._other_numbers(name, target, command, answer)
            if not wrong and command != _FRESH:
                wrong = self._not_mended(name, file, command)
            return f"{said}: {wrong}" if wrong else ""

    def _other_numbers(self, name: str, target: Path, command: tuple[str, ...], answer: Answer) -> str:
        printed, page = self._said.get((name, command), ("", ""))
        if command[0] == "show" and _lines(answer.out) != _lines(printed):
            return f"exit code 0, and other words than before: {_first_difference(_lines(answer.out), _lines(printed))}"
        if command[0] == "report" and target.suffix != ".png" and _page(name) != page:
            return f"exit code 0, and another page than before: {_first_difference(_lines(_page(name)), _lines(page))}"
        if command[0] in ("resume", "replicate"):
            found = numbers(Path(name))
            differs = difference(found, {key: self._numbers[name].get(key) for key in found})
            return f"exit code 0, and other numbers than before: {differs}" if differs else ""
        return ""

    def _not_mended(self, name: str, file: str, command: tuple[str, ...]) -> str:
        target = Path(name, file)
        target.unlink(missing_ok=True)
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(self._whole / name / file, target)
        answer = call(*command)
        if answer.wrong:
            return f"after the file was restored: {answer.wrong}"
        if answer.code == 0 and command[0] in ("resume", "replicate"):
            differs = difference(numbers(Path(name)), self._numbers[name])
            return f"after the file was restored, other numbers: {differs}" if differs else ""
        unfinished = name == "half" and command[0] == "report"
        return "" if answer.code == 0 or unfinished else f"after the file was restored: {answer.err.strip()}"


def _page(name: str) -> str:
    file = Path(name, "report.html")
    return file.read_text(encoding="utf-8") if file.exists() else ""


def _lines(text: str) -> list[str]:
    """Sorted, because the variables of a record are listed in the order in which the folder has them."""
    return sorted(line.strip() for line in text.splitlines())


def _first_difference(found: list[str], expected: list[str]) -> str:
    new = next((line for line in found if line not in expected), "")
    return f"{new[:120]!r} is new" if new else "something is missing"
