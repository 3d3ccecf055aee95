"""The toy model: its structure, its data, and what it records."""

import jax.numpy as jnp
import numpy as np
import pytest
from scipy.special import log_softmax

from nucleate.papers.grokking.recipe import Classification, Regression, Structure, ToyAddition


def test_equations_of_four_symbols_are_those_of_the_paper():
    """Eq. 20: A1: E0 + E2 = 2 E1, A2: E0 + E3 = E1 + E2, A3: E1 + E3 = 2 E2."""
    assert Structure(4).equations.tolist() == [[1, -2, 1, 0], [1, -1, -1, 1], [0, 1, -2, 1]]


def test_a_line_satisfies_every_equation_of_ten_symbols():
    structure = Structure(10)
    assert structure.equations.shape == (70, 10)
    assert not (structure.equations @ np.arange(10.0)).any()


def test_a_listed_training_set_is_trained_on():
    recipe = ToyAddition(p=4, training_set=((2, 0), (1, 1)))
    data = recipe.data({"seed_split": 3, "train_size": 2})
    assert data["train"]["pair"][:2].tolist() == [[0, 2], [1, 1]]
    assert data["train"]["weight"].sum() == data["in_train"].sum() == 2


def test_a_random_split_is_its_seeds():
    recipe = ToyAddition()
    one, same, other = (recipe.split({"seed_split": seed, "train_size": 45}).in_train for seed in (3, 3, 4))
    assert one.sum() == 45
    assert np.array_equal(one, same)
    assert not np.array_equal(one, other)


def test_regression_answers_with_the_nearest_template():
    templates = jnp.array([[0.0, 0.0], [1.0, 0.0], [3.0, 3.0]])
    outputs = jnp.array([[0.4, 0.1], [0.6, -0.1], [2.0, 2.5]])
    assert Regression().answers(outputs, templates).tolist() == [0, 1, 2]
    assert Regression().losses(outputs, templates, jnp.arange(3)) == pytest.approx([0.085, 0.085, 0.625])


def test_classification_is_cross_entropy():
    outputs, label = jnp.array([[0.0, 2.0, 1.0], [3.0, 0.0, 0.0]]), jnp.array([1, 2])
    wanted = -log_softmax(np.asarray(outputs), axis=1)[[0, 1], [1, 2]]
    assert Classification().losses(outputs, jnp.eye(3)[label], label) == pytest.approx(wanted, rel=1e-5)
    assert Classification().answers(outputs, jnp.eye(3)).tolist() == [1, 0]


@pytest.mark.parametrize("symbols", ["ten", "four"])
def test_recorded_accuracies_agree_with_each_other(tiny_runs, symbols):
    record = tiny_runs[symbols].record().load()
    trained = record.in_train.values.mean(1)[:, None]
    both = trained * record.train_accuracy.values + (1 - trained) * record.valid_accuracy.values
    assert record.accuracy.values == pytest.approx(both, abs=1e-6)
    assert np.isfinite(record.train_loss.values).all()
    assert record.embedding.dims == ("member", "step", "token", "dim")


def test_networks_move_and_differ(tiny_runs):
    embedding = tiny_runs["ten"].record().embedding.values
    assert (embedding[:, 0] != embedding[:, -1]).all()
    assert len(np.unique(embedding[:, 0, 0, 0])) == len(embedding)
