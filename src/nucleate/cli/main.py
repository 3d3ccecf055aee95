"""The entry point: find the command, run it, turn every user's mistake into one line."""

import contextlib
import inspect
import os
import select
import signal
import sys
import threading
from pathlib import Path
from textwrap import dedent

from nucleate import __version__, machine
from nucleate.cli.parsing import UsageError, parse
from nucleate.cli.printing import command, harmless, shout
from nucleate.cli.streams import steady

_SUMMARIES = {
    "tour": "re-run a paper's claims in three minutes, with a report",
    "list": "papers, claims and experiments",
    "run": "train one experiment's fleet",
    "plan": "say what a cluster would take for it",
    "replicate": "measure a paper's claims at a budget",
    "resume": "continue an interrupted run",
    "report": "write a run as one HTML page",
    "compare": "compare runs: settings, curves and ends",
    "scorecards": "write the verdicts of several replications as one page",
    "runs": "list runs",
    "show": "describe a run and check its record",
    "export": "write a run as CSV, Parquet or netCDF",
}
_EXPORTERS = ("h5netcdf", "h5py", "pyarrow")

_leaving = threading.Lock()


def main(argv: list[str] | None = None) -> int:
    """Run `nucleate` with `argv`; the exit code. Without `argv` the process is this call's own, to be ended by it."""
    own = argv is None
    if own:
        steady()
    with machine.stoppable(numbers=(signal.SIGINT, signal.SIGTERM), leave=_leave if own else None):
        try:
            code = _answer(sys.argv[1:] if argv is None else argv)
        except KeyboardInterrupt as interruption:
            number, folder = machine.asked_to_stop() or signal.SIGINT, getattr(interruption, "path", None)
            if own:
                with contextlib.suppress(OSError):
                    sys.stdout.flush()
                _leave(number, folder)
            shout(_how_to_resume(folder))
            return 128 + number
    if own and signal.getsignal(signal.SIGINT) is signal.default_int_handler:
        signal.signal(signal.SIGINT, signal.SIG_DFL)  # all is done: no traceback for an impatient user
    return code


def _answer(args: list[str]) -> int:
    """The exit code of a command, and one line for every mistake."""
    try:
        code = _dispatch(*args)
        sys.stdout.flush()
        return code
    except (UsageError, machine.TooLarge) as mistake:
        return fail(str(mistake))
    except OSError as problem:
        reason = problem.strerror or str(problem)
        return fail(f"{problem.filename or 'a file'}: {reason}. Make room or choose another folder, then try again.")
    except ImportError as missing:
        if missing.name in sys.stdlib_module_names:
            return fail(f"{missing.path or 'a file'} hides Python's own module '{missing.name}': call it otherwise.")
        if missing.name and not missing.name.startswith("nucleate"):
            extra = "export" if missing.name in _EXPORTERS else "train"
            return fail(f"this command needs the package '{missing.name}': pip install 'nucleate[{extra}]'")
        raise
    except RuntimeError as problem:
        from nucleate.record import RunError

        if isinstance(problem, RunError | machine.PlatformError):
            return fail(str(problem))
        raise


def _dispatch(name: str = "--help", *args: str) -> int:
    if name in ("-h", "--help", "--version"):
        print(f"nucleate {__version__}" if name == "--version" else _help())
        return 0
    from nucleate.cli import commands, experiments

    if name in experiments.COMMANDS:
        experiments.COMMANDS[name](list(args))
        return 0
    if name not in commands.COMMANDS:
        raise UsageError(f"there is no command '{name}'; there are: {', '.join(_SUMMARIES)}.")
    chosen = commands.COMMANDS[name]
    return parse(chosen, list(args), f"nucleate {name}", inspect.cleandoc(chosen.__doc__ or ""))() or 0


def fail(message: str) -> int:
    """Say what went wrong, on standard error; the exit code."""
    shout(f"error: {message}")
    return 2


def _how_to_resume(folder: Path | None) -> str:
    return "Interrupted." + (f" Continue with: {command('nucleate', 'resume', folder)}" if folder else "")


def _leave(number: int, folder: Path | None) -> None:
    """End the process wherever it is, and say how to go on. Nothing that other threads may hold is waited for: neither
    their locks nor what Python does at its end."""
    try:
        cursor = "\x1b[?25h" if os.isatty(2) else ""  # which a progress bar hides
        line = os.fsencode(f"{cursor}\n{harmless(_how_to_resume(folder))}\n")
        _leaving.acquire(
            timeout=1.0
        )  # and kept: what another thread says on leaving is enough, and it ends this one, too
        if os.name == "nt" or select.select([], [2], [], 0)[1]:
            os.write(2, line)
    finally:
        os._exit(128 + number)


def _help() -> str:
    rows = "\n".join(f"  {name:<10} {summary}" for name, summary in _SUMMARIES.items())
    return (
        dedent(
            """\
        nucleate: watch structure form inside neural networks while they train.

        usage: nucleate COMMAND [OPTIONS]

        {rows}

        Examples:
          nucleate tour
          nucleate replicate grokking --budget quick
          nucleate run grokking/data-size --seeds 1 --steps 1000
          nucleate COMMAND --help
        """
        )
        .replace("{rows}", rows.lstrip())
        .rstrip()
    )
