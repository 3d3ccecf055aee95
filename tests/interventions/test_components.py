import jax
import jax.numpy as jnp
import numpy as np
import pytest

from nucleate.interventions import keep_components


def draw(seed, tokens=9, dim=5):
    return np.random.default_rng(seed).normal(size=(tokens, dim)).astype(np.float32)


def by_eigenvectors(embedding, of, count):
    """Component by component, from the covariance matrix of `of`, in float64."""
    embedding, of = np.asarray(embedding, np.float64), np.asarray(of, np.float64)
    mean = sum(of) / len(of)
    covariance = sum(np.outer(row - mean, row - mean) for row in of)
    value, axes = np.linalg.eigh(covariance)
    result = np.tile(mean, (len(embedding), 1))
    for component in np.argsort(-value)[:count]:
        axis = axes[:, component]
        for number, row in enumerate(embedding):
            result[number] += ((row - mean) @ axis) * axis
    return result


@pytest.mark.parametrize(("tokens", "most"), [(9, 5), (4, 3)])
def test_it_is_what_brute_force_computes(tokens, most):
    embedding, of = draw(0, tokens), 2 * draw(1, tokens) + 3
    for count in range(most + 1):
        np.testing.assert_allclose(
            keep_components(embedding, of, count), by_eigenvectors(embedding, of, count), atol=1e-4
        )


def test_all_own_components_are_the_embedding():
    embedding = draw(2)
    np.testing.assert_allclose(keep_components(embedding, embedding, 5), embedding, atol=1e-5)
    assert np.ptp(keep_components(embedding, embedding, 0), axis=0) == pytest.approx(np.zeros(5))


def test_keeping_twice_keeps_the_same():
    embedding, of = draw(3), draw(4)
    once = keep_components(embedding, of, 2)
    np.testing.assert_allclose(keep_components(once, of, 2), once, atol=1e-5)


def test_the_number_of_components_may_be_traced():
    embedding, of = draw(5), draw(6)
    each = jax.jit(jax.vmap(lambda count: keep_components(embedding, of, count)))(jnp.arange(6))
    for count in range(6):
        np.testing.assert_allclose(each[count], keep_components(embedding, of, count), atol=1e-5)


def test_there_are_only_so_many_components():
    for tokens, most in ((9, 5), (4, 3)):
        with pytest.raises(
            ValueError, match=rf"count must be between 0 and {most} for \({tokens}, 5\); got {most + 1}"
        ):
            keep_components(draw(0, tokens), draw(1, tokens), most + 1)
