import numpy as np
import pytest

from nucleate.plots.scales import log_x, log_y


def names(axis):
    axis.figure.draw_without_rendering()
    low, high = sorted(axis.get_view_interval())
    return [tick.label1.get_text() for tick in axis.get_major_ticks() if low <= tick.get_loc() <= high]


def test_step_zero_has_its_place_left_of_step_one(ax):
    log_x(ax, np.arange(101))
    ax.set_xlim(0, 100)
    places = ax.transData.transform([(0, 1), (1, 1), (10, 1), (100, 1)])[:, 0]
    assert np.all(np.diff(places) > 10)
    assert names(ax.xaxis) == ["0", "1", "10", "100"]


def test_without_a_zero_the_axis_is_plainly_logarithmic(ax):
    log_x(ax, [1, 1000])
    assert ax.get_xscale() == "log"


@pytest.mark.parametrize(
    ("values", "ticks"),
    [
        ([0.1, 5.0], ["0.1", "0.3", "1", "3"]),
        ([16, 128], ["20", "50", "100"]),
        (
            [1e-7, 1e-1],
            ["$10^{-7}$", "$10^{-6}$", "$10^{-5}$", "$10^{-4}$", "$10^{-3}$", "$10^{-2}$", "$10^{-1}$"][::2],
        ),
    ],
)
def test_ticks_suit_the_length_of_the_axis(ax, values, ticks):
    log_x(ax, values)
    ax.set_xlim(*values)
    assert names(ax.xaxis) == ticks


@pytest.mark.parametrize("values", [[100, 1000], [300, 900], [49.0, 51.0], [1e-30, 1e30], [0, 3]])
def test_labels_never_lie_on_each_other(ax, values, overlapping):
    log_x(ax, values)
    ax.set_xlim(*values)
    assert overlapping([tick.label1 for tick in ax.xaxis.get_major_ticks()]) == 0


def test_negative_values_have_no_logarithm(ax):
    with pytest.raises(ValueError, match="values >= 0; got -1"):
        log_x(ax, [-1, 1])


@pytest.mark.parametrize("values", [[], [0.0], [np.nan, -1.0], [3.0, 3.0], [1e-300, 1.0, np.inf]])
def test_any_values_make_a_finite_axis(ax, values):
    log_y(ax, values)
    low, high = ax.get_ylim()
    assert 0 < low < high < np.inf
    ax.figure.draw_without_rendering()


def test_what_is_far_below_the_largest_leaves_through_the_bottom(ax):
    log_y(ax, [1e-40, 1.0], decades=6)
    assert 1e-8 < ax.get_ylim()[0] < 1e-6
