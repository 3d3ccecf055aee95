"""Rules that decide from its residual whether a parallelogram counts as closed."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Annotated

import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Bool, Float

from nucleate.checking import Above, AtLeast, Checked

Closeness = Callable[[Array], Array]
"""Any rule that maps residuals E_i + E_j − E_m − E_n [parallelogram, dim] to bool [parallelogram]."""


@dataclass(frozen=True)
class MeanSquare(Checked):
    """Call a parallelogram formed when its mean squared residual is small: the rule in the authors' code.

        (1/d) Σ_a (E_i + E_j − E_m − E_n)_a² < threshold

    a: one of d dimensions. In one dimension the default means |residual| < 0.1, ten times looser than the
    paper's text (`Distance`). Source: the code of [liu2022grokking].

    >>> MeanSquare()(np.array([[0.09], [0.11]])).tolist()
    [True, False]
    """

    threshold: Annotated[float, Above(0)] = 0.01

    def __call__(self, residual: Float[Array | np.ndarray, "parallelogram dim"]) -> Bool[Array, " parallelogram"]:
        return jnp.mean(jnp.square(residual), axis=-1) < self.threshold


@dataclass(frozen=True)
class Distance(Checked):
    """Call a parallelogram formed when its residual is short: the rule in the paper's text.

        |E_i + E_j − E_m − E_n| ≤ δ

    |·|: Euclidean norm; δ: `delta`. Source: [liu2022grokking], Definition 1 and Appendix E.

    >>> Distance()(np.array([[0.009], [0.011]])).tolist()
    [True, False]
    """

    delta: Annotated[float, AtLeast(0)] = 0.01

    def __call__(self, residual: Float[Array | np.ndarray, "parallelogram dim"]) -> Bool[Array, " parallelogram"]:
        return jnp.linalg.norm(residual, axis=-1) <= self.delta
