"""`nucleate run` and `nucleate resume`: from an experiment's name, or its config in a run, to a trained fleet."""

import dataclasses
from pathlib import Path
from typing import Annotated, Any

import tyro
from rich.console import Console

from nucleate.cli.parsing import UsageError, parse

RUNS = Path("runs")
_SUMMARY = "Train one experiment's fleet; every field of its config is an option."


def run_experiment(args: list[str]) -> None:
    """`nucleate run`: the experiment named first decides what the options are."""
    from nucleate.fleet import Bar, train

    if not args or args[0].startswith("-"):
        _run_help(wanted=bool(args) and args[0] in ("-h", "--help"))
        return
    name, *rest = args
    default = _experiment(name)
    command = dataclasses.make_dataclass(
        "Run",
        [
            ("config", tyro.conf.OmitArgPrefixes[type(default)], default),
            (
                "out",
                Annotated[Path | None, tyro.conf.arg(help="Folder of the run; named after its config if left out.")],
                None,
            ),
        ],
    )
    description = f"Train the fleet {name}.\n\nExample:\n  nucleate run {name} --seeds 1 --steps 500"
    chosen: Any = parse(command, rest, f"nucleate run {name}", description)
    plan = _plan(chosen.config, name)
    out = chosen.out or _folder(name, plan)
    _finished(train(plan, out, watch=Bar()))


def resume_run(path: Path) -> None:
    """Continue the run in a folder."""
    from nucleate.fleet import Bar, train
    from nucleate.record import Run, RunError

    run = Run.open(path)
    if "experiment" not in run.about:
        raise RunError(f"{path} was started from Python; call nucleate.fleet.train with its plan again.")
    name = run.about["experiment"]
    experiment = _rebuild(_experiment(name), run.about["config"])
    _finished(train(_plan(experiment, name), path, watch=Bar()))


def _run_help(wanted: bool) -> None:
    from nucleate.papers import PAPERS

    names = "\n".join(f"  {name}" for paper in PAPERS.values() for name in paper.experiments)
    text = (
        f"usage: nucleate run EXPERIMENT [OPTIONS]\n\n{_SUMMARY}\n\nexperiments:\n{names}\n\n"
        "Examples:\n  nucleate run grokking/phase-rates --help\n"
        "  nucleate run grokking/data-size --seeds 1 --eta-repr 1e-3 1e-2\n"
    )
    if not wanted:
        raise UsageError("nucleate run: which experiment? `nucleate run --help` lists them.")
    print(text)


def _experiment(name: str):
    import difflib

    from nucleate.papers import PAPERS

    known = {key: experiment for paper in PAPERS.values() for key, experiment in paper.experiments.items()}
    if name not in known:
        close = difflib.get_close_matches(name, known, n=1, cutoff=0.4)
        hint = f" Did you mean {close[0]}?" if close else ""
        raise UsageError(f"there is no experiment '{name}'.{hint} `nucleate list` shows all.")
    return known[name]


def _plan(experiment, name: str):
    """The plan of an experiment; one that awaits another trains that first, into a folder of its own."""
    from nucleate.fleet import Bar, train
    from nucleate.papers import awaited

    if source := awaited(experiment):
        before = _plan(_experiment(source), source)
        experiment = experiment.after(train(before, _folder(source, before), watch=Bar()).record())
    try:
        return experiment.plan(name)
    except ValueError as mistake:
        raise UsageError(str(mistake)) from None


def _folder(name: str, plan) -> Path:
    return RUNS / f"{name.replace('/', '-')}-{plan.fingerprint()[:8]}"


def _rebuild(like, config: dict[str, Any]):
    """An experiment from its JSON, which knows lists but no tuples."""

    def tuples(value):
        return tuple(map(tuples, value)) if isinstance(value, list) else value

    fields = {field.name for field in dataclasses.fields(like)}
    if set(config) != fields:
        raise UsageError(f"this run's config does not fit this nucleate: {sorted(set(config) ^ fields)}.")
    return type(like)(**{key: tuples(value) for key, value in config.items()})


def _finished(run) -> None:
    from nucleate.papers import describe

    about = describe(run)
    outcomes = ", ".join(f"{count} {name}" for name, count in about["outcomes"].items())
    console = Console()
    console.print(f"{about['members']} networks ({outcomes}), {about['seconds']:.0f} s: [bold]{run.path}[/bold]")
    console.print(f"Look: nucleate show {run.path}   Open: xarray.open_zarr('{run.record_path}')")
