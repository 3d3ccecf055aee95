import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from nucleate.plots import end_labels, mark, spread

intervals = st.lists(st.tuples(st.floats(-100, 100), st.floats(0.1, 10)), min_size=1, max_size=12)


@given(intervals, st.floats(0, 2))
def test_spread_separates_and_keeps_the_order(intervals, gap):
    centres, sizes = np.array(intervals).T
    placed = spread(centres, sizes, gap=gap)
    order = np.argsort(centres, kind="stable")
    distances = np.diff(placed[order])
    needed = (sizes[order][1:] + sizes[order][:-1]) / 2 + gap
    assert np.all(distances >= needed - 1e-9)
    assert np.sum(placed - centres) == pytest.approx(0, abs=1e-8)


@given(intervals)
def test_spread_stays_within_when_there_is_room(intervals):
    centres, sizes = np.array(intervals).T
    placed = spread(centres, sizes, within=(-200.0, 200.0))
    assert np.all(placed - sizes / 2 >= -200 - 1e-9)
    assert np.all(placed + sizes / 2 <= 200 + 1e-9)


def test_spread_moves_nothing_that_is_already_apart():
    assert spread([3.0, 1.0, 2.0], [0.5, 0.5, 0.5]).tolist() == [3.0, 1.0, 2.0]


def test_spread_of_nothing_is_nothing():
    assert spread([], []).size == 0


@pytest.mark.parametrize("height", [3.8, 2.2])
def test_end_labels_do_not_overlap_at_any_height(ax, overlapping, extents, height):
    ax.figure.set_size_inches(4.8, height)
    labels = end_labels(ax, [0.5] * 6 + [0.52, 0.9], list("01234567"), ["k"] * 8, x=1.0)
    assert overlapping(labels) == 0
    boxes = extents(labels)
    assert np.all(np.diff(boxes[:, 1]) > 0)
    assert boxes[:, 0].min() > ax.bbox.x1
    assert boxes[:, 2].max() < ax.figure.bbox.x1


def test_mark_labels_sit_above_the_axes_and_below_the_title(ax, overlapping, extents):
    labels = mark(ax, {"$n_h$": 400, "measured": 420, "3 $n_h$": np.int64(430)})
    ax.set(xlim=(0, 5000), title="Trajectories")
    assert overlapping(labels) == 0
    boxes = extents(labels)
    assert boxes[:, 1].min() > ax.bbox.y1
    (title,) = extents([ax._left_title])
    assert boxes[:, 3].max() < title[1]
    assert boxes[:, 0].min() >= ax.bbox.x0 - 0.01


def test_mark_draws_a_line_at_each_position(ax):
    mark(ax, {"a": 1, "b": 2.5})
    assert [line.get_xdata()[0] for line in ax.lines] == [1, 2.5]
    assert mark(ax, {}) == []
