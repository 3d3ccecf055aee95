r"""Where the effective loss comes from: gradient flow of a linear decoder (Appendix L of [liu2022grokking]).

A linear decoder D(r) = A r + b and its inputs r_1 … r_s, all of which carry the label y, descend

    ℓ = Σ_s [ ½ |A r_s + b − y|² + (γ/2) ‖A‖² ]

A and b at rate η_A, the inputs at rate η_x. One sample gives Eq. 37, two samples the equations before Eq. 39. Then:

* the difference of two inputs obeys d(r − r')/dt = −η_x AᵀA (r − r') exactly, whatever b and y are;
* if A r is ignored in db/dt, then b(t) = (1 − e^{−s η_A t}) y: the rate is η_A for one sample and 2 η_A for
  two, whereas the paper prints 2 η_A for both;
* as η_A → 0, A stays at A(0), and the constant matrix η_x AᵀA governs the decay of the difference.
"""

from typing import final

import equinox as eqx
import numpy as np
from jaxtyping import Array, Float

from nucleate.theories.flow import relax


@final
class DecoderState(eqx.Module):
    r"""A linear decoder and the inputs that move with it.

    `A` and `b` are the decoder's matrix and bias, `r` its inputs, one row per sample.

    >>> DecoderState(A=np.eye(2), b=np.zeros(2), r=np.ones((1, 2))).r.shape
    (1, 2)
    """

    A: Float[Array | np.ndarray, "*time out dim"]
    b: Float[Array | np.ndarray, "*time out"]
    r: Float[Array | np.ndarray, "*time sample dim"]


@final
class DecoderFlow(eqx.Module):
    r"""Gradient flow of the decoder and of its inputs.

        dA/dt = −η_A [A (Σ_s r_s r_sᵀ + sγ) + (b − y) Σ_s r_sᵀ]
        db/dt = −η_A Σ_s (A r_s + b − y)
        dr_s/dt = −η_x Aᵀ (A r_s + b − y)

    `y` is the label, `eta_A` and `eta_x` the learning rates η_A and η_x, `gamma` the weight decay γ of A.
    The object is a velocity: give it to `integrate`. Eqs. 35 to 37 of [liu2022grokking].

    >>> state = DecoderState(A=np.eye(2), b=np.zeros(2), r=np.ones((1, 2)))
    >>> DecoderFlow(y=np.ones(2), eta_A=0.1, eta_x=1.0)(state).r.tolist()
    [[0.0, 0.0]]
    """

    y: Float[Array | np.ndarray, " out"]
    eta_A: float | Float[Array | np.ndarray, ""]
    eta_x: float | Float[Array | np.ndarray, ""]
    gamma: float | Float[Array | np.ndarray, ""] = 0.0

    def __call__(self, state: DecoderState) -> DecoderState:
        """The velocity of `state`."""
        samples = state.r.shape[0]
        error = state.r @ state.A.T + state.b - self.y
        return DecoderState(
            A=-self.eta_A * (error.T @ state.r + samples * self.gamma * state.A),
            b=-self.eta_A * error.sum(axis=0),
            r=-self.eta_x * error @ state.A,
        )


@final
class DrivenFlow(eqx.Module):
    r"""A `DecoderFlow` that ignores A r in db/dt, but nowhere else, so that the bias drives A and r from outside.

        db/dt = −s η_A (b − y),    so    b(t) = y + e^{−s η_A t} (b(0) − y)

    With b(0) = 0 the equations of A and r are Eqs. 38 and 39 of [liu2022grokking], where e^{−2 η_A t}
    should read e^{−s η_A t} for s samples: the printed exponent is right for two samples and twice too large for
    one. `decoder` is the flow that this one simplifies.

    >>> state = DecoderState(A=np.eye(2), b=np.zeros(2), r=np.ones((1, 2)))
    >>> DrivenFlow(DecoderFlow(y=np.ones(2), eta_A=0.5, eta_x=1.0))(state).b.tolist()
    [0.5, 0.5]
    """

    decoder: DecoderFlow

    def __call__(self, state: DecoderState) -> DecoderState:
        """The velocity of `state`."""
        full = self.decoder(state)
        samples = state.r.shape[0]
        return DecoderState(A=full.A, b=-samples * self.decoder.eta_A * (state.b - self.decoder.y), r=full.r)


def adiabatic_difference(
    A: Float[Array | np.ndarray, "out dim"],
    difference: Float[Array | np.ndarray, " dim"],
    times: Float[Array | np.ndarray, " time"],
    *,
    eta_x: float = 1.0,
) -> Float[np.ndarray, "time dim"]:
    r"""How the difference of two inputs with the same label shrinks while the decoder stands still.

        r(t) − r'(t) = exp(−η_x AᵀA t) (r(0) − r'(0)),    η_A → 0

    `A` is the decoder's matrix, `difference` is r(0) − r'(0), `eta_x` the inputs' learning rate η_x. With
    AᵀA = 1 this is the quadratic attraction that the effective loss sums over parallelograms. Eqs. 40 and
    41 of [liu2022grokking].

    >>> adiabatic_difference(np.eye(1), np.ones(1), np.array([1.0])).round(6)
    array([[0.367879]])
    """
    A = np.asarray(A, np.float64)
    return relax(eta_x * A.T @ A, np.asarray(difference, np.float64)[:, None], times)[..., 0]
