"""How things look in a notebook, and printed: tables whose cells are text, whatever is in them."""

import subprocess
import sys
from html.parser import HTMLParser

import numpy as np
import pytest
import xarray as xr

from nucleate.hypertext import Html, brief, table
from nucleate.record import Recorder, Run

EVIL = "<script>alert(1)</script>"


class Cells(HTMLParser):
    """The cells of tables whose tags balance; script tags are none of them."""

    def __init__(self, html: str):
        super().__init__(convert_charrefs=True)
        self.open, self.cells = [], []
        self.feed(html)
        self.close()
        assert self.open == []

    def handle_starttag(self, tag, attrs):
        assert tag in {"p", "strong", "table", "tr", "th", "td"}
        self.open.append(tag)
        self.cells += [""] if tag in {"td", "th"} else []

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, data):
        if "td" in self.open or "th" in self.open:
            self.cells[-1] += data


def test_cells_headings_and_titles_are_escaped_unless_they_are_html():
    html = table([[EVIL, Html("<b>bold</b>")]], [EVIL], EVIL)
    assert EVIL not in html
    assert html.count("&lt;script&gt;") == 3
    assert "<b>bold</b>" in html


@pytest.mark.parametrize(
    ("value", "shown"),
    [
        (1 / 3, "0.3333"),
        (7, "7"),
        (None, "None"),
        (True, "True"),
        (np.array([1.5, 2.5]), "1.5, 2.5"),
        (np.float64(0.5), "0.5"),
        (np.array(3), "3"),
        (np.zeros((0, 4)), ""),
        (np.arange(20.0).reshape(4, 5), "4 × 5 numbers from 0 to 19"),
        (np.ones(9, bool), "9 flags, 9 of them true"),
        (np.full(9, 1j), "9 values of complex128"),
        (xr.DataArray([1.0, np.nan]), "1, nan"),
        (xr.DataArray(np.ones((3, 3))), "3 × 3 numbers from 1 to 1"),
        (range(100), "0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, …"),
        ({"eta": [0.1, 0.2]}, "eta: 0.1, 0.2"),
        ("two\nlines", "two lines"),
        ("x" * 300, "x" * 99 + "…"),
    ],
)
def test_values_are_told_in_brief(value, shown):
    assert brief(value) == shown


@pytest.fixture
def run(tmp_path) -> Run:
    with Recorder(tmp_path / "run", members={"eta": [0.1, 0.2]}) as recorder:
        recorder.log(0, loss=[1.0, 2.0])
    recorder.run.update(config={"note": EVIL})
    return recorder.run


def test_a_run_is_a_table_of_what_it_is(run, tmp_path):
    cells = Cells(run._repr_html_()).cells
    assert (
        dict(zip(cells[::2], cells[1::2], strict=True)).items()
        >= {
            "status": "complete",
            "experiment": "a loop of your own",
            "networks": "2",
            "note": EVIL,
        }.items()
    )
    assert str(run).splitlines()[:2] == [str(run.path), "  status      complete"]
    run.update(status="running")  # and no process holds it
    assert "interrupted" in str(run)


def test_a_run_that_cannot_be_read_says_so(tmp_path):
    assert "unreadable" in Cells(Run(tmp_path)._repr_html_()).cells
    (tmp_path / "run.json").write_text("{")
    assert "unreadable" in str(Run(tmp_path))


def test_the_summary_of_a_run_and_its_members_are_tables(run):
    from nucleate.fleet import grid
    from nucleate.report import describe

    assert {"outcomes", "ok: 2"} <= set(Cells(describe(run)._repr_html_()).cells)
    members = grid(eta=np.geomspace(1e-4, 1, 9), seed=range(2))
    assert repr(members) == "Members(18 networks: eta 9 numbers from 0.0001 to 1; seed 0, 1)"
    assert "9 numbers from 0.0001 to 1" in Cells(members._repr_html_()).cells


def test_a_fit_is_a_table_of_its_parameters():
    from nucleate.theories import LinearFlow
    from nucleate.theories.signals import LinearFlowFit

    interactions = xr.DataArray(np.eye(3), dims=("freq", "source"))
    fit = LinearFlowFit(LinearFlow(), interactions, xr.DataArray([0.5, 1, 2], dims="freq"), converged=True)
    cells = Cells(fit._repr_html_()).cells
    assert {"interactions", "3 × 3 numbers from 0 to 1", "0.5, 1, 2", "converged"} <= set(cells)
    assert "intercept     0.5, 1, 2" in str(fit)
    assert "eye" not in repr(fit)


def test_a_coefficient_is_a_table_with_its_doubts():
    import jax.numpy as jnp

    from nucleate.observables import Grid, Sampling, Setting, Whole, calibrate, learning_coefficient

    def loss(w, _):
        return jnp.sum(w**2)

    few = Sampling(burn_in=0, draws=50)
    found = learning_coefficient(loss, Whole(()), [jnp.zeros(2)], [Setting(step=10.0, nbeta=100.0)], few)
    assert "DIVERGED" in Cells(found._repr_html_()).cells
    assert repr(found) == "LearningCoefficient(1 checkpoint × 1 subset × 1 setting: nan ± nan)"
    sweep = calibrate(loss, Whole(()), [jnp.zeros(2)], Grid(step=(10.0, 20.0), nbeta=(100.0,)), few)
    assert "no plateau at checkpoint 0" in Cells(sweep._repr_html_()).cells[0]


def test_looking_at_a_run_loads_no_jax(run):
    look = f"from nucleate.record import Run; Run({str(run.path)!r})._repr_html_()"
    subprocess.run([sys.executable, "-c", f"import sys; {look}; sys.exit('jax' in sys.modules)"], check=True)
