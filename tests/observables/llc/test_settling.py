import numpy as np
import pytest

from nucleate.observables.llc.settling import balance

RNG = np.random.default_rng(0)


def posterior(power, flat=0, draws=40_000):
    """Independent draws of x with ℓ = |x|^power, beside flat directions of unit variance: ℓ, x·∇U and x·∇ℓ."""
    loss = RNG.gamma(1 / power, size=(4, draws))
    held = np.square(RNG.normal(size=(4, draws, flat))).sum(-1)
    return loss, power * loss + held, power * loss


@pytest.mark.parametrize("power", [2, 4, 6])
@pytest.mark.parametrize("flat", [0, 3])
def test_is_one_for_draws_of_the_posterior(power, flat):
    assert balance(*posterior(power, flat)) == pytest.approx(1, abs=0.03)


def test_flat_directions_that_drift_do_not_count_and_a_tail_that_is_missing_does():
    loss, energy, pull = posterior(4)
    assert balance(loss, energy + np.linspace(0, 1, loss.shape[1]), pull) == pytest.approx(1, abs=0.03)
    seen = loss < 1
    cut = [np.where(seen, values, values[seen].mean()) for values in (loss, energy, pull)]
    assert balance(*cut) < 0.9


def test_a_cell_without_a_balance_is_nan_and_alone():
    loss, energy, pull = (np.stack([values] * 3) for values in posterior(2, draws=1000))
    loss[1] *= -1
    loss[2, 0, 0] = np.nan
    assert np.isnan(balance(loss, energy, pull)).tolist() == [False, True, True]
    nothing = np.ones((2, 4, 0))
    assert np.isnan(balance(nothing, nothing, nothing)).tolist() == [True, True]
