"""Training losses."""

import jax
import jax.numpy as jnp
from jaxtyping import Array, Float, Int


def cross_entropy(logits: Float[Array, "pair label"], label: Int[Array, " pair"]) -> Float[Array, " pair"]:
    """−ln softmax(logits)[label], accurate even where it is tiny.

        highest − logits[label] + ln(1 + Σ_j exp(logits_j − highest) over all j but one of the highest)

    The label is picked by comparison: a gather, and the scatter it becomes in the gradient, would cost more than a
    tenth of the training step on a CPU.

    >>> cross_entropy(jnp.array([[0.0, 40.0]]), jnp.array([1])).item()  # softmax rounds to 1 here
    4.248...e-18
    """
    highest = jax.lax.stop_gradient(logits.max(1, keepdims=True))
    picked = jnp.where(label[:, None] == jnp.arange(logits.shape[1]), highest - logits, 0).sum(1)
    is_highest = logits == highest
    # For the highest, exp(logit − highest) − 1 is 0, but its gradient is that of the logit; all of them but one count.
    others = jnp.where(is_highest, logits - highest, jnp.exp(logits - highest)).sum(1) + (is_highest.sum(1) - 1)
    return picked + jnp.log1p(others)
