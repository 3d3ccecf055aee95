"""Principal components of an embedding, and how many dimensions it effectively uses."""

import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Float

from nucleate.checking import checked
from nucleate.observables.centring import centred


@checked
def pca_spectrum(embedding: Float[Array | np.ndarray, "token dim"]) -> Float[Array, " component"]:
    """Share of the variance that each principal component explains, largest first.

        σ_i = s_i² / Σ_j s_j²

    s_i: singular value i of the min(token, dim) of the centred embedding. A constant embedding has no variance
    and gives zeros. Source: [liu2022grokking], Section 4.2.

    >>> rectangle = np.array([[0.0, 0.0], [2.0, 0.0], [0.0, 1.0], [2.0, 1.0]])
    >>> [round(float(fraction), 3) for fraction in pca_spectrum(rectangle)]
    [0.8, 0.2]
    """
    variance = jnp.square(jnp.linalg.svd(centred(embedding), compute_uv=False))
    total = variance.sum()
    return variance / jnp.where(total > 0, total, 1)


@checked
def principal_coordinates(
    embedding: Float[Array | np.ndarray, "token dim"], of: Float[Array | np.ndarray, "token dim"], count: int = 2
) -> Float[Array, "token component"]:
    """Coordinates of the tokens of an embedding along the first principal axes of another one, or its own.

        Z = (E − μ) V

    μ: mean over the tokens of the embedding `of`; V: its first `count` principal axes, as columns, each of either sign.
    Source: [liu2022grokking], Appendix K: embeddings at initialisation on the components of those at the end.

    >>> wide = np.array([[3.0, 0.0], [-3.0, 0.0], [0.0, 1.0], [0.0, -1.0]])
    >>> np.allclose(abs(principal_coordinates(wide[:, ::-1], of=wide)), abs(wide[:, ::-1]), atol=1e-5)
    True
    """
    most = min(len(of) - 1, np.shape(of)[1])
    if not 1 <= count <= most:
        raise ValueError(f"principal_coordinates: count must be between 1 and {most} for {np.shape(of)}; got {count}.")
    of = jnp.asarray(of)
    _, _, axes = jnp.linalg.svd(of - of.mean(axis=0), full_matrices=False)
    return (jnp.asarray(embedding) - of.mean(axis=0)) @ axes[:count].T


@checked
def spectral_entropy(fractions: Float[Array | np.ndarray, " component"]) -> Float[Array, ""]:
    """Entropy of a spectrum of variance fractions, in nats.

        S = −Σ_i σ_i ln σ_i,    0 ln 0 = 0

    σ_i: `fractions`, as from `pca_spectrum`. Source: [liu2022grokking], Section 4.2.

    >>> round(float(spectral_entropy(np.array([0.5, 0.5, 0.0]))), 4)
    0.6931
    """
    # 1 ln 1 is also 0, but has a finite gradient; and unlike a test for > 0, this lets a NaN through.
    positive = jnp.where(fractions == 0, 1, fractions)
    return -jnp.sum(positive * jnp.log(positive))


@checked
def effective_dimension(fractions: Float[Array | np.ndarray, " component"]) -> Float[Array, ""]:
    """Effective number of dimensions: the length of a flat spectrum with the same entropy.

        d_eff = e^S

    S: `spectral_entropy` of the variance `fractions`. It lies between 1 and the number of non-zero fractions;
    an embedding with no variance gives 1. Source: [roy2007effective].

    >>> round(float(effective_dimension(np.array([0.5, 0.5, 0.0]))), 4)
    2.0
    """
    return jnp.exp(spectral_entropy(fractions))
