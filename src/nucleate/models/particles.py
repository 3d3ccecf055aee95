"""The particle transformer: attention carries information between particles."""

from dataclasses import dataclass
from typing import Annotated, NamedTuple, final

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Float

from nucleate.checking import Above, AtLeast, Bits, Checked, checked
from nucleate.models.attention import LayerNorm, look_at_others
from nucleate.models.mlp import MLP, rows_times
from nucleate.models.transformer import EncoderBlock, TransformerSize, encode, encoder_blocks


@final
@dataclass(frozen=True)
class Frame(Checked):
    """The units in which a particle transformer sees the world, and the physics it is given.

    `centre`: the middle of the box, the origin of positions, one number for each dimension; `dt`, `gravity`: those of
    Eq. 6 of [hitchcock2025emergence], gravity pointing down the last axis; `radius`: the distance within which a
    boundary particle is seen; `scale`: the acceleration that an output of 1 stands for, about their standard deviation.

    >>> Frame(centre=(3.0, 3.0), scale=0.0)
    Traceback (most recent call last):
    ValueError: Frame.scale must be > 0; got 0.0.
    """

    centre: tuple[float, ...] = (14.0, 7.0)
    dt: Annotated[float, Above(0)] = 0.005
    gravity: float = 9.8
    radius: Annotated[float, Above(0)] = 2.0
    scale: Annotated[float, Above(0)] = 20.0

    def check(self) -> None:
        if not self.centre:
            self.refuse("centre", "must hold one number for each dimension; got ()")


class Prediction(NamedTuple):
    """What a particle transformer predicts, and the attention of each head of each block behind it.

    `attention[..., b, h, i, j]`: how much particle i attends to particle j; the rest of each row is on the zero token.
    """

    acceleration: Float[Array, "*state particle dim"]
    attention: Float[Array, "*state block head particle particle"]


class ParticleTransformer(eqx.Module):
    """Predict the accelerations of particles from their positions, their velocities and the walls.

        x_i = W_e2 σ(W_e1 [p_i v_i] + c_e1) + c_e2 + Σ_{j: |p_i − b_j| < r} (W_b2 σ(W_b1 b_j + c_b1) + c_b2)
        a_i = scale · (W_u LN(blocks(x))_i + c_u)

    p, v: positions and velocities; b: boundary particles; r: `Frame.radius`; positions are relative to `Frame.centre`;
    blocks: see `EncoderBlock`, with `look_at_others` and `pre_norm` (the paper shows layer norms only in its Figure 4;
    these are the usual places). Particles are known only by their state, so permuting them permutes the accelerations.
    Takes one state, or many at once in the same box.
    Source: [hitchcock2025emergence], Appendix C.1.

    >>> size, key = TransformerSize(blocks=2, heads=4, width=16, hidden=32), jax.random.key(0)
    >>> model = eqx.filter_eval_shape(ParticleTransformer, size, Frame(centre=(3.0, 3.0)), key=key)
    >>> p, v, b = jnp.ones((5, 2)), jnp.zeros((5, 2)), jnp.zeros((7, 2))
    >>> seen = eqx.filter_eval_shape(ParticleTransformer.look, model, p, v, b)
    >>> seen.acceleration.shape, seen.attention.shape
    ((5, 2), (2, 4, 5, 5))
    """

    embed: MLP
    embed_boundary: MLP
    blocks: tuple[EncoderBlock, ...]
    norm: LayerNorm
    unembed: MLP
    frame: Frame = eqx.field(static=True)

    @checked
    def __init__(self, size: TransformerSize, frame: Frame, *, key: Array):
        dim, width = len(frame.centre), size.width
        first, second, last, *keys = jax.random.split(key, 3 + size.blocks)
        self.embed = MLP((2 * dim, width, width), jax.nn.relu, key=first)
        self.embed_boundary = MLP((dim, width, width), jax.nn.relu, key=second)
        self.blocks = encoder_blocks(size, jnp.stack(keys), look_at_others)
        self.norm = LayerNorm(width)
        self.unembed = MLP((width, dim), key=last)
        self.frame = frame

    def __call__(
        self,
        position: Float[Array | np.ndarray, "*state particle dim"],
        velocity: Float[Array | np.ndarray, "*state particle dim"],
        boundary: Float[Array | np.ndarray, "boundary dim"],
    ) -> Float[Array, "*state particle dim"]:
        """The acceleration of each particle by contacts, without gravity."""
        return self.look(position, velocity, boundary).acceleration

    def look(
        self,
        position: Float[Array | np.ndarray, "*state particle dim"],
        velocity: Float[Array | np.ndarray, "*state particle dim"],
        boundary: Float[Array | np.ndarray, "boundary dim"],
    ) -> Prediction:
        """The accelerations and the attention behind them; under jit, an output that is not used costs nothing."""
        x, attention = encode(self.blocks, self._embedded(position, velocity, boundary))
        return Prediction(self.frame.scale * self.unembed(self.norm(x)), attention)

    def advance(
        self,
        position: Float[Array | np.ndarray, "*state particle dim"],
        velocity: Float[Array | np.ndarray, "*state particle dim"],
        boundary: Float[Array | np.ndarray, "boundary dim"],
    ) -> tuple[Float[Array, "*state particle dim"], Float[Array, "*state particle dim"]]:
        """Positions and velocities one time step later, by semi-implicit Euler.

            v' = v + dt (a + g),    p' = p + dt v'

        a: the network's output; g, dt: those of `Frame`. Source: [hitchcock2025emergence], Eq. 6.
        """
        position, velocity = jnp.asarray(position), jnp.asarray(velocity)
        acceleration = self(position, velocity, boundary).at[..., -1].add(-self.frame.gravity)
        velocity = velocity + self.frame.dt * acceleration
        return position + self.frame.dt * velocity, velocity

    @checked
    def rollout(
        self,
        position: Float[Array | np.ndarray, "*state particle dim"],
        velocity: Float[Array | np.ndarray, "*state particle dim"],
        boundary: Float[Array | np.ndarray, "boundary dim"],
        steps: Annotated[int, AtLeast(0), Bits(31)],
    ) -> tuple[Float[Array, "time *state particle dim"], Float[Array, "time *state particle dim"]]:
        """Run the network as a simulator on its own output: positions and velocities now and after each step."""
        start = jnp.asarray(position), jnp.asarray(velocity)

        def step(state, _):
            position, velocity = state
            state = self.advance(position, velocity, boundary)
            return state, state

        _, after = jax.lax.scan(step, start, length=steps)
        return jax.tree.map(lambda first, rest: jnp.concatenate([first[None], rest]), start, after)

    def _embedded(self, position, velocity, boundary) -> Float[Array, "*state particle width"]:
        centre = jnp.asarray(self.frame.centre)
        apart = jnp.asarray(position)[..., None, :] - jnp.asarray(boundary)
        near = jnp.sum(jnp.square(apart), axis=-1) < self.frame.radius**2
        walls = self.embed_boundary(jnp.asarray(boundary) - centre)
        seen = jnp.concatenate([position - centre, velocity], axis=-1)
        return self.embed(seen) + rows_times(near.astype(walls.dtype), walls)
