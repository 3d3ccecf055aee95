"""Products are found whatever the order of their nodes."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from nucleate.algebra import Partial, nu, syn, syn_twisted, xi
from nucleate.observables import Pairing
from nucleate.observables.factors.splits import CHUNK, best_split, splits

FLIP = 0.2


def split(*blocks: np.ndarray, pairing: Pairing = Pairing.ALL_ROWS):
    return best_split(np.stack(blocks).astype(complex), FLIP, pairing)


def test_all_splits_are_there_once():
    for nodes, count in ((4, 12), (6, 120)):
        half = nodes // 2
        pairs = {frozenset(zip(order[:half], order[half:], strict=True)) for order in splits(nodes).tolist()}
        assert len(pairs) == len(splits(nodes)) == count


@settings(max_examples=20)
@given(seed=st.integers(0, 2**16))
def test_a_product_has_no_error_and_its_factors_make_it(seed):
    rng = np.random.default_rng(seed)
    turns = np.exp(1j * rng.uniform(-np.pi, np.pi, 4))
    block = (nu(1j) * syn_twisted(turns[0], turns[1]) if seed % 2 else nu(turns[2]) * syn()).z
    found = split(block[:, rng.permutation(6)] * 0.3)
    assert found.error[0] < 1e-9
    product = (Partial(found.first[0]) * Partial(found.second[0])).z
    np.testing.assert_allclose(product.prod(axis=0), 1, atol=1e-9)
    # Nodes divided by the first node of a half, up to the signs of a and b.
    assert any(_same(product, block / block[:, [j]]) for j in range(6))


def _same(product: np.ndarray, block: np.ndarray) -> bool:
    signs = np.array([1, 1, 1])[:, None], np.array([-1, -1, 1])[:, None]
    return all(any(np.abs(product - s * node[:, None]).max(axis=0).min() < 1e-8 for s in signs) for node in block.T)


def test_signs_of_nodes_are_of_no_account():
    block = (nu(1j) * xi(np.exp(0.4j))).z
    signed = block * np.array([[1, -1, 1, 1], [1, -1, 1, 1], [1, 1, 1, 1]])
    assert split(signed).error[0] < 1e-9


@pytest.mark.parametrize(("nodes", "chance"), [(4, 0.03), (6, 0.01)])
def test_random_phases_are_hardly_ever_a_product(nodes, chance):
    """By the authors' threshold 1 % of four nodes at random are a product, and 0.05 % of six."""
    phases = np.random.default_rng(0).uniform(-np.pi, np.pi, (500, 3, nodes))
    assert np.mean(split(*np.exp(1j * phases)).error <= 0.1 * np.sqrt(3 * nodes)) < chance


def test_zeros_are_no_product_and_warn_of_nothing():
    block = (nu(1j) * xi(1)).z
    block[1, 2] = 0
    assert split(block).error[0] > 0.1 * np.sqrt(12)
    block[1] = 0
    assert split(block).error[0] == np.inf


def test_the_output_row_alone_cannot_tell_pairs_apart():
    """z_{ν=i} * z_{syn,αβ} in all rotations: by row c some are not factorable, by all rows all are."""
    block = (nu(1j) * syn_twisted(np.exp(0.5j), np.exp(1.3j))).z
    rng = np.random.default_rng(0)
    blocks = [block[:, rng.permutation(6)] for _ in range(20)]
    assert split(*blocks).error.max() < 1e-9
    by_output = split(*blocks, pairing=Pairing.OUTPUT_ROW).error
    assert by_output.min() < 1e-9
    assert by_output.max() > 0.1 * np.sqrt(18)


@pytest.mark.parametrize("blocks", [0, CHUNK + 3])
def test_any_number_of_blocks(blocks):
    found = best_split(np.broadcast_to((nu(1j) * xi(1)).z, (blocks, 3, 4)), FLIP, Pairing.ALL_ROWS)
    assert found.error.shape == (blocks,)
    assert found.first.shape == (blocks, 3, 2)
    assert found.second.shape == (blocks, 3, 2)
    assert (found.error < 1e-9).all()
