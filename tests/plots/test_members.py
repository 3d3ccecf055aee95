"""Every member as a line."""

import numpy as np
import pytest

from nucleate.plots import member_curves, panels, style


def test_a_line_for_each_member_and_one_name_for_each_group():
    curves = {"training": np.ones((3, 4)), "validation": np.zeros((2, 4))}
    with style():
        _, (ax,) = panels()
        member_curves(ax, [0, 1, 10, 100], curves, threshold=0.6, xlog=True)
    assert len(ax.lines) == 6
    assert [text.get_text() for text in ax.get_legend().get_texts()] == ["training", "validation"]
    assert ax.lines[0].get_color() == ax.lines[2].get_color() != ax.lines[3].get_color()
    assert ax.get_xscale() == "symlog"


def test_curves_of_another_length_are_refused():
    with style(), pytest.raises(ValueError, match=r"'x' must be \[member, step=2\]; got \(3, 4\)"):
        member_curves(panels()[1][0], [0, 1], {"x": np.ones((3, 4))})
