r"""Two ways to find the potentials from the forces: exactly in a basis, or as neural networks."""

import abc
from dataclasses import dataclass, replace
from typing import Annotated, final

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
from jax.flatten_util import ravel_pytree
from jaxtyping import Array, Float
from scipy.linalg import block_diag
from scipy.optimize import minimize

from nucleate.checking import AtLeast, Checked, Count, Seed
from nucleate.theories.pairs.basis import Basis, SplineBasis
from nucleate.theories.pairs.normal_equations import NormalEquations
from nucleate.theories.pairs.symmetry import NoSymmetry, Symmetry
from nucleate.theories.pairs.terms import Potential


class PotentialSolver(Checked, abc.ABC):
    r"""How f_a and f_r are chosen so that ∇U is near the recorded gradients: `ClosedForm` or `Neural`."""

    @abc.abstractmethod
    def potentials(self, sums: NormalEquations, bases: tuple[Basis, Basis]) -> tuple[Potential, Potential]:
        """f_a and f_r, in this order."""

    @abc.abstractmethod
    def check_symmetry(self, symmetry: Symmetry) -> None:
        """Raise an error if the solver cannot handle `symmetry`."""


def ridge_penalty(
    sums: NormalEquations, bases: tuple[Basis, Basis], ridge: float
) -> Float[np.ndarray, "column column"]:
    r"""The penalty on roughness in units of the data, scaled so that `ridge` = 1 weighs as much as the forces.

        penalty = ridge · (tr G_f / tr K_f) K_f,    for f = f_a, f_r

    G: the Gram matrix; K: the `roughness` of the basis.

    >>> from nucleate.theories.pairs.basis import SplineBasis
    >>> from nucleate.theories.pairs.symmetry import Parity
    >>> bases = 2 * (SplineBasis(Parity(), 1.0, cells=4, axes=1),)
    >>> sums = NormalEquations(np.eye(12), np.zeros(12), 1.0, np.zeros((1, 1)), 1)
    >>> round(float(np.trace(ridge_penalty(sums, bases, ridge=0.1))), 6)
    1.2
    """
    blocks, start = [], 0
    for basis in bases:
        rough = basis.roughness()
        gram = np.diag(sums.gram)[start : start + len(rough)]
        blocks.append(ridge * gram.sum() / np.trace(rough) * rough)
        start += len(rough)
    return np.asarray(block_diag(*blocks))


@final
@dataclass(frozen=True)
class ClosedForm(PotentialSolver):
    r"""The best potentials within a basis, in closed form.

        min_c Σ |∇U_c(R) − ∂L/∂R|² + ridge · roughness(c)

    c: the coefficients of f_a and f_r, see `NormalEquations`; roughness: third differences, so that a
    quadratic costs nothing. Source: the minimum of the loss of [mehta2024repons], Section 3.

    >>> ClosedForm(ridge=-1.0)
    Traceback (most recent call last):
    ValueError: ClosedForm.ridge must be >= 0; got -1.0.
    """

    ridge: Annotated[float, AtLeast(0)] = 1e-4

    def check_symmetry(self, symmetry: Symmetry) -> None:
        """Every symmetry has a basis, so any will do."""

    def potentials(self, sums: NormalEquations, bases: tuple[Basis, Basis]) -> tuple[Potential, Potential]:
        coefficients = sums.solve(ridge_penalty(sums, bases, self.ridge))
        cut = len(bases[0].roughness())
        return bases[0].potential(coefficients[:cut]), bases[1].potential(coefficients[cut:])


@final
class NeuralPotential(eqx.Module):
    r"""A potential given by a small network of the symmetry's invariants.

        f(x) = height · MLP(z(x)),    z: `Symmetry.invariants`

    For an even potential z is smooth in x², so that there is no cusp at 0. Source: [mehta2024repons], Section 3.

    >>> from nucleate.theories.pairs.symmetry import Parity
    >>> net = eqx.nn.MLP(1, "scalar", 4, 1, key=jax.random.key(0))
    >>> f = NeuralPotential(net, np.ones(()), np.ones(()), Parity())
    >>> bool(f(jnp.array([2.0])) == f(jnp.array([-2.0])))
    True
    """

    net: eqx.nn.MLP
    height: Float[Array | np.ndarray, ""]
    scale: Float[Array | np.ndarray, ""]
    symmetry: Symmetry = eqx.field(static=True)

    def __call__(self, x: Float[Array, " coordinate"]) -> Float[Array, ""]:
        return jnp.asarray(self.height) * self.net(self.symmetry.invariants(x, self.scale))


@final
@dataclass(frozen=True)
class Neural(PotentialSolver):
    r"""Two networks, trained on the normal equations at a cost that does not depend on the size of the data.

        min_θ c_θᵀ G c_θ − 2 b·c_θ,    c_θ: the spline through f_θ on the grid's nodes

    G, b: see `NormalEquations`; f_θ: a `NeuralPotential` with `depth` tanh layers of `width` units, initialised
    with `seed` and trained by `iterations` of full-batch L-BFGS. Source: [mehta2024repons], Section 3, which trains on
    the forces themselves: the same loss up to the resolution of the grid.

    >>> Neural(width=0)
    Traceback (most recent call last):
    ValueError: Neural.width must be >= 1; got 0.
    """

    width: Count = 32
    depth: Count = 2
    iterations: Count = 1000
    seed: Seed = 0

    def check_symmetry(self, symmetry: Symmetry) -> None:
        if isinstance(symmetry, NoSymmetry):
            raise ValueError(
                "Neural trains on a grid of displacements, and NoSymmetry has no displacements. Use ClosedForm()."
            )

    def potentials(self, sums: NormalEquations, bases: tuple[Basis, Basis]) -> tuple[Potential, Potential]:
        grids = [basis for basis in bases if isinstance(basis, SplineBasis)]
        exact = ClosedForm().potentials(sums, bases)
        with jax.enable_x64(True):
            start = tuple(
                self._untrained(grid, height=float(np.std(best.coefficients)), key=key)
                for grid, best, key in zip(grids, exact, jax.random.split(jax.random.key(self.seed)), strict=True)
            )
            trained = _train(start, grids, sums, self.iterations)
            return trained[0], trained[1]

    def _untrained(self, grid: SplineBasis, height: float, key) -> NeuralPotential:
        net = eqx.nn.MLP(grid.axes, "scalar", self.width, self.depth, jnp.tanh, dtype=jnp.float64, key=key)
        return NeuralPotential(net, np.asarray(height), np.asarray(grid.reach / 8), grid.symmetry)


def _train(start, grids: list[SplineBasis], sums: NormalEquations, iterations: int):
    data = [grid.nodes() for grid in grids], sums.gram / sums.square, sums.moment / sums.square
    # Only the shape of the grids is passed on: with their reach, every fit would be compiled anew.
    shapes = tuple(replace(grid, reach=1.0) for grid in grids)
    best = minimize(
        lambda theta: tuple(np.asarray(x, np.float64) for x in _loss(theta, start, shapes, data)),
        np.asarray(ravel_pytree(_weights(start))[0]),
        jac=True,
        method="L-BFGS-B",
        options={"maxiter": iterations, "maxfun": 2 * iterations, "maxcor": 30, "ftol": 1e-12, "gtol": 1e-10},
    )
    return _with_weights(start, jnp.asarray(best.x))


def _weights(potentials: tuple[NeuralPotential, ...]):
    return eqx.filter(tuple(f.net for f in potentials), eqx.is_inexact_array)


def _with_weights(potentials: tuple[NeuralPotential, ...], theta) -> tuple[NeuralPotential, ...]:
    trained = ravel_pytree(_weights(potentials))[1](theta)
    nets = (eqx.combine(weights, f.net) for weights, f in zip(trained, potentials, strict=True))
    return tuple(eqx.tree_at(lambda f: f.net, f, net) for f, net in zip(potentials, nets, strict=True))


@eqx.filter_jit
def _loss(theta, start, shapes: tuple[SplineBasis, ...], data):
    nodes, gram, moment = data

    def loss(theta):
        parts = zip(_with_weights(start, theta), shapes, nodes, strict=True)
        c = jnp.concatenate([shape.from_values(jax.vmap(f)(node)) for f, shape, node in parts])
        return 1 + c @ gram @ c - 2 * moment @ c

    return jax.value_and_grad(loss)(theta)
