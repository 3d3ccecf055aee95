"""The figures of the circles paper, each drawn once from planted records; and nothing is fitted twice."""

import numpy as np
import pytest
import xarray as xr
from circle_records import (
    FREQ,
    P,
    constructed,
    evidence,
    fleet,
    frozen,
    linear_fleet,
    waves,
    with_ablated_losses,
    with_counts,
)

from nucleate.papers import paper
from nucleate.papers.circles import readings
from nucleate.papers.circles.experiments import (
    ABLATED,
    COMPETITION,
    COMPOSITES,
    DECAY,
    DIMENSIONS,
    DYNAMICS,
    EXPERIMENTS,
    FROZEN,
    FROZEN_LARGE,
    LINES,
    LONG,
    NO_DECAY,
    PERTURBED,
    PRIMES,
    ROUND,
    STRONGEST,
    SURVIVAL,
)
from nucleate.plots import style
from nucleate.theories import Sparse

PAPER = paper("circles")


def dense_fleet(members: int, p: int = 13) -> xr.Dataset:
    """Every one of 100 steps recorded; two signals stay, the others decay."""
    record = linear_fleet(members, steps=100, p=p)
    rate = np.where(np.arange(record.sizes["freq"]) < 2, 2e-4, 2e-2)
    noise = 1 + 0.002 * np.random.default_rng(0).normal(size=record.signal.shape)
    start = record.signal.values[:, :1]
    record["signal"] = (record.signal.dims, start * np.exp(-rate * record.step.values[:, None]) * noise)
    record["mean_signal"] = (("member", "step"), (2 * record.signal.values.sum(-1) + 50) / p)
    record["gradient_spectrum"] = (record.signal.dims, record.signal.values / 100)
    return record


def pictured(record: xr.Dataset) -> xr.Dataset:
    """The record with embeddings that turn from noise into the circles of its survivors, and ablated losses."""
    members, rng = record.sizes["member"], np.random.default_rng(0)
    part = np.linspace(0, 1, 6)[:, None, None]
    noise = rng.normal(size=(members, 1, P, 12))
    embedding = (1 - part) * noise + part * waves(dict.fromkeys(range(1, 7), 1.0))
    record["embedding"] = (("member", "step_embedding", "token", "dim"), embedding.astype(np.float32))
    record = record.assign_coords(step_embedding=np.linspace(0, int(record.steps), 6).astype(int))
    return with_ablated_losses(record, [3.0, 1.0, 0.1, 0.01, 0.001])


@pytest.fixture(scope="module")
def seen():
    """Few networks of every experiment."""
    counts = np.repeat([3, 4, 5, 4], 4)

    def varied(column, values):
        return fleet(with_counts(counts), **{column: np.repeat(values, 4)})

    lines = constructed(np.arange(16) >= 8, np.arange(16) % 4 == 0)
    records = {
        COMPETITION: pictured(fleet(with_counts(counts))),
        LONG: pictured(fleet(with_counts(counts[:2]))),
        SURVIVAL: dense_fleet(8),
        PERTURBED: varied("factor", [0.85, 0.95, 1.0, 1.15]),
        LINES: lines,
        ROUND: lines,
        PRIMES: varied("p", [19, 29, 41, 53]),
        COMPOSITES: varied("p", [20, 30, 42, 56]),
        DIMENSIONS: varied("dim", [16, 32, 64, 96]),
        FROZEN: frozen({16: 3.0, 48: 0.5}),
        FROZEN_LARGE: frozen({64: 0.1, 128: 0.01}),
        DECAY: varied("wd", [0.1, 0.5, 1.0, 1.5]),
        NO_DECAY: fleet(np.zeros((4, FREQ), bool), dead=87.0, wd=0.0),
        ABLATED: fleet(with_counts(np.tile([4, 2, 3, 4], 4)), variant=np.tile(np.arange(4), 4)),
        STRONGEST: fleet(with_counts([4, 2] * 4), variant=np.tile(np.arange(2), 4), seed=np.repeat(np.arange(4), 2)),
        DYNAMICS: dense_fleet(3),
    }
    assert set(records) == set(EXPERIMENTS)
    noise = np.linspace(0.2, 0.7, 6)[:, None, None] * np.linspace(0.9, 1.1, 50)[:, None] * np.ones(FREQ)
    start = dict.fromkeys(range(4), np.linspace(0.6, 0.7, records[SURVIVAL].sizes["freq"]))
    return evidence(records, known={readings.noise_circularity: noise, readings.start_circularity: start})


@pytest.mark.parametrize("figure", PAPER.figures, ids=lambda figure: figure.__name__)
def test_every_figure_is_drawn(seen, figure, tmp_path):
    with style():
        picture = figure(seen, tmp_path)
    assert picture.path.stem == figure.__name__
    assert picture.path.stat().st_size > 5000
    assert picture.title
    assert picture.caption.endswith(".")


@pytest.mark.parametrize(
    ("number", "names"),
    [(2, [COMPETITION]), (10, [DECAY, COMPETITION]), (12, [STRONGEST, COMPETITION])],
)
def test_what_a_budget_leaves_out_is_left_out_of_the_figure(seen, number, names, tmp_path):
    some = evidence({name: seen.record(name) for name in names})
    figure = next(figure for figure in PAPER.figures if figure.__name__ == f"figure_{number}")
    with style():
        assert figure(some, tmp_path).path.stat().st_size > 5000


def test_figures_come_in_the_order_of_the_paper():
    assert [figure.__name__ for figure in PAPER.figures] == ["figure_2", "film", *(f"figure_{n}" for n in range(3, 17))]


def test_claims_and_figures_together_fit_each_network_once(tmp_path, monkeypatch):
    fitted, regress = [], Sparse.regress
    monkeypatch.setattr(Sparse, "regress", lambda self, *data: fitted.append(len(data[0])) or regress(self, *data))
    both = evidence({SURVIVAL: dense_fleet(4), DYNAMICS: dense_fleet(3)})
    for claim in PAPER.claims:
        if claim.id in ("circles/16", "circles/17", "circles/18", "circles/19"):
            claim.judge(both)
    with style():
        for figure in PAPER.figures:
            if figure.__name__ in ("figure_9", "figure_15", "figure_16"):
                figure(both, tmp_path)
    assert sorted(fitted) == [50] * 3 + [100] * (4 + 3)  # of dynamics the first half, too
