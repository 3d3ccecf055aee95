"""Whether an array is the adjacency of a simple, connected graph."""

import numpy as np


def refuse_unless_connected(name: str, adjacency: np.ndarray) -> None:
    """Refuse what is no simple graph, and a graph with two vertices that no path joins, which are then named.

    `name`: what errors begin with.

    >>> refuse_unless_connected("line_graph: adjacency", np.array([[0, 1, 0], [1, 0, 0], [0, 0, 0]]))
    Traceback (most recent call last):
    ValueError: line_graph: adjacency must be that of a connected graph; no path joins vertices 0 and 2.
    """
    shape = adjacency.shape
    if adjacency.ndim != 2 or shape[0] != shape[1] or not shape[0]:
        raise ValueError(f"{name} must be square, with a row for each vertex; got an array of shape {shape}.")
    if not np.isin(adjacency, (0, 1)).all():
        raise ValueError(f"{name} must consist of zeros and ones; got {adjacency.dtype} with other numbers.")
    if loops := np.flatnonzero(np.diag(adjacency)).tolist():
        raise ValueError(f"{name} must have no edge from a vertex to itself; vertex {loops[0]} has one.")
    if len(one_way := np.argwhere(adjacency != adjacency.T)):
        u, v = one_way[0].tolist()
        raise ValueError(f"{name} must be symmetric; it has an edge between {u} and {v} in one direction only.")
    reached, before = np.arange(len(adjacency)) == 0, 0
    while before < (before := int(reached.sum())):
        reached = reached | adjacency.astype(bool)[reached].any(0)
    if not reached.all():
        raise ValueError(
            f"{name} must be that of a connected graph; no path joins vertices 0 and {int(np.argmin(reached))}."
        )
