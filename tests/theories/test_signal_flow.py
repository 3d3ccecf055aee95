"""Planted laws are found again, their solutions agree with SciPy's, and scores with scikit-learn's."""

import numpy as np
import pytest
import xarray as xr
from scipy.integrate import solve_ivp
from scipy.linalg import expm
from sklearn.metrics import r2_score

from nucleate.theories import (
    Fit,
    LeastSquares,
    LinearFlow,
    LinearFlowFit,
    LotkaVolterra,
    LotkaVolterraFit,
    SelfFlow,
    Sparse,
    couplings,
)

STEPS = np.arange(60)
UNEQUAL = np.cumsum(np.random.default_rng(9).integers(1, 4, size=60))
A = np.array([[-0.10, 0.03, 0.0], [-0.02, -0.05, 0.01], [0.0, 0.04, -0.20]])
B = np.array([0.5, 0.2, 0.1])


def recorded(x, step=STEPS, **coords):
    return xr.Dataset({"signal": (("member", "step", "freq"), x)}, coords={"step": step, **coords})


def followed(velocity, members=4, freqs=3, step=STEPS, seed=0, noise=0.0):
    """A record of members that follow the discrete map of `velocity` from random starts."""
    rng = np.random.default_rng(seed)
    x = [rng.uniform(1, 10, size=(members, freqs))]
    for dt in np.diff(step):
        x.append(x[-1] + dt * velocity(x[-1]))
    x = np.stack(x, axis=1)
    return recorded(x + noise * rng.normal(size=x.shape), step)


def linear(x):
    return x @ A.T + B


def law(matrix, intercept):
    matrix = np.asarray(matrix, float)
    return LinearFlowFit(
        LinearFlow(),
        xr.DataArray(matrix, dims=("freq", "source")),
        xr.DataArray(np.asarray(intercept, float), dims="freq"),
        converged=True,
    )


@pytest.mark.parametrize("step", [STEPS, UNEQUAL])
def test_planted_interactions_are_found(step):
    fit = LinearFlow().fit(followed(linear, step=step))
    assert isinstance(fit, Fit)
    assert fit.converged
    assert fit.interactions.dims == ("freq", "source")
    assert fit.interactions["freq"].values.tolist() == [1, 2, 3]
    np.testing.assert_allclose(fit.interactions, A, atol=1e-10)
    np.testing.assert_allclose(fit.intercept, B, atol=1e-10)
    score = fit.score(followed(linear, step=step, seed=1))
    np.testing.assert_allclose(score["r2"], 1)
    np.testing.assert_allclose(score["r2_rollout"], 1)
    assert float(score["error_rollout"].max()) < 1e-8 < 1 < float(score["error_constant"].min())


def test_planted_interactions_are_found_in_noise():
    fit = LinearFlow().fit(followed(linear, members=40, noise=1e-3))
    np.testing.assert_allclose(fit.interactions, A, atol=2e-3)
    np.testing.assert_allclose(fit.intercept, B, atol=2e-3)


def test_lasso_finds_the_planted_pattern():
    rng = np.random.default_rng(0)
    planted = np.diag(-rng.uniform(0.3, 0.5, size=8))
    planted[[0, 3, 5], [4, 1, 2]] = 0.3, -0.3, 0.2
    record = followed(lambda x: x @ planted.T + 1, members=400, freqs=8, step=STEPS[:4], noise=1e-4)
    fit = LinearFlow(Sparse(alpha=0.01)).fit(record)
    assert fit.converged
    assert np.array_equal(fit.interactions.values != 0, planted != 0)
    assert fit.sparsity == 64 - 11
    np.testing.assert_allclose(fit.interactions, planted, atol=0.05)
    assert LinearFlow(LeastSquares()).fit(record).sparsity == 0


def test_lasso_that_gave_up_says_so_without_a_warning():
    assert not LinearFlow(Sparse(alpha=1e-9, max_iter=1)).fit(followed(linear)).converged


@pytest.mark.parametrize("solver", [LeastSquares(), Sparse()])
def test_one_frequency_and_one_that_never_moves(solver):
    x = np.stack([10 * 0.9**STEPS, np.full(60, 3.0)], axis=-1)[None]
    fit = LinearFlow(solver).fit(recorded(x))
    assert fit.converged
    np.testing.assert_allclose(fit.velocity(x)[..., 1], 0, atol=1e-12)
    assert LinearFlow(solver).fit(recorded(x[..., :1])).interactions.shape == (1, 1)


def test_planted_self_terms_are_found():
    rates, intercept = np.array([-0.1, 0.02, 0.0]), np.array([0.3, -0.1, 0.0])
    fit = SelfFlow().fit(followed(lambda x: rates * x + intercept, step=UNEQUAL))
    np.testing.assert_allclose(fit.interactions, np.diag(rates), atol=1e-12)
    np.testing.assert_allclose(fit.intercept, intercept, atol=1e-12)
    still = SelfFlow().fit(recorded(np.ones((1, 60, 1))))
    assert float(still.interactions.squeeze()) == 0 == float(still.intercept.squeeze())


def species(x):
    """Two prey and a predator, with a meeting of equals each."""
    a, b, c = np.moveaxis(x, -1, 0)
    return np.stack([0.1 * a - 0.01 * a * a - 0.02 * a * c, 0.05 * b - 0.01 * b * b, -0.1 * c + 0.02 * a * c], axis=-1)


def test_planted_lotka_volterra_is_found_and_agrees_with_scipy():
    fit = LotkaVolterra().fit(followed(species, members=8))
    assert isinstance(fit, LotkaVolterraFit)
    np.testing.assert_allclose(fit.linear, np.diag([0.1, 0.05, -0.1]), atol=1e-9)
    planted = np.zeros((3, 3, 3))
    planted[0, 0, [0, 2]], planted[1, 1, 1], planted[2, 0, 2] = (-0.01, -0.02), -0.01, 0.02
    np.testing.assert_allclose(fit.quadratic, planted, atol=1e-9)
    np.testing.assert_allclose(fit.intercept, 0, atol=1e-8)
    score = fit.score(followed(species, members=2, seed=1))
    np.testing.assert_allclose(score["r2_rollout"], 1, atol=1e-9)
    x0, times = np.array([2.0, 1.0, 3.0]), np.array([30.0, 0.0, 7.0, 30.0])
    scipy = solve_ivp(lambda t, x: species(x), (0, 30), x0, t_eval=[0, 7, 30], method="Radau", rtol=1e-10, atol=1e-12)
    np.testing.assert_allclose(fit.simulate(x0, times), scipy.y.T[[2, 0, 1, 2]], rtol=1e-7)
    np.testing.assert_allclose(fit.simulate(x0, np.zeros(1)), x0[None])


def test_lotka_volterra_that_explodes_is_an_outcome():
    grow = LotkaVolterra().fit(followed(species, members=8))
    explosive = LotkaVolterraFit(grow.theory, grow.linear * 0, abs(grow.quadratic) * 100, grow.intercept * 0, True)
    path = explosive.simulate(np.ones(3), np.array([0.0, 0.1, 1e3]))
    assert np.isfinite(path[:2]).all()
    assert np.isnan(path[2]).all()
    assert not np.isfinite(explosive.rollout(np.ones(3), np.arange(50))[-1]).any()
    score = explosive.score(followed(species))
    assert np.all(score["r2_rollout"] == -np.inf)
    assert np.all(score["error_rollout"] == np.inf)
    assert np.isfinite(score["r2"]).all()
    with pytest.raises(ValueError, match=r"times must be non-negative"):
        grow.simulate(np.ones(3), np.array([-1.0]))


def test_linear_solution_is_exact():
    fit, x0, times = law(A, B), np.array([5.0, 1.0, 2.0]), np.array([0.0, 1.5, 40.0, 3.0])
    steady = np.linalg.solve(A, B)
    exact = [expm(A * t) @ (x0 + steady) - steady for t in times]
    np.testing.assert_allclose(fit.simulate(x0, times), exact, atol=1e-10)
    scipy = solve_ivp(lambda t, x: linear(x), (0, 40), x0, t_eval=[1.5, 40.0], rtol=1e-11, atol=1e-12)
    np.testing.assert_allclose(fit.simulate(x0, times)[1:3], scipy.y.T, atol=1e-8)
    np.testing.assert_allclose(fit.closed_form(x0, times, epsilon=0.0), exact, atol=1e-10)
    np.testing.assert_allclose(fit.closed_form(x0, times), exact, atol=1e-4)


def test_singular_matrix_needs_epsilon_or_simulate():
    fit = law([[-0.1, 0.0], [0.0, 0.0]], [0.0, 2.0])
    x0, times = np.array([3.0, 1.0]), np.array([0.0, 10.0])
    exact = [[3.0, 1.0], [3 * np.exp(-1), 21.0]]
    np.testing.assert_allclose(fit.simulate(x0, times), exact)
    np.testing.assert_allclose(fit.closed_form(x0, times), exact, atol=1e-4)
    with pytest.raises(ValueError, match=r"A \+ 0.0 I has no inverse"):
        fit.closed_form(x0, times, epsilon=0.0)


def test_unstable_linear_law_overflows_in_silence():
    fit = law([[10.0]], [0.0])
    assert not np.isfinite(fit.simulate(np.ones(1), np.array([1e3]))).any()
    assert not np.isfinite(fit.rollout(np.ones(1), np.arange(1000))[-1]).any()


def test_rollout_is_the_discrete_map():
    fit, x = law(A, B), np.array([5.0, 1.0, 2.0])
    path = fit.rollout(x, UNEQUAL)
    for i, dt in enumerate(np.diff(UNEQUAL)):
        np.testing.assert_allclose(path[i], x)
        x = x + dt * np.array([sum(A[j, k] * x[k] for k in range(3)) + B[j] for j in range(3)])
    np.testing.assert_allclose(path[-1], x)


def test_scores_agree_with_scikit_learn():
    record = followed(linear, noise=0.1, step=UNEQUAL)
    fit = LinearFlow().fit(record.isel(member=[0]))
    score = fit.score(record.assign_coords(seed=("member", [5, 6, 7, 8])))
    assert score["seed"].values.tolist() == [5, 6, 7, 8]
    for member, x in enumerate(record["signal"].values):
        rate = np.diff(x, axis=0) / np.diff(UNEQUAL)[:, None]
        path = fit.rollout(x[0], UNEQUAL)
        assert float(score["r2"][member]) == pytest.approx(r2_score(rate, fit.velocity(x[:-1])))
        assert float(score["r2_rollout"][member]) == pytest.approx(r2_score(x[1:], path[1:]))
        assert float(score["error_rollout"][member]) == pytest.approx(np.sqrt(np.mean((x - path)[1:] ** 2)))
        assert float(score["error_constant"][member]) == pytest.approx(np.sqrt(np.mean((x[1:] - x[0]) ** 2)))


def test_r2_by_hand_and_without_frequencies_that_do_not_vary():
    # Increments 1, 3 of the first, predicted as 2, 2: no better than their mean. The second grows evenly.
    x = np.array([[[0.0, 30.0], [1.0, 30.1], [4.0, 30.2]]])
    fit = law(np.zeros((2, 2)), [2.0, 0.1])
    score = fit.score(recorded(x, [0, 1, 2]))
    assert float(score["r2"][0]) == pytest.approx(0)
    # Rollout 2, 4 against 1, 4, with mean 2.5: 1 − 1/4.5; and the second is exact.
    assert float(score["r2_rollout"][0]) == pytest.approx((1 - 1 / 4.5 + 1) / 2)
    assert float(score["error_rollout"][0]) == pytest.approx(np.sqrt(1 / 4))
    still = fit.score(recorded(np.ones((1, 3, 2)), [0, 1, 2]))
    assert np.isnan(still["r2"][0])
    assert float(still["error_constant"][0]) == 0
    rounded = recorded(x.astype(np.float32), [0, 1, 2])
    assert float(fit.score(rounded)["r2"][0]) == pytest.approx(0)


def test_a_member_ends_at_its_first_row_that_is_not_finite():
    record = followed(linear)
    cut = record.copy(deep=True)
    cut["signal"][0, 30:] = np.nan
    cut["signal"][1, 40, 1] = np.inf
    cut["signal"][2] = np.nan
    fit = LinearFlow().fit(cut)
    np.testing.assert_allclose(fit.interactions, A, atol=1e-9)
    other = law(A * 0.9, B)
    score = other.score(cut)
    assert np.isnan(score.isel(member=2).to_array()).all()
    for member, rows in ((0, 30), (1, 40), (3, 60)):
        alone = other.score(record.isel(member=[member], step=slice(0, rows)))
        xr.testing.assert_allclose(score.isel(member=member), alone.isel(member=0))


def test_later_steps_and_other_variables():
    record = followed(linear).rename(signal="power", freq="mode").assign_coords(mode=[2, 5, 7])
    fit = LinearFlow(variable="power").fit(record.sel(step=slice(0, 20)))
    assert fit.interactions.dims == ("mode", "source")
    assert fit.interactions.sel(mode=5, source=7).item() == pytest.approx(A[1, 2])
    np.testing.assert_allclose(fit.score(record.sel(step=slice(21, None)))["r2_rollout"], 1)


def test_couplings_by_hand():
    matrix = [[-1, 0.5, -0.1, 0.2], [0.4, -1, 1e-9, 0], [-0.3, 0, -1, 0.1], [-0.2, 0.3, 0.1, -1]]
    shares = couplings(law(matrix, np.zeros(4)))
    assert shares.attrs["tolerance"] == 1e-6
    expected = {"positive": 6 / 12, "negative": 3 / 12, "zero": 3 / 12}
    expected |= {"collaborate": 2 / 6, "compete": 1 / 6, "mixed": 1 / 6, "undecided": 2 / 6}
    assert {name: float(value) for name, value in shares.items()} == pytest.approx(expected)
    assert float(couplings(law(np.eye(2), np.zeros(2)))["zero"]) == 1
    with pytest.raises(ValueError, match="two frequencies"):
        couplings(law([[1]], [0]))


@pytest.mark.parametrize(
    ("change", "match"),
    [
        (lambda r: r.rename(signal="power"), r"needs that variable; the record has \['power'\]"),
        (lambda r: r.isel(member=0), r"one more\); got \('step', 'freq'\).*isel\(member=\[i\]\)"),
        (lambda r: r.drop_vars("step"), "coordinate 'step'"),
        (lambda r: r.isel(step=[0]), "two rows at rising steps"),
        (lambda r: r.isel(step=[1, 0]), "two rows at rising steps"),
        (lambda r: r.where(r["step"] < 1), "two finite rows"),
    ],
)
@pytest.mark.parametrize("theory", [LinearFlow(), SelfFlow(), LotkaVolterra()])
def test_what_a_record_lacks_is_named(theory, change, match):
    with pytest.raises(ValueError, match=match):
        theory.fit(change(followed(linear)))


def test_bad_choices_fail_at_once():
    with pytest.raises(ValueError, match=r"Sparse.alpha must be > 0, or use LeastSquares; got 0"):
        Sparse(alpha=0.0)
    with pytest.raises(ValueError, match=r"Sparse.max_iter must be > 0; got 0"):
        Sparse(max_iter=0)
    with pytest.raises(ValueError, match="freq = 2"):
        law(A, B).score(followed(linear).isel(freq=[0, 1]))
