"""The page of one run, with the figures that its paper has for it."""

import traceback
from pathlib import Path

from nucleate.claims import Evidence
from nucleate.claims.formats import in_one_line
from nucleate.papers.library import PAPERS, paper
from nucleate.papers.paper import Budget, Paper
from nucleate.papers.replication import FAILURES
from nucleate.plots import Picture, style
from nucleate.record import Run, write_atomically
from nucleate.report import write_run_report


def write_experiment_report(run: Run) -> Path:
    """A run as an HTML page beside it. A finished run of a paper's experiment, with whatever options, is shown in the
    paper's own figures, if the record of that experiment is enough for them; one that cannot be drawn is named."""
    name = run.about.experiment or ""
    home = name.split("/")[0]
    if home not in PAPERS or run.status != "complete":
        return write_run_report(run)
    pictures, failures = _drawn(paper(home), name, run)
    return write_run_report(run, pictures, failures)


def _drawn(home: Paper, name: str, run: Run) -> tuple[list[Picture], list[str]]:
    """The portraits of a run, and what failed, a line each; tracebacks go to a file."""
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
    else:
        (run.path / FAILURES).unlink(missing_ok=True)
    return pictures, failures
