"""Quadratic networks: the recipe, its starts and optimisers, and the experiments."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from nucleate.algebra import Characters, Weights, memorising
from nucleate.fleet import train
from nucleate.models import Quadratic
from nucleate.papers import Budget
from nucleate.papers.algebra.experiments.network import C23, C71, C127, EXPERIMENTS, GroupFleet
from nucleate.papers.algebra.recipe.descent import AdamDecoupled, AdamL2
from nucleate.papers.algebra.recipe.network import GroupNetwork
from nucleate.papers.algebra.recipe.starts import ComposedStart, RandomStart
from nucleate.tasks import Group

TINY = GroupFleet("C5", nodes=12, seeds=2, steps=60, points=6, looks=3)


@pytest.fixture(scope="module")
def record(tmp_path_factory):
    return train(TINY.plan("algebra/tiny"), tmp_path_factory.mktemp("algebra") / "run").record().load()


def test_networks_learn_and_are_recorded(record):
    assert (record.train_loss[:, -1] < 0.5 * record.train_loss[:, 0]).all()
    assert record.a.shape == (2, 3, 5, 12)
    assert record.c.shape == (2, 3, 12, 5)
    assert record.step_weights.values.tolist() == [0, 7, 60]
    squares = sum(np.square(record[name].values).sum((-2, -1)) for name in "abc")
    np.testing.assert_allclose(record.squared_norm[:, -1], squares[:, -1], rtol=1e-5)


def test_accuracies_and_losses_are_of_their_pairs(record):
    group = Characters.of(record.sums.values)
    for member in range(2):
        weights = Weights(*(record[name].values[member, -1].astype(float) for name in "abc"))
        outputs, chosen = weights.outputs, record.in_train.values[member].reshape(5, 5)
        right = outputs.argmax(-1) == group.sums_of_elements
        error = outputs - np.eye(5)[group.sums_of_elements]
        loss = np.square(error - error.mean(-1, keepdims=True)).sum(-1)
        assert chosen.sum() == round(0.9 * 25)
        for name, pairs in (("train", chosen), ("test", ~chosen)):
            assert float(record[f"{name}_accuracy"][member, -1]) == np.float32(right[pairs].mean())
            np.testing.assert_allclose(record[f"{name}_loss"][member, -1], loss[pairs].mean(), rtol=1e-4)


def test_held_out_pairs_have_no_part_in_the_gradient():
    recipe = TINY.recipe()
    batch = recipe.data(TINY.members().row(0))["train"]
    x, y = np.argwhere(batch["weight"] == 0)[0]
    other = {**batch, "label": np.where(np.indices((5, 5)) == np.array([x, y])[:, None, None], 0, 1).any(0)}
    other["label"] = np.where(other["label"], batch["label"], (batch["label"] + 1) % 5)
    model = recipe.model({}, jax.random.key(0))
    loss = jax.jit(jax.grad(lambda model, batch: recipe.loss(model, batch, jax.random.key(0))[0]))
    for mine, theirs in zip(*(jax.tree.leaves(loss(model, each)) for each in (batch, other)), strict=True):
        np.testing.assert_array_equal(mine, theirs)


def test_decay_is_in_the_gradient_of_the_reference_and_beside_it_in_adamw():
    weights, gradient = jnp.array([2.0, -1.0]), jnp.array([1.0, 0.0])
    steps = {}
    for kind in (AdamL2(), AdamDecoupled()):
        optimizer = kind(0.1, 0.01)
        steps[type(kind)] = optimizer.update(gradient, optimizer.init(weights), weights)[0]
    # The first step of Adam is its sign: decay alone moves the second weight as far as the gradient moves the first.
    np.testing.assert_allclose(steps[AdamL2], [-0.1, 0.1], rtol=1e-4)
    np.testing.assert_allclose(steps[AdamDecoupled], [-0.1 - 0.002, 0.001], rtol=1e-4)


def test_networks_start_as_composed_solutions():
    group, key = Group.named("C3xC3"), jax.random.key(3)
    exact, noisy = (GroupFleet("C3xC3", start="memorising", noise=noise).recipe() for noise in (0.0, 0.1))
    batch = exact.data({"seed_split": 0})["train"]
    losses = [float(r.loss(r.model({}, key), batch, key)[0]) for r in (exact, noisy)]
    assert losses[0] < 1e-9
    assert losses[1] > 1e-4
    assert exact.model({}, key).a.shape == (9, 81)
    assert isinstance(RandomStart(4)(group, key), Quadratic)
    with pytest.raises(ValueError, match=r"ComposedStart\.solution must be one of C3xC3"):
        ComposedStart(memorising(Characters.cyclic(9)))(group, key)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"group": "S3"}, r"group must be abelian.*in S3, \(1 2\) ∘ \(0 1\) is not \(0 1\) ∘ \(1 2\)"),
        ({"group": "C2"}, "group must have 3 to 200 elements; C2 has 2"),
        ({"train_share": 1.5}, "train_share must be"),
    ],
)
def test_experiments_that_make_no_sense_are_refused(change, message):
    with pytest.raises(ValueError, match=f"GroupFleet.{message}"):
        GroupFleet(**change)


@pytest.mark.parametrize("budget", Budget)
def test_every_network_has_a_seed_of_its_own(budget):
    sized = [sizes.at(budget) for sizes in EXPERIMENTS.values()]
    seeds = [seed for experiment in sized if experiment for seed in experiment.members()["seed"]]
    assert len(set(seeds)) == len(seeds)


def test_large_groups_are_left_to_the_paper():
    assert EXPERIMENTS[C71].standard is EXPERIMENTS[C127].quick is None
    talk = EXPERIMENTS[C23].standard
    assert (talk.group, talk.nodes, talk.eta, talk.wd, talk.steps) == ("C23", 512, (0.01,), (5e-5,), 10_000)
    assert isinstance(talk.recipe(), GroupNetwork)
