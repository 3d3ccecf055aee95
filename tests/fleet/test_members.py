import itertools

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from nucleate.fleet import Members, grid, table
from nucleate.machine import TooLarge


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
        (
            lambda: table(seed=[1, 2], rule=["a", "b"]),
            r"Members\.rule must hold one number for each member; got \['",
        ),
        (lambda: table(seed=[1, 2], rule="a"), r"Members\.rule .*; got \['a'\]\. Put other choices into the recipe\."),
        (lambda: grid(seed=range(2), eta=[0.1, None]), r"Members\.eta must hold one number .*; got \[0\.1, None\]"),
        (lambda: grid(seed=range(2), eta=[[1], [1, 2]]), r"Members\.eta must hold one number"),
        (lambda: table(seed=[1], eta=np.zeros((1, 2))), r"Members\.eta must hold one number"),
        (lambda: table(seed=object()), r"Members\.seed must hold one number"),
        (lambda: Members({"seed": np.arange(2), "eta": np.ones(2, complex)}), r"Members\.eta must hold one number"),
        (lambda: grid(seed=range(3), eta=[]), r"the fleet is empty; every axis of a grid needs at least one value"),
    ],
)
def test_a_table_without_sense_is_refused(make, message):
    with pytest.raises(ValueError, match=message):
        make()


@pytest.mark.parametrize("seeds", [2**31, 2**63 - 1, 2**63, 10**30])
def test_a_table_that_is_absurdly_long_is_not_made(seeds):
    for make in (lambda: grid(seed=range(seeds), eta=[1, 2]), lambda: table(seed=range(seeds), eta=1)):
        with pytest.raises(TooLarge, match=r"Members: a table of .* networks is too long: .* Choose fewer seeds"):
            make()


def test_a_table_that_does_not_fit_into_memory_is_not_made(monkeypatch):
    monkeypatch.setattr("nucleate.machine.room.free_memory", lambda: 10**6)
    assert grid(seed=range(1000)).count == 1000
    with pytest.raises(
        TooLarge, match=r"a table of 1,000,000 networks needs about 32 MB of memory; 1 MB is free\. Choose fewer"
    ):
        grid(seed=range(1000), eta=range(1000))


def test_lists_and_generators_are_columns_too():
    assert table(seed=[3, 4])["seed"].tolist() == [3, 4]
    assert grid(seed=(n for n in (1, 2)), eta=np.float32(0.5)).row(1) == {"seed": 2, "eta": 0.5}
