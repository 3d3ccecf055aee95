"""Partial solutions compose as they are written, at one frequency."""

import numpy as np
import pytest

from as_users import errors_of
from nucleate.algebra import Characters, Partial, monomials, nu, order_four, order_six, syn, syn_twisted, unit, xi

FIVE, SIX = Characters.cyclic(5), Characters.cyclic(6)


def test_a_user_composes_a_solution():
    z = 6 ** (-1 / 3) * (syn() * nu(1j))
    whole = sum(z.at(FIVE, k) for k in FIVE.halves)
    assert np.array_equal(whole.z, order_six(FIVE).z) or np.allclose(whole.z, order_six(FIVE).z, atol=1e-15)
    assert (syn() * nu(1j) + xi(1j)).nodes == 8
    assert np.allclose((syn() * nu(1j) + xi(1j)).z[:, 6:], xi(1j).z)


def test_placing_is_a_homomorphism():
    x, y = syn_twisted(1j, -1), xi(np.exp(0.3j))
    assert np.allclose((x * y).at(FIVE, 2).z, (x.at(FIVE, 2) * y.at(FIVE, 2)).z)
    assert np.allclose((x + y).at(FIVE, 2).z, (x.at(FIVE, 2) + y.at(FIVE, 2)).z)


def test_either_may_name_the_frequency():
    assert (syn().pinned(2) * nu(1)).frequency == 2
    assert (syn() + nu(1).pinned(2)).at(FIVE).order(2) == 5
    assert repr(2 * unit().pinned(3)) == "Partial(1 node at frequency 3)"


def test_everywhere_has_the_same_nodes_at_all_frequencies():
    z = xi(1j).everywhere(FIVE)
    assert z.nodes == 2
    assert [z.order(k) for k in range(5)] == [0, 2, 2, 2, 2]
    assert np.array_equal(z.z[:, 4], z.z[:, 1].conj())


def test_normalised_blocks_have_unit_signal():
    for block in (syn() * nu(1j), unit(2) + unit(1j, 3), -1 * unit()):
        r = monomials(block.normalised().at(SIX, 1))
        assert r.cross[1, 1, 1] == pytest.approx(1)
    assert (-1 * unit()).normalised().at(SIX, 3).order(3) == 1  # stays real


def test_sums_start_from_nothing():
    assert sum([unit(), syn()]).nodes == 4


@pytest.mark.parametrize(
    ("compose", "said"),
    [
        (
            lambda: syn().pinned(1) * nu(1j).pinned(2),
            "Partial \\* Partial is not defined for two frequencies; got 1 and 2",
        ),
        (lambda: syn().pinned(1) + nu(1j).pinned(2), "Partial \\+ Partial is not defined for two frequencies"),
        (lambda: syn().pinned(1).pinned(2), "Partial.pinned is not defined for two frequencies"),
        (lambda: syn().pinned(1).at(FIVE, 2), "Partial.at is not defined for two frequencies; got 1 and 2"),
        (lambda: syn() * syn().at(FIVE, 1), r"Partial \* Solution is not defined: .* \.at\(characters, k\)"),
        (lambda: syn().at(FIVE, 1) * syn(), r"Partial \* Solution is not defined"),
        (lambda: syn() + syn().at(FIVE, 1), r"Partial \+ Solution is not defined"),
        (lambda: syn().at(FIVE, 1) + syn(), r"Partial \+ Solution is not defined"),
        (lambda: syn().at(FIVE), "Partial.at: k must be given"),
        (lambda: syn().at(FIVE, 0), "Partial.at: k must be a frequency, 1 to 4; got 0"),
        (lambda: syn().at(FIVE, 5), "Partial.at: k must be a frequency, 1 to 4; got 5"),
        (lambda: syn().pinned(0), "Partial.frequency must be >= 1"),
        (lambda: syn().at(SIX, 3), "Partial.at: k must differ from −k for complex nodes; got 3"),
        (lambda: syn().everywhere(SIX), "Partial.at: k must differ from −k for complex nodes; got 3"),
        (
            lambda: syn().pinned(1).everywhere(FIVE),
            "Partial.everywhere: the nodes must be pinned to no frequency; got 1",
        ),
        (lambda: (unit() + -1 * unit()).normalised(), "Partial.normalised: .* must not sum to 0"),
        (lambda: Partial(np.full((3, 1), np.inf)), "Partial.z must be finite"),
    ],
)
def test_what_is_not_defined_is_refused(compose, said):
    with pytest.raises(ValueError, match=said):
        compose()


def test_users_are_told_what_is_wrong():
    setup = "import numpy as np\nfrom nucleate.algebra import *\nG = Characters.cyclic(5)"
    said = errors_of(
        [
            "Partial(np.ones((2, 4)))",
            "Partial('abc')",
            "Solution(G, np.ones((3, 4, 1)))",
            "Solution('C5', np.ones((3, 5, 1)))",
            "syn().at(G, 'first')",
            "syn().pinned(1.5)",
            "order_six(G, np.ones(7))",
            "from_weights(G, np.ones((4, 2)), np.ones((4, 2)), np.ones((2, 4)))",
            "from_weights(G, np.ones((5, 2)), np.ones((5, 3)), np.ones((2, 5)))",
            "decompose(syn())",
            "mixed(G, k0=9)",
            "occam_path(order_six(G), order_six(G), (0, 2))",
        ],
        setup,
    )
    named = ["Partial.z", "Partial.z", "Solution.z", "Solution.characters", "Partial.at: k", "Partial.frequency"]
    named += ["order_six: nu_values", "from_weights: a", "from_weights: b", "decompose: solution", "mixed: k0"]
    named += ["occam_path: times"]
    assert all(error.startswith(f"ValueError: {name}") for error, name in zip(said, named, strict=True)), said


def test_order_four_is_the_product_it_is_written_as():
    by_hand = 4 ** (-1 / 3) * (nu(1j) * xi(1j)).at(FIVE, 1) + 4 ** (-1 / 3) * (nu(1j) * xi(1j)).at(FIVE, 2)
    assert np.allclose(by_hand.z, order_four(FIVE, 1j).z, atol=1e-15)
