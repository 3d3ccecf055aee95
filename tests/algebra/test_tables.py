"""Tables that are not of finite abelian groups are refused, with the elements that fail."""

import numpy as np
import pytest

from nucleate.algebra import Characters
from nucleate.algebra.tables import refuse_table
from nucleate.tasks import Group


def test_groups_of_the_group_task_are_accepted_if_abelian():
    for name in ("C6", "C2xC2xC2", "C3xC4"):
        refuse_table(np.asarray(Group.named(name).products, int))


@pytest.mark.parametrize("name", ["S3", "D4", "A4"])
def test_two_elements_that_do_not_commute_are_named(name):
    products = Group.named(name).products
    with pytest.raises(ValueError, match=r"must be of an abelian group; (\d+) and (\d+) do not commute") as refused:
        Characters.of(products)
    words = str(refused.value).split("; ")[1].split()
    x, y = int(words[0]), int(words[2])
    assert products[x, y] != products[y, x]


@pytest.mark.parametrize(
    ("table", "why"),
    [
        ([[0, 1], [1, 2]], "1 \\+ 1 is 2, which is none of the 2 elements"),
        ([[0, 0], [0, 0]], "no element x has"),
        ([[0, 1, 2], [1, 1, 2], [2, 2, 0]], "1 has no negative"),
        ([[0, 1, 2, 3], [1, 0, 3, 2], [2, 3, 0, 0], [3, 2, 0, 0]], "is not"),
    ],
)
def test_what_is_not_a_group_is_refused(table, why):
    with pytest.raises(ValueError, match=f"must be of a group; .*{why}"):
        refuse_table(np.array(table))


def test_a_table_that_is_not_square_is_refused():
    with pytest.raises(ValueError, match=r"Characters.table must be square; got 2 rows of \[2, 3\] columns"):
        Characters.of([[0, 1], [1, 0, 0]])
    with pytest.raises(ValueError, match=r"Characters.table must be square"):
        Characters.of([])
