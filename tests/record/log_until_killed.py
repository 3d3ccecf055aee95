"""A process that logs until it is killed: `log_until_killed.py FOLDER LAST`, again and again from where it was.

It reads the numbers of a line: how many steps to log, and how many changes of the disk to survive; and forks for each.
"""

import os
import signal
import sys

import numpy as np

from nucleate.record import Recorder, disk

MEMBERS, LAST = 2, 60


def values(step: int) -> dict[str, np.ndarray]:
    """What is logged at a step."""
    there = {"loss": np.arange(MEMBERS) + step / 8}
    if step % 3 == 0:
        there["embedding"] = np.full((MEMBERS, 4, 2), step) + np.arange(MEMBERS)[:, None, None]
    return there


def log_on(folder: str) -> None:
    """The loop of a user who resumes."""
    with Recorder(folder, MEMBERS, flush_seconds=0.0) as recorder:
        for step in range(recorder.last_step + 1, LAST + 1):
            recorder.log(step, **values(step))


def die_at(change: int) -> None:
    """Be killed before so many files have been put in place, in the midst of a commit."""
    replacing, done = os.replace, [0]

    def replace(source, target):
        done[0] += 1
        if done[0] > change:
            os.kill(os.getpid(), signal.SIGKILL)
        replacing(source, target)

    disk.os.replace = replace


def main() -> None:
    folder = sys.argv[1]
    for line in sys.stdin:
        if (child := os.fork()) == 0:
            die_at(int(line))
            log_on(folder)
            os._exit(0)
        print(os.waitpid(child, 0)[1], flush=True)


if __name__ == "__main__":
    main()
