"""∇U the slow way, term by term: the oracle against which the fast force is tested."""

import equinox as eqx
import jax
import numpy as np


def brute_force_gradient(pairs, label, symmetry, attract, repel, embedding):
    """Every term differentiated with respect to its four embeddings, and added to the tokens it touches.

    ∂U/∂r_t = Σ_{P<Q} Σ_{s: token_s = t} ∂f/∂r_s
    """
    first, second = np.triu_indices(len(pairs), k=1)
    quads = np.concatenate([pairs[first], pairs[second]], axis=1)
    same = label[first] == label[second]
    result = np.zeros(embedding.shape)
    with jax.enable_x64(True):
        for kind, potential in ((same, attract), (~same, repel)):
            slope = np.asarray(_slopes(potential, symmetry, embedding[quads]))
            np.add.at(result, quads[kind], slope[kind])
    return result


@eqx.filter_jit
def _slopes(potential, symmetry, quads):
    return jax.vmap(jax.grad(lambda quad: potential(symmetry.coordinates(quad))))(quads)
