import numpy as np
import pytest
import xarray as xr
from matplotlib.colors import to_rgba

from nucleate.plots import PALETTE, above_diagonal, agreement, median_line, transition


def legend(ax):
    return [text.get_text() for text in ax.get_legend().get_texts()]


def triangles(ax):
    (markers,) = [dots for dots in ax.collections if str(dots.get_label()).startswith("not ")]
    return markers.get_offsets()


def test_transition_draws_line_band_level_and_critical_point(ax):
    x = np.linspace(0, 1, 11)
    y = 1 / (1 + np.exp(-(x - 0.4) / 0.05))
    transition(ax, x, y, y - 0.1, y + 0.1, threshold=0.5, marks={"$r_c$ = 0.4": 0.4}, xlabel="fraction", ylabel="P")
    curve, level, critical = ax.lines
    assert np.array_equal(curve.get_ydata(), y)
    assert level.get_ydata()[0] == 0.5
    assert critical.get_xdata()[0] == 0.4
    band = ax.collections[0].get_paths()[0].get_extents()
    assert (band.y0, band.y1) == pytest.approx((y.min() - 0.1, y.max() + 0.1))
    assert (ax.get_xlabel(), ax.get_ylabel()) == ("fraction", "P")


def test_agreement_prints_pearson_and_n(ax):
    rng = np.random.default_rng(1)
    x = rng.random(40)
    y = x + 0.05 * rng.normal(size=40)
    dots = agreement(ax, x, y, x, xlabel="a", ylabel="b", clabel="fraction")
    r = np.corrcoef(x, y)[0, 1]
    assert ax.texts[0].get_text() == f"$r$ = {r:.3f}\n$n$ = 40"
    assert len(dots.get_offsets()) == 40
    assert dots.get_alpha() < 1
    bar = ax.figure.axes[-1]
    assert bar.get_ylabel() == "fraction"


def test_agreement_on_the_diagonal_shares_one_range(ax):
    agreement(ax, [0.0, 1.0, 2.0], [5.0, 1.0, 3.0], [0, 1, 2])
    assert ax.get_xlim() == ax.get_ylim()
    assert np.array_equal(ax.lines[0].get_xdata(), ax.lines[0].get_ydata())


def test_agreement_without_diagonal_has_no_line(ax):
    agreement(ax, [0.0, 1.0], [1.0, 0.0], [0, 1], diagonal=False)
    assert not ax.lines
    assert ax.texts[0].get_text().startswith("$r$ = −1.000")


def test_agreement_leaves_out_what_is_not_finite_and_says_how_many_remain(ax):
    agreement(ax, [0.0, 1.0, np.nan, 1.0], [0.0, 1.0, 1.0, np.inf], [0, 1, 2, 3])
    assert ax.texts[0].get_text() == "$r$ = 1.000\n$n$ = 2"


def test_agreement_of_constants_has_no_correlation(ax):
    agreement(ax, [1.0, 1.0], [1.0, 1.0], [0, 1])
    assert ax.texts[0].get_text().startswith("$r$ undefined")


def test_agreement_writes_where_there_are_no_points(ax):
    agreement(ax, [0.0, 0.1, 0.2, 1.0], [1.0, 0.95, 0.9, 0.5], [0, 1, 2, 3])
    assert ax.texts[0].get_horizontalalignment() == "right"


def test_above_diagonal_has_a_dot_per_seed_and_counts_those_above(ax):
    fraction = xr.DataArray([0.2, 0.5, 0.9], dims="n")
    dots = above_diagonal(ax, fraction, [[0.2, 0.1], [0.6, 0.5], [1.0, 0.8]], ylabel="Acc")
    assert len(dots.get_offsets()) == 6
    assert ax.texts[-1].get_text() == "2 of 6 above, 2 on the diagonal"
    assert list(ax.lines[0].get_xdata()) == list(ax.lines[0].get_ydata()) == [0, 1]
    assert to_rgba(ax.lines[0].get_color()) == to_rgba(PALETTE[1])


def test_median_line_goes_through_the_medians_of_the_seeds(ax):
    y = np.array([[900, 700, 800], [300, 500, 100]])
    median_line(ax, [0.4, 0.6], y, xlabel="fraction", ylabel="steps")
    assert ax.lines[0].get_ydata().tolist() == [800, 300]
    assert len(ax.collections[0].get_offsets()) == 6
    assert legend(ax) == ["one seed", "median"]


def test_flat_points_and_a_grid_are_drawn_alike(ax):
    x, y = np.array([0.4, 0.6]), np.array([[900.0, 700.0], [300.0, np.inf]])
    median_line(ax, np.repeat(x, 2), y.ravel(), budget=1000)
    flat = [line.get_ydata() for line in ax.lines]
    ax.clear()
    median_line(ax, x, y, budget=1000)
    for ours, theirs in zip(flat, (line.get_ydata() for line in ax.lines), strict=True):
        assert np.array_equal(ours, theirs, equal_nan=True)


def test_seeds_that_never_arrived_are_triangles_at_the_top(ax):
    y = np.array([[np.inf, np.nan, 900], [400, np.inf, 300], [200, 210, 220]])
    median_line(ax, [0.3, 0.4, 0.5], y, budget=10_000)
    assert len(triangles(ax)) == 3
    assert np.all(triangles(ax)[:, 1] > 0.9)
    assert legend(ax)[-1] == "not within 10,000 steps (3 of 9)"
    assert [text.get_text() for text in ax.texts] == ["2"]


@pytest.mark.parametrize("ylog", [False, True])
def test_nothing_that_arrived_lies_among_the_triangles(ax, ylog):
    y = np.array([[np.inf, 9_999.0], [10_000.0, 300.0]])
    median_line(ax, [0.3, 0.4], y, budget=10_000, ylog=ylog)
    heights = ax.transAxes.inverted().transform(ax.transData.transform([(0.3, 10_000), (0.3, 300)]))[:, 1]
    assert heights[0] < 0.9
    assert heights[1] > 0


def test_a_median_that_never_arrived_is_a_dashed_bound_not_a_value(ax):
    y = np.array([[np.inf, np.inf, 900], [400, np.inf, 300], [200, 210, 220]])
    median_line(ax, [0.3, 0.4, 0.5], y, budget=1000)
    solid, budget, dashed = ax.lines
    assert np.array_equal(solid.get_ydata(), [np.nan, 400, 210], equal_nan=True)
    assert budget.get_ydata()[0] == 1000
    assert np.array_equal(dashed.get_ydata(), [1000, 400, np.nan], equal_nan=True)
    assert dashed.is_dashed()


def test_if_nothing_arrived_at_all_it_still_draws(ax):
    median_line(ax, [0.1, 0.2], [[np.inf], [np.inf]])
    ax.figure.draw_without_rendering()
    assert legend(ax)[-1] == "not reached (2 of 2)"


def test_two_series_share_the_axes(ax):
    median_line(ax, [0.4, 0.6], [[np.inf, 900], [500, 400]], budget=1000, label="network")
    median_line(ax, [0.4, 0.6], [[2000], [100]], color=PALETTE[1], label="theory")
    assert legend(ax)[0] == "network"
    assert "theory" in legend(ax)


def test_shapes_that_do_not_match_are_named(ax):
    with pytest.raises(ValueError, match=r"got x \(3,\) and y \(2,\)"):
        median_line(ax, [1, 2, 3], [1, 2])
