"""A process that replicates is killed by the operating system, up to three times in a row, then left in peace.

As a program: each line that is read, [FOLDER, CHANGE, FILE], is answered with the exit code of a copy of this process,
which has imported all that it needs. The copy replicates in that folder, is killed at that change of it, and leaves in
the file what it had to say.
"""

import json
import os
import random
import signal
import subprocess
import sys
from pathlib import Path
from typing import ClassVar, final

from tests.attack.case import Attack, Case
from tests.attack.changes import RealKill, changes
from tests.attack.ground import call, place_to_work, touched
from tests.attack.toys import REPLICATE, difference, only_toys, outcome

_ROOT = Path(__file__).parents[2]
_LAST = 500
"""About as many changes as a replication makes."""


@final
class Processes(Attack):
    """What `kills` does within a process, done to processes."""

    name: ClassVar[str] = "processes"
    enough: ClassVar[int] = 2
    seconds: ClassVar[float] = 300.0

    def __init__(self):
        self._original = subprocess.Popen(
            [sys.executable, "-m", "tests.attack.processes"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            env=os.environ | {"PYTHONPATH": os.pathsep.join([str(_ROOT / "src"), str(_ROOT)])},
        )
        with only_toys(), place_to_work("ground"):
            assert call(*REPLICATE).code == 0
            self._outcome = outcome(Path("toy"))

    def case(self, number: int, rng: random.Random) -> Case:
        moments = [rng.randint(1, _LAST) for _ in range(1 + number % 3)]
        return Case(f"SIGKILL at changes {moments}, each in a new process", lambda: self._strike(moments))

    def _strike(self, moments: list[int]) -> str:
        with only_toys(), place_to_work("ground") as work:
            for moment in moments:
                code, said = self._replicated(work, moment)
                if code not in (0, -signal.SIGKILL):
                    return f"exit code {code}: {said.strip()[-300:]}"
            mended = call(*REPLICATE)
            if mended.code != 0:
                return mended.wrong or mended.err.strip()
            return difference(outcome(Path("toy")), self._outcome) or touched(work / "../neighbour")

    def _replicated(self, work: Path, moment: int) -> tuple[int, str]:
        """The exit code of a new process, and what it said."""
        assert self._original.stdin
        assert self._original.stdout
        said = work.parent / "said"
        self._original.stdin.write(json.dumps([str(work), moment, str(said)]) + "\n")
        self._original.stdin.flush()
        return int(self._original.stdout.readline()), said.read_text() if said.exists() else ""


def _copied() -> tuple[str, int, str]:
    """What a copy is to do; the original stays here to the end."""
    for line in iter(sys.stdin.readline, ""):
        process = os.fork()
        if process == 0:
            return tuple(json.loads(line))
        print(os.waitstatus_to_exitcode(os.waitpid(process, 0)[1]), flush=True)
    sys.exit()


if __name__ == "__main__":
    folder, change, said = _copied()
    os.chdir(folder)
    with only_toys(), changes(Path("toy"), RealKill(), at=change):
        answer = call(*REPLICATE)
    Path(said).write_text(answer.err)
    sys.exit(answer.code if answer.code is not None else 70)
