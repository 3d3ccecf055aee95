r"""Gradient flow of many configurations at once, and how far it strays from recorded networks."""

import diffrax
import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Float

from nucleate.theories.pairs.terms import PairTerms, Potential, pair_energy

_FEW, _ROWS = 16, 64  # batch sizes: two compiled programs serve any number of rows
_MAX_STEPS = 10_000
_SHORTEST = 1e-12  # shortest step, as a share of the duration: a flow that needs shorter ones is running away

Law = tuple[PairTerms, Potential, Potential]


@eqx.filter_jit
def _energies(law: Law, embedding):
    terms, attract, repel = law
    return jax.vmap(lambda r: pair_energy(terms, attract, repel, r))(embedding)


@eqx.filter_jit
def _gradients(law: Law, embedding):
    terms, attract, repel = law
    return jax.vmap(jax.grad(lambda r: pair_energy(terms, attract, repel, r)))(embedding)


@eqx.filter_jit
def _flows(law: Law, x0, times):
    terms, attract, repel = law
    slope = jax.jit(jax.grad(lambda r: pair_energy(terms, attract, repel, r)))  # traced once for all stages

    def one(start, ts):
        solution = diffrax.diffeqsolve(
            diffrax.ODETerm(lambda t, x, args: -slope(x)),
            diffrax.Tsit5(),
            t0=0.0,
            t1=ts[-1],
            dt0=None,
            y0=start,
            saveat=diffrax.SaveAt(ts=ts),
            stepsize_controller=diffrax.PIDController(
                rtol=1e-5, atol=1e-7, dtmin=_SHORTEST * ts[-1], force_dtmin=False
            ),
            max_steps=_MAX_STEPS,
            adjoint=diffrax.ForwardMode(),  # never differentiated through; preparing for it is slow
            throw=False,  # a flow that runs away becomes NaN and does not stop the others
        )
        path = jnp.asarray(solution.ys)
        return jnp.where(jnp.isfinite(path), path, jnp.nan)

    return jax.vmap(one)(x0, times)


def _in_batches(program, law: Law, *arrays):
    """Call `program` in batches of one of two sizes; the last batch is filled up with copies of its first row."""
    parts = []
    rows = _FEW if len(arrays[0]) <= _FEW else _ROWS
    with jax.enable_x64(True):
        for start in range(0, len(arrays[0]), rows):
            batch = [np.asarray(array[start : start + rows], np.float64) for array in arrays]
            missing = rows - len(batch[0])
            full = [np.concatenate([x, np.repeat(x[:1], missing, axis=0)]) for x in batch]
            parts.append(np.asarray(program(law, *full))[: len(batch[0])])
    return np.concatenate(parts)


def pair_energies(
    terms: PairTerms, attract: Potential, repel: Potential, embedding: Float[np.ndarray, "config token dim"]
) -> Float[np.ndarray, " config"]:
    r"""U of each configuration, in double precision: see `pair_energy`.

    >>> from nucleate.theories.pairs.terms import Terms
    >>> terms, square = PairTerms(*2 * [Terms(np.array([[[1.0, -1.0]]]), np.ones(1))]), lambda x: jnp.sum(x**2)
    >>> pair_energies(terms, square, square, np.array([[[3.0], [1.0]]])).tolist()
    [8.0]
    """
    return _in_batches(_energies, (terms, attract, repel), embedding)


def pair_gradients(
    terms: PairTerms, attract: Potential, repel: Potential, embedding: Float[np.ndarray, "config token dim"]
) -> Float[np.ndarray, "config token dim"]:
    r"""∇U of each configuration, in double precision.

    >>> from nucleate.theories.pairs.terms import Terms
    >>> terms, square = PairTerms(*2 * [Terms(np.array([[[1.0, -1.0]]]), np.ones(1))]), lambda x: jnp.sum(x**2)
    >>> pair_gradients(terms, square, square, np.array([[[3.0], [1.0]]])).tolist()
    [[[8.0], [-8.0]]]
    """
    return _in_batches(_gradients, (terms, attract, repel), embedding)


def pair_flow(
    terms: PairTerms,
    attract: Potential,
    repel: Potential,
    x0: Float[np.ndarray, "member token dim"],
    times: Float[np.ndarray, "member time"],
) -> Float[np.ndarray, "member time token dim"]:
    r"""Follow dR/dt = −∇U(R) from each `x0`, in one compiled program for all members.

    `times` never decrease; `x0` is the state at time 0. Runge–Kutta steps of order 5, adapted to each member, with a
    relative tolerance of 1e-5. A member whose flow fails is NaN from there on. Source: [mehta2024repons],
    Section 2.

    >>> from nucleate.theories.pairs.terms import Terms
    >>> terms, square = PairTerms(*2 * [Terms(np.array([[[1.0, -1.0]]]), np.ones(1))]), lambda x: jnp.sum(x**2)
    >>> pair_flow(terms, square, square, np.array([[[3.0], [1.0]]]), np.array([[0.0, 9.0]])).round(3).tolist()
    [[[[3.0], [1.0]], [[2.0], [2.0]]]]
    """
    times = np.asarray(times, np.float64)
    if times.size == 0 or np.any(times[:, 0] < 0) or np.any(np.diff(times, axis=1) < 0):
        raise ValueError(f"pair_flow: times must be non-negative and never decrease; got {times}.")
    return _in_batches(_flows, (terms, attract, repel), x0, times)


def trajectory_loss(
    recorded: Float[Array | np.ndarray, "*member step token dim"],
    simulated: Float[Array | np.ndarray, "*member step token dim"],
) -> Float[np.ndarray, "*member"]:
    r"""How far apart two trajectories are: 0 if they are equal, 1 if one of them is 0.

        |T − T'| / (|T| + |T'|)

    |·|: the norm over all steps, tokens and dimensions; two trajectories that are both 0 have a loss of 0. The loss
    depends on duration, spacing and centring: compare it with that of a configuration that never moves.
    Source: [mehta2024repons], Eq. 3.

    >>> float(trajectory_loss(np.ones((2, 3, 1)), 3 * np.ones((2, 3, 1))))
    0.5
    """

    def size(x):
        return np.sqrt(np.sum(np.square(x), axis=(-3, -2, -1)))

    recorded, simulated = np.asarray(recorded, np.float64), np.asarray(simulated, np.float64)
    total = size(recorded) + size(simulated)
    return np.asarray(size(recorded - simulated) / np.where(total == 0, 1, total))


def representation_loss(
    recorded: Float[Array | np.ndarray, "*member token dim"],
    predicted: Float[Array | np.ndarray, "*member token dim"],
) -> Float[np.ndarray, "*member"]:
    r"""How differently two configurations order their tokens, averaged over dimensions.

        (1/d) Σ_a (1 − τ_a)/2,    τ_a = Σ_{t<u} s_tu s'_tu / √(Σ s² Σ s'²),    s_tu = sign(r_t − r_u)

    τ_a: Kendall's rank correlation (τ-b) along dimension a. Without ties (1 − τ)/2 is the share of token pairs
    in the wrong order, the normalised Kendall-tau distance: 0 for the same order, 1/2 by chance, 1 for the reverse.
    A dimension in which all tokens coincide has no order and gives NaN. Source: [mehta2024repons], Section 2.

    >>> float(representation_loss(np.array([[0.0], [1.0], [2.0]]), np.array([[0.0], [2.0], [1.0]])).round(6))
    0.333333
    """
    ones, others = (np.asarray(x, np.float64) for x in (recorded, predicted))
    first, second = np.triu_indices(ones.shape[-2], k=1)

    def order(x):
        signs = np.sign(x[..., first, :] - x[..., second, :])
        count = np.sqrt(np.sum(signs**2, axis=-2, keepdims=True))
        return signs / np.where(count == 0, np.nan, count)

    tau = np.sum(order(ones) * order(others), axis=-2)
    return np.asarray(np.mean((1 - tau) / 2, axis=-1))
