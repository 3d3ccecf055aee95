"""The particle transformer: attention carries information between particles."""

from dataclasses import dataclass
from math import isfinite
from typing import NamedTuple, final

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Float

from nucleate.models.attention import Block, LayerNorm
from nucleate.models.mlp import MLP, rows_times


@final
@dataclass(frozen=True)
class TransformerSize:
    """The size of a particle transformer; by default that of Table 4 of [hitchcock2025emergence].

    `hidden`: the width of the blocks' MLPs, which the paper does not give.

    >>> TransformerSize(heads=4, width=10)
    Traceback (most recent call last):
    ValueError: TransformerSize.width must be a multiple of heads = 4; got 10.
    """

    blocks: int = 4
    heads: int = 8
    width: int = 128
    hidden: int = 256

    def __post_init__(self):
        for name in ("blocks", "heads", "width", "hidden"):
            if getattr(self, name) < 1:
                raise ValueError(f"TransformerSize.{name} must be >= 1; got {getattr(self, name)}.")
        if self.width % self.heads:
            raise ValueError(f"TransformerSize.width must be a multiple of heads = {self.heads}; got {self.width}.")


@final
@dataclass(frozen=True)
class Frame:
    """The units in which a particle transformer sees the world, and the physics it is given.

    `centre`: the middle of the box, the origin of positions, one number for each dimension; `dt`, `gravity`: those of
    Eq. 6 of [hitchcock2025emergence], gravity pointing down the last axis; `radius`: the distance within which a
    boundary particle is seen; `scale`: the acceleration that an output of 1 stands for, about their standard deviation.

    >>> Frame(centre=(3.0, 3.0), scale=0.0)
    Traceback (most recent call last):
    ValueError: Frame.scale must be positive and finite; got 0.0.
    """

    centre: tuple[float, ...] = (14.0, 7.0)
    dt: float = 0.005
    gravity: float = 9.8
    radius: float = 2.0
    scale: float = 20.0

    def __post_init__(self):
        if len(self.centre) < 1 or not all(map(isfinite, self.centre)):
            raise ValueError(f"Frame.centre must hold one finite number for each dimension; got {self.centre}.")
        for name in ("dt", "radius", "scale"):
            if not (isfinite(getattr(self, name)) and getattr(self, name) > 0):
                raise ValueError(f"Frame.{name} must be positive and finite; got {getattr(self, name)}.")


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
    blocks: see `Block`. Particles are known only by their state, so permuting them permutes the accelerations.
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
    blocks: tuple[Block, ...]
    norm: LayerNorm
    unembed: MLP
    frame: Frame = eqx.field(static=True)

    def __init__(self, size: TransformerSize, frame: Frame, *, key: Array):
        dim, width = len(frame.centre), size.width
        first, second, last, *keys = jax.random.split(key, 3 + size.blocks)
        self.embed = MLP((2 * dim, width, width), jax.nn.relu, key=first)
        self.embed_boundary = MLP((dim, width, width), jax.nn.relu, key=second)
        # All blocks at once: random numbers take longer to compile than everything else in a network.
        blocks = eqx.filter_vmap(lambda k: Block(width, size.heads, size.hidden, key=k))(jnp.stack(keys))
        self.blocks = tuple(jax.tree.map(lambda leaf, i=i: leaf[i], blocks) for i in range(size.blocks))
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
        x, attention = self._embedded(position, velocity, boundary), []
        for block in self.blocks:
            x, weight = block(x)
            attention.append(weight)
        return Prediction(self.frame.scale * self.unembed(self.norm(x)), jnp.stack(attention, axis=-4))

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

    def rollout(
        self,
        position: Float[Array | np.ndarray, "*state particle dim"],
        velocity: Float[Array | np.ndarray, "*state particle dim"],
        boundary: Float[Array | np.ndarray, "boundary dim"],
        steps: int,
    ) -> tuple[Float[Array, "time *state particle dim"], Float[Array, "time *state particle dim"]]:
        """Run the network as a simulator on its own output: positions and velocities now and after each step."""
        if steps < 0:
            raise ValueError(f"ParticleTransformer.rollout: steps must be >= 0; got {steps}.")
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
