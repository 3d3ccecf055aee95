"""What training would take, before any is done: `--dry-run` of `run` and `replicate`, and `nucleate plan`."""

from collections.abc import Iterator
from pathlib import Path

from rich.table import Table
from rich.text import Text

from nucleate.cli.clusters import threads_of
from nucleate.cli.parsing import UsageError
from nucleate.cli.printing import aligned, busy, say, show

# By `python -m benchmarks.cluster`. Of a core: seconds of the scheduler and the client together for a shard, and to see
# that a file of a record is there, on a local disk, which everyone does who opens one.
_CALL, _OPENED = 0.75e-3, 7e-6
_MESSAGES = 8  # about a shard


def foretell_run(name: str, plan, out: Path, cluster: str | None) -> None:
    """What `nucleate run` would do."""
    about = _forecast(name, plan, threads_of(cluster), out)
    _title(name, about)
    rows = [_time(about), ("record", f"{_record(about)}: {out}{_status(out)}")]
    for line in aligned(rows):
        say(line)
    say("Nothing was trained.")


def foretell_cluster(name: str, plan, workers: int) -> None:
    """What a cluster of N workers would do, and what keeps a larger one from doing it sooner."""
    if not 1 <= workers < 2**31:
        raise UsageError(f"nucleate plan: --workers must be >= 1{' and < 2**31' * (workers > 1)}; got {workers}.")
    from nucleate.fleet.estimate import in_days

    about = _forecast(name, plan, workers)
    _title(name, about)
    most, opened = -(-about.networks // about.shards), in_days(about.files * _OPENED)
    networks = "one network" if most == 1 else f"up to {most} networks"
    rows = [
        _time(about),
        ("shards", f"{about.shards:,} of {networks}, {in_days(about.shard_seconds)} each"),
        ("record", f"{_record(about)}; on a local disk it opens in {opened} of a core"),
        ("messages", f"about {_MESSAGES * about.shards:,}, in {in_days(_CALL * about.shards)} of a core"),
        *(("limit", limit) for limit in _limits(about)),
    ]
    for line in aligned(rows):
        say(line)


def _limits(about) -> Iterator[str]:
    """What keeps more workers from ending sooner."""
    from nucleate.fleet.estimate import in_days

    least = in_days(about.making + about.labour / about.most_shards)
    yield f"{about.most_shards:,} workers, which take {least}: more of them would find nothing to train"
    if about.making > about.seconds / 20:
        yield f"{in_days(about.making)}, in which one process makes the data of all networks and sorts them"
    if min(about.workers, about.shards) * _CALL > about.shard_seconds:
        yield f"{1 / _CALL:,.0f} shards a second, which is what a scheduler passed on when that was measured"


def foretell_replication(paper, budget, claims: tuple, out: Path, cluster: str | None) -> None:
    """What `nucleate replicate` would train, of which nothing can be said yet if it is made from what another finds."""
    from nucleate.fleet.estimate import in_days
    from nucleate.machine import in_bytes
    from nucleate.papers import ready
    from nucleate.papers.stages import folder_of
    from nucleate.record import Run

    workers, experiments = threads_of(cluster), paper.at(budget)
    table = Table("experiment", "networks", "steps", "time", "record, at most", "status")
    seconds = record = 0.0
    for name in paper.needed(claims or paper.claims, budget):
        try:
            plan = ready(experiments[name], lambda source: _finished(Run(out / folder_of(source)), source)).plan(name)
        except _NotThere as source:
            table.add_row(name, "–", "–", "–", "–", f"depends on what {source} finds")
            continue
        folder = out / folder_of(name)
        about, status = _forecast(name, plan, workers, folder), _status(folder)
        if status != COMPLETE:
            seconds += about.seconds
        record += about.record
        cells = f"{about.networks:,}", f"{about.steps:,}", in_days(about.seconds), in_bytes(about.record)
        table.add_row(name, *cells, status.lstrip(", "))
    show(table)
    say(f"{in_days(seconds)} of training, {in_bytes(record)} at most; measurements and figures come on top.")
    say("Nothing was trained.")


COMPLETE = ", complete"


class _NotThere(Exception):
    """The record of an experiment that another is made from."""


def _finished(run, source: str):
    if _status(run.path) != COMPLETE:
        raise _NotThere(source)
    return run.record()


def _status(folder: Path) -> str:
    from nucleate.record import Run

    run = Run(folder)
    if not run.exists():
        return ""
    return COMPLETE if run.status == "complete" else ", begun"


def _forecast(name: str, plan, workers: int | None, out: Path | None = None):
    """Of a run that has been begun in the folder, as it was."""
    from nucleate.fleet import forecast
    from nucleate.fleet.cut import cut_alike
    from nucleate.record import Run

    if out and (run := Run(out)).exists():
        plan = cut_alike(plan, run.about)
    with busy(name) as saying:
        return forecast(plan, workers, say=saying)


def _title(name: str, about) -> None:
    steps = about.networks * about.steps
    say(Text(name, style="bold"), f"{about.networks:,} networks × {about.steps:,} steps = {steps:,} network-steps")


def _time(about) -> tuple[str, str]:
    from nucleate.fleet.estimate import in_days

    speed = f"{about.pace.speed:,.0f}" if about.pace.speed > 100 else f"{about.pace.speed:.3g}"
    how = "remembered from an earlier measurement" if about.pace.remembered else "measured just now"
    return "time", (
        f"{in_days(about.seconds)} with {_busy(about)}; one takes "
        f"{speed} steps a second in {about.pace.cut}, {how} on this machine"
    )


def _busy(about) -> str:
    """16 workers, or 528 of 1,000 workers where the others would find nothing to train."""
    among = f"{about.shards:,} of " if about.shards < about.workers else ""
    return f"{among}{about.workers:,} worker{'s' * (about.workers > 1)}"


def _record(about) -> str:
    from nucleate.machine import in_bytes

    return f"{in_bytes(about.record)} at most, in {about.files:,} files"
