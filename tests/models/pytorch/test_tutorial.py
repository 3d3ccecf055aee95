"""The tutorial on a loop of PyTorch: ten lines more than the user's own, which is a loop without them, too."""

import json
import re
from pathlib import Path

import pytest

from docs.press.notebooks import Notebook

torch = pytest.importorskip("torch")
pytestmark = pytest.mark.torch

PATH = Path(__file__).parents[3] / "docs" / "tutorials" / "own_pytorch_loop.ipynb"
CELLS = json.loads(PATH.read_text(encoding="utf-8"))["cells"]
ADDED = re.compile(r".*# \+\n?")


def added(*parts):
    return [line for cell in parts if cell["cell_type"] == "code" for line in cell["source"] if ADDED.fullmatch(line)]


def test_ten_lines_lead_from_a_loop_to_a_record_a_law_a_report_and_a_coefficient():
    (second,) = (n for n, cell in enumerate(CELLS) if "".join(cell["source"]).startswith("λ̂ counts"))
    (imports,) = (line for line in added(*CELLS) if "import" in line)
    for lines in (added(*CELLS[:second]), [imports, *added(*CELLS[second:])]):
        assert len(lines) <= 10
        path = "".join(lines)
        for step in ("Recorder(", ".log(", ".fit(", "write_run_report(", "from_torch(", "learning_coefficient("):
            assert path.count(step) == 1


def test_the_loop_is_the_users_own_without_them():
    yours = [cell for cell in CELLS if "yours" in cell["metadata"].get("tags", ())]
    own = "".join(line for cell in yours for line in [*cell["source"], "\n"] if not ADDED.fullmatch(line))
    assert not re.search("nucleate|record|observables", own)
    threads = torch.get_num_threads()
    namespace: dict = {"__name__": "own"}
    exec(compile(own.replace("range(300)", "range(3)"), str(PATH), "exec"), namespace)
    torch.set_num_threads(threads)
    assert namespace["loss"].item() > 0


def test_it_runs_and_shows_the_coefficients_with_their_doubts(tmp_path):
    outputs = [output for cell in Notebook.read(PATH).run(tmp_path) for output in cell]
    tables = [
        output.content for output in outputs if output.kind == "html" and "learning coefficient" in output.content
    ]
    assert len(tables) == 2
    assert all("doubt" in table and "statistical" in table for table in tables)
    for run in ("adders", "readers"):
        assert (tmp_path / "runs" / run / "report.html").stat().st_size > 50_000
