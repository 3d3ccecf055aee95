r"""Bases in which the force is linear in the coefficients: f = Σ_k c_k B_k, hence ∇U = Σ_k c_k ∇U_k."""

import abc
from dataclasses import dataclass, field
from functools import reduce
from typing import final

import equinox as eqx
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Float
from scipy.sparse import csc_array

from nucleate.theories.pairs.symmetry import NoSymmetry, Rotation, Symmetry
from nucleate.theories.pairs.terms import Potential, Terms

_WAVES = 3


class Basis(abc.ABC):
    r"""Functions B_k of a term's coordinates, and the force that each exerts: `SplineBasis` or `FeatureBasis`."""

    @abc.abstractmethod
    def design(
        self, terms: Terms, embedding: Float[np.ndarray, "config token dim"]
    ) -> Float[np.ndarray, "config token dim basis"]:
        """∇ Σ_c w_c B_k(L_c R), for each configuration R."""

    @abc.abstractmethod
    def roughness(self) -> Float[np.ndarray, "basis basis"]:
        """The quadratic form of the coefficients that a ridge penalises."""

    @abc.abstractmethod
    def potential(self, coefficients: Float[np.ndarray, " basis"]) -> Potential:
        """Σ_k c_k B_k."""


def _stencil(x, spacing, cells: int, folded: bool, xp):
    """The four cubic B-splines that are not 0 at x: their indices, values and slopes, on a new last axis."""
    u = xp.abs(x) / spacing if folded else x / spacing + cells / 2
    inside = xp.clip(u, 0, cells)
    cell = xp.clip(xp.floor(inside), 0, cells - 1)
    t = inside - cell
    s = 1 - t
    first, last = t * t / 2, s * s / 2
    slope = xp.stack([-last, (1.5 * t - 2) * t, (1 - 1.5 * t) * t + 0.5, first], axis=-1)
    value = xp.stack([last * s / 3, 2 / 3 + first * (t - 2), 2 / 3 + last * (s - 2), first * t / 3], axis=-1)
    # Beyond the grid the force stays constant.
    value = value + slope * (u - inside)[..., None]
    index = cell.astype(int)[..., None] + np.arange(4)
    if folded:
        index, slope = xp.abs(index - 1), slope * xp.sign(x)[..., None]
    return index, value, slope / spacing


@final
class SplinePotential(eqx.Module):
    r"""A cubic spline of the displacement, of the magnitudes along its axes, or of its length.

        f(x) = Σ_k c_k Π_a B(z_a/h − k_a),    z = x, |x| or ‖x‖

    B: the cubic B-spline; h: `spacing`; c: `coefficients`, with one axis per component of z. Beyond the grid f is
    linear. It is twice differentiable, also at 0.

    >>> from nucleate.theories.pairs.symmetry import Parity
    >>> f = SplinePotential(np.ones(8), 0.5, Parity())
    >>> float(f(jnp.array([0.3])).round(6))
    1.0
    """

    coefficients: Float[Array | np.ndarray, "..."]
    spacing: float | Array | np.ndarray
    symmetry: Symmetry = eqx.field(static=True)

    def __call__(self, x: Float[Array, " coordinate"]) -> Float[Array, ""]:
        x = _length(x, jnp) if isinstance(self.symmetry, Rotation) else x
        extra = 2 if self.symmetry.even else 3
        result = jnp.asarray(self.coefficients)
        for axis, size in enumerate(self.coefficients.shape):
            index, value, _ = _stencil(x[axis], self.spacing, size - extra, self.symmetry.even, jnp)
            result = jnp.tensordot(value, result[index], axes=1)
        return result


def _length(x, xp):
    square = xp.sum(x**2, axis=-1, keepdims=True)
    return xp.where(square > 0, xp.sqrt(xp.where(square > 0, square, 1)), 0)


@final
@dataclass(frozen=True)
class SplineBasis(Basis):
    r"""Cubic B-splines on a uniform grid over the displacement, the magnitudes along its axes, or its length.

        B_k(x) = Π_a B(z_a/h − k_a),    roughness = Σ_a |Δ_a³ c|²

    z: x for `Translation`, |x| for `Parity`, ‖x‖ for `Rotation`, folded at 0 so that f is even and smooth;
    h = reach/cells; Δ_a³: third differences along axis a, which leave quadratics free. In one dimension each term
    touches only four functions, however many there are.

    >>> from nucleate.theories.pairs.symmetry import Parity
    >>> SplineBasis(Parity(), reach=2.0, cells=10, axes=1).size
    12
    """

    symmetry: Symmetry
    reach: float
    cells: int
    axes: int

    @classmethod
    def covering(cls, symmetry: Symmetry, reach: float, dim: int, size: int) -> "SplineBasis":
        """The basis of about `size` functions that spans displacements up to `reach`."""
        axes = 1 if isinstance(symmetry, Rotation) else dim
        extra = 2 if symmetry.even else 3
        return cls(symmetry, reach, max(round(size ** (1 / axes)) - extra, 4), axes)

    @property
    def spacing(self) -> float:
        """The distance between neighbouring knots."""
        return (1 if self.symmetry.even else 2) * self.reach / self.cells

    @property
    def shape(self) -> tuple[int, ...]:
        """The number of functions along each axis."""
        return (self.cells + (2 if self.symmetry.even else 3),) * self.axes

    @property
    def size(self) -> int:
        """The number of functions."""
        return int(np.prod(self.shape))

    def design(
        self, terms: Terms, embedding: Float[np.ndarray, "config token dim"]
    ) -> Float[np.ndarray, "config token dim basis"]:
        maps = np.asarray(terms.maps)[:, 0]
        index, slope = self._gradients(np.einsum("ct,ntd->cnd", maps, embedding, optimize=True))
        configs, tokens, dim = embedding.shape
        # A sparse matrix with one column per term makes the sums over terms a matrix product.
        row = (index + self.size * np.arange(configs)[:, None]).astype(np.int32).ravel()
        start = np.arange(len(maps) + 1, dtype=np.int32) * (row.size // max(len(maps), 1))
        pull = maps * np.asarray(terms.weight)[:, None]
        result = np.empty((configs, tokens, dim, self.size))
        for a in range(dim):
            touched = csc_array((slope[..., a].ravel(), row, start), shape=(configs * self.size, len(maps)))
            result[:, :, a] = (touched @ pull).reshape(configs, self.size, tokens).swapaxes(1, 2)
        return result

    def _gradients(self, x: Float[np.ndarray, "term config dim"]):
        """The functions that each displacement touches, and their gradients with respect to it."""
        even, spacing = self.symmetry.even, self.spacing
        if isinstance(self.symmetry, Rotation):
            length = _length(x, np)
            index, _, slope = _stencil(length[..., 0], spacing, self.cells, even, np)
            return index, slope[..., None] * (x / np.where(length > 0, length, 1))[..., None, :]
        index, value, slope = _stencil(x, spacing, self.cells, even, np)
        if self.axes == 1:
            return index[..., 0, :], slope[..., 0, :, None]
        flat = index[..., 0, :, None] * self.shape[1] + index[..., 1, None, :]
        along = slope[..., 0, :, None] * value[..., 1, None, :], value[..., 0, :, None] * slope[..., 1, None, :]
        many = (*x.shape[:2], 16)
        return flat.reshape(many), np.stack([part.reshape(many) for part in along], axis=-1)

    def roughness(self) -> Float[np.ndarray, "basis basis"]:
        size = self.shape[0]
        unfold = np.eye(size)
        if self.symmetry.even:
            unfold = unfold[np.abs(np.arange(-3, size))]
        third = np.diff(unfold, n=3, axis=0)
        one = third.T @ third
        parts = ([one if a == b else np.eye(size) for b in range(self.axes)] for a in range(self.axes))
        return sum((reduce(np.kron, part) for part in parts), start=np.zeros((self.size, self.size)))

    def potential(self, coefficients: Float[np.ndarray, " basis"]) -> SplinePotential:
        return SplinePotential(coefficients.reshape(self.shape), np.asarray(self.spacing), self.symmetry)

    def nodes(self) -> Float[np.ndarray, "node axes"]:
        """The grid on which `from_values` needs a function: the knots, and further points on each outer side."""
        steps = np.arange(self.shape[0] + 2) - (1.0 if self.symmetry.even else self.cells / 2 + 2)
        return np.stack(np.meshgrid(*[steps * self.spacing] * self.axes, indexing="ij"), axis=-1).reshape(-1, self.axes)

    def from_values(self, values: Float[Array, " node"]) -> Float[Array, " basis"]:
        """The coefficients of a spline that agrees with `values` on `nodes` to fourth order in h."""
        grid = values.reshape([size + 2 for size in self.shape])
        for axis in range(self.axes):
            middle = jnp.moveaxis(grid, axis, 0)
            grid = jnp.moveaxis((8 * middle[1:-1] - middle[:-2] - middle[2:]) / 6, 0, axis)
        return grid.ravel()


@final
class FeaturePotential(eqx.Module):
    r"""A sum of waves over all coordinates of a term.

        f(x) = Σ_k c_k cos(ω_k · x + φ_k)

    >>> float(FeaturePotential(np.ones(1), np.zeros((4, 1)), np.zeros(1))(jnp.ones(4)))
    1.0
    """

    coefficients: Float[Array | np.ndarray, " basis"]
    frequency: Float[Array | np.ndarray, "coordinate basis"]
    phase: Float[Array | np.ndarray, " basis"]

    def __call__(self, x: Float[Array, " coordinate"]) -> Float[Array, ""]:
        return jnp.cos(x @ self.frequency + self.phase) @ self.coefficients

    def total(self, terms: Terms, embedding: Float[Array, "token dim"]) -> Float[Array, ""]:
        """Σ_c w_c f(x_c) without a cosine per term: a wave over four embeddings is a product of four waves."""
        tokens, dim = embedding.shape
        waves = jnp.exp(1j * jnp.einsum("td,sdk->stk", embedding, self.frequency.reshape(4, dim, -1)))
        ends = [(waves[s][:, None] * waves[s + 1]).reshape(tokens**2, -1) for s in (0, 2)]
        maps = jnp.asarray(terms.maps)
        first, second = (jnp.einsum("ct,cu->ctu", maps[:, s], maps[:, s + 1]).reshape(-1, tokens**2) for s in (0, 2))
        weight = first.T @ (terms.weight[:, None] * second)
        summed = jnp.sum(ends[0] * (weight @ ends[1]), axis=0)
        return jnp.real(summed * jnp.exp(1j * self.phase)) @ self.coefficients


@final
@dataclass(frozen=True, eq=False)
class FeatureBasis(Basis):
    r"""Random waves, for potentials with too many coordinates for a grid.

        B_k(x) = cos(ω_k · x + φ_k),    roughness = Σ_k |ω_k reach|⁴ c_k²

    ω_k: random, with up to three waves over the `reach` of the data; every other one gives the four embeddings
    the same weight with random signs, because networks depend on their sums; φ_k: random phases.
    Source: the random features of [rahimi2007random].

    >>> FeatureBasis.covering(reach=1.0, coordinates=4, size=20, seed=0).frequency.shape
    (4, 20)
    """

    frequency: Float[np.ndarray, "coordinate basis"] = field(repr=False)
    phase: Float[np.ndarray, " basis"] = field(repr=False)
    reach: float

    @classmethod
    def covering(cls, reach: float, coordinates: int, size: int, seed: int) -> "FeatureBasis":
        """`size` waves that vary over distances of the order of `reach`."""
        rng = np.random.default_rng(seed)
        anywhere = rng.normal(size=(4, coordinates // 4, size))
        together = rng.choice([-1.0, 1.0], size=(4, 1, size)) * anywhere[:1]
        direction = np.where(np.arange(size) % 2, anywhere, together).reshape(coordinates, size)
        length = rng.uniform(0, _WAVES * 2 * np.pi / reach, size=size)
        frequency = direction / np.linalg.norm(direction, axis=0) * length
        return cls(frequency, rng.uniform(0, 2 * np.pi, size=size), reach)

    def design(
        self, terms: Terms, embedding: Float[np.ndarray, "config token dim"]
    ) -> Float[np.ndarray, "config token dim basis"]:
        token = np.asarray(terms.maps).argmax(axis=2)  # without symmetry each row of a map selects one token
        ends = [np.unique(token[:, side], axis=0, return_inverse=True) for side in (slice(0, 2), slice(2, 4))]
        weight = np.zeros([len(pairs) for pairs, _ in ends])
        weight[ends[0][1], ends[1][1]] = np.asarray(terms.weight)
        tokens, dim = embedding.shape[1:]
        frequency = self.frequency.reshape(4, dim, -1)
        # A wave over both pairs is the product of a wave over each: sums over terms become matrix products.
        waves = [
            np.exp(
                1j * np.einsum("npsd,sdk->pnk", embedding[:, pairs], frequency[2 * end : 2 * end + 2], optimize=True)
            )
            for end, (pairs, _) in enumerate(ends)
        ]
        waves[0] *= np.exp(1j * self.phase)
        result = np.zeros((tokens, len(embedding), dim, len(self.phase)))
        for end, matrix in enumerate((weight, weight.T)):
            pull = -np.imag(waves[end] * np.tensordot(matrix, waves[1 - end], axes=1))
            for slot in (0, 1):
                spread = np.eye(tokens)[ends[end][0][:, slot]].T
                result += np.tensordot(spread, pull, axes=1)[:, :, None] * frequency[2 * end + slot]
        return result.swapaxes(0, 1)

    def roughness(self) -> Float[np.ndarray, "basis basis"]:
        return np.diag(np.sum(np.square(self.frequency * self.reach), axis=0) ** 2)

    def potential(self, coefficients: Float[np.ndarray, " basis"]) -> FeaturePotential:
        return FeaturePotential(coefficients, self.frequency, self.phase)


def basis_for(symmetry: Symmetry, reach: float, dim: int, size: int, seed: int) -> Basis:
    """The basis that suits a symmetry: splines on a grid, or waves if there is no symmetry.

    >>> from nucleate.theories.pairs.symmetry import Translation
    >>> type(basis_for(Translation(), 1.0, 1, 30, seed=0)).__name__
    'SplineBasis'
    """
    if isinstance(symmetry, NoSymmetry):
        return FeatureBasis.covering(reach, 4 * dim, size, seed)
    return SplineBasis.covering(symmetry, reach, dim, size)
