"""Where a network starts: at random, or from a solution that was composed."""

import abc
from dataclasses import dataclass
from typing import Annotated, final

import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array

from nucleate.algebra import Characters, Solution, to_weights
from nucleate.checking import AtLeast, Checked, Count
from nucleate.models import Quadratic
from nucleate.tasks import Group


class Start(Checked, abc.ABC):
    """The network at step 0."""

    @abc.abstractmethod
    def __call__(self, group: Group, key: Array) -> Quadratic: ...


@final
@dataclass(frozen=True)
class RandomStart(Start):
    """Weights uniform on ±1/√(number of inputs), for this many hidden nodes."""

    nodes: Count

    def __call__(self, group: Group, key: Array) -> Quadratic:
        return Quadratic.at_random(group.order, self.nodes, key=key)


@final
@dataclass(frozen=True)
class ComposedStart(Start):
    """The weights of a solution of the group, with normal noise of standard deviation `noise` times their own.

    >>> from nucleate.algebra import memorising
    >>> start = ComposedStart(memorising(Characters.cyclic(3)), noise=0.0)
    >>> start(Group.named("C3"), jax.random.key(0)).a.shape
    (3, 9)
    """

    solution: Solution
    noise: Annotated[float, AtLeast(0)] = 0.01

    def __call__(self, group: Group, key: Array) -> Quadratic:
        if self.solution.characters != Characters.of(group.products):
            self.refuse("solution", f"must be one of {group.name}; got {self.solution!r}")
        weights = to_weights(self.solution)
        keys = jax.random.split(key, 3)

        def noisy(values: np.ndarray, key: Array) -> Array:
            return jnp.asarray(values, jnp.float32) + self.noise * values.std() * jax.random.normal(key, values.shape)

        return Quadratic(
            *(noisy(values, key) for values, key in zip((weights.a, weights.b, weights.c), keys, strict=True))
        )
