"""The page of one run, with the figures that its paper has for it."""

import traceback
from pathlib import Path
from typing import TYPE_CHECKING

from nucleate.claims import Evidence
from nucleate.claims.formats import in_one_line
from nucleate.papers.description import description
from nucleate.papers.names import PAPERS
from nucleate.papers.replication import FAILURES
from nucleate.papers.sizes import Budget
from nucleate.plots import Picture
from nucleate.record import Run, write_atomically
from nucleate.report import Gallery, write_run_report

if TYPE_CHECKING:  # a page whose figures are kept waits for no paper
    from nucleate.papers.paper import Paper


def write_experiment_report(run: Run, of: "Paper | None" = None) -> Path:
    """A run as an HTML page beside it. A finished run of a paper's experiment, with whatever options, is shown in the
    paper's own figures, if the record of that experiment is enough for them; one that cannot be drawn is named.

    `of`: the paper, if it is not nucleate's. One of nucleate's is imported only if there is a figure that was not drawn
    before.
    """
    name = run.about.experiment or ""
    if run.status != "complete" or not _has_portraits(name, of):
        return write_run_report(run)
    gallery, failures = Gallery(run), []
    pictures = None if of else gallery.find("portraits")  # which knows when nucleate's code has changed
    if pictures is None:
        pictures, failures = _drawn(of or _loaded(name), name, run)
        if not failures:
            if of is None:
                gallery.keep("portraits", pictures)
            (run.path / FAILURES).unlink(missing_ok=True)
    return write_run_report(run, pictures, failures)


def _home(name: str) -> str:
    return name.split("/")[0]


def _has_portraits(name: str, of: "Paper | None") -> bool:
    """Whether a paper has figures for any run of this experiment."""
    if of is not None:
        return bool(of.portraits.get(name))
    known = description(_home(name)).experiments if _home(name) in PAPERS else ()
    return any(each.portraits for each in known if each.name == name)


def _loaded(name: str) -> "Paper":
    from nucleate.papers.library import paper

    return paper(_home(name))


def _drawn(home: "Paper", name: str, run: Run) -> tuple[list[Picture], list[str]]:
    """The portraits of a run, and what failed, a line each; tracebacks go to a file."""
    from nucleate.plots import style

    evidence = Evidence({name: run}, home.effort.at(Budget.STANDARD))
    pictures: list[Picture] = []
    failures, tracebacks = [], []
    run.folder.refuse_links()
    folder = run.path / "figures"
    folder.mkdir(exist_ok=True)
    with style():
        for figure in home.portraits.get(name, ()):
            try:
                with evidence.naming_columns():
                    made = figure(evidence, folder)
                pictures += [] if made is None else made if isinstance(made, list) else [made]
            except Exception as error:
                failures.append(f"figure {figure.__name__}: {in_one_line(error)}")
                tracebacks.append("".join(traceback.format_exception(error)))
    if tracebacks:
        write_atomically(run.path / FAILURES, "\n".join(tracebacks).encode())
    return pictures, failures
