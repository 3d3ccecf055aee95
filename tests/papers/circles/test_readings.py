"""What is read from records of circle networks."""

import numpy as np
import pytest
from circle_records import FREQ, P, evidence, fleet, linear_fleet, survival_fleet, waves, with_counts

from nucleate.observables import circularity
from nucleate.papers.circles import readings
from nucleate.papers.circles.experiments import DYNAMICS, SURVIVAL
from nucleate.papers.circles.readings import laws
from nucleate.papers.circles.recipe import RandomStart
from nucleate.record import Outcome


def test_networks_in_which_nothing_stands_out_are_not_counted_as_zero():
    flat = fleet(np.zeros((6, FREQ), bool), dead=87.0)
    found = readings.survival(flat)
    assert found.count.tolist() == [0] * 6
    assert not found.trusted.any()
    assert np.all(found.separation < 2)
    assert readings.usable(flat).sizes["member"] == 0


def test_survivors_that_still_change_are_unsettled_unless_the_network_was_stopped():
    record = fleet(with_counts([4, 4, 4]))
    record["signal"][1:, 180, 0] = 1.0  # at nine tenths of training the first circle is gone for a moment
    record["clear_step"][2] = record.last_step.values[2]
    assert readings.survival(record).unsettled.tolist() == [False, True, False]


def test_diverged_networks_are_not_usable():
    record = fleet(with_counts([4, 4]))
    record["outcome"][0] = Outcome.DIVERGED
    assert readings.usable(record).seed.values.tolist() == [1]


def test_rates_are_shares_of_the_trials_of_each_embedding():
    record = fleet(with_counts([2, 1, 1, 1]), seed_embedding=np.array([5, 5, 9, 9]))
    found = readings.rates(record)
    assert found.seed.tolist() == [5, 9]
    assert found.rate[:, :3].tolist() == [[1.0, 0.5, 0.0], [1.0, 0.0, 0.0]]
    assert found.trials.tolist() == [2, 2]


def test_losses_are_read_at_the_last_record_up_to_a_step():
    record = fleet(with_counts([4, 4]))
    record["test_loss"][:] = np.arange(record.sizes["step_test"])[::-1] / 10.0
    assert readings.loss_at(record, 250).tolist() == [3.8, 3.8]
    assert readings.reached(record, 0.5).tolist() == [3500.0, 3500.0]
    assert readings.reached(record, -1.0).tolist() == [np.inf, np.inf]


def test_originals_are_found_by_their_seeds():
    source = fleet(with_counts([4] * 5), seed=100 + np.arange(5))
    again = fleet(with_counts([2] * 3), seed=np.array([100, 103, 104]))
    assert readings.originals(source, again).seed.values.tolist() == [100, 103, 104]


def test_principal_planes_and_neighbours():
    rotation = np.linalg.qr(np.random.default_rng(0).normal(size=(8, 8)))[0][:4]
    planes = readings.principal_planes(waves({23: 3.0, 5: 2.0}) @ rotation, 2)
    expected = [min(pow(k, -1, P), P - pow(k, -1, P)) for k in (23, 5)]
    assert [readings.neighbours(points) for points in planes] == expected


def test_noise_is_as_circular_as_independent_numbers_are():
    found = readings.noise_circularity(evidence({SURVIVAL: survival_fleet(0.0, embeddings=1, trials=1)}))
    dims = np.array(readings.NOISE_DIMENSIONS)
    np.testing.assert_allclose(found.mean((1, 2)), (dims + 1) / (dims + P - 1), atol=0.02)


def test_circularity_of_starts_is_that_of_the_embeddings():
    record = survival_fleet(0.0, embeddings=2, trials=2)
    found = readings.start_circularity(evidence({SURVIVAL: record}))
    assert list(found) == [0, 1]
    start = RandomStart()({"p": P, "dim": 128, "seed_embedding": 1})
    np.testing.assert_allclose(found[1], circularity(start), rtol=1e-4)


def test_laws_are_scored_on_the_run_itself_on_its_second_half_and_on_another():
    scores = readings.linear_scores(evidence({DYNAMICS: linear_fleet(3)}))
    assert list(scores) == [readings.LINEAR_NAME, readings.LASSO_NAME, readings.SELF_NAME]
    least = scores[readings.LINEAR_NAME]
    assert least.same.min() > 0.999
    assert least.later.shape == least.other.shape == (3,)
    assert scores[readings.LASSO_NAME].same.max() < least.same.min()


def test_another_run_has_the_same_dimension():
    assert laws._next_alike(np.array([16, 48, 16, 16, 128])) == [(0, 2), (2, 3), (3, 0)]


def test_eq_4_and_the_rollout_stay_close_where_the_law_holds():
    errors = readings.trajectory_errors(evidence({DYNAMICS: linear_fleet(2)}))[readings.LINEAR_NAME]
    assert np.all(errors.rollout < 1e-6 * errors.constant)
    assert np.all(errors.apart < 0.01)


@pytest.mark.parametrize("diverged", [0, 1, 2])
def test_laws_are_fitted_to_networks_that_stayed_finite(diverged):
    record = linear_fleet(2)
    record["signal"][:diverged] = np.nan
    record["outcome"][:diverged] = Outcome.DIVERGED
    seen = evidence({DYNAMICS: record, SURVIVAL: record})
    assert len(readings.volterra_scores(seen).r2) == 2 - diverged
    assert len(readings.survival_couplings(seen)) == 2 - diverged
    assert len(readings.trajectory_errors(seen)[readings.LASSO_NAME].apart) == 2 - diverged
