"""How much a step computes is counted from its program, and what takes long is cut into short pieces."""

import jax
import jax.numpy as jnp
import pytest
from small_fleets import Sums, members

from nucleate.fleet import Crossing, Every, Plan
from nucleate.fleet.estimate import Needs
from nucleate.fleet.work import products


@pytest.mark.parametrize(
    ("compute", "shapes", "count"),
    [
        (lambda a, b: a @ b, [(4, 2, 3), (4, 3, 5)], 4 * 2 * 3 * 5),
        (lambda a: jnp.einsum("ij,ij->", a, a), [(3, 5)], 15),
        (lambda a: jnp.sin(a) + a, [(3, 5)], 0),
        (jax.grad(lambda a, b: jnp.sum((a @ b) ** 2), argnums=(0, 1)), [(2, 3), (3, 5)], 3 * 30),
        (lambda a, b: jax.lax.map(lambda row: b @ row, a), [(7, 3), (5, 3)], 7 * 15),
        (lambda a, b: jax.lax.conv(a, b, (1, 1), "VALID"), [(2, 3, 8, 8), (5, 3, 3, 3)], 2 * 5 * 36 * 27),
    ],
)
def test_multiplications_are_counted(compute, shapes, count):
    assert products(jax.make_jaxpr(compute)(*map(jnp.ones, shapes)).jaxpr) == count


@pytest.mark.parametrize(
    ("multiplications", "stop", "longest"),
    [(1, (), 1000), (10**9, (), 100), (10**10, (), 10), (10**12, (), 1), (10**10, ("memorised",), 250)],
)
def test_what_takes_long_is_cut_into_short_pieces(multiplications, stop, longest, tmp_path):
    """But where members stop by themselves, they are looked after as often as always."""
    crossings = (Crossing("memorised", "loss", at_most=0.1),)
    plan = Plan(Sums(look=Every(1000), crossings=crossings, stop=stop), members(1), 2000, block=1)
    chunks = Needs(plan, tmp_path, 1, products={(): multiplications}).timeline()
    assert max(chunk.steps for chunk in chunks) == longest
    assert sum(chunk.steps for chunk in chunks) == 2000
