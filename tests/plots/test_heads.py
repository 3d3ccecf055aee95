from itertools import pairwise

import numpy as np
import pytest

from nucleate.plots import count_bars, interval_rows, law_curve, panels, score_histogram, second_curve, style


def test_every_column_of_the_histogram_has_all_heads(ax):
    rng = np.random.default_rng(0)
    step = np.array([0, 1, 10, 100, 400])
    mesh = score_histogram(ax, step, rng.uniform(size=(5, 30)), bins=20)
    share = np.asarray(mesh.get_array())
    assert share.shape == (20, 5)
    assert share.sum(0) == pytest.approx(np.ones(5))
    assert tuple(ax.get_ylim()) == (0, 1)
    assert tuple(ax.get_xlim()) == (0, 400)


def test_dense_clusters_share_the_darkest_colour(ax):
    score = np.concatenate([np.full((4, 90), 0.01), np.linspace(0.1, 0.99, 40) * np.ones((4, 1))], axis=1)
    mesh = score_histogram(ax, [0, 1, 2, 3], score, bins=20)
    assert mesh.get_clim()[1] < np.asarray(mesh.get_array()).max()
    assert np.allclose(mesh.cmap(mesh.norm(0.0)), 1)  # an empty bin is white


@pytest.mark.parametrize("score", [np.full((2, 3), np.nan), np.full((2, 3), 0.5)])
def test_scores_that_are_equal_or_unknown_can_be_drawn(ax, score):
    score_histogram(ax, [0, 1], score)
    ax.figure.draw_without_rendering()


def test_scores_of_another_shape(ax):
    with pytest.raises(ValueError, match=r"score must be \[step=2, head\]; got \(3, 1\)"):
        score_histogram(ax, [0, 1], np.zeros((3, 1)))


def test_bars_are_stacked_and_do_not_overlap(ax):
    true, partial = np.array([[0, 1], [2, 3]]), np.array([[1, 1], [0, 4]])
    count_bars(ax, {"true": true, "partial": partial}, most=8)
    spans = sorted((bar.get_x(), bar.get_x() + bar.get_width()) for bar in ax.patches)[::2]
    assert all(left[1] <= right[0] for left, right in pairwise(spans))
    tops = {round(bar.get_x(), 6): 0.0 for bar in ax.patches}
    for bar in ax.patches:
        tops[round(bar.get_x(), 6)] = max(tops[round(bar.get_x(), 6)], bar.get_y() + bar.get_height())
    assert [tops[x] for x in sorted(tops)] == [1, 2, 2, 7]
    assert ax.get_ylim()[1] >= 8


def test_counts_of_different_shapes(ax):
    with pytest.raises(ValueError, match=r"counts must all be \[network, block\]; got \[\(1, 2\), \(2,\)\]"):
        count_bars(ax, {"true": [[0, 1]], "partial": [0, 1]})


def test_laws_lie_on_the_curve_they_were_fitted_to(ax):
    step = np.arange(0, 1001, 10)
    value = -2.0 * np.maximum(step, 1) ** -0.25
    law_curve(ax, step, value, [(100, 1000, 0.25, np.log(2.0))], level=-0.1)
    curve, _, law = ax.lines
    assert 0 not in curve.get_xdata()
    assert law.get_ydata() == pytest.approx(np.interp(law.get_xdata(), curve.get_xdata(), curve.get_ydata()))
    assert (ax.get_xscale(), ax.get_yscale()) == ("log", "log")
    assert [text.get_text() for text in ax.texts] == ["−0.25"]
    assert ax.get_ylim()[0] < 0.1  # the level is seen


@pytest.mark.parametrize(("named", "texts"), [(0, []), (1, ["−0.50"]), (3, ["1.00", "−0.50"])])
def test_the_last_laws_are_named(ax, named, texts):
    law_curve(ax, [1, 10, 100], [0.1, 1.0, 0.3], [(1, 10, -1.0, -2.3), (10, 100, 0.5, 1.15)], named=named)
    assert [text.get_text() for text in ax.texts] == texts


def test_a_second_curve_leaves_out_what_is_not_known(ax):
    law_curve(ax, [1, 10, 100], [0.1, 0.2, 0.3])
    right = second_curve(ax, [0, 10, 100, 1000], [1.0, 2.0, np.nan, 4.0], [0.1] * 4, [True, True, True, False])
    ax.figure.draw_without_rendering()
    filled, hollow = [dots.get_offsets().tolist() for dots in right.collections[-2:]]
    assert filled == [[10.0, 2.0]]
    assert hollow == [[1000.0, 4.0]]
    assert ax.get_zorder() > right.get_zorder()


def test_shapes_are_checked(ax):
    with pytest.raises(ValueError, match=r"value must be \[step=2\]; got \(3,\)"):
        law_curve(ax, [1, 2], [0.1, 0.2, 0.3])
    with pytest.raises(ValueError, match=r"must be \[step=2\]; got \(2,\), \(1,\) and \(2,\)"):
        second_curve(ax, [1, 2], [0.1, 0.2], [0.3], [True, True])
    with pytest.raises(ValueError, match="one entry for each of 1 names"):
        interval_rows(ax, ["a"], [1.0, 2.0], [0.1, 0.1])


def test_values_beyond_the_axis_are_written_at_its_edge(ax):
    interval_rows(ax, ["a", "b", "c"], [-3.0, 0.1, 4.0], [0.1] * 3, within=(-1, 1), filled=[True, False, True])
    assert tuple(ax.get_xlim()) == (-1, 1)
    assert [(text.get_text(), text.get_position()) for text in ax.texts] == [("← −3.0", (-1, 0)), ("4.0 →", (1, 2))]


def test_no_rows_at_all():
    with style():
        figure, (ax,) = panels()
        interval_rows(ax, [], [], [], band=(-1, 0), within=(-1, 1))
        figure.draw_without_rendering()
