"""A basis exerts the force that its potential has, and holds smooth functions closely."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from planted_pairs import LABEL, PAIRS

from nucleate.theories import NoSymmetry, Parity, Rotation, Translation
from nucleate.theories.pairs import pair_gradients, pair_terms
from nucleate.theories.pairs.basis import SplineBasis, basis_for

CASES = [(Translation(), 1), (Translation(), 2), (Parity(), 1), (Parity(), 2), (Rotation(), 3), (NoSymmetry(), 2)]


@pytest.mark.parametrize(("symmetry", "dim"), CASES, ids=str)
def test_the_design_is_the_gradient_of_each_function(symmetry, dim):
    rng = np.random.default_rng(0)
    bases = [basis_for(symmetry, reach, dim, size=60, seed=0) for reach in (2.0, 3.0)]
    coefficients = [rng.normal(size=len(basis.roughness())) for basis in bases]
    terms = pair_terms(PAIRS, LABEL, 10, symmetry)
    embedding = rng.normal(size=(3, 10, dim))
    linear = bases[0].design(terms.same, embedding) @ coefficients[0]
    linear = linear + bases[1].design(terms.different, embedding) @ coefficients[1]
    potentials = [basis.potential(c) for basis, c in zip(bases, coefficients, strict=True)]
    assert np.abs(pair_gradients(terms, *potentials, embedding) - linear).max() < 1e-9


@pytest.mark.parametrize("axes", [1, 2])
@pytest.mark.parametrize("symmetry", [Translation(), Parity()], ids=str)
def test_values_on_the_nodes_give_nearly_the_function(symmetry, axes):
    basis = SplineBasis(symmetry, reach=2.0, cells=20, axes=axes)
    wave = lambda x: jnp.prod(jnp.cos(x)) + (0 if symmetry.even else jnp.sum(jnp.sin(x)))
    with jax.enable_x64(True):
        spline = basis.potential(np.asarray(basis.from_values(jax.vmap(wave)(jnp.asarray(basis.nodes())))))
        x = np.random.default_rng(0).uniform(-2, 2, size=(100, axes))
        assert np.abs(jax.jit(jax.vmap(lambda x: spline(x) - wave(x)))(x)).max() < 3e-3


def test_a_quadratic_is_not_rough_and_the_force_stays_constant_beyond_the_grid():
    basis = SplineBasis(Parity(), reach=2.0, cells=16, axes=1)
    with jax.enable_x64(True):
        c = np.asarray(basis.from_values(jnp.asarray(basis.nodes()[:, 0] ** 2)))
        spline = basis.potential(c)
        assert abs(c @ basis.roughness() @ c) < 1e-12
        both = jax.jit(jax.vmap(jax.value_and_grad(spline)))(np.array([[1.3], [9.0], [-9.0]]))
        value, slope = (np.asarray(x) for x in both)
        assert value[0] == pytest.approx(1.69)
        assert slope[:, 0] == pytest.approx([2.6, 4.0, -4.0])
