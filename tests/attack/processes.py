"""A process that replicates is killed by the operating system, up to three times in a row, then left in peace."""

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
        with only_toys(), place_to_work("ground"):
            assert call(*REPLICATE).code == 0
            self._outcome = outcome(Path("toy"))

    def case(self, number: int, rng: random.Random) -> Case:
        moments = [rng.randint(1, _LAST) for _ in range(1 + number % 3)]
        return Case(f"SIGKILL at changes {moments}, each in a new process", lambda: self._strike(moments))

    def _strike(self, moments: list[int]) -> str:
        with only_toys(), place_to_work("ground") as work:
            for moment in moments:
                done = subprocess.run(
                    [sys.executable, "-m", "tests.attack.processes", str(moment)],
                    capture_output=True,
                    text=True,
                    env=os.environ | {"PYTHONPATH": os.pathsep.join([str(_ROOT / "src"), str(_ROOT)])},
                )
                if done.returncode not in (0, -signal.SIGKILL):
                    return f"exit code {done.returncode}: {done.stderr.strip()[-300:]}"
            mended = call(*REPLICATE)
            if mended.code != 0:
                return mended.wrong or mended.err.strip()
            return difference(outcome(Path("toy")), self._outcome) or touched(work / "../neighbour")


if __name__ == "__main__":
    with only_toys(), changes(Path("toy"), RealKill(), at=int(sys.argv[1])):
        answer = call(*REPLICATE)
    sys.stderr.write(answer.err)
    sys.exit(answer.code if answer.code is not None else 70)
