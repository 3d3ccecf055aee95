"""How much a step computes, read off its program: what takes long must be shown, saved and stopped more often."""

from math import prod
from typing import Any

from jax.extend.core import Jaxpr, JaxprEqn, jaxprs_in_params

_AT_ONCE = 10**11
"""Multiplications of matrix products in a few seconds of a core."""


def products(jaxpr: Jaxpr) -> int:
    """Multiplications in the matrix products and convolutions of a program, with every loop of known length.

    >>> import jax, jax.numpy as jnp
    >>> products(jax.make_jaxpr(jnp.matmul)(jnp.ones((2, 3)), jnp.ones((3, 5))).jaxpr)
    30
    >>> twice = lambda x: jax.lax.scan(lambda x, _: (x @ x, None), x, length=2)
    >>> products(jax.make_jaxpr(twice)(jnp.ones((3, 3))).jaxpr)
    54
    """
    total = 0
    for equation in jaxpr.eqns:
        inner = sum(map(products, jaxprs_in_params(equation.params)))
        total += _of_one(equation) + equation.params.get("length", 1) * inner
    return total


def steps_at_once(multiplications: int) -> int:
    """How many steps, each with that many multiplications, take a few seconds of a core.

    >>> steps_at_once(10**10), steps_at_once(10**12)
    (10, 1)
    """
    return max(_AT_ONCE // max(multiplications, 1), 1)


def _of_one(equation: JaxprEqn) -> int:
    shape: Any = lambda variable: variable.aval.shape
    if equation.primitive.name == "dot_general":
        (contracted, _), _ = equation.params["dimension_numbers"]
        return prod(shape(equation.outvars[0])) * prod(shape(equation.invars[0])[axis] for axis in contracted)
    if equation.primitive.name == "conv_general_dilated":
        kernel = shape(equation.invars[1])
        outputs = kernel[equation.params["dimension_numbers"].rhs_spec[0]]
        return prod(shape(equation.outvars[0])) * prod(kernel) // outputs
    return 0
