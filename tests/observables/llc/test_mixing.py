import numpy as np
import pytest

from nucleate.observables import mixing


def autoregressive(chains, draws, phi, seed=0):
    """Stationary chains whose integrated autocorrelation time is (1 + φ)/(1 − φ)."""
    rng = np.random.default_rng(seed)
    x = np.empty((chains, draws))
    x[:, 0] = rng.normal(size=chains) / np.sqrt(1 - phi**2)
    for t in range(1, draws):
        x[:, t] = phi * x[:, t - 1] + rng.normal(size=chains)
    return x


@pytest.mark.parametrize("phi", [-0.3, 0.0, 0.5, 0.9])
def test_effective_size_is_that_of_an_autoregression(phi):
    draws = autoregressive(8, 4000, phi)
    assert mixing(draws).ess == pytest.approx(draws.size * (1 - phi) / (1 + phi), rel=0.15)


def test_error_is_the_spread_of_means():
    draws = autoregressive(400, 1000, 0.8).reshape(100, 4, 1000)
    assert np.median(mixing(draws).error) == pytest.approx(draws.mean((1, 2)).std(), rel=0.2)


@pytest.mark.parametrize(
    ("chains", "draws", "phi", "noise"),
    [
        (4, 1000, 0.5, 0.0),
        (4, 500, 0.98, 0.0),
        (4, 500, 0.98, 5.0),  # a slow motion below fast noise, in chains of ten times its length
        (1, 1000, 0.97, 5.0),
        (64, 500, 0.9, 3.0),
    ],
)
def test_error_is_honest_where_chains_are_short_and_noisy(chains, draws, phi, noise):
    """The mean must lie within two errors 19 times of 20; 15 of 100 outside would be chance once in ten thousand."""
    cells, rng = 100, np.random.default_rng(1)
    slow = autoregressive(cells * chains, draws, phi).reshape(cells, chains, draws) * np.sqrt(1 - phi**2)
    cell = slow + noise * rng.normal(size=slow.shape)
    error, mean = mixing(cell).error, cell.mean((1, 2))
    assert np.count_nonzero(np.abs(mean) > 2 * error) < 15
    assert np.median(error) < 1.5 * mean.std()


def test_error_does_not_count_copies_of_a_chain():
    one = autoregressive(1, 4000, 0.5)
    copies = np.repeat(one, 4, axis=0)
    assert mixing(copies).error == pytest.approx(mixing(one).error, rel=1e-6)
    assert mixing(copies).ess > 3 * mixing(one).ess


def test_r_hat_sees_chains_apart_and_a_drift_they_share():
    draws = autoregressive(4, 1000, 0.5)
    assert mixing(draws).r_hat < 1.01
    assert mixing(draws + np.arange(4)[:, None]).r_hat > 1.2
    assert mixing(draws + np.linspace(0, 4, 1000)).r_hat > 1.2


def test_leading_axes_are_cells_of_their_own():
    cells = np.stack([autoregressive(4, 500, phi) for phi in (0.0, 0.9)])[None]
    for together, alone in zip(mixing(cells), mixing(cells[0, 1]), strict=True):
        assert together.shape == (1, 2)
        assert together[0, 1] == alone


@pytest.mark.parametrize("bad", [np.nan, np.inf])
def test_a_cell_that_is_not_finite_is_nan_and_alone(bad):
    cells = np.stack([autoregressive(2, 100, 0.0)] * 2)
    cells[0, 1, 50] = bad
    for measure in mixing(cells):
        assert np.isnan(measure).tolist() == [True, False]


def test_what_does_not_vary_says_nothing():
    r_hat, ess, error = mixing(np.ones((2, 100)))
    assert np.isnan(r_hat)
    assert (ess, error) == (200, 0)
    assert mixing(np.array([[1.0] * 4, [2.0] * 4])).r_hat == np.inf
