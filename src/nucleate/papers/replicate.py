"""Re-run a paper: train what its claims need, measure, judge, draw."""

import contextlib
import traceback
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from PIL import Image

from nucleate import machine
from nucleate.checking import checked
from nucleate.claims import ONCE, Claim, ClaimRow, Evidence, Looks, NotTrained
from nucleate.claims.formats import in_one_line
from nucleate.fleet import Allow, Watcher, resumable, spread_over
from nucleate.fleet.progress import usual_watcher
from nucleate.papers.keeping import keep_for
from nucleate.papers.library import home_of
from nucleate.papers.paper import Budget, Figure, Paper
from nucleate.papers.replication import FAILURES, Replication, as_entries
from nucleate.papers.sequence import Sequence
from nucleate.papers.stages import UntilDecided, folder_of, staged
from nucleate.papers.training import Trainer
from nucleate.plots import Picture, style
from nucleate.record import RunError, inside, provenance, write_atomically
from nucleate.report import are_unchanged, listed, pictured
from nucleate.report.gallery import Listed


@checked
def replicate(
    paper: Paper,
    budget: Budget,
    into: Path | str,
    *,
    claims: tuple[Claim, ...] = (),
    until_decided: UntilDecided | None = None,
    on: Any = None,
    watch: Watcher | None = None,
    allow: Allow = Allow.NOTHING,
) -> Replication:
    """Measure a paper's claims (or just `claims`) at a budget, once, or `until_decided`. For `on`, a
    cluster that trains its fleets and samples learning coefficients, and `allow` see `nucleate.fleet.train`;
    `paper.reseeded(n)` has other networks.

    Runs that are complete are not trained again, unfinished ones are resumed; measurements, fits and figures are kept
    and not repeated. So a replication that was interrupted, in whatever phase, is continued by asking for it again. A
    claim that cannot be measured, or a figure that cannot be drawn, is reported, harms no other, and is tried again
    next time.
    """
    replication, watch = Replication(Path(into)), watch or usual_watcher()
    _refuse_foreign(replication)
    with resumable(replication.path), replication.lock():
        if changed := _begin(replication, paper, budget, claims, until_decided):
            watch.tell(changed)
        trainer = Trainer(replication, paper, watch, allow, on)
        for name in paper.needed(claims or paper.claims, budget):
            trainer.train(name)
        _carry_out(trainer, claims, until_decided.looks if until_decided else ONCE)
    return replication


def _carry_out(trainer: Trainer, claims: tuple[Claim, ...], looks: Looks) -> None:
    replication, paper, watch = trainer.replication, trainer.paper, trainer.watch
    into, budget = replication.path, replication.about.budget
    _list(replication, trainer.runs)
    effort = paper.effort.at(budget)
    keep, failures = keep_for(paper, effort, into), _Failures()

    def evidence_at(look: int) -> Evidence:
        return Evidence(trainer.until(look), effort, level=looks.level(look), keep=keep)

    def measure(chosen: Iterable[Claim], evidence: Evidence, look: int) -> list[ClaimRow]:
        asked = {claim: paper.left_out(claim, budget) for claim in chosen}
        with spread_over(trainer.on):
            rows = _measure(asked, evidence, failures, watch, "" if look == 1 else f" at look {look}")
        failures.write(replication)
        return rows

    evidence = Sequence(trainer, claims or paper.claims, looks, evidence_at, measure).carry_out()
    replication.update(**provenance())
    if not claims:
        with spread_over(trainer.on):
            pictures = _draw(paper.figures, evidence, into / "figures", failures, watch)
        replication.update(figures=as_entries(pictures, into))
        failures.write(replication)


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


def _refuse_foreign(replication: Replication) -> None:
    """Refuse a folder that holds anything but a replication, or the beginnings of one."""
    if not replication.exists() and not replication.folder.is_fresh():
        raise RunError(f"{replication.path} is not empty and not a replication; choose another folder with --out.")


def _begin(
    replication: Replication,
    paper: Paper,
    budget: Budget,
    claims: tuple[Claim, ...],
    until_decided: UntilDecided | None,
) -> str:
    """Begin a replication, or continue the one in the folder. A folder holds one: of one target, at one budget, from
    one seed on, with the looks that were planned when it began. The answer says whether the paper has been rewritten
    since."""
    target = ", ".join(claim.id for claim in claims) or paper.name
    needed = paper.needed(claims or paper.claims, budget)
    looks = until_decided.looks if until_decided else ONCE
    home, changed = home_of(paper), ""
    if until_decided:
        for name in needed:
            _refuse_unless_staged(paper, name, budget)
    if replication.exists():
        _refuse_other(replication, (target, budget, paper.seeds_from), looks)
        changed = _rewritten(replication, home)
        replication.folder.sweep()
        replication.update(**home)
        _list(replication, needed)
    else:
        replication.folder.sweep()
        what = {"paper": paper.name, "target": target, "title": paper.title, "reference": paper.reference}
        what |= {"budget": budget, "seeds_from": paper.seeds_from, "looks": looks.errors}
        replication.update(**what, **home, **provenance(), runs=[folder_of(name) for name in needed], figures=[])
    if until_decided:
        replication.update(within=until_decided.within)
    for name in replication.about.runs:
        inside(replication.path, name)
    replication.folder.refuse_links()
    return changed


def _rewritten(replication: Replication, home: Mapping[str, str]) -> str:
    """What is to be told of a paper in a file that is not as it was."""
    about = replication.about
    if None in (about.code, code := home.get("code")) or about.code == code:
        return ""
    return (
        f"{home['file']}, or what is beside it, has been rewritten since {replication.path} was begun: claims are "
        "judged and figures are drawn by what it says now. Networks whose recipe is other code are refused."
    )


def _refuse_other(replication: Replication, asked: tuple[str, Budget, int], looks: Looks) -> None:
    """Refuse to continue a replication as another one."""
    held, (target, budget, seeds_from) = replication.about, asked
    other = "choose another folder with --out, or discard it with --fresh."
    if (held.target, held.budget) != (target, budget):
        raise RunError(f"{replication.path} holds the replication of {held.target} at budget {held.budget}; {other}")
    if held.seeds_from != seeds_from:
        raise RunError(
            f"{replication.path} holds a replication with --seeds-from {held.seeds_from}, not {seeds_from}; {other}"
        )
    if held.looks != looks.errors:
        planned = Looks(held.looks)
        hint = "add --until-decided, or" if planned.count > 1 else "looks are planned before the first, so"
        raise RunError(f"{replication.path} holds a replication with {planned}: {hint} {other}")


def _refuse_unless_staged(paper: Paper, name: str, budget: Budget) -> None:
    try:
        staged(paper.at(budget)[name], 2)
    except ValueError as mistake:
        raise RunError(f"{name} cannot be trained in stages: {mistake}") from None


def _list(replication: Replication, experiments: Iterable[str]) -> None:
    """List the runs of experiments, and after them those that the folder had before."""
    replication.update(runs=list(dict.fromkeys([*map(folder_of, experiments), *replication.about.runs])))


def _measure(
    claims: Mapping[Claim, tuple[str, ...]], evidence: Evidence, failures: _Failures, watch: Watcher, when: str
) -> list[ClaimRow]:
    """Judge claims; `claims` maps each to the experiments it looks at that the budget leaves out."""
    rows: list[ClaimRow] = []
    with _watched(watch, "measuring", len(claims), "claims"):
        for claim, left_out in claims.items():
            machine.stop_if_asked()
            try:
                if left_out:
                    rows.append(claim.left_out(left_out, evidence))
                else:
                    rows.append(evidence.kept(f"claim {claim.id}{when}", lambda claim=claim: claim.judge(evidence)))
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
    unchanged = lambda drawn: are_unchanged(drawn, folder)
    with _watched(watch, "drawing", len(figures), "figures"), style():
        for number, figure in enumerate(figures):
            machine.stop_if_asked()
            try:
                # With its number: functions that one function made have one name.
                name = f"figure {number} {figure.__module__}.{figure.__qualname__}"
                with evidence.reading() as read:
                    drawn = evidence.kept(name, lambda figure=figure: _drawn(figure, evidence, folder), unchanged)
                pictures += [replace(each, experiments=tuple(sorted(read))) for each in pictured(drawn, folder)]
            except NotTrained:
                pass  # it is left to a larger budget
            except Exception as error:
                failures.add(f"figure {figure.__name__}", error)
            watch.advance(1)
    return pictures


def _drawn(figure: Figure, evidence: Evidence, folder: Path) -> list[Listed]:
    """The pictures that a figure makes."""
    with evidence.naming_columns():
        made = figure(evidence, folder)
    pictures = [] if made is None else made if isinstance(made, list) else [made]
    for picture in pictures:
        Image.open(picture.path).close()  # a file that is missing, or is not an image, is a figure that failed
    return listed(pictures, folder)


@contextlib.contextmanager
def _watched(watch: Watcher, name: str, total: int, unit: str) -> Iterator[None]:
    watch.begin(name, total, unit=unit)
    try:
        yield
    finally:
        watch.end()
