r"""The symmetries of a pair potential: what kind of function of four embeddings f(r_i, r_j, r_k, r_l) it may be."""

import abc
from dataclasses import dataclass
from typing import final

import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Float


class Symmetry(abc.ABC):
    r"""The changes of the embeddings that leave f(r_i, r_j, r_k, r_l) unchanged, and hence the coordinates of f.

        f(r_i, r_j, r_k, r_l) = f(x),    x = `coordinates`(r_i, r_j, r_k, r_l)

    r_i, r_j: the embeddings of the pair that the record lists first; r_k, r_l: those of the other pair. `even`: f(x) =
    f(−x), so that the order of the two pairs does not matter. Source: [mehta2024repons], Section 2.
    """

    even: bool = False

    @abc.abstractmethod
    def coordinates(self, quad: Float[Array | np.ndarray, "4 dim"]) -> Float[Array, " coordinate"]:
        """The coordinates that the potential of (r_i, r_j, r_k, r_l) depends on."""

    @abc.abstractmethod
    def invariants(
        self, x: Float[Array, " coordinate"], scale: float | Array | np.ndarray
    ) -> Float[Array, " invariant"]:
        """Smooth numbers that determine every symmetric function of x, of order 1 where |x| ~ `scale`."""

    @abc.abstractmethod
    def check(self, dim: int) -> None:
        """Raise an error if the symmetry does not suit embeddings of dimension `dim`."""


def _displacement(quad: Float[Array | np.ndarray, "4 dim"]) -> Float[Array, " dim"]:
    return jnp.asarray(quad[0] + quad[1] - quad[2] - quad[3])


def _grid_only(name: str, dim: int) -> None:
    if dim > 2:
        raise ValueError(f"{name} needs embeddings of dim 1 or 2, because it uses a grid; got {dim}. Use Rotation().")


def _fold(x: Float[Array, "*size"], scale: float | Array | np.ndarray) -> Float[Array, "*size"]:
    # Smooth in x², so that f has no cusp at 0; like |x| far out, so that the input of the network does not grow as x².
    return jnp.sqrt(1 + jnp.square(x / scale)) - 1


@final
@dataclass(frozen=True)
class NoSymmetry(Symmetry):
    r"""Any function of the four embeddings: 4d inputs.

        x = (r_i, r_j, r_k, r_l)

    Source: [mehta2024repons], Eqs. 1 and 2.

    >>> NoSymmetry().coordinates(np.array([[1.0], [2.0], [3.0], [4.0]])).tolist()
    [1.0, 2.0, 3.0, 4.0]
    """

    def coordinates(self, quad: Float[Array | np.ndarray, "4 dim"]) -> Float[Array, " coordinate"]:
        return jnp.ravel(jnp.asarray(quad))

    def invariants(
        self, x: Float[Array, " coordinate"], scale: float | Array | np.ndarray
    ) -> Float[Array, " invariant"]:
        return x / scale

    def check(self, dim: int) -> None:
        """Any dimension will do."""


@final
@dataclass(frozen=True)
class Translation(Symmetry):
    r"""f does not change when all embeddings are shifted together.

        x = r_i + r_j − r_k − r_l

    (i, j) is the pair that the record lists before (k, l): the odd part of f depends on that order.
    Source: [mehta2024repons], Section 2.

    >>> Translation().coordinates(np.array([[1.0], [2.0], [3.0], [4.0]])).tolist()
    [-4.0]
    """

    def coordinates(self, quad: Float[Array | np.ndarray, "4 dim"]) -> Float[Array, " coordinate"]:
        return _displacement(quad)

    def invariants(
        self, x: Float[Array, " coordinate"], scale: float | Array | np.ndarray
    ) -> Float[Array, " invariant"]:
        return x / scale

    def check(self, dim: int) -> None:
        _grid_only("Translation", dim)


@final
@dataclass(frozen=True)
class Parity(Symmetry):
    r"""`Translation`, and f does not change when any axis of the displacement is reflected.

        f(x) = f(|x_1|, …, |x_d|),    x = r_i + r_j − r_k − r_l

    Source: [mehta2024repons], Section 2.

    >>> there, back = (Parity().invariants(jnp.array([x, 2.0]), scale=1.0) for x in (0.5, -0.5))
    >>> bool((there == back).all())
    True
    """

    even = True

    def coordinates(self, quad: Float[Array | np.ndarray, "4 dim"]) -> Float[Array, " coordinate"]:
        return _displacement(quad)

    def invariants(
        self, x: Float[Array, " coordinate"], scale: float | Array | np.ndarray
    ) -> Float[Array, " invariant"]:
        return _fold(x, scale)

    def check(self, dim: int) -> None:
        _grid_only("Parity", dim)


@final
@dataclass(frozen=True)
class Rotation(Symmetry):
    r"""`Translation`, and f does not change when the displacement is rotated: it depends on its length.

        f(x) = f(‖x‖),    x = r_i + r_j − r_k − r_l

    In one dimension there is nothing to rotate; use `Parity`, which is the same. Source: [mehta2024repons],
    Section 2.

    >>> Rotation().check(dim=1)
    Traceback (most recent call last):
    ValueError: Rotation needs embeddings of dim >= 2; got 1. Use Parity().
    """

    even = True

    def coordinates(self, quad: Float[Array | np.ndarray, "4 dim"]) -> Float[Array, " coordinate"]:
        return _displacement(quad)

    def invariants(
        self, x: Float[Array, " coordinate"], scale: float | Array | np.ndarray
    ) -> Float[Array, " invariant"]:
        return jnp.sqrt(1 + jnp.sum(jnp.square(x / scale), keepdims=True)) - 1

    def check(self, dim: int) -> None:
        if dim < 2:
            raise ValueError(f"Rotation needs embeddings of dim >= 2; got {dim}. Use Parity().")
