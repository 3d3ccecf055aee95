"""`python -m nucleate.papers.describe`: write down what each paper says of itself, in two files beside its code.

Due when claims or experiments have changed; `tests/papers/test_descriptions.py` says so.
"""

import dataclasses
import json
from pathlib import Path
from typing import Any

from nucleate.papers.description import FILE, DescribedClaim, DescribedExperiment, Description
from nucleate.papers.library import PAPERS, paper
from nucleate.papers.options import FILE as OPTIONS
from nucleate.papers.options import described_options
from nucleate.papers.paper import Paper, awaited
from nucleate.papers.sizes import Budget
from nucleate.record import write_atomically


def describe(what: Paper) -> Description:
    """A paper in words and numbers. Which networks there are may depend on which splits are feasible: that is computed
    here, once."""
    return Description(
        what.name,
        what.title,
        what.reference,
        tuple(_experiment(what, name) for name in what.experiments),
        tuple(DescribedClaim(claim.id, claim.source, claim.statement, claim.needs) for claim in what.claims),
    )


def _experiment(what: Paper, name: str) -> DescribedExperiment:
    portraits = bool(what.portraits.get(name))
    if (experiment := what.experiments[name].at(Budget.STANDARD)) is None:
        return DescribedExperiment(name, later="at --budget paper", portraits=portraits)
    if source := awaited(experiment):
        return DescribedExperiment(name, later=f"after {source}", portraits=portraits)
    plan = experiment.plan(name)
    return DescribedExperiment(name, plan.members.count, plan.steps, portraits=portraits)


def write_descriptions() -> None:
    """Every paper's, a line for each experiment and claim, and for their options."""
    for name in PAPERS:
        folder, what = Path(__file__).parent / name, paper(name)
        write_atomically(folder / FILE, _text(describe(what)).encode())
        write_options(what, folder / OPTIONS)


def write_options(what: Paper, file: Path) -> None:
    """A line for each config, and for each experiment."""
    parts = dataclasses.asdict(described_options(what.experiments))
    lines = (
        f'"{part}": {{\n  ' + ",\n  ".join(f"{_json(name)}: {_json(tree)}" for name, tree in each.items()) + "\n }"
        for part, each in parts.items()
    )
    write_atomically(file, ("{\n " + ",\n ".join(lines) + "\n}\n").encode())


def _text(what: Description) -> str:
    parts = {"experiments": what.experiments, "claims": what.claims}
    lines = [_json({"name": what.name, "title": what.title, "reference": what.reference})[1:-1]]
    for name, rows in parts.items():
        lines.append(f'"{name}": [\n  ' + ",\n  ".join(_json(_told(row)) for row in rows) + "\n ]")
    return "{\n " + ",\n ".join(lines) + "\n}\n"


def _told(row: Any) -> dict[str, Any]:
    """The fields that say more than their defaults."""
    return {
        field.name: value for field in dataclasses.fields(row) if (value := getattr(row, field.name)) != field.default
    }


def _json(tree: Any) -> str:
    return json.dumps(tree, ensure_ascii=False)


if __name__ == "__main__":
    write_descriptions()
