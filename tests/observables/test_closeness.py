import numpy as np
import pytest

from nucleate.observables import Distance, MeanSquare

RESIDUAL = np.random.default_rng(0).normal(scale=0.1, size=(500, 3)).astype(np.float32)


def test_mean_square_averages_over_dimensions():
    expected = [sum(x**2 for x in row) / 3 < 0.01 for row in RESIDUAL.tolist()]
    assert MeanSquare()(RESIDUAL).tolist() == expected
    assert 0 < sum(expected) < 500


def test_distance_is_euclidean():
    expected = [sum(x**2 for x in row) ** 0.5 <= 0.15 for row in RESIDUAL.tolist()]
    assert Distance(delta=0.15)(RESIDUAL).tolist() == expected
    assert 0 < sum(expected) < 500


def test_in_one_dimension_the_code_is_ten_times_looser_than_the_text():
    residual = RESIDUAL[:, :1]
    assert np.array_equal(MeanSquare(threshold=0.01)(residual), Distance(delta=0.1)(residual))
    assert MeanSquare()(residual).sum() > 5 * Distance()(residual).sum()


def test_boundary_is_open_for_mean_square_and_closed_for_distance():
    half = np.array([[0.5]])
    assert not MeanSquare(threshold=0.25)(half).item()
    assert Distance(delta=0.5)(half).item()


def test_nan_is_close_to_nothing():
    nan = np.array([[np.nan]])
    assert not MeanSquare()(nan).item()
    assert not Distance()(nan).item()


@pytest.mark.parametrize("bad", [0.0, -1.0, float("nan")])
def test_mean_square_names_a_bad_threshold(bad):
    with pytest.raises(ValueError, match=rf"MeanSquare.threshold must be > 0; got {bad}\."):
        MeanSquare(threshold=bad)


@pytest.mark.parametrize("bad", [-0.5, float("nan")])
def test_distance_names_a_bad_delta(bad):
    with pytest.raises(ValueError, match=rf"Distance.delta must be >= 0; got {bad}\."):
        Distance(delta=bad)


def test_rules_are_values():
    assert MeanSquare(0.02) == MeanSquare(threshold=0.02)
    assert hash(Distance()) == hash(Distance(0.01))
