"""Re-run a paper: train what its claims need, measure, judge, draw."""

import contextlib
import hashlib
import traceback
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from PIL import Image

from nucleate.claims import Claim, ClaimRow, Evidence, write_json
from nucleate.claims.formats import in_one_line
from nucleate.fleet import Interruption, Silent, Watcher, train
from nucleate.papers.keeping import keep_for
from nucleate.papers.paper import Budget, Figure, Paper, ready
from nucleate.papers.replication import FAILURES, MANIFEST, Replication, as_entries
from nucleate.plots import Picture, style
from nucleate.record import Run, RunError, provenance, write_atomically


def replicate(
    paper: Paper, budget: Budget, into: Path | str, *, claims: tuple[Claim, ...] = (), watch: Watcher | None = None
) -> Replication:
    """Measure a paper's claims (or just `claims`) at a budget.

    Runs that are complete are not trained again, unfinished ones are resumed; measurements, fits and figures are kept
    and not repeated. So a replication that was interrupted, in whatever phase, is continued by asking for it again. A
    claim that cannot be measured, or a figure that cannot be drawn, is reported, harms no other, and is tried again
    next time.
    """
    into, watch = Path(into), watch or Silent()
    replication = _opened(paper, budget, into, claims)
    try:
        runs = _train(paper, budget, into, claims or paper.claims, watch)
        replication.update(runs=[_folder(name) for name in runs])
        effort = paper.effort.at(budget)
        evidence = Evidence(runs, effort, keep=keep_for(paper, effort, into))
        failures = _Failures()
        write_json(_measure(claims or paper.claims, evidence, failures, watch), replication.scorecard)
        failures.write(replication)
        if not claims:
            pictures = _draw(paper.figures, evidence, into / "figures", failures, watch)
            replication.update(figures=as_entries(pictures, into))
            failures.write(replication)
    except KeyboardInterrupt:
        raise Interruption(into) from None
    return replication


@dataclass
class _Failures:
    """What went wrong without stopping the rest: one line each for the report, tracebacks for the log."""

    told: list[str] = field(default_factory=list)
    tracebacks: list[str] = field(default_factory=list)

    def add(self, what: str, error: Exception) -> None:
        self.told.append(f"{what}: {in_one_line(error)}")
        self.tracebacks.append(f"{what}\n{''.join(traceback.format_exception(error))}")

    def write(self, replication: Replication) -> None:
        replication.update(failures=self.told)
        log = replication.path / FAILURES
        if self.tracebacks:
            write_atomically(log, "\n".join(self.tracebacks).encode())
        else:
            log.unlink(missing_ok=True)


def _opened(paper: Paper, budget: Budget, into: Path, claims: tuple[Claim, ...]) -> Replication:
    """The replication in a folder, begun if it is not there. A folder holds one: of one target, at one budget.

    Figures that were drawn before stay in its manifest until all are drawn again.
    """
    replication = Replication(into)
    target = ", ".join(claim.id for claim in claims) or paper.name
    held = replication.about if replication.exists() else {}
    if held:
        if (held["target"], held["budget"]) != (target, budget):
            raise RunError(
                f"{into} holds the replication of {held['target']} at budget {held['budget']}; choose another folder "
                "with --out, or discard it with --fresh."
            )
    elif into.is_dir() and not all(entry.match(f".{MANIFEST}.*") for entry in into.iterdir()):
        raise RunError(f"{into} is not empty and not a replication; choose another folder with --out.")
    replication.update(
        **provenance(),
        paper=paper.name,
        target=target,
        title=paper.title,
        reference=paper.reference,
        budget=budget,
        runs=[_folder(name) for name in paper.needed(claims or paper.claims, budget)],
        figures=held.get("figures", []),
    )
    return replication


def _train(paper: Paper, budget: Budget, into: Path, chosen: tuple[Claim, ...], watch: Watcher) -> dict[str, Run]:
    runs: dict[str, Run] = {}
    experiments = paper.at(budget)

    def run_of(name: str) -> Run:
        if name not in runs:  # a sequel, filled in, may await yet another
            experiment = ready(experiments[name], lambda source: run_of(source).record())
            runs[name] = train(experiment.plan(name), into / _folder(name), watch=watch)
        return runs[name]

    for name in paper.needed(chosen, budget):
        run_of(name)
    return runs


def _measure(claims: tuple[Claim, ...], evidence: Evidence, failures: _Failures, watch: Watcher) -> list[ClaimRow]:
    rows: list[ClaimRow] = []
    with _watched(watch, "measuring", len(claims), "claims"):
        for claim in claims:
            try:
                rows.append(evidence.kept(f"claim {claim.id}", lambda claim=claim: claim.judge(evidence)))
            except Exception as error:
                failures.add(f"claim {claim.id}", error)
                rows.append(claim.failed(error, evidence))
            watch.advance(1)
    return rows


def _draw(
    figures: tuple[Figure, ...], evidence: Evidence, folder: Path, failures: _Failures, watch: Watcher
) -> list[Picture]:
    folder.mkdir(parents=True, exist_ok=True)
    pictures: list[Picture] = []
    with _watched(watch, "drawing", len(figures), "figures"), style():
        for number, figure in enumerate(figures):
            try:
                # With its number: functions that one function made have one name.
                name = f"figure {number} {figure.__module__}.{figure.__qualname__}"
                drawn = evidence.kept(name, lambda figure=figure: _drawn(figure, evidence, folder), _are_in(folder))
                pictures += [Picture(folder / file, title, caption) for file, title, caption, _ in drawn]
            except Exception as error:
                failures.add(f"figure {figure.__name__}", error)
            watch.advance(1)
    return pictures


def _drawn(figure: Figure, evidence: Evidence, folder: Path) -> list[tuple[str, str, str, str]]:
    """Name, title, caption and checksum of each picture that a figure makes."""
    made = figure(evidence, folder)
    pictures = [] if made is None else made if isinstance(made, list) else [made]
    for picture in pictures:
        Image.open(picture.path).close()  # a file that is missing, or is not an image, is a figure that failed
    return [(p.path.relative_to(folder).as_posix(), p.title, p.caption, _checksum(p.path)) for p in pictures]


def _are_in(folder: Path):
    """Whether pictures that were drawn before are still in their folder, and the same."""
    return lambda drawn: all(_checksum(folder / name) == checksum for name, _, _, checksum in drawn)


def _checksum(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest() if path.exists() else ""


@contextlib.contextmanager
def _watched(watch: Watcher, name: str, total: int, unit: str) -> Iterator[None]:
    watch.begin(name, total, unit=unit)
    try:
        yield
    finally:
        watch.end()


def _folder(name: str) -> str:
    return name.split("/", 1)[-1]
