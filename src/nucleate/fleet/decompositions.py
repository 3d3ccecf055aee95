"""Decompositions of matrices in a program: several in one call can bring all workers to a standstill.

For singular values, eigenvalues and the like, jaxlib calls LAPACK, once for each matrix of a batch. It shares the
matrices among the threads of XLA's pool, of which there are as many as cores, and waits for them in a thread of that
pool. Where every thread of it waits in such a call, none is left to do the work: seen with jaxlib 0.10 on two cores,
within a second. A batch of one matrix is not shared, and a program that runs alone leaves threads to do the work. So
networks that decompose matrices are not put into blocks, unless the user asks for it; only one worker trains those that
decompose several; and if only their beginning does, only one worker at a time starts some.
"""

from math import prod

from jax.extend.core import Jaxpr, jaxprs_in_params

_LAPACK = {
    *("cholesky", "eig", "eigh", "geqp3", "geqrf", "hessenberg", "householder_product", "lu", "ormqr", "qr", "schur"),
    *("svd", "triangular_solve", "tridiagonal", "tridiagonal_solve"),
}


def most_at_once(jaxpr: Jaxpr) -> int:
    """The most matrices that one call of a program hands to LAPACK; 0 if it never calls it.

    >>> import jax, jax.numpy as jnp
    >>> values = lambda matrix: jnp.linalg.svd(matrix, compute_uv=False)
    >>> most_at_once(jax.make_jaxpr(values)(jnp.zeros((3, 2))).jaxpr)
    1
    >>> most_at_once(jax.make_jaxpr(jax.vmap(values))(jnp.zeros((5, 3, 2))).jaxpr)
    5
    >>> most_at_once(jax.make_jaxpr(jnp.sin)(1.0).jaxpr)
    0
    """
    most = 0
    for equation in jaxpr.eqns:
        if equation.primitive.name in _LAPACK:
            *batch, _, _ = equation.invars[0].aval.shape  # type: ignore[attr-defined]
            most = max(most, prod(batch))
        for inner in jaxprs_in_params(equation.params):
            most = max(most, most_at_once(inner))
    return most
