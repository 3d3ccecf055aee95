"""The navigator's claim and figures, on few graphs."""

import numpy as np
import pytest

from nucleate.claims import Estimate, Evidence, Verdict
from nucleate.observables import Routes
from nucleate.papers.algebra.figures import navigator as figures
from nucleate.papers.algebra.ledger.navigator import CLAIMS
from nucleate.papers.algebra.readings import navigator as readings
from nucleate.tasks import connected_graphs


@pytest.fixture(scope="module")
def evidence():
    """On graphs of up to six vertices, and fewer random ones."""
    with pytest.MonkeyPatch.context() as patch:
        small = [graph for vertices in (3, 4, 5, 6) for graph in connected_graphs(vertices)]
        patch.setattr(readings, "small_graphs", lambda: small)
        patch.setattr(readings, "_GRAPHS", (400, 20, 5))
        patch.setattr(readings, "COUNTS", (3, 5, 21))
        yield Evidence({}, None)


def test_weights_and_all_eigenvectors_are_chosen_and_replicate(evidence):
    tried = evidence.once(readings.sweep)
    assert tried.best_kind == "weighted"
    assert tried.best("weighted") == 21
    assert np.all(tried.far <= tried.share)
    row = CLAIMS[0].judge(evidence)
    assert row.verdict == Verdict.REPLICATED
    assert "weighted, all eigenvectors" in row.note
    assert "as the slide prints it, without weights" in row.note.lower()


def test_without_weights_99_percent_are_not_reached(evidence):
    tried = evidence.once(readings.sweep)
    assert tried.share[0].max() < 0.97
    found = evidence.once(readings.on_random_graphs)
    assert found.of(next(iter(readings.ENSEMBLES)), 1).share < 0.99


def test_a_navigator_that_errs_more_often_is_contradicted():
    good, bad = (
        readings.OnRandomGraphs(
            ["weighted", "plain", "plain"],
            {name: np.tile(routes(share), (3, 1, 1)) for name in readings.ENSEMBLES},
        )
        for share in (0.999, 0.95)
    )
    tried = readings.Sweep(np.full((2, len(readings.COUNTS)), 0.9), np.full((2, len(readings.COUNTS)), 0.8), 994)
    for found, verdict in ((good, Verdict.REPLICATED), (bad, Verdict.CONTRADICTED)):
        known = {readings.sweep: tried, readings.on_random_graphs: found}
        assert CLAIMS[0].judge(Evidence({}, None, known=known)).verdict == verdict


def routes(share: float) -> np.ndarray:
    """Of 500 graphs of 42 pairs, about so many optimal."""
    pairs = np.full(500, 42.0)
    optimal = np.random.default_rng(0).binomial(42, share, 500).astype(float)
    return np.stack([optimal, pairs, optimal, pairs])


def test_counts_above_a_graphs_edges_mean_all_of_them():
    graphs = list(connected_graphs(4))
    many, all_of_them = (readings.routes(graphs, "weighted", count) for count in (13, None))
    assert isinstance(many, Routes)
    assert many.optimal == pytest.approx(all_of_them.optimal)


def test_figures(evidence, tmp_path):
    for figure in figures.FIGURES:
        assert figure(evidence, tmp_path).path.exists()


def test_the_rule_is_the_talks():
    (check,) = CLAIMS[0].checks
    assert check.threshold == "the paper's"
    assert check.region.judge(Estimate.exact(0.99)) == Verdict.CONTRADICTED
