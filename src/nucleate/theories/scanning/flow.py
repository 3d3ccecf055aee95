r"""Gradient flow of one-layer attention on sequences without end, and what it becomes while the decoder is fast."""

from typing import final

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Float, Integer

_Number = float | Float[Array | np.ndarray, ""]


@final
class ScanState(eqx.Module):
    r"""Attention logits, decoder and clock.

    `Z`: attention logits, a row for each last token. `Y`: the decoder. `B`: the clock of each class, see `ScanFlow`.

    >>> ScanState.zero(np.array([[0.5, 0.5, 0.0], [0.5, 0.0, 0.5]]), np.array([0, 1])).Z.shape
    (2, 3)
    """

    Z: Float[Array | np.ndarray, "*time last token"]
    Y: Float[Array | np.ndarray, "*time token class"]
    B: Float[Array | np.ndarray, "*time class"]

    @classmethod
    def zero(cls, probability: Float[np.ndarray, "class token"], last: Integer[np.ndarray, " class"]) -> "ScanState":
        """Where the theory begins: Z = Y = B = 0."""
        classes, tokens = probability.shape
        return cls(np.zeros((int(last.max()) + 1, tokens)), np.zeros((tokens, classes)), np.zeros(classes))


@final
class ScanFlow(eqx.Module):
    r"""Gradient flow of attention and decoder on sequences without end, with the clock B of each class.

        ż_m = η_Z Σ_{n: ψ(n)=m} p_n f_n ∘ (g_n − f_n (f_n·g_n)),    Ẏ = η_Y Σ_n p_n f_n (e_n − α_n)ᵀ
        f_n = c_n/‖c_n‖₂,  c_nl = P(l|n) e^{z_ml},  α_n = softmax(Yᵀf_n),  g_n = Y (e_n − α_n)

        Ḃ_n = ξ_n = Σ_{l distinct} ż_ml / Σ_{l distinct} f_nl²

    `probability`: P(l|n); `last`: ψ(n); `share`: p_n, how often a class occurs; `eta_z`, `eta_y`: the learning rates;
    a unit of time is a training step. While g_nl ∝ f_nl on a class's distinct tokens, which η_Y ≫ η_Z ensures,
    ż_ml = ξ_n f_nl² for each of them. Σ_l z_ml is conserved. The object is a velocity: give it to `integrate`.
    Source: [tian2023scan], Sections 3 and 4.

    >>> P, last = np.array([[0.5, 0.5, 0.0], [0.5, 0.0, 0.5]]), np.array([0, 1])
    >>> flow = ScanFlow(P, last, np.array([0.5, 0.5]), eta_z=0.1, eta_y=1.0)
    >>> still = flow(ScanState.zero(P, last))  # only the decoder moves at first
    >>> still.Z.any().item(), still.Y.any().item()
    (False, True)
    """

    probability: Float[Array | np.ndarray, "class token"]
    last: Integer[Array | np.ndarray, " class"]
    share: Float[Array | np.ndarray, " class"]
    eta_z: _Number
    eta_y: _Number

    def __call__(self, state: ScanState) -> ScanState:
        """The velocity of `state`."""
        f = normalized_attention(jnp.asarray(self.probability), jnp.asarray(state.Z)[self.last])
        error = jnp.asarray(self.share)[:, None] * (jnp.eye(len(f)) - jax.nn.softmax(f @ state.Y))
        g = error @ state.Y.T
        pull = f * (g - f * jnp.sum(f * g, axis=1, keepdims=True))
        Z = self.eta_z * jnp.zeros(state.Z.shape).at[self.last].add(pull)
        distinct = _distinct(jnp.asarray(self.probability))
        xi = self.eta_z * jnp.sum(pull * distinct, axis=1) / jnp.sum(jnp.square(f) * distinct, axis=1)
        return ScanState(Z=Z, Y=self.eta_y * f.T @ error, B=xi)


@final
class ClockFlow(eqx.Module):
    r"""Attention logits in the clock's own time, if the decoder is so fast that g_n is made of the f_n alone.

        dz_ml/dB = f_nl²                                   on the distinct tokens of class n, m = ψ(n)
        dz_ml/dB = −Σ_{n: ψ(n)=m} f_nl² (1 − q_n)/q_n      on common tokens,    q_n = Σ_{l common} f_nl²

    The first is the theory's; the second follows from it if classes are alike: if they have the same shares of common
    tokens, are equally frequent and have one clock. Neither knows how fast the clock runs. Symbols: see `ScanFlow`.
    Source: [tian2023scan], Section 5; the second line is ours.

    >>> P, last = np.array([[0.5, 0.5, 0.0], [0.5, 0.0, 0.5]]), np.array([0, 1])
    >>> np.asarray(ClockFlow(P, last)(np.zeros((2, 3)))).round(3).tolist()
    [[-0.5, 0.5, 0.0], [-0.5, 0.0, 0.5]]
    """

    probability: Float[Array | np.ndarray, "class token"]
    last: Integer[Array | np.ndarray, " class"]

    def __call__(self, Z: Float[Array | np.ndarray, "last token"]) -> Float[Array, "last token"]:
        """The velocity of `Z`."""
        square = jnp.square(normalized_attention(jnp.asarray(self.probability), jnp.asarray(Z)[self.last]))
        distinct = _distinct(jnp.asarray(self.probability))
        own = jnp.sum(square * distinct, axis=1, keepdims=True)  # 1 − q
        shared = jnp.maximum(1 - own, jnp.finfo(square.dtype).tiny)
        return jnp.zeros(Z.shape).at[self.last].add(jnp.where(distinct, square, -square * own / shared))


def normalized_attention(
    probability: Float[Array | np.ndarray, "class token"], logits: Float[Array | np.ndarray, "*step class token"]
) -> Float[Array, "*step class token"]:
    r"""f_n, the attention of each class on each token, scaled to unit length.

        f_n = c_n/‖c_n‖₂,    c_nl = P(l|n) e^{z_ml}

    `logits`: z_ml with m the last token of class n. Source: [tian2023scan], Section 3.

    >>> normalized_attention(jnp.array([[3.0, 4.0]]), jnp.log(jnp.array([[1.0, 0.75]]))).tolist()  # 3 and 3
    [[0.707..., 0.707...]]
    """
    logits = jnp.asarray(logits)
    weight = probability * jnp.exp(logits - logits.max(-1, keepdims=True))
    return weight / jnp.linalg.norm(weight, axis=-1, keepdims=True)


def _distinct(probability: Float[Array, "class token"]) -> Array:
    """Whether a class alone has a token."""
    return (probability > 0) & ((probability > 0).sum(0) == 1)
