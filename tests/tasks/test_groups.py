"""Groups: named ones against their definitions, and tables that are not groups."""

from itertools import permutations, product

import jax
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from as_users import errors_of
from nucleate.tasks import Group, GroupTask

NAMED = {
    "C1": 1,
    "C6": 6,
    "C2xC3": 6,
    "C2xC2xC2": 8,
    "S3": 6,
    "S4": 24,
    "D1": 2,
    "D2": 4,
    "D5": 10,
    "A4": 12,
    "D3xC2": 12,
}


@pytest.mark.parametrize(("name", "order"), NAMED.items())
def test_named_groups_have_their_order(name, order):
    group = Group.named(name)
    assert group.order == order == len(set(group.elements))
    assert group.identity == 0
    assert (group.products[np.arange(order), group.inverse] == 0).all()
    # Lagrange: the order of each element divides that of the group.
    assert (order % group.orders == 0).all()
    assert [group.is_abelian, group.inverse[0]] == [name[0] == "C" or name in ("D1", "D2"), 0]


def test_cyclic_groups_are_addition_modulo_their_order():
    a, b = np.indices((6, 6))
    assert np.array_equal(Group.named("C6").products, (a + b) % 6)
    assert Group.named("C6").elements == ("0", "1", "2", "3", "4", "5")


def test_a_product_multiplies_its_factors():
    group = Group.named("C2xC3")
    parts = [tuple(map(int, element.split(","))) for element in group.elements]
    for (i, (a, b)), (j, (c, d)) in product(enumerate(parts), repeat=2):
        assert parts[group.table[i][j]] == ((a + c) % 2, (b + d) % 3)


def test_permutations_are_composed_from_left_to_right():
    """As in the authors' code: first a, then b."""
    images = sorted(permutations(range(3)))
    group = Group.named("S3")
    for (i, a), (j, b) in product(enumerate(images), repeat=2):
        assert images[group.table[i][j]] == tuple(b[a[point]] for point in range(3))
    assert group.elements[images.index((1, 2, 0))] == "(0 1 2)"


def test_a_group_is_a_value():
    assert Group.named("S3") == Group.named("S3")
    assert len({Group.named("S3"), Group.named("D3"), Group.named("S3")}) == 2
    again = Group.of_table(Group.named("S3").table, "S3", Group.named("S3").elements)
    assert again == Group.named("S3")


@pytest.mark.parametrize(
    "name", ["", "X3", "s3", "C0", "C", "C2x", "3", "C-2", "C2.5", "C2*C3"], ids=lambda name: name or "empty"
)
def test_what_is_not_a_name_is_refused_with_examples(name):
    with pytest.raises(ValueError, match=r"is not the name of a group; use C6 \(cyclic\)"):
        Group.named(name)


@pytest.mark.parametrize("name", ["S8", "A8", "C1001", "D501", "C50xC21", "C3000000000", "S3000000000"])
def test_a_group_too_large_for_a_table_is_refused_before_it_is_made(name):
    with pytest.raises(ValueError, match=rf"{name} has more than 1,000 elements, the most that make a table\."):
        Group.named(name)


@pytest.mark.parametrize(
    ("table", "message"),
    {
        "ragged": ([[0, 1], [1]], r"table must be square; got 2 rows of \[1, 2\] columns"),
        "empty": ([], "table must be square"),
        "closure": ([[0, 1], [1, 2]], r"not closed: 1 ∘ 1 is 2, which is none of the 2 tokens"),
        "identity": ([[0, 0], [0, 0]], r"no identity: even 0 changes 1"),
        "left identity only": ([[0, 1], [0, 1]], r"no identity: even 0 changes 1"),
        "inverse": ([[0, 1], [1, 1]], r"1 has no inverse: 1 ∘ b is never the identity 0"),
        "one-sided inverse": (
            [[0, 1, 2], [1, 1, 0], [2, 2, 2]],
            r"1 has no inverse: 1 ∘ 2 is the identity 0, 2 ∘ 1 is not",
        ),
        "associativity": (
            [[0, 1, 2, 3, 4], [1, 0, 3, 4, 2], [2, 4, 0, 1, 3], [3, 2, 4, 0, 1], [4, 3, 1, 2, 0]],
            r"not associative: \(1 ∘ 1\) ∘ 2 is not 1 ∘ \(1 ∘ 2\)",
        ),
    }.values(),
    ids=["ragged", "empty", "closure", "identity", "left identity", "inverse", "one-sided inverse", "associativity"],
)
def test_a_table_that_is_not_a_group_is_refused_with_what_fails(table, message):
    with pytest.raises(ValueError, match=f"Group 'mine': .*{message}"):
        Group.of_table(table, "mine")


def test_a_table_is_of_whole_numbers():
    refused = errors_of(["Group.of_table([[0, 1], [1, 0.9]])"], "from nucleate.tasks import Group")
    assert refused[0].startswith("ValueError: Group.of_table: table must be a tuple of tuples of whole numbers; got")
    assert Group.of_table(np.array([[0, 1], [1, 0]])) == Group.of_table([[0, 1], [1, 0]])


def test_failing_elements_are_called_by_their_names():
    with pytest.raises(ValueError, match=r"b has no inverse: b ∘ b is never the identity a"):
        Group.of_table([[0, 1], [1, 1]], elements=["a", "b"])
    with pytest.raises(ValueError, match=r"elements must be 2 different names; got \('a', 'a'\)"):
        Group.of_table([[0, 1], [1, 0]], elements=["a", "a"])


@given(st.permutations(range(6)))
def test_renaming_the_elements_of_a_group_gives_a_group(order):
    table, place = Group.named("S3").products, np.asarray(order)
    renamed = np.empty_like(table)
    renamed[np.ix_(place, place)] = place[table]
    group = Group.of_table(renamed.tolist())
    assert group.identity == place[0]
    assert sorted(group.orders.tolist()) == [1, 2, 2, 2, 3, 3]
    assert not group.is_abelian


@given(st.integers(0, 5), st.integers(0, 5), st.integers(0, 5))
def test_changing_one_product_of_a_group_breaks_it(a, b, wrong):
    table = Group.named("S3").products.copy()
    if table[a, b] == wrong:
        return
    table[a, b] = wrong
    with pytest.raises(ValueError, match="Group 'group'"):
        Group.of_table(table.tolist())


def test_a_task_has_all_ordered_pairs_labelled_by_the_table():
    task = GroupTask(Group.named("D5"))
    assert task.pairs.shape == (100, 2)
    assert task.labels == 10
    for (a, b), label in zip(task.pairs.tolist(), task.label.tolist(), strict=True):
        assert label == task.group.table[a][b]
    assert (np.bincount(task.label) == 10).all()


def test_a_split_has_the_size_that_is_asked_for():
    task = GroupTask(Group.named("S3"))
    split = task.split(jax.random.key(0), 24)
    assert split.in_train.sum() == 24
    assert not np.array_equal(split.in_train, task.split(jax.random.key(1), 24).in_train)
    for size in (0, 37):
        with pytest.raises(ValueError, match=rf"train_size must be between 1 and 36 for S3; got {size}\."):
            task.split(jax.random.key(0), size)


def test_a_trivial_group_is_no_task():
    with pytest.raises(ValueError, match=r"GroupTask.group must have >= 2 elements; C1 has 1\."):
        GroupTask(Group.named("C1"))
