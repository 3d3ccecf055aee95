import numpy as np
import pytest

from nucleate.plots import graph_route, matched_points

SQUARE = np.array([[0, 0], [1, 0], [1, 1], [0, 1]])
EDGES = [[0, 1], [1, 2], [2, 3], [0, 3]]


def test_edges_and_routes_are_drawn(ax):
    graph_route(ax, SQUARE, EDGES, route=[0, 1, 2], shortest=[0, 3, 2], title="a square")
    assert len(ax.lines) == 5  # an edge each, and the shortest path
    assert len(ax.patches) == 2
    (dots,) = ax.collections
    assert len({tuple(color) for color in dots.get_facecolors()}) == 3  # source, target, others
    assert ax.get_title(loc="left") == "a square"


def test_a_graph_alone_has_no_source(ax):
    graph_route(ax, SQUARE, EDGES)
    (dots,) = ax.collections
    assert len({tuple(color) for color in dots.get_facecolors()}) == 1
    assert not ax.patches


def test_points_are_joined_with_their_targets(ax):
    matched_points(ax, SQUARE, SQUARE + 0.1, ["a", "b"])
    assert len(ax.lines) == 4
    assert np.ptp(np.asarray(ax.lines[0].get_xydata()), axis=0) == pytest.approx([0.1, 0.1])
    assert [text.get_text() for text in ax.texts] == ["a", "b"]


def test_shapes_must_fit(ax):
    with pytest.raises(ValueError, match=r"graph_route: positions must be \[vertex, 2\]"):
        graph_route(ax, [0, 1], EDGES)
    with pytest.raises(ValueError, match=r"matched_points: both must be \[point, 2\]"):
        matched_points(ax, SQUARE, SQUARE[:2])
