"""Where an embedding starts: at random, perturbed, constructed, with most frequencies removed, or as given."""

import abc
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, final

import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Float

from nucleate.checking import Checked
from nucleate.interventions import Circle, Line, construct, keep, scale

_AUTHORS = Line()


class Start(Checked, abc.ABC):
    """The embedding at step 0 of a member, from its columns."""

    @abc.abstractmethod
    def __call__(self, member: Mapping[str, Any]) -> Float[Array, "token dim"]: ...


def _random(member: Mapping[str, Any]) -> Float[Array, "token dim"]:
    return jax.random.normal(jax.random.key(member["seed_embedding"]), (member["p"], member["dim"]))


@final
@dataclass(frozen=True)
class RandomStart(Start):
    """N(0, 1), one embedding for each `seed_embedding`."""

    def __call__(self, member: Mapping[str, Any]) -> Float[Array, "token dim"]:
        return _random(member)


RANDOM = RandomStart()


@final
@dataclass(frozen=True)
class PerturbedStart(Start):
    """N(0, 1) with the signal of frequency `k` multiplied by the column `factor`."""

    k: int = 25

    def __call__(self, member: Mapping[str, Any]) -> Float[Array, "token dim"]:
        return scale(_random(member), self.k, member["factor"])


@final
@dataclass(frozen=True)
class ConstructedStart(Start):
    """Frequency `first` (a column) has signal `size`, `second` has `ratio` times that, all others have `rest`."""

    shape: Line | Circle = _AUTHORS
    size: float = 80.0
    rest: float = 1e-6

    def __call__(self, member: Mapping[str, Any]) -> Float[Array, "token dim"]:
        p = member["p"]

        def signal(k: int) -> Float[Array, ""]:
            second = jnp.where(k == member["second"], self.size * member["ratio"], self.rest)
            return jnp.where(k == member["first"], self.size, second)

        key = jax.random.key(member["seed_embedding"])
        return construct(p, member["dim"], {k: signal(k) for k in range(1, (p + 1) // 2)}, key, self.shape)


@final
@dataclass(frozen=True)
class KeptStart(Start):
    """N(0, 1) without its mean and all frequencies but `first` and `second` (columns; equal if one stays alone)."""

    def __call__(self, member: Mapping[str, Any]) -> Float[Array, "token dim"]:
        embedding = _random(member)
        return keep(embedding - embedding.mean(0), [member["first"], member["second"]])


@final
@dataclass(frozen=True)
class GivenStart(Start):
    """The same embedding for every member.

    >>> GivenStart(np.zeros((5, 2)))({"p": 5, "dim": 2}).shape
    (5, 2)
    """

    embedding: np.ndarray

    def __call__(self, member: Mapping[str, Any]) -> Float[Array, "token dim"]:
        wanted = (member["p"], member["dim"])
        if np.shape(self.embedding) != wanted:
            raise ValueError(f"GivenStart.embedding must have shape [p, dim] = {wanted}; got {self.embedding.shape}.")
        return jnp.asarray(self.embedding, jnp.result_type(float))
