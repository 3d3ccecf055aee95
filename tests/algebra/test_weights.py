"""Solutions become weights and come back; the network has the loss that the algebra says."""

import numpy as np
import pytest

from nucleate.algebra import Characters, from_weights, monomials, order_six, to_weights

FIVE = Characters.cyclic(5)


def test_there_and_back(group, anything):
    z = anything(group, 4)
    back = from_weights(group, *to_weights(z))
    np.testing.assert_allclose(back.z, z.z, atol=1e-13)
    for one, other in zip(to_weights(back), to_weights(z), strict=True):
        np.testing.assert_allclose(one, other, atol=1e-13)
        assert one.dtype == float


def test_scales_of_theory_and_code():
    """In the weights as they are, r_kkk is 1/(2d) at an optimum; the theory's is 1."""
    a, b, c = to_weights(order_six(FIVE))
    chi = FIVE.values / 5
    raw = np.einsum("kj,kj,kj->k", chi.conj() @ a, chi.conj() @ b, chi @ c.T)
    np.testing.assert_allclose(raw[1:], 1 / (2 * 5), atol=1e-15)
    r = monomials(order_six(FIVE)).cross
    np.testing.assert_allclose([r[k, k, k] for k in range(1, 5)], 1, atol=1e-14)


def test_norms(anything):
    z = anything(FIVE, 3)
    norm = np.sqrt(sum(np.square(rows).sum() for rows in to_weights(z)))
    assert norm == pytest.approx(5**0.5 * 10 ** (-1 / 3) * z.norm)


def test_an_optimum_answers_with_one_hot_vectors(group):
    outputs = to_weights(order_six(group)).outputs
    centred = outputs - outputs.mean(axis=-1, keepdims=True)
    expected = np.eye(group.order)[group.sums_of_elements] - 1 / group.order
    np.testing.assert_allclose(centred, expected, atol=1e-13)


def test_the_loss_of_weights_is_the_one_that_is_trained(anything):
    weights = to_weights(anything(FIVE, 3))
    centred = weights.outputs - weights.outputs.mean(axis=-1, keepdims=True)
    answers = np.take_along_axis(centred, FIVE.sums_of_elements[..., None], axis=-1)[..., 0]
    trained = (np.square(centred).sum(axis=-1) - 2 * answers).mean() + 1 - 1 / 5
    assert weights.loss(FIVE) == pytest.approx(trained, rel=1e-12)


def test_weights_of_another_group_are_refused():
    with pytest.raises(ValueError, match="from_weights: a must have 7 rows, one for each element; got 5"):
        from_weights(Characters.cyclic(7), *to_weights(order_six(FIVE)))
