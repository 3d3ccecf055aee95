"""Points of several classes."""

import numpy as np
import pytest

from nucleate.plots import class_points, panels, style


def test_numbers_stand_at_the_means():
    points, label = np.random.default_rng(0).normal(size=(50, 2)), np.arange(50) % 3
    with style():
        _, (ax,) = panels()
        class_points(ax, points, label, title="step 3")
    assert [text.get_text() for text in ax.texts] == ["0", "1", "2"]
    assert ax.texts[1].get_position() == pytest.approx(points[label == 1].mean(0))
    assert len({tuple(color) for color in ax.collections[0].get_facecolors()}) == 3


def test_points_of_another_shape_are_refused():
    with style(), pytest.raises(ValueError, match=r"points must be \[point=3, 2\]; got \(3, 5\)"):
        class_points(panels()[1][0], np.zeros((3, 5)), [0, 1, 2])
