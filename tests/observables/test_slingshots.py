import numpy as np
import pytest

from nucleate.observables import slingshots


@pytest.mark.parametrize(
    ("loss", "count"),
    [
        ([4.0, 2.0, 1.0, 0.5], 0),
        ([1.0, 0.1, 0.9, 0.05], 0),  # ninefold is not enough
        ([1.0, 0.1, 1.1, 0.05], 1),
        ([1.0, 0.1, 5.0, 0.2, 5.0, 0.05], 1),  # it had not come down in between
        ([1.0, 0.1, 5.0, 0.05, 5.0, 0.01], 2),
        ([1.0, 0.1, np.nan, 5.0, np.inf, 0.05], 1),
        ([np.nan, np.nan], 0),
    ],
)
def test_a_slingshot_is_a_leap_from_the_lowest_value(loss, count):
    assert slingshots(np.array(loss)) == count


def test_leading_axes_are_runs():
    loss = np.exp(np.random.default_rng(0).normal(size=(3, 4, 50)).cumsum(-1))
    together = slingshots(loss, rise=3.0)
    assert together.shape == (3, 4)
    assert together.max() > 1
    assert all(together[run] == slingshots(loss[run], rise=3.0) for run in np.ndindex(3, 4))


def test_a_rise_must_be_one():
    with pytest.raises(ValueError, match=r"slingshots: rise must be > 1; got 1"):
        slingshots(np.ones(3), rise=1.0)
