import numpy as np
import pytest

from nucleate.plots import elements, panels, style


def drawn(**options):
    angle = np.pi * np.array([0, 3, 1, 4, 2, 5]) / 3
    points = np.stack([np.cos(angle), np.sin(angle)], axis=1)
    with style():
        figure, (ax,) = panels()
        elements(ax, points, list("abcdef"), [1, 2, 2, 3, 3, 2], **options)
        figure.canvas.draw()
    return ax


def test_every_element_is_named_and_coloured_by_its_order():
    ax = drawn()
    assert [text.get_text() for text in ax.texts] == list("abcdef")
    assert [len(dots.get_offsets()) for dots in ax.collections] == [1, 3, 2]
    assert [text.get_text() for text in ax.get_legend().get_texts()] == ["1", "2", "3"]


def test_the_outline_joins_neighbours():
    (line,) = drawn(outline=True).lines
    corners = np.asarray(line.get_xydata())
    assert np.linalg.norm(np.diff(corners, axis=0), axis=1) == pytest.approx(np.ones(6))
    assert not drawn().lines


def test_points_and_names_must_fit():
    with style():
        _, (ax,) = panels()
        with pytest.raises(ValueError, match=r"elements: points must be \[token=1, 2\]"):
            elements(ax, np.zeros((2, 2)), ["a"], [1])
