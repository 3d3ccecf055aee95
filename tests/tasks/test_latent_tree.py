"""Latent trees against the enumeration of all their nodes."""

from itertools import product

import jax
import numpy as np
import pytest

from nucleate.tasks import LatentTree


def enumerated(tree):
    """P(tokens) by adding up every assignment of every node of a binary tree, top first."""
    inner, total = tree.tokens - 1, np.zeros(2**tree.tokens)
    for values in product((0, 1), repeat=inner + tree.tokens):
        chance = (1 + tree.bias * (-1) ** values[0]) / 2
        for node in range(1, len(values)):
            chance *= (1 + tree.rho * (-1) ** (values[node] ^ values[(node - 1) // 2])) / 2
        total[sum(value << place for place, value in enumerate(values[inner:]))] += chance
    return total


@pytest.mark.parametrize("rho", [-1.0, -0.4, 0.0, 0.7, 1.0])
@pytest.mark.parametrize("bias", [-0.3, 1.0])
def test_probabilities_are_those_of_enumeration(rho, bias):
    tree = LatentTree(height=3, children=2, rho=rho, bias=bias)
    found = tree.probability(tree.assignments())
    np.testing.assert_allclose(found, enumerated(tree), atol=1e-15)
    assert found.sum() == pytest.approx(1, abs=1e-12)


def test_samples_follow_the_probabilities():
    tree = LatentTree(height=3, children=2, rho=0.6, bias=0.4)
    drawn = np.asarray(tree.sample(jax.random.key(0), 20_000))
    counts = np.bincount(drawn @ (1 << np.arange(4)), minlength=16) / len(drawn)
    np.testing.assert_allclose(counts, tree.probability(tree.assignments()), atol=0.015)


def test_common_ancestors_of_a_wider_tree():
    ancestors = LatentTree(height=3, children=3).ancestors
    assert ancestors[4].tolist() == [2, 2, 2, 1, 0, 1, 2, 2, 2]
    assert np.array_equal(ancestors, ancestors.T)


@pytest.mark.parametrize(("name", "value"), [("rho", 1.01), ("rho", -2.0), ("bias", 3.0)])
def test_correlations_outside_their_range_are_refused(name, value):
    with pytest.raises(ValueError, match=rf"LatentTree\.{name} must be >= -1 and <= 1; got {value}"):
        LatentTree(**{name: value})


def test_bad_questions_are_refused():
    with pytest.raises(ValueError, match="needs all 4 tokens; got 3"):
        LatentTree(height=3).probability(np.zeros((1, 3), int))
    with pytest.raises(ValueError, match=r"2\^32 assignments"):
        LatentTree(height=6).assignments()
