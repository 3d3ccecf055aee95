"""`nucleate` with the toy paper as a process of its own, for one command or several.

python toy_process.py ARGUMENTS... [";" ARGUMENTS...]
STALL=PART MARKER=FILE python toy_process.py ARGUMENTS...

The second form stalls in a part of the paper, for hours and not in Python, and makes the file when it does.
"""

import hashlib
import itertools
import os
import sys
import threading
from pathlib import Path

import toy_paper

import nucleate.papers
from nucleate.cli import main
from nucleate.machine import signals
from nucleate.papers.describe import describe


def stall() -> None:
    if part == "loss" and threading.current_thread() is threading.main_thread():
        return  # where shapes are found out; a worker compiles
    Path(os.environ["MARKER"]).touch()
    hashlib.pbkdf2_hmac("sha256", b"", b"", 2**31 - 1)


if __name__ == "__main__":
    part = os.environ.get("STALL", "")
    nucleate.papers.PAPERS = ("toy",)
    nucleate.papers.paper = {"toy": toy_paper.PAPER}.__getitem__
    nucleate.papers.description = {"toy": describe(toy_paper.PAPER)}.__getitem__
    signals.GRACE, signals.PATIENCE = 0.1, 0.5 if part == "late" else 1e6
    codes = []
    with toy_paper.raising(**{part: stall} if part else {}):
        for _, args in itertools.groupby(sys.argv[1:], lambda arg: arg == ";"):
            sys.argv[1:] = args
            if sys.argv[1:] != [";"]:
                codes.append(main())
    sys.exit(max(codes))
