"""The entry point: find the command, run it, turn every user's mistake into one line."""

import inspect
import os
import signal
import sys
from pathlib import Path
from textwrap import dedent

from nucleate import __version__
from nucleate.cli.parsing import UsageError, fail, parse

_SUMMARIES = {
    "tour": "re-run a paper's claims in three minutes, with a report",
    "list": "papers, claims and experiments",
    "run": "train one experiment's fleet",
    "replicate": "measure a paper's claims at a budget",
    "resume": "continue an interrupted run",
    "report": "write a run as one HTML page",
    "runs": "list runs",
    "show": "describe a run and check its record",
}


def main(argv: list[str] | None = None) -> int:
    """Run `nucleate` with `argv`; the exit code."""
    args = sys.argv[1:] if argv is None else argv
    if not args or args[0] in ("-h", "--help"):
        print(_help())
        return 0
    if args[0] == "--version":
        print(f"nucleate {__version__}")
        return 0
    signal.signal(signal.SIGTERM, _stop_gently)
    try:
        return _dispatch(args[0], args[1:])
    except UsageError as mistake:
        return fail(str(mistake))
    except KeyboardInterrupt as interruption:
        return _say_how_to_resume(getattr(interruption, "path", None))
    except BrokenPipeError:  # `nucleate list | head`
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0
    except OSError as problem:
        reason = problem.strerror or str(problem)
        return fail(f"{problem.filename or 'a file'}: {reason}. Make room or choose another folder, then try again.")
    except ImportError as missing:
        if missing.name and not missing.name.startswith("nucleate"):
            return fail(f"this command needs the package '{missing.name}': pip install 'nucleate[train]'")
        raise
    except RuntimeError as problem:
        from nucleate.record import RunError

        if isinstance(problem, RunError):
            return fail(str(problem))
        raise


def _dispatch(name: str, args: list[str]) -> int:
    from nucleate.cli import commands, experiments

    if name == "run":
        experiments.run_experiment(args)
        return 0
    if name not in commands.COMMANDS:
        raise UsageError(f"there is no command '{name}'; there are: {', '.join(_SUMMARIES)}.")
    command = commands.COMMANDS[name]
    return parse(command, args, f"nucleate {name}", inspect.cleandoc(command.__doc__ or ""))() or 0


def _say_how_to_resume(path: Path | None) -> int:
    print("\nInterrupted." + (f" Continue with: nucleate resume {path}" if path else ""), file=sys.stderr)
    return 130


def _stop_gently(*_) -> None:
    """A cluster's SIGTERM is treated like Ctrl-C: checkpoint, then leave."""
    raise KeyboardInterrupt


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
