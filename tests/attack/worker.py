"""A process that strikes the cases it is told: `KIND NUMBER` in a line, an answer in another. It may die of a case."""

import faulthandler
import gc
import importlib
import json
import os
import resource
import sys
import time
from pathlib import Path

from tests.attack.case import Attack, Case, chance

KINDS = {
    "kills": "kills:Kills",
    "flips": "flips:Flips",
    "command-lines": "command_lines:CommandLines",
    "configs": "configs:Configs",
    "misuses": "misuses:Misuses",
    "processes": "processes:Processes",
}
"""Every kind of attack and its class, which is loaded where it is needed."""
_PREPARATION = 240.0
_MEMORY = 6 * 2**30
"""More than any case needs, and less than would disturb the machine."""


def kind_of(name: str) -> type[Attack]:
    module, _, attack = KINDS[name].partition(":")
    return getattr(importlib.import_module(f"tests.attack.{module}"), attack)


def prepared(name: str, root: Path) -> Attack:
    """An attack with a folder of its own, which is the current one from here on."""
    (root / name).mkdir(parents=True)
    os.chdir(root / name)
    return kind_of(name)()


def found(attack: Attack, number: int, seed: int) -> Case:
    return attack.case(number, chance(attack.name, seed, number))


def serve(root: Path, seed: int) -> None:
    """Answer each line with what the case is, then with what went wrong and how long it took."""
    answers = os.fdopen(os.dup(sys.stdout.fileno()), "w", buffering=1)
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    resource.setrlimit(resource.RLIMIT_DATA, (_MEMORY, _MEMORY))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    faulthandler.enable()
    gc.set_threshold(50_000, 20, 10)  # as in `conftest.py`
    attacks: dict[str, Attack] = {}
    for line in sys.stdin:
        name, number = line.split()
        faulthandler.dump_traceback_later(_PREPARATION, exit=True)
        if name not in attacks:
            attacks[name] = prepared(name, root)
        os.chdir(root / name)
        case = found(attacks[name], int(number), seed)
        answers.write(json.dumps(case.what) + "\n")
        faulthandler.dump_traceback_later(attacks[name].seconds, exit=True)
        began = time.monotonic()
        wrong = case.strike()
        faulthandler.cancel_dump_traceback_later()
        answers.write(json.dumps([wrong, time.monotonic() - began]) + "\n")


if __name__ == "__main__":
    serve(Path(sys.argv[1]), int(sys.argv[2]))
