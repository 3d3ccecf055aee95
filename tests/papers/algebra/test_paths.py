"""Graph transformers, small and trained for a moment; what claims and figures make of planted records."""

from dataclasses import replace
from types import SimpleNamespace

import jax
import jax.numpy as jnp
import numpy as np
import plants_algebra_graphs as plants
import pytest

from nucleate.claims import Evidence, Verdict
from nucleate.fleet import train
from nucleate.papers import Budget
from nucleate.papers.algebra.experiments.paths import EXPERIMENTS, PATHS, PathFleet
from nucleate.papers.algebra.figures import paths as figures
from nucleate.papers.algebra.ledger.paths import CLAIMS
from nucleate.papers.algebra.readings import paths as readings
from nucleate.papers.algebra.recipe.paths import GraphLibrary, decode, embed_edges
from nucleate.record import Outcome
from nucleate.tasks import PathTask, connected_graphs

SMALL = PathFleet(
    vertices=5, edges=7, held_out=3, dim=8, heads=2, hidden=8, eta=0.03, batch=8, seeds=2, steps=60, look=30, maps=2,
    orders=2,
)  # fmt: skip


@pytest.fixture(scope="module")
def record(tmp_path_factory):
    return train(SMALL.plan(PATHS), tmp_path_factory.mktemp("paths") / "run").record().load()


def test_what_is_recorded(record):
    assert record.accuracy.shape == (2, 3, 3)
    assert np.all((record.accuracy >= 0) & (record.accuracy <= 1))
    assert np.all(record.accuracy[..., 1] <= record.accuracy[..., 0])  # what is optimal is legal
    assert np.all(record.loss[:, -1] < record.loss[:, 0])
    assert record.embedding.shape == (2, 2, 3, 7, 8)
    assert record.held_out.shape == (2, 3, 5, 5)
    assert not np.array_equal(record.embedding[:, 0], record.embedding[:, 1])


def test_claim_and_figures_of_a_real_record_are_too_early(record, tmp_path):
    evidence = Evidence({PATHS: plants.PlantedRun(record, SMALL.to_json())}, None)
    row = CLAIMS[0].judge(evidence)
    assert {check.reason for check in row.checks} == {"too early"}
    for figure in figures.FIGURES:
        assert figure(evidence, tmp_path).path.exists()


def test_held_out_graphs_are_not_trained_on():
    train_on, held_out = SMALL.library.split(0)
    names = {graph.tobytes() for graph in train_on}
    assert not any(graph.tobytes() in names for graph in held_out)
    assert np.all(held_out.sum((1, 2)) // 2 >= 6)
    assert len(train_on) + len(held_out) == sum(graph.sum() // 2 <= 7 for n in (4, 5) for graph in connected_graphs(n))
    assert not np.array_equal(held_out, SMALL.library.split(1)[1])


def test_larger_graphs_are_drawn_and_none_is_there_twice():
    library = GraphLibrary(PathTask(vertices=8, edges=9), least=8, larger=40, held_out=4)
    train_on, held_out = library.split(0)
    graphs = np.concatenate([train_on, held_out])
    spectra = {tuple(np.linalg.eigvalsh(graph.astype(float)).round(5) + 0.0) for graph in graphs}
    assert len(spectra) == len(graphs) > 20
    assert np.all(graphs.sum((1, 2)) // 2 <= 9)


TASK = PathTask(vertices=5, edges=7)


def test_decoding_says_the_likeliest_token():
    """A network that knows the sequences says their paths, and padding after the target."""
    graphs = TASK.library([graph for graph in connected_graphs(5) if graph.sum() // 2 == 6])
    tokens = jax.jit(TASK.sample)(jax.random.key(0), graphs).tokens
    found = decode(TASK, lambda seen: jax.nn.one_hot(tokens[:, 1:], TASK.tokens), tokens)
    assert np.array_equal(found, tokens[:, TASK.context + 1 :])


def test_an_edge_is_what_is_seen_at_its_end_whatever_the_order():
    """A network that sums the two tokens before each place has, at <e>, the sum of the edge's ends."""

    def look(tokens):
        told = jax.nn.one_hot(tokens, TASK.vertices)
        sums = jnp.pad(told, ((0, 0), (1, 0), (0, 0)))[:, :-1] + jnp.pad(told, ((0, 0), (2, 0), (0, 0)))[:, :-2]
        return SimpleNamespace(states=jnp.stack([told, sums], axis=1))

    graphs = TASK.library([graph for graph in connected_graphs(5) if graph.sum() // 2 in (5, 7)])
    found = np.asarray(embed_edges(TASK, look, graphs, orders=3))
    for points, graph in zip(found, graphs, strict=True):
        expected = readings.sums_of_ends(graph)
        assert points[: len(expected)] == pytest.approx(expected)
        assert not points[len(expected) :].any()


def test_embeddings_that_were_there_before_training_are_no_gain():
    row = CLAIMS[0].judge(plants.embedded(1e-4, 1e-4))
    assert [check.verdict for check in row.checks] == ["replicated", "contradicted", "replicated"]


def test_networks_that_have_not_learned_are_too_early():
    row = CLAIMS[0].judge(Evidence({PATHS: plants.run(5000.0, 5000.0, optimal=0.9)}, None))
    assert {check.reason for check in row.checks} == {"too early"}


def test_chance_is_what_planted_noise_has():
    found = plants.embedded(5000.0, 1e-4).once(readings.correlations)
    assert np.median(found.start) == pytest.approx(np.median(found.chance.mean(-1)), abs=0.05)
    assert np.median(found.end) > 0.95
    assert np.median(found.ends) > 0.9


def test_where_every_network_diverged_there_is_nothing_to_see(tmp_path):
    evidence = Evidence({PATHS: plants.run(1.0, 1.0, outcome=Outcome.DIVERGED)}, None)
    assert CLAIMS[0].judge(evidence).verdict == Verdict.INCONCLUSIVE
    assert [figure(evidence, tmp_path) for figure in figures.FIGURES] == [None, None]


@pytest.mark.parametrize(
    ("fields", "why"),
    [
        ({"edges": 11}, r"PathTask\.edges must be between 4, those of a tree, and 10 for 5 vertices; got 11"),
        ({"least": 6}, r"PathFleet\.least must be at most vertices = 5; got 6"),
        ({"heads": 3}, r"PathFleet\.heads must divide dim = 8; got 3"),
    ],
)
def test_sizes_that_do_not_go_together_are_refused(fields, why):
    with pytest.raises(ValueError, match=why):
        replace(SMALL, **fields)


def test_more_graphs_to_hold_out_than_there_are_is_refused_before_training():
    with pytest.raises(ValueError, match=r"PathFleet\.held_out must be less than the 10 graphs of 6 edges or more"):
        replace(SMALL, held_out=10).plan(PATHS)


def test_a_quick_run_leaves_it_out():
    assert EXPERIMENTS[PATHS].at(Budget.QUICK) is None
    assert EXPERIMENTS[PATHS].at(Budget.PAPER).vertices == 9
