"""An embedding of Z_p seen through its Fourier transform over the tokens.

A real embedding of p tokens has (p − 1) // 2 frequencies k = 1, 2, ..., each with its own plane: k and p − k are the
same. What remains is the mean (k = 0) and, for even p, the alternation k = p/2, which is a line and never a circle.
Row k − 1 of every `freq` axis is frequency k. p may be any integer >= 3, prime or not.
"""

from operator import index
from typing import SupportsIndex

import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Complex, Float

from nucleate.checking import checked
from nucleate.observables.centring import centred


@checked
def fourier_coefficients(embedding: Float[Array | np.ndarray, "token dim"]) -> Complex[Array, "freq dim"]:
    """Fourier coefficients of the embedding over the tokens, not normalised.

        F_k = Σ_n exp(−2πi k n / p) E_n,    k = 1..(p − 1) // 2

    E_n: embedding of token n of p. Source: [ding2024survival], Eq. 1.

    >>> angle = 2 * np.pi * np.arange(5)[:, None] / 5
    >>> abs(fourier_coefficients(np.cos(2 * angle))).round(3).tolist()  # p/2 at its own frequency
    [[0.0], [2.5]]
    """
    p = _tokens(embedding)
    return jnp.fft.rfft(embedding, axis=0)[1 : (p + 1) // 2]


@checked
def signal(embedding: Float[Array | np.ndarray, "token dim"]) -> Float[Array, " freq"]:
    """Signal of each frequency as the authors' code computes and plots it: the norm of its coefficients.

        s_k = ‖F_k‖

    F_k: see `fourier_coefficients`; ‖·‖: norm over the dimensions. The paper's text defines the square, see `power`;
    its code plots the norm and compares it with thresholds. An N(0, 1) embedding has s_k ≈ √(p d); a circle of radius R
    and frequency k has s_k = p R / √2. Source: the code of [ding2024survival], Section 2.

    >>> angle = 2 * np.pi * np.arange(5) / 5
    >>> circle = np.stack([np.cos(2 * angle), np.sin(2 * angle)], axis=1)
    >>> [round(s, 3) for s in signal(circle).tolist()]
    [0.0, 3.536]
    """
    return jnp.linalg.norm(fourier_coefficients(embedding), axis=-1)


@checked
def power(embedding: Float[Array | np.ndarray, "token dim"]) -> Float[Array, " freq"]:
    """Power of each frequency, which the paper's text calls its signal.

        s_k² = ‖F_k‖²

    F_k: see `fourier_coefficients`. The authors' code uses its square root throughout, see `signal`.
    Source: [ding2024survival], Section 2.

    >>> angle = 2 * np.pi * np.arange(5) / 5
    >>> circle = np.stack([np.cos(2 * angle), np.sin(2 * angle)], axis=1)
    >>> [round(s, 3) for s in power(circle).tolist()]
    [0.0, 12.5]
    """
    return jnp.square(signal(embedding))


@checked
def frequency_shares(embedding: Float[Array | np.ndarray, "token dim"]) -> Float[Array, " freq"]:
    """Share of an embedding's variance at each frequency.

        S_k = 2 ‖F_k‖² / (p Σ_n ‖E_n − μ‖²)

    F_k: see `fourier_coefficients`; E_n: embedding of token n of p; μ: mean over the tokens. The shares sum to 1, but
    for even p, where k = p/2 has the rest. A constant embedding gives zeros. `pca_frequencies` has the largest share
    for the leading pairs of principal components. Source: Parseval's theorem, for the signals of [ding2024survival].

    >>> angle = 2 * np.pi * np.arange(5) / 5
    >>> both = np.stack([3 * np.cos(angle), np.sin(2 * angle)], axis=1)
    >>> [round(share, 3) for share in frequency_shares(both).tolist()]
    [0.9, 0.1]
    """
    offset = centred(embedding)
    total = len(offset) * jnp.sum(jnp.square(offset))
    return 2 * power(offset) / jnp.where(total > 0, total, 1)


@checked
def mean_signal(embedding: Float[Array | np.ndarray, "token dim"]) -> Float[Array, ""]:
    """Mean norm over all p frequencies, with which the authors compare each signal.

        s̄ = (1/p) Σ_{k=0}^{p−1} ‖F_k‖

    F_k: see `fourier_coefficients`; here also for k = 0 (the mean of the embedding), for the mirror images p − k and,
    for even p, for k = p/2, which `signal` leaves out. Source: the code of [ding2024survival].

    >>> alternating = np.array([[1.0], [-1.0], [1.0], [-1.0]])
    >>> signal(alternating).tolist(), float(mean_signal(alternating))
    ([0.0], 1.0)
    """
    p = _tokens(embedding)
    norm = jnp.linalg.norm(jnp.fft.rfft(embedding, axis=0), axis=-1)
    middle = (p + 1) // 2
    return (norm[0] + 2 * norm[1:middle].sum() + norm[middle:].sum()) / p


@checked
def gradient_spectrum(gradient: Float[Array | np.ndarray, "token dim"]) -> Float[Array, " freq"]:
    """How strongly the loss pulls at each frequency: the signal of the embedding's gradient.

        g_k = ‖Σ_n exp(−2πi k n / p) ∂L/∂E_n‖

    E_n: embedding of token n of p; L: training loss, without weight decay. The transform is linear, so this is the
    gradient in Fourier space. Source: [ding2024survival], Appendix D.

    >>> gradient_spectrum(np.array([[2.0], [-1.0], [-1.0]])).tolist()
    [3.0]
    """
    return signal(gradient)


@checked
def plane(embedding: Float[Array | np.ndarray, "token dim"], k: SupportsIndex) -> Float[Array, "2 dim"]:
    """Two unit vectors that span the plane of frequency k.

        Re F_k / ‖Re F_k‖,    Im F_k / ‖Im F_k‖

    F_k: see `fourier_coefficients`. They are at right angles only for a true circle. A part that is mere rounding, such
    as the imaginary part of a line, gives zeros. Source: the code of [ding2024survival], Section 2.

    >>> angle = 2 * np.pi * np.arange(5) / 5
    >>> circle = np.stack([np.sin(angle), 0 * angle, np.cos(angle)], axis=1)
    >>> (plane(circle, k=1).round(3) + 0).tolist()
    [[0.0, 0.0, 1.0], [-1.0, 0.0, 0.0]]
    """
    row = frequency("plane", k, _tokens(embedding)) - 1
    return directions(embedding)[:, row]


@checked
def project(embedding: Float[Array | np.ndarray, "token dim"], k: SupportsIndex) -> Float[Array, "token 2"]:
    """Coordinates of each token in the plane of frequency k.

        x_n = (E_n · Re F_k / ‖Re F_k‖, E_n · Im F_k / ‖Im F_k‖)

    E_n: embedding of token n; F_k: see `fourier_coefficients`. The embedding is not centred, and other frequencies
    leak into the plane unless their planes are at right angles to it. To watch a circle form, project each snapshot
    onto the plane of the last one, as in Figure 2: `snapshot @ plane(last, k).T`. Source: the code of
    [ding2024survival].

    >>> angle = 2 * np.pi * np.arange(4) / 4
    >>> circle = np.stack([np.cos(angle), np.sin(angle)], axis=1)
    >>> (project(circle, k=1).round(3) + 0).tolist()
    [[1.0, 0.0], [0.0, -1.0], [-1.0, 0.0], [0.0, 1.0]]
    """
    row = frequency("project", k, _tokens(embedding)) - 1
    return jnp.asarray(embedding) @ directions(embedding)[:, row].T


def directions(embedding: Float[Array | np.ndarray, "token dim"]) -> Float[Array, "2 freq dim"]:
    """Unit vectors along the real and imaginary parts of all F_k; zeros for a part that is mere rounding.

    Rounding: below ε √p ‖E‖, machine epsilon times the norm of the whole spectrum (Parseval).
    """
    coefficients = fourier_coefficients(embedding)
    parts = jnp.stack([coefficients.real, coefficients.imag])
    size = jnp.linalg.norm(parts, axis=-1, keepdims=True)
    return parts / jnp.where(size > rounding(embedding), size, jnp.inf)


def rounding(embedding: Float[Array | np.ndarray, "token dim"]) -> Float[Array, ""]:
    """Size below which a Fourier coefficient is mere rounding: ε √p ‖E‖."""
    embedding = jnp.asarray(embedding)
    return jnp.finfo(embedding.dtype).eps * len(embedding) ** 0.5 * jnp.linalg.norm(embedding)


def frequency(caller: str, k: SupportsIndex, p: int) -> int:
    """Return k as an int, or raise naming the valid range if it is not a frequency of p tokens."""
    k, last = index(k), (p - 1) // 2
    if not 1 <= k <= last:
        raise ValueError(f"{caller}: frequency must be between 1 and {last} for p={p}; got {k}.")
    return k


def _tokens(embedding: Array | np.ndarray) -> int:
    shape = np.shape(embedding)
    if len(shape) != 2 or shape[0] < 3 or shape[1] < 1:
        raise ValueError(f"embedding must have shape [token >= 3, dim >= 1]; got {shape}.")
    return shape[0]
