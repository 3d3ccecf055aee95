import numpy as np
import pytest

from nucleate.plots import trajectories


@pytest.fixture
def paths():
    """Ten tokens that start at random and end on a line."""
    step = np.linspace(0, 5000, 50)
    start, line = np.random.default_rng(0).normal(size=10), (np.arange(10) - 4.5) / 3
    return step, line + (start - line) * np.exp(-step / 400)[:, None]


def test_one_line_for_each_token_labelled_at_its_end(ax, paths, extents):
    step, values = paths
    lines = trajectories(ax, step, values, title="Network", ylabel="E", marks={"3 $n_h$": 1200})
    assert len(lines) == 10
    assert len({line.get_color() for line in lines}) == 10
    texts = [text.get_text() for text in ax.texts]
    assert texts == [*map(str, range(10)), "3 $n_h$"]
    boxes = extents(list(ax.texts[:10]))
    ends = ax.transData.transform(np.stack([np.full(10, step[-1]), values[-1]], axis=1))
    assert np.allclose(boxes[:, [1, 3]].mean(1), ends[:, 1], atol=2)
    assert ax.get_title(loc="left") == "Network"


def test_labels_of_collapsed_tokens_do_not_overlap(ax, paths, overlapping):
    step, values = paths
    trajectories(ax, step, 1e-3 * values, marks={"$n_h$": 400, "measured": 410})
    assert overlapping(list(ax.texts)) == 0


def test_a_token_that_diverged_is_labelled_at_its_last_value(ax):
    values = np.array([[0.0, 1.0, np.nan], [0.5, np.inf, np.nan], [0.7, np.nan, np.nan]])
    trajectories(ax, [0, 1, 2], values)
    assert [(text.get_text(), text.xy[1]) for text in ax.texts] == [("0", 0.7), ("1", 1.0)]


def test_a_single_step_draws(ax):
    trajectories(ax, [0], [[0.1, 0.2]])
    ax.figure.draw_without_rendering()


def test_wrong_shape_is_named(ax):
    with pytest.raises(ValueError, match=r"\[step=3, token\]; got \(2, 3\)"):
        trajectories(ax, [0, 1, 2], np.zeros((2, 3)))
