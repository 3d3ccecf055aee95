"""Constructed networks are recognised through noise and disguise; others are not."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from as_users import errors_of
from nucleate.algebra import (
    Characters,
    Partial,
    Solution,
    mixed,
    nu,
    order_four,
    order_six,
    syn_twisted,
    to_weights,
)
from nucleate.observables import FactorClass, Factorisation, Pairing, Thresholds, factorise

SEVEN = Characters.cyclic(7)
NAMES = [kind.name for kind in FactorClass]


def names(found: Factorisation) -> set[str]:
    return {NAMES[kind] for kind in found.kind.ravel()}


def at_all(make) -> Solution:
    """A sum of blocks, one for each pair of frequencies."""
    return sum(make(k).normalised().at(SEVEN, k) for k in SEVEN.halves)


def turns(seed: int, low: float = -np.pi, high: float = np.pi, size=3) -> np.ndarray:
    return np.exp(1j * np.random.default_rng(seed).uniform(low, high, size))


@settings(max_examples=15)
@given(seed=st.integers(0, 2**16), noise=st.sampled_from([0.0, 1e-4, 1e-2]))
def test_order_four_is_recovered(disguised, seed, noise):
    values = turns(seed)
    found = factorise(*disguised(order_four(SEVEN, values), seed, noise), SEVEN)
    assert names(found) == {"XI_NU"}
    assert found.order.tolist() == [4, 4, 4]
    assert (found.error <= 0.1 * np.sqrt(12)).all()
    # Nodes in another order make iξ, −ξ or −iξ of ξ, and never ξ̄.
    np.testing.assert_allclose(np.exp(4j * found.xi), values**4, atol=1e-6 + 30 * noise)
    np.testing.assert_allclose(np.cos(4 * found.folded_xi), (values**4).real, atol=1e-6 + 30 * noise)


@pytest.mark.parametrize("seed", range(4))
def test_rows_exchanged_make_another_xi(disguised, seed):
    a, b, c = disguised(order_four(SEVEN, turns(seed)), seed)
    found, exchanged = factorise(a, b, c, SEVEN), factorise(b, a, c, SEVEN)
    np.testing.assert_allclose(np.exp(4j * exchanged.xi), (-1j * np.exp(-1j * found.xi)) ** 4, atol=1e-6)
    np.testing.assert_allclose(exchanged.folded_xi, found.folded_xi, atol=1e-6)


@settings(max_examples=15)
@given(seed=st.integers(0, 2**16), noise=st.sampled_from([0.0, 1e-4, 1e-2]))
def test_order_six_is_recovered(disguised, seed, noise):
    values = 1j * turns(seed, 0.2, np.pi / 3 - 0.2)  # not close to i, which would be SYN_TWISTED
    found = factorise(*disguised(order_six(SEVEN, values), seed, noise), SEVEN)
    assert names(found) == {"SYN_NU"}
    assert found.order.tolist() == [6, 6, 6]
    np.testing.assert_allclose(np.exp(6j * found.nu).real, (values**6).real, atol=1e-6 + 60 * noise)
    np.testing.assert_allclose(np.cos(6 * found.folded_nu), (values**6).real, atol=1e-6 + 60 * noise)


@settings(max_examples=15)
@given(seed=st.integers(0, 2**16), noise=st.sampled_from([0.0, 1e-4, 1e-2]))
def test_twisted_order_six_is_recovered(disguised, seed, noise):
    alpha, beta = turns(seed), turns(seed + 1)
    z = at_all(lambda k: nu(1j) * syn_twisted(alpha[k - 1], beta[k - 1]))
    found = factorise(*disguised(z, seed, noise), SEVEN)
    assert names(found) == {"SYN_TWISTED"}
    assert np.isfinite(found.alpha).all()
    np.testing.assert_allclose(np.cos(4 * found.folded_alpha), np.cos(4 * found.alpha), atol=1e-9)
    assert (found.folded_beta <= np.pi / 4).all()
    assert np.abs(found.nu) == pytest.approx(np.full(3, np.pi / 2), abs=1e-6 + 10 * noise)


@pytest.mark.parametrize("seed", range(4))
def test_mixed_networks_with_their_constant(disguised, seed):
    found = factorise(*disguised(mixed(SEVEN, 2, turns(seed)[0], turns(seed)), seed, 1e-3), SEVEN)
    assert found.order.tolist() == [4, 6, 4]
    assert [NAMES[kind] for kind in found.kind[[0, 2]]] == ["XI_NU", "XI_NU"]
    assert NAMES[found.kind[1]] in {"SYN_NU", "SYN_TWISTED"}
    assert found.frequencies.tolist() == [1, 2, 3]
    assert np.bincount(found.node_frequency).tolist() == [0, 4, 6, 4]


def test_what_is_no_product_is_reported(disguised):
    rng = np.random.default_rng(1)
    nodes = lambda count: Partial(np.exp(1j * rng.uniform(-np.pi, np.pi, (3, count))))
    z = 0.4 * nodes(6).at(SEVEN, 1) + 0.4 * nodes(4).at(SEVEN, 2) + 0.4 * nodes(5).at(SEVEN, 3)
    found = factorise(*disguised(Solution(SEVEN, z.z * 2), 0), SEVEN)
    assert [NAMES[kind] for kind in found.kind] == ["NONFACTORABLE", "NONFACTORABLE", "NEITHER_4_NOR_6"]
    assert (found.error[:2] > 0.1 * np.sqrt([18, 12])).all()
    assert np.isnan(found.error[2])
    assert np.isnan(found.first).all()


def test_products_of_another_form_are_others():
    z = at_all(lambda k: nu(np.exp(0.5j)) * syn_twisted(np.exp(0.5j), 1))
    assert names(factorise(*to_weights(z), SEVEN)) == {"OTHER"}


def test_factors_make_the_nodes(disguised):
    found = factorise(*disguised(order_six(SEVEN, np.exp(0.2j)), 3), SEVEN)
    product = Partial(found.first[0]) * Partial(found.second[0])
    # Complete at the two frequencies ±1, and nothing at the four others.
    assert product.normalised().at(SEVEN, 1).loss == pytest.approx(4 / 7)


def test_many_networks_at_once(disguised):
    grid = [[disguised(order_six(SEVEN), step), disguised(order_six(SEVEN, 1.0), step)] for step in range(3)]
    a, b, c = (np.array([[network[row] for network in line] for line in grid]) for row in range(3))
    found = factorise(a, b, c, SEVEN)
    assert found.kind.shape == found.xi.shape == (3, 2, 3)
    assert found.second.shape == (3, 2, 3, 3, 3)
    assert found.node_frequency.shape == (3, 2, 18)
    assert (found.kind[:, 0] == FactorClass.SYN_TWISTED).all()
    assert (found.kind[:, 1] == FactorClass.SYN_NU).all()
    alone = factorise(a[2, 1], b[2, 1], c[2, 1], SEVEN)
    assert np.array_equal(alone.node_frequency, found.node_frequency[2, 1])
    assert np.array_equal(alone.error, found.error[2, 1])


def test_no_networks_at_all():
    assert factorise(np.zeros((0, 7, 5)), np.zeros((0, 7, 5)), np.zeros((0, 5, 7)), SEVEN).kind.shape == (0, 3)


def test_arrays_of_jax_will_do():
    import jax.numpy as jnp

    a, b, c = (jnp.asarray(rows, jnp.float32) for rows in to_weights(order_four(SEVEN)))
    assert names(factorise(a, b, c, SEVEN)) == {"XI_NU"}


def test_small_means_and_broken_nodes_have_no_frequency():
    a, b, c = (rows.copy() for rows in to_weights(order_six(SEVEN)))
    extra = [np.full((7, 1), 1e-3), np.full((7, 1), np.nan), np.zeros((7, 1)), np.full((7, 1), 0.5)]
    a, b = (np.concatenate([rows, *extra], axis=1) for rows in (a, b))
    c = np.concatenate([c, *(column.T for column in extra)])
    found = factorise(a, b, c, SEVEN)
    assert found.node_frequency[-4:].tolist() == [-1, -1, -1, 0]  # the last is a constant: frequency 0, and none of ±k
    assert names(found) == {"SYN_TWISTED"}


def test_thresholds_decide():
    weights = to_weights(order_six(SEVEN, np.exp(0.2j)))
    assert names(factorise(*weights, SEVEN, Thresholds(present=0.9))) == {"NEITHER_4_NOR_6"}
    assert names(factorise(*weights, SEVEN, Thresholds(match=1e-17))) == {"OTHER"}
    rough = tuple(rows + 0.01 * np.random.default_rng(0).normal(size=rows.shape) for rows in weights)
    assert names(factorise(*rough, SEVEN, Thresholds(factorable=1e-6))) == {"NONFACTORABLE"}


def test_the_reference_pairs_by_the_output_row(disguised):
    weights = [disguised(order_four(SEVEN, turns(seed)), seed, 1e-3) for seed in range(4)]
    for each in weights:
        assert names(factorise(*each, SEVEN, Thresholds(pairing=Pairing.OUTPUT_ROW))) == {"XI_NU"}


def test_groups_with_real_frequencies():
    six = Characters.cyclic(6)
    found = factorise(*to_weights(order_six(six)), six)
    assert found.order.tolist() == [6, 6, 2]
    assert [NAMES[kind] for kind in found.kind] == ["SYN_TWISTED", "SYN_TWISTED", "NEITHER_4_NOR_6"]


def test_users_are_told_what_is_wrong():
    setup = "import numpy as np\nfrom nucleate.algebra import *\nfrom nucleate.observables import *\n"
    setup += "G = Characters.cyclic(5)\nw = to_weights(order_six(G))"
    said = errors_of(
        [
            "factorise(w.a[:4], w.b[:4], w.c[:, :4], G)",
            "factorise(w.a, w.b[:, :3], w.c, G)",
            "factorise(w.a, w.b, w.c.T, G)",
            "factorise(w.a, w.b, w.c, 5)",
            "factorise(w.a[None], w.b, w.c, G)",
            "factorise(w.a, w.b, w.c, G, 0.1)",
            "Thresholds(pairing='rows')",
        ],
        setup,
    )
    sizes = "factorise: a, b and c must be of one size"
    named = ["factorise: a must have 5 rows", sizes, sizes, "factorise: characters", sizes]
    named += ["factorise: thresholds", "Thresholds.pairing"]
    assert all(error.startswith(f"ValueError: {name}") for error, name in zip(said, named, strict=True)), said
