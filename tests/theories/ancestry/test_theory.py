"""Theorem 5 against the enumeration of small trees, in its limit, and fitted to what was counted."""

import jax
import numpy as np
import pytest
import xarray as xr

from nucleate.tasks import LatentTree
from nucleate.theories import Ancestry
from nucleate.theories.ancestry import co_occurrence, nearly_deterministic


def exact(tree):
    """P[y_l = 1 | y_m = 1] of all pairs of tokens, from the probability of every assignment."""
    tokens = tree.assignments()
    both = tokens.T @ (tree.probability(tokens)[:, None] * tokens)
    return both / np.diag(both)


@pytest.mark.parametrize("height", [2, 3, 4])
@pytest.mark.parametrize(("rho", "bias"), [(0.3, 0.0), (0.9, 0.5), (-0.7, 0.4), (0.99, 1.0), (1.0, 0.2), (0.0, -1.0)])
def test_the_law_is_what_enumeration_gives(height, rho, bias):
    tree = LatentTree(height, 2, rho, bias)
    law = co_occurrence(tree.ancestors.astype(float), height, rho, bias)
    np.testing.assert_allclose(exact(tree), law, atol=1e-12)


def test_its_limit_is_one_over_the_channels_not_over_the_levels():
    """The talk has 1 − H/L; what the law tends to is 1 − H/(L − 1)."""
    heights = np.arange(5.0)
    found = co_occurrence(heights, height=5, rho=1 - 1e-7, bias=1.0)
    np.testing.assert_allclose(found, nearly_deterministic(heights, height=5), atol=1e-6)
    assert np.abs(found - (1 - heights / 5)).max() == pytest.approx(0.2, abs=1e-6)


def test_a_tree_without_tokens_has_no_chances():
    assert np.isnan(co_occurrence(np.array([1.0]), height=3, rho=1.0, bias=1.0)).all()


def counted(tree, samples, seed):
    tokens = np.asarray(tree.sample(jax.random.key(seed), samples), float)
    both, ancestors = tokens.T @ tokens, tree.ancestors
    chance = both / np.diag(both)
    return [chance[ancestors == height].mean() for height in range(1, tree.height)]


def test_planted_channels_are_recovered():
    trees = [LatentTree(5, 2, rho, bias) for rho, bias in ((0.9, 0.3), (0.6, -0.4))]
    heights = np.arange(1.0, 5.0)
    law = np.stack([co_occurrence(heights, 5, tree.rho, tree.bias) for tree in trees])
    record = xr.Dataset({"co_occurrence": (("member", "ancestor"), law)}, coords={"ancestor": heights})
    fit = Ancestry(height=5).fit(record)
    np.testing.assert_allclose(fit.rho, [0.9, 0.6], atol=1e-5)
    np.testing.assert_allclose(fit.bias, [0.3, -0.4], atol=1e-4)
    np.testing.assert_allclose(fit.simulate(None, heights), law.T, atol=1e-6)
    sampled = np.array([counted(tree, 20_000, seed) for seed, tree in enumerate(trees)])
    score = fit.score(record.assign(co_occurrence=(("member", "ancestor"), sampled)))
    assert np.all(score.error < 0.02)
    assert np.all(score.baseline > 5 * score.error)


def test_bad_records_are_refused():
    record = xr.Dataset({"co_occurrence": (("member", "ancestor"), [[0.5, 0.4]])}, coords={"ancestor": [1, 4]})
    with pytest.raises(ValueError, match=r"heights from 1 to 3; got \[1\. 4\.\]"):
        Ancestry(height=4).fit(record)
    with pytest.raises(ValueError, match=r"missing: 'co_occurrence' \(member, ancestor\)(.|\n)*missing: 'ancestor'"):
        Ancestry(height=4).fit(xr.Dataset())
    fit = Ancestry(height=5).fit(record)
    with pytest.raises(ValueError, match="the fit has 1 members; the record has 2"):
        fit.score(xr.concat([record, record], "member"))
