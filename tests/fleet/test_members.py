import itertools

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from nucleate.fleet import Members, grid, table


@given(
    st.lists(st.floats(0, 1), min_size=1, max_size=4),
    st.integers(1, 4),
    st.lists(st.integers(), min_size=1, max_size=3),
)
def test_a_grid_has_every_combination_once_and_in_order(etas, seeds, sizes):
    sizes = [size % 1000 for size in sizes]
    members = grid(eta=etas, seed=range(seeds), size=sizes)
    rows = [tuple(members.row(i).values()) for i in range(members.count)]
    assert rows == list(itertools.product(etas, range(seeds), sizes))


def test_a_row_is_plain_python():
    row = grid(eta=np.array([1e-3]), seed=[3], decay=0.5).row(0)
    assert {name: type(value) for name, value in row.items()} == {"eta": float, "seed": int, "decay": float}


def test_a_table_puts_rows_side_by_side():
    members = table(size=[10, 20, 30], seed=(1, 2, 3), decay=0.0)
    assert [members.row(i) for i in range(3)] == [
        {"size": size, "seed": seed, "decay": 0.0} for size, seed in [(10, 1), (20, 2), (30, 3)]
    ]


def test_chosen_rows_keep_their_order():
    assert table(seed=[5, 6, 7]).only([2, 0])["seed"].tolist() == [7, 5]


def test_columns_are_added_and_replaced():
    before = table(seed=[5, 6], eta=0.1)
    after = before.with_columns(eta=np.array([1.0, 2.0]), seed_split=np.array([8, 9]))
    assert after.row(1) == {"seed": 6, "eta": 2.0, "seed_split": 9}
    assert before.row(1) == {"seed": 6, "eta": 0.1}


def test_members_are_a_mapping_of_columns():
    members = table(seed=[1, 2], eta=0.1)
    assert (list(members), len(members), members.count) == (["seed", "eta"], 2, 2)


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: table(seed=[1, 2], eta=[0.1, 0.2, 0.3]), r"columns must have equal length; got .*'seed': 2, 'eta': 3"),
        (lambda: grid(eta=[0.1]), r"a column 'seed' is required"),
        (lambda: Members({}), r"a column 'seed' is required"),
        (lambda: grid(seed=range(3), eta=[]), r"the fleet is empty; every axis of a grid needs at least one value"),
    ],
)
def test_a_table_without_sense_is_refused(make, message):
    with pytest.raises(ValueError, match=message):
        make()
