"""`nucleate run` and `nucleate resume`: from an experiment's name, or its config in a run, to a trained fleet."""

import dataclasses
from pathlib import Path
from typing import Annotated, Any, Literal

import tyro
from rich.text import Text

from nucleate.cli.parsing import UsageError, parse
from nucleate.cli.printing import command, say

RUNS = Path("runs")
_SUMMARY = "Train one experiment's fleet; every field of its config is an option."


def run_experiment(args: list[str]) -> None:
    """`nucleate run`: the experiment named first decides what the options are."""
    if not args or args[0].startswith("-"):
        _run_help(wanted=bool(args) and args[0] in ("-h", "--help"))
        return
    from nucleate.fleet import Bar, train

    name, *rest = args
    budget = _budget(rest)
    default = _experiment(name, budget)
    options = dataclasses.make_dataclass(
        "Run",
        [
            ("config", tyro.conf.OmitArgPrefixes[type(default)], default),
            (
                "budget",
                Annotated[
                    Literal["quick", "standard", "paper"],
                    tyro.conf.arg(help="Whose sizes are the defaults of the other options; 'paper': the paper's own."),
                ],
                budget,
            ),
            (
                "seeds_from",
                Annotated[
                    int,
                    tyro.conf.arg(
                        help="Shift every seed by this number, also those of experiments that it is made from."
                    ),
                ],
                0,
            ),
            (
                "out",
                Annotated[Path | None, tyro.conf.arg(help="Folder of the run; named after its config if left out.")],
                None,
            ),
            (
                "allow_long",
                Annotated[bool, tyro.conf.arg(help="Begin even if it takes more than a week.")],
                False,
            ),
        ],
    )
    description = (
        f"Train the fleet {name}.\n\nExamples:\n  nucleate run {name} --seeds 1 --steps 500\n"
        f"  nucleate run {name} --budget paper"
    )
    chosen: Any = parse(options, rest, f"nucleate run {name}", description)
    plan = _plan(reseeded(chosen.config, chosen.seeds_from), name, chosen.seeds_from)
    out = chosen.out or _folder(name, plan)
    _finished(train(plan, out, watch=Bar(), allow_long=chosen.allow_long))


def resume_run(path: Path, *, other_versions: bool) -> None:
    """Continue the run in a folder, however long it takes: that was allowed when it began."""
    from nucleate.fleet import Bar, train
    from nucleate.record import Run, RunError

    run = Run.open(path)
    name = run.about.experiment
    if run.about.by is not None:
        raise RunError(f"{path} was recorded by a loop of your own: {run.way_on} continues it.")
    if name is None:
        raise RunError(f"{path} was started from Python; call nucleate.fleet.train with its plan again.")
    try:
        experiment = type(_experiment(name, "paper")).from_json(run.about.config)  # the size that all have
    except (TypeError, ValueError) as mistake:
        raise UsageError(f"{path} cannot be resumed by this nucleate: {mistake}") from None
    plan = _plan(experiment, name)
    _finished(train(plan, path, watch=Bar(), allow_long=True, other_versions=other_versions))


def start_jax() -> None:
    """Before anything computes: a platform that is not there is one line, and programs compiled before are found."""
    from nucleate import machine

    machine.use_compile_cache()
    machine.workers()


def _run_help(wanted: bool) -> None:
    names = "\n".join(f"  {name}" for name in _experiments())
    text = (
        f"usage: nucleate run EXPERIMENT [OPTIONS]\n\n{_SUMMARY}\n\nexperiments:\n{names}\n\n"
        "Examples:\n  nucleate run grokking/phase-rates --help\n"
        "  nucleate run grokking/data-size --seeds 1 --eta-repr 1e-3 1e-2\n"
    )
    if not wanted:
        raise UsageError("nucleate run: which experiment? `nucleate run --help` lists them.")
    print(text)


def _experiments() -> list[str]:
    """The names of all, from what papers say of themselves."""
    from nucleate.papers import PAPERS, description

    return [each.name for name in PAPERS for each in description(name).experiments]


def _budget(args: list[str]) -> str:
    """The budget among the options, which decides the defaults of all others; a wrong one is left to the parser."""
    words = [word for arg in args for word in arg.split("=", 1)]
    named = words[words.index("--budget") + 1 :][:1] if "--budget" in words else []
    return named[0] if named and named[0] in ("quick", "standard", "paper") else "standard"


def _experiment(name: str, budget: str = "standard"):
    """The experiment of that name, at the size of a budget."""
    import difflib

    from nucleate.papers import PAPERS, Budget, paper

    home = name.split("/")[0]
    if home in PAPERS and name in paper(home).experiments:
        sizes = paper(home).experiments[name]
        if (sized := sizes.at(Budget(budget))) is None:
            why, other = ("cost too much", "paper") if sizes.standard is None else ("show nothing", "standard")
            raise UsageError(f"{name} has no {budget} size, which would {why}; use --budget {other}.")
        return sized
    close = difflib.get_close_matches(name, _experiments(), n=1, cutoff=0.4)
    hint = f" Did you mean {close[0]}?" if close else ""
    raise UsageError(f"there is no experiment '{name}'.{hint} `nucleate run --help` lists them.")


def reseeded(what, by: int):
    """A paper or an experiment with all seeds shifted."""
    if by < 0:
        raise UsageError(f"--seeds-from must be 0 or more; got {by}.")
    try:
        return what.reseeded(by) if by else what
    except ValueError as mistake:
        raise UsageError(f"--seeds-from {by}: {mistake}") from None


def _plan(experiment, name: str, seeds_from: int = 0):
    """The plan of an experiment; one that awaits another trains that first, into a folder of its own."""
    from nucleate.fleet import Bar, train
    from nucleate.papers import ready

    def record_of(source: str):
        before = _plan(reseeded(_experiment(source), seeds_from), source, seeds_from)
        return train(before, _folder(source, before), watch=Bar()).record()

    start_jax()
    try:
        return ready(experiment, record_of).plan(name)
    except ValueError as mistake:
        raise UsageError(str(mistake)) from None


def _folder(name: str, plan) -> Path:
    return RUNS / f"{name.replace('/', '-')}-{plan.fingerprint()[:8]}"


def _finished(run) -> None:
    from nucleate.report import describe

    about = describe(run)
    outcomes = ", ".join(f"{count} {name}" for name, count in about.outcomes.items())
    say(f"{about.members} networks ({outcomes}), {about.seconds:.0f} s:", Text(str(run.path), style="bold"))
    say("Look:", command("nucleate", "show", run.path), f"  Open: xarray.open_zarr({str(run.record_path)!r})")
