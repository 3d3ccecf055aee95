"""`nucleate run` and `nucleate resume`: from an experiment's name, or its config in a run, to a trained fleet."""

import dataclasses
from collections.abc import Callable
from pathlib import Path
from typing import Annotated, Any, Literal

import tyro
from rich.text import Text

from nucleate.cli.clusters import ClusterName, connected
from nucleate.cli.parsing import UsageError, parse
from nucleate.cli.printing import command, say
from nucleate.cli.targets import Asked, experiment_of, experiments, known, told_of

RUNS = Path("runs")
_KEEP_WEIGHTS = (
    "Keep all weights every N steps, and where each network ends: nucleate.fleet.open_run(FOLDER).model(MEMBER, "
    "STEP) gives it back."
)
_SUMMARIES = {
    "run": "Train one experiment's fleet",
    "plan": "Say what one experiment's fleet would take on a cluster, and what limits it",
}


def run_experiment(args: list[str]) -> None:
    """`nucleate run`: the experiment named first decides what the options are."""
    if _asks_which(args, "run"):
        return
    chosen, asked = _chosen(
        "run",
        args,
        ("out", _told(Path | None, "Folder of the run; named after its config if left out."), None),
        ("allow_long", _told(bool, "Begin even if it takes more than a week."), False),
        ("keep_weights", _told(int | None, _KEEP_WEIGHTS), None),
        ("cluster", ClusterName, None),
        ("dry_run", _told(bool, "Train nothing: say how much there is, how long it takes and how large it is."), False),
    )
    from nucleate.fleet import Allow, Bar, train

    name = asked.name
    if chosen.dry_run:
        from nucleate.cli.forecasts import foretell_run

        plan = _keeping(_plan(_sized(chosen), name, _record_there(asked, chosen.seeds_from)), chosen.keep_weights)
        foretell_run(name, plan, chosen.out or _folder(name, plan), chosen.cluster)
        return
    with connected(chosen.cluster) as client:
        record_of = _record_trained(asked, chosen.seeds_from, client)
        plan = _keeping(_plan(_sized(chosen), name, record_of), chosen.keep_weights)
        out = chosen.out or _folder(name, plan)
        _finished(train(plan, out, on=client, watch=Bar(), allow=Allow.LONG if chosen.allow_long else Allow.NOTHING))


def plan_experiment(args: list[str]) -> None:
    """`nucleate plan`: what a run would take, and where its limits are."""
    if _asks_which(args, "plan"):
        return
    workers = ("workers", _told(int, "Threads of the cluster, each as fast as a core here."), 16)
    chosen, asked = _chosen("plan", args, workers)
    from nucleate.cli.forecasts import foretell_cluster

    foretell_cluster(
        asked.name, _plan(_sized(chosen), asked.name, _record_there(asked, chosen.seeds_from)), chosen.workers
    )


def _sized(chosen: Any):
    return reseeded(chosen.config, chosen.seeds_from)


def _told(kind: Any, text: str) -> Any:
    """An option's type, with its help."""
    return Annotated[kind, tyro.conf.arg(help=text)]


def _chosen(command_name: str, args: list[str], *further: tuple[str, Any, Any]) -> tuple[Any, Any]:
    """What is chosen: the fields of the experiment's config, and `further` options, each a name, an annotation and a
    default; and the experiment that is asked for. Help is told by what a paper says of itself, if it does."""
    name, *rest = args
    told = told_of(name) if {"-h", "--help"} & {*rest} else None
    asked = told or experiment_of(name)
    budget = _budget(rest)
    default = asked.at(budget)
    sizes = "Whose sizes are the defaults of the other options; 'paper': the paper's own."
    shift = "Shift every seed by this number, also those of experiments that it is made from."
    options = dataclasses.make_dataclass(
        "Options",
        [
            ("config", tyro.conf.OmitArgPrefixes[type(default)], default),
            ("budget", _told(Literal["quick", "standard", "paper"], sizes), budget),
            ("seeds_from", _told(int, shift), 0),
            *further,
        ],
    )
    fewer = f"--{default.repeats} 1 " if hasattr(default, default.repeats) else ""
    description = (
        f"{_SUMMARIES[command_name]}: {name}.\n\nExamples:\n  nucleate {command_name} {name} {fewer}--steps 500\n"
        f"  nucleate {command_name} {name} --budget paper"
    )
    return parse(options, rest, f"nucleate {command_name} {name}", description), asked


def resume_run(path: Path, cluster: str | None, allow) -> None:
    """Continue the run in a folder, however long it takes: that was allowed when it began."""
    from nucleate.fleet import Allow, Bar, train
    from nucleate.record import Run, RunError

    run = Run.open(path)
    if run.about.by is not None:
        raise RunError(f"{path} was recorded by a loop of your own: {run.way_on} continues it.")
    with connected(cluster) as client:
        _finished(train(_plan_again(run, client), path, on=client, watch=Bar(), allow=allow | Allow.LONG))


def _plan_again(run, client: Any):
    """The plan of a run that was begun: of a paper's experiment, or of what its run.json names."""
    from nucleate.fleet.origin import kept_by, plan_of

    start_jax()
    name = run.about.experiment or ""
    if name.split("/")[0] not in known():
        return plan_of(run)
    asked = experiment_of(name)
    try:
        experiment = type(asked.at("paper")).from_json(run.about.config)  # the size that all have
    except (TypeError, ValueError) as mistake:
        raise UsageError(f"{run.path} cannot be resumed by this nucleate: {mistake}") from None
    plan = _plan(experiment, name, _record_trained(asked, 0, client))
    return plan if run.about.keep_weights is None else dataclasses.replace(plan, keep_weights=kept_by(run))


def start_jax() -> None:
    """Before anything computes: a platform that is not there is one line, and programs compiled before are found."""
    from nucleate import machine

    machine.use_compile_cache()
    machine.workers()


def _asks_which(args: list[str], name: str) -> bool:
    """Whether no experiment is named: then all are, if help is asked for."""
    if args and not args[0].startswith("-"):
        return False
    if not (args and args[0] in ("-h", "--help")):
        raise UsageError(f"nucleate {name}: which experiment? `nucleate {name} --help` lists them.")
    listed = "\n".join(f"  {each}" for each in experiments())
    print(
        f"usage: nucleate {name} EXPERIMENT [OPTIONS]\n\n"
        f"{_SUMMARIES[name]}; every field of its config is an option.\n\n"
        f"experiments:\n{listed}\n\nExamples:\n  nucleate {name} grokking/phase-rates --help\n"
        f"  nucleate {name} grokking/data-size --seeds 1 --eta-repr 1e-3 1e-2\n"
        f"  nucleate {name} ./my_paper.py:easy --seeds 1\n"
    )
    return True


def _budget(args: list[str]) -> str:
    """The budget among the options, which decides the defaults of all others; a wrong one is left to the parser."""
    words = [word for arg in args for word in arg.split("=", 1)]
    named = words[words.index("--budget") + 1 :][:1] if "--budget" in words else []
    return named[0] if named and named[0] in ("quick", "standard", "paper") else "standard"


def reseeded(what, by: int):
    """A paper or an experiment with all seeds shifted."""
    if by < 0:
        raise UsageError(f"--seeds-from must be 0 or more; got {by}.")
    try:
        return what.reseeded(by) if by else what
    except ValueError as mistake:
        raise UsageError(f"--seeds-from {by}: {mistake}") from None


def _plan(experiment, name: str, record_of: Callable[[str], Any]):
    """The plan of an experiment; `record_of` has the record of one that it awaits."""
    from nucleate.papers import ready

    start_jax()
    try:
        return ready(experiment, record_of).plan(name)
    except ValueError as mistake:
        raise UsageError(str(mistake)) from None


def _record_trained(asked: Asked, seeds_from: int, client: Any) -> Callable[[str], Any]:
    """Of an experiment that another awaits: trained first, into a folder of its own."""

    def record_of(source: str):
        from nucleate.fleet import Bar, train

        before = _plan(_awaited(asked, source, seeds_from), source, record_of)
        return train(before, _folder(source, before), on=client, watch=Bar()).record()

    return record_of


def _awaited(asked: Asked, source: str, seeds_from: int):
    """Another experiment of a paper, which the one that is asked for awaits."""
    return reseeded(asked.beside(source).at("standard"), seeds_from)


def _record_there(asked: Asked, seeds_from: int) -> Callable[[str], Any]:
    """Of an experiment that another awaits: as it was trained before."""

    def record_of(source: str):
        from nucleate.record import Run

        before = _plan(_awaited(asked, source, seeds_from), source, record_of)
        run = Run(_folder(source, before))
        if not run.exists() or run.status != "complete":
            raise UsageError(
                f"which networks there are depends on what {source} finds, and {run.path} does not have that yet; "
                f"`nucleate run {asked.beside(source).target}` trains it."
            )
        return run.record()

    return record_of


def _keeping(plan, gap: int | None):
    """A plan that keeps weights every `gap` steps, if that is asked for."""
    from nucleate.fleet import Every

    try:
        return plan if gap is None else dataclasses.replace(plan, keep_weights=Every(gap))
    except ValueError as mistake:
        raise UsageError(f"--keep-weights {gap}: {mistake}") from None


def _folder(name: str, plan) -> Path:
    return RUNS / f"{name.replace('/', '-')}-{plan.fingerprint()[:8]}"


def _finished(run) -> None:
    from nucleate.report import describe

    about = describe(run)
    outcomes = ", ".join(f"{count} {name}" for name, count in about.outcomes.items())
    say(f"{about.members} networks ({outcomes}), {about.seconds:.0f} s:", Text(str(run.path), style="bold"))
    say("Look:", command("nucleate", "show", run.path), f"  Open: xarray.open_zarr({str(run.record_path)!r})")


COMMANDS: dict[str, Callable[[list[str]], None]] = {"run": run_experiment, "plan": plan_experiment}
