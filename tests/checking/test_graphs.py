"""What is no simple, connected graph is refused, with what is wrong."""

import numpy as np
import pytest

from nucleate.checking import refuse_unless_connected


@pytest.mark.parametrize(
    ("adjacency", "why"),
    [
        (np.zeros((2, 3)), "must be square, with a row for each vertex"),
        (np.zeros((0, 0)), "must be square"),
        (np.array([[0, 2], [2, 0]]), "must consist of zeros and ones"),
        (np.array([[0, 1], [1, 1]]), "no edge from a vertex to itself; vertex 1 has one"),
        (np.array([[0, 1], [0, 0]]), "symmetric; it has an edge between 0 and 1 in one direction only"),
        (np.kron(np.eye(2), np.array([[0, 1], [1, 0]])), "no path joins vertices 0 and 2"),
    ],
)
def test_other_arrays_are_refused(adjacency, why):
    with pytest.raises(ValueError, match=f"graph .*{why}"):
        refuse_unless_connected("graph", adjacency)


@pytest.mark.parametrize("vertices", [1, 2, 6])
def test_connected_graphs_pass(vertices):
    path = np.eye(vertices, k=1) + np.eye(vertices, k=-1)
    refuse_unless_connected("graph", path)
    refuse_unless_connected("graph", path.astype(bool))
