"""Processes to be killed: each trains `all_sorts` into a folder, slowly, and may kill itself at a chosen moment.

Each line that is read is a list of options: FOLDER --errors FILE [--pause SECONDS] [--die-at N] [--largest-file BYTES]
[--usual-chunks]. It is answered with the number of a process, a copy of this one, which has imported all that it needs,
and with its exit code when it has ended.
"""

import argparse
import contextlib
import json
import os
import resource
import signal
import sys
import time

from small_fleets import all_sorts, small_chunks

from nucleate.fleet import Silent, train

_WRITING = os.O_WRONLY | os.O_RDWR | os.O_CREAT


class Slow(Silent):
    """Makes a run last, on a fast machine too."""

    def __init__(self, pause: float):
        self.pause = pause

    def advance(self, count: int) -> None:
        time.sleep(self.pause)


def die_at(number: int, folder: str) -> None:
    """Kill this process as it is about to change `folder` for the `number`th time."""
    changes = 0

    def notice(event: str, arguments: tuple) -> None:
        nonlocal changes
        if event not in {"open", "os.mkdir", "os.rename", "os.remove"} or isinstance(arguments[0], int):
            return
        if event == "open" and not arguments[2] & _WRITING:
            return
        if os.fsdecode(arguments[0]).startswith(folder):
            changes += 1
            if changes == number:
                os.kill(os.getpid(), signal.SIGKILL)

    sys.addaudithook(notice)


def copied() -> list[str]:
    """The options of a copy; this process itself stays here."""
    for line in iter(sys.stdin.readline, ""):
        process = os.fork()
        if process == 0:
            return json.loads(line)
        print(process, flush=True)
        print(os.waitstatus_to_exitcode(os.waitpid(process, 0)[1]), flush=True)
    sys.exit()


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("folder")
    parser.add_argument("--errors", required=True)
    parser.add_argument("--pause", type=float, default=0.0)
    parser.add_argument("--die-at", type=int)
    parser.add_argument("--largest-file", type=int)
    parser.add_argument("--usual-chunks", action="store_true")
    given = parser.parse_args(copied())
    os.dup2(os.open(given.errors, os.O_WRONLY | os.O_CREAT), sys.stderr.fileno())
    if given.die_at:
        die_at(given.die_at, given.folder)
    if given.largest_file:
        resource.setrlimit(resource.RLIMIT_FSIZE, (given.largest_file, given.largest_file))
    with contextlib.nullcontext() if given.usual_chunks else small_chunks():
        train(all_sorts(), given.folder, watch=Slow(given.pause), checkpoint_seconds=0.05)
