import jax.numpy as jnp
import numpy as np
import pytest

from nucleate.observables import (
    Calibration,
    Doubt,
    Grid,
    LearningCoefficient,
    Matching,
    Sampling,
    Setting,
    Whole,
    calibrate,
)

GRID = Grid(step=(1e-5, 2e-5, 4e-5, 8e-5), nbeta=(100.0, 1000.0))


def planted(value, grid=GRID, error=0.01, **more):
    """A calibration of made-up coefficients [checkpoint, step, nbeta]."""
    value = np.asarray(value, float).reshape(-1, 1, len(grid.settings))
    blank = np.zeros_like(value)
    good = {"r_hat": blank + 1, "ess": blank + 1e3, "step_bias": blank, "noise_bias": blank}
    good |= {"equilibrium": blank + 1, "balance": blank + 1}
    traces = np.zeros((*value.shape, 1, 4))
    fields = {**good, "acceptance": blank + 1, "excess": traces, "loss": traces, **more}
    return Calibration(
        grid,
        LearningCoefficient(
            tuple(grid.settings), np.array([4]), 0, value=value, statistical=error * np.abs(value), **fields
        ),
    )


RISING = np.array([[1.0, 2.0], [1.5, 2.0], [2.5, 2.04], [5.0, 3.0]])


def test_a_plateau_is_where_neighbours_agree():
    plateau = planted(RISING).plateau(0)
    assert plateau.settings == tuple(Setting(step, 1000.0) for step in (1e-5, 2e-5, 4e-5))
    assert (plateau.low.item(), plateau.high.item()) == (2.0, 2.04)
    assert plateau.steps == (1e-5, 4e-5)


def test_a_slope_is_no_plateau():
    calibration = planted(np.geomspace(1, 3, 8))
    assert calibration.plateau(0) is None
    assert "no two agree" in str(calibration)


def test_equal_values_at_one_step_are_not_enough():
    assert planted([[1, 1], [2, 2], [4, 4], [8, 8]]).plateau(0) is None


def test_doubtful_settings_are_left_out_and_counted():
    flat = np.ones((4, 2))
    flat[3] = np.nan
    flat[2, 0] = -1.0
    bias = np.zeros((1, 1, 8))
    bias[0, 0, 2] = 0.5
    calibration = planted(flat, step_bias=bias)
    assert [setting.step for setting in calibration.plateau(0).settings] == [1e-5, 1e-5, 2e-5, 4e-5]
    assert calibration.reasons(0) == {"BIASED": 1, "IMPRECISE": 1, "NEGATIVE": 1, "DIVERGED": 2}


def test_the_best_setting_has_the_smallest_error_and_bias():
    bias = np.array([0.02, 0.03, 0.0, 0.01, 0.05, 0.05, 0.05, 0.05]).reshape(1, 1, 8)
    assert planted(np.ones(8), step_bias=bias).plateau(0).best == Setting(2e-5, 100.0)


def test_noise_is_allowed_for_but_not_without_end():
    value = [[1.0, 1.0], [1.13, 1.0], [1.0, 1.0], [1.0, 1.0]]
    assert len(planted(value, error=0.01).plateau(0).settings) == 7
    assert len(planted(value, error=0.049).plateau(0).settings) == 8
    assert planted(value, error=0.2).plateau(0) is None


def test_what_serves_all_checkpoints_may_be_less_or_nothing():
    early = np.array([[0.5, 0.5], [1, 1], [2, 2], [2, 2]])
    late = np.array([[3, 3], [3, 3], [3, 3], [np.nan, np.nan]])
    calibration = planted([early, late])
    assert [len(calibration.plateau(checkpoint).settings) for checkpoint in (0, 1)] == [4, 6]
    assert calibration.common is None
    assert str(calibration).endswith("no setting serves all of them")
    early[1] = 2
    calibration = planted([early, late])
    assert {setting.step for setting in calibration.common.settings} == {2e-5, 4e-5}
    assert calibration.common.low.tolist() == [2, 3]
    assert "common to all: 4 of 8 settings" in str(calibration)


def test_a_real_sweep_finds_the_plateau_at_every_checkpoint():
    def loss(params, _):
        return jnp.sum(params["curvature"] * params["w"] ** 2) / 2

    points = [{"w": jnp.zeros(6), "curvature": jnp.full(6, curvature)} for curvature in (1.0, 2.0)]
    grid = Grid(step=(2.5e-5, 5e-5, 1e-4, 1e-3), nbeta=(1000.0,), gamma=(1.0, 10.0))
    sampling = Sampling(chains=64, burn_in=1000, draws=2000)
    calibration = calibrate(loss, Whole(()), points, grid, sampling, [Matching("^w$")])
    for checkpoint in (0, 1):
        plateau = calibration.plateau(checkpoint)
        assert plateau.steps[1] == 1e-4
        assert plateau.low.item() == pytest.approx(3, rel=0.06)
    assert Doubt(int(calibration.estimate.doubt[1, 0, -1])) & (Doubt.BIASED | Doubt.DIVERGED)
    assert calibration.common.best.step <= 1e-4
