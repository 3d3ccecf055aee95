"""Scale, keep, remove or construct frequencies k = 1..(p − 1) // 2 of an embedding of p tokens.

Embeddings, factors, signals and keys may be traced, and so may frequencies, so that each network of a fleet can have
its own. A frequency given as a plain integer is checked; a traced one cannot be, and selects nothing if out of range.
"""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from operator import index
from typing import SupportsIndex

import jax
import jax.numpy as jnp
import numpy as np
from jax.core import Tracer
from jaxtyping import Array, ArrayLike, Bool, Complex, Float, Num

from nucleate.checking import checked

Frequency = SupportsIndex | Array
"""A frequency k: an integer, or a traced one."""

Shape = Callable[[Array, int], Array]
"""Any rule from a key and a number of dimensions to Fourier coefficients [dim] of norm 1."""


@checked
def scale(
    embedding: Float[Array | np.ndarray, "token dim"], k: Frequency, factor: Num[ArrayLike, ""]
) -> Float[Array, "token dim"]:
    """Multiply the signal of frequency k by `factor`, leaving everything else unchanged.

        E' = E + (factor − 1) C_k,    C_kn = (2/p) Re(F_k exp(2πi k n / p))

    E: the embedding; C_k: its component of frequency k; F_k: Fourier coefficients, Σ_n exp(−2πi k n / p) E_n over the
    p tokens n. Source: the perturbation of [ding2024survival], Section 3.2.1.

    >>> wave = np.cos(2 * np.pi * np.arange(5) / 5)[:, None]
    >>> np.allclose(scale(7 + wave, k=1, factor=3.0), 7 + 3 * wave)
    True
    """
    part = _component(embedding, _chosen("scale", embedding, [k]))
    return jnp.asarray(embedding) + (jnp.asarray(factor, part.dtype) - 1) * part


@checked
def keep(embedding: Float[Array | np.ndarray, "token dim"], ks: Iterable[Frequency]) -> Float[Array, "token dim"]:
    """Keep the mean and the chosen frequencies, and remove all others.

        E' = μ + Σ_{k ∈ ks} C_k

    μ: mean of the embedding E over the tokens; C_k: see `scale`. The mean (k = 0) stays, as in the paper's ablation of
    trained networks (Section 4.1). Its ablation at initialisation (Appendix C) drops the mean too:
    `keep(E - E.mean(0), ks)`. For even p, k = p/2 is removed. Source: the code of [ding2024survival].

    >>> wave = np.cos(2 * np.pi * np.outer(np.arange(5), [1, 2]) / 5)
    >>> np.allclose(keep(7 + wave, ks=[2]), 7 + wave * [0, 1], atol=1e-5)
    True
    """
    return jnp.asarray(embedding).mean(axis=0) + _component(embedding, _chosen("keep", embedding, ks))


@checked
def remove(embedding: Float[Array | np.ndarray, "token dim"], ks: Iterable[Frequency]) -> Float[Array, "token dim"]:
    """Remove the chosen frequencies, leaving everything else, including the mean, unchanged.

        E' = E − Σ_{k ∈ ks} C_k

    E: the embedding; C_k: see `scale`. It complements `keep`, except that both retain the mean:
    keep + remove − μ = E. Source: the ablation of [ding2024survival], Section 4.1.

    >>> wave = np.cos(2 * np.pi * np.outer(np.arange(5), [1, 2]) / 5)
    >>> np.allclose(remove(7 + wave, ks=[2]), 7 + wave * [1, 0], atol=1e-5)
    True
    """
    return jnp.asarray(embedding) - _component(embedding, _chosen("remove", embedding, ks))


@dataclass(frozen=True)
class Line:
    """Real coefficients along one random direction: the tokens oscillate on a line through 0.

        F = u,    so that E_n = (2 s / p) u cos(2πk n / p)

    u: uniform on the unit sphere; s: the signal; E_n: embedding of token n of p. The "circles" that the authors
    construct are such lines. Source: the code of [ding2024survival], Section 3.2.1.

    >>> float(jnp.linalg.norm(Line()(jax.random.key(0), dim=8)).round(5))
    1.0
    """

    def __call__(self, key: Array, dim: int) -> Complex[Array, " dim"]:
        direction = jax.random.normal(key, (dim,))
        return direction / jnp.linalg.norm(direction) + 0j


@dataclass(frozen=True)
class Circle:
    """Complex coefficients in a random plane: the tokens lie on a circle around 0.

        F = (u − i v) / √2,    so that E_n = (√2 s / p) (u cos(2πk n / p) + v sin(2πk n / p))

    u, v: a random pair of unit vectors at right angles; s: the signal; E_n: embedding of token n of p.
    Source: the circles of [ding2024survival], Section 2.

    >>> coefficients = Circle()(jax.random.key(0), dim=8)
    >>> abs((coefficients**2).sum()).round(5).item()  # u and v are equally long and at right angles
    0.0
    """

    def __call__(self, key: Array, dim: int) -> Complex[Array, " dim"]:
        if dim < 2:
            raise ValueError(f"Circle needs dim >= 2; got {dim}.")
        u, v = jnp.linalg.qr(jax.random.normal(key, (dim, 2)))[0].T
        return (u - 1j * v) / 2**0.5


AUTHORS = Line()


@checked
def construct(
    p: int, dim: int, signals: Mapping[int, Num[ArrayLike, ""]], key: Array, shape: Shape = AUTHORS
) -> Float[Array, "token dim"]:
    """Build an embedding that consists of the given signals, in random directions, and nothing else.

        E_n = (2/p) Re Σ_k s_k F_k exp(2πi k n / p)

    E_n: embedding of token n of p; s_k: signal ‖F_k‖ of each frequency in `signals`, which for a `Line` gives the
    half-length 2 s_k / p and for a `Circle` the radius √2 s_k / p; F_k: coefficients of norm 1, as `shape` draws them.
    The directions of a frequency depend only on the key and on k, so changing one signal leaves the others as they are.
    The authors use s = 80, 80 r and, for all others, 1e-6, which is the size of rounding errors in float32.
    Source: [ding2024survival], Section 3.2.1.

    >>> embedding = construct(59, 128, {3: 80.0, 7: 40.0}, jax.random.key(0), Circle())
    >>> norm = np.linalg.norm(np.fft.fft(embedding, axis=0), axis=1)
    >>> norm[[3, 7, 11]].round(3).tolist()
    [80.0, 40.0, 0.0]
    """
    if p < 3:
        raise ValueError(f"construct: p must be >= 3; got {p}.")
    if dim < 1:
        raise ValueError(f"construct: dim must be >= 1; got {dim}.")
    ks = jnp.asarray([_frequency("construct", k, p) for k in signals], int)
    unit = jax.vmap(lambda k: shape(jax.random.fold_in(key, k), dim))(ks)
    size = jnp.asarray(list(signals.values()))
    spectrum = jnp.zeros((p // 2 + 1, dim), complex).at[ks].set(size[:, None] * unit)
    return jnp.fft.irfft(spectrum, n=p, axis=0)


def _chosen(caller: str, embedding: Array | np.ndarray, ks: Iterable[Frequency]) -> Bool[Array, " spectrum"]:
    """Mask of the chosen frequencies over 0..p // 2."""
    dims = np.shape(embedding)
    if len(dims) != 2 or dims[0] < 3 or dims[1] < 1:
        raise ValueError(f"{caller}: embedding must have shape [token >= 3, dim >= 1]; got {dims}.")
    wanted = jnp.asarray([_frequency(caller, k, dims[0]) for k in ks], int)
    every = jnp.arange(dims[0] // 2 + 1)
    return jnp.isin(every, wanted) & (every >= 1) & (every <= (dims[0] - 1) // 2)


def _frequency(caller: str, k: Frequency, p: int) -> int | Array:
    # Repeated from observables: the two rooms do not import each other.
    if isinstance(k, Array) and isinstance(k, Tracer):
        return k
    last = (p - 1) // 2
    try:
        k = index(k)
    except TypeError:
        raise ValueError(f"{caller}: frequency must be a whole number; got {k!r}.") from None
    if not 1 <= k <= last:
        raise ValueError(f"{caller}: frequency must be between 1 and {last} for p={p}; got {k}.")
    return k


def _component(embedding: Array | np.ndarray, chosen: Array) -> Array:
    spectrum = jnp.fft.rfft(embedding, axis=0)
    return jnp.fft.irfft(spectrum * chosen[:, None], n=len(embedding), axis=0)
