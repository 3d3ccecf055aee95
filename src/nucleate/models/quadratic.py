"""Two layers with a square between them, which learn the addition of an abelian group."""

import equinox as eqx
import jax
import jax.numpy as jnp
from jaxtyping import Array, Float, Int

from nucleate.checking import Count, checked


class Quadratic(eqx.Module):
    """The outputs of a pair of elements (x, y): a quadratic network without biases.

        o = P⊥ Σ_j c_j (a_xj + b_yj)²

    `a`, `b`: the weights of hidden node j for the first and the second element; `c`: what it adds to each output.
    P⊥ = 1 − 11ᵀ/d subtracts the mean of all d outputs, which no loss sees. The weights of a composed solution make a
    network as they are, `Quadratic(a, b, c)`; `at_random` draws them. Source: [tian2024cogo].

    >>> model = Quadratic.at_random(5, 8, key=jax.random.key(0))
    >>> model(jnp.array([3, 4])).shape, model.on_grid().shape
    ((5,), (5, 5, 5))
    """

    a: Float[Array, "element node"]
    b: Float[Array, "element node"]
    c: Float[Array, "node output"]

    def __check_init__(self):
        shapes = self.a.shape, self.b.shape, self.c.shape
        if self.a.ndim != 2 or shapes != (self.a.shape, self.a.shape, self.a.shape[::-1]):
            raise ValueError(
                f"Quadratic: a and b must be [element, node], and c [node, element]; got {', '.join(map(str, shapes))}."
            )

    @classmethod
    @checked
    def at_random(cls, elements: Count, nodes: Count, *, key: Array) -> "Quadratic":
        """Weights uniform on ±1/√(number of inputs), as PyTorch draws those of a linear layer."""
        keys = jax.random.split(key, 3)
        uniform = lambda key, shape, inputs: jax.random.uniform(key, shape, minval=-(inputs**-0.5), maxval=inputs**-0.5)
        a, b = (uniform(key, (elements, nodes), elements) for key in keys[:2])
        return cls(a, b, uniform(keys[2], (nodes, elements), nodes))

    def __call__(self, pair: Int[Array, "2"]) -> Float[Array, " element"]:
        return jnp.square(self.a[pair[0]] + self.b[pair[1]]) @ self._centred()

    def on_grid(self) -> Float[Array, "element element element"]:
        """The outputs of all pairs: [x, y, output].

        A hidden node sees a sum over the grid, so that no pair is looked up, and gradients of `a` and `b` are sums
        along an axis. Outputs are centred by centring `c`, which has d times fewer numbers.
        """
        nodes = jnp.square(self.a[:, None] + self.b)
        return nodes @ self._centred()

    def _centred(self) -> Float[Array, "node element"]:
        return self.c - self.c.mean(1, keepdims=True)
