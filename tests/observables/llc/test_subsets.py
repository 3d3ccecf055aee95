import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
import pytest

from nucleate.observables import Everything, Mask, Matching
from nucleate.observables.llc.subsets import lay_out, leaves

PARAMS = {
    "heads": [jnp.arange(6.0).reshape(2, 3), jnp.arange(6.0, 12.0).reshape(2, 3)],
    "bias": jnp.array([12.0, 13.0]),
    "count": jnp.array(3),
}


def column(head, number):
    """The mask of a column of one head."""
    mask = {"heads": [False, False], "bias": False, "count": False}
    mask["heads"][head] = np.arange(3) == number
    return Mask(mask)


def moved(subsets, by=100.0):
    """The parameters with the numbers of each subset increased."""
    values = jax.tree.leaves(PARAMS)
    for _, layout, index in lay_out(subsets, PARAMS):
        for one in index:
            centre = layout.centre(values, one)
            yield jax.tree.unflatten(jax.tree.structure(PARAMS), layout.place(values, one, centre + by))


def changed(params):
    return [
        np.flatnonzero(np.asarray(a != b)).tolist()
        for a, b in zip(jax.tree.leaves(PARAMS), jax.tree.leaves(params), strict=True)
    ]


def test_paths_are_those_one_writes():
    assert [leaf.path for leaf in leaves(PARAMS)] == ["bias", "count", "heads/0", "heads/1"]


def test_everything_moves_all_floats_and_nothing_else():
    (params,) = moved([Everything()])
    assert changed(params) == [[0, 1], [], [0, 1, 2, 3, 4, 5], [0, 1, 2, 3, 4, 5]]
    assert jnp.all(params["heads"][1] == PARAMS["heads"][1] + 100)


def test_a_pattern_moves_whole_leaves():
    (params,) = moved([Matching("heads/1")])
    assert changed(params) == [[], [], [], [0, 1, 2, 3, 4, 5]]


def test_masks_move_elements_each_of_its_own():
    first, other, second = moved([column(0, 1), column(0, 2), column(1, 2)])
    assert changed(first) == [[], [], [1, 4], []]
    assert changed(other) == [[], [], [2, 5], []]
    assert changed(second) == [[], [], [], [2, 5]]
    assert second["heads"][1][0, 2] == PARAMS["heads"][1][0, 2] + 100


def test_leaves_that_no_subset_touches_are_left_as_they_are():
    ((_, layout, _),) = lay_out([column(0, 1), column(0, 2)], PARAMS)
    values = jax.tree.leaves(PARAMS)
    placed = layout.place(values, jnp.array([0, 1]), jnp.zeros(2))
    assert [new is old for new, old in zip(placed, values, strict=True)] == [True, True, False, True]


def test_half_precision_stays_what_it_is():
    params = [jnp.ones(2, jnp.bfloat16), jnp.ones(3)]
    ((_, layout, index),) = lay_out([Everything()], params)
    placed = layout.place(params, index[0], layout.centre(params, index[0]))
    assert [leaf.dtype for leaf in placed] == [jnp.bfloat16, jnp.float32]


def test_modules_with_functions_inside_will_do():
    ((_, layout, index),) = lay_out([Matching("layers/0")], eqx.nn.MLP(2, 3, 4, 2, key=jax.random.key(0)))
    assert index.shape == (1, 12)
    assert layout.complete


def test_subsets_of_one_size_in_the_same_leaves_share_a_program():
    subsets = [column(0, 1), Matching("heads/1"), column(1, 2), column(0, 0)]
    groups = lay_out(subsets, PARAMS)
    assert [group.numbers for group in groups] == [(0, 3), (1,), (2,)]
    assert [group.placement.touched for group in groups] == [(2,), (3,), (3,)]
    assert [group.index.shape for group in groups] == [(2, 2), (1, 6), (1, 2)]


@pytest.mark.parametrize(
    ("subsets", "message"),
    [
        ([Matching("attention")], r"Matching\(pattern='attention'\) matches no .* are: bias, heads/0, heads/1\."),
        ([Matching("count")], "matches no parameter"),
        ([Mask(jax.tree.map(lambda _: False, PARAMS))], r"Mask\(\) matches no parameter"),
        ([Mask([True])], "must have the structure of the parameters"),
        ([Mask(jax.tree.map(lambda _: 1, PARAMS))], r"bools that broadcast to \(2,\) at 'bias'; got int"),
        ([Mask({**PARAMS, "bias": np.ones(3, bool)})], r"broadcast to \(2,\) at 'bias'; got bool \(3,\)"),
        ([Mask(jax.tree.map(lambda _: True, PARAMS))], "marks 'count', which is not an array of floats"),
    ],
)
def test_a_choice_that_cannot_be_is_named(subsets, message):
    with pytest.raises(ValueError, match=message):
        lay_out(subsets, PARAMS)
