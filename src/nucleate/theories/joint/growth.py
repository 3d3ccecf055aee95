"""How fast a token's weights grow, given attention that follows them: the factor that attention adds to a flow of V."""

import abc
from dataclasses import dataclass
from typing import Annotated, final

import numpy as np
from jaxtyping import Float
from scipy.special import softmax

from nucleate.checking import Above, Checked


class Growth(Checked, abc.ABC):
    """The attention that a token has once its weights v have grown."""

    @abc.abstractmethod
    def __call__(self, values: Float[np.ndarray, "*run token"]) -> Float[np.ndarray, "*run token"]:
        """The factor by which each token's velocity is multiplied."""


@final
@dataclass(frozen=True)
class ExpGrowth(Growth):
    """exp(v²/2): exp attention from a zero start. Source: [tian2023joma], Theorems 2 and 4.

    >>> ExpGrowth()(np.array([0.0, 2.0])).round(3).tolist()
    [1.0, 7.389]
    """

    def __call__(self, values: Float[np.ndarray, "*run token"]) -> Float[np.ndarray, "*run token"]:
        return np.exp(np.square(values) / 2)


@final
@dataclass(frozen=True)
class SoftmaxGrowth(Growth):
    """softmax(v²/T): attention that is shared out, T = `temperature`. Source: the authors' figure of [tian2023joma].

    >>> SoftmaxGrowth()(np.array([1.0, 1.0])).tolist()
    [0.5, 0.5]
    """

    temperature: Annotated[float, Above(0)] = 3.0

    def __call__(self, values: Float[np.ndarray, "*run token"]) -> Float[np.ndarray, "*run token"]:
        return softmax(np.square(values) / self.temperature, axis=-1)
