"""What every test of a figure needs: blank axes in the house style, and where text ends up once drawn."""

import numpy as np
import pytest
from matplotlib.text import Text

from nucleate.plots import panels, style


@pytest.fixture
def ax():
    with style():
        _, (axes,) = panels()
        yield axes


@pytest.fixture
def extents():
    """Lay the figure out; return the box of each text as rows of (left, bottom, right, top), in pixels."""

    def measure(texts):
        figure = texts[0].figure
        figure.draw_without_rendering()
        return np.array([Text.get_window_extent(text).extents for text in texts])

    return measure


@pytest.fixture
def overlapping(extents):
    """How many pairs of texts lie on each other."""

    def count(texts):
        boxes = extents(texts)
        low = np.maximum(boxes[:, None, :2], boxes[None, :, :2])
        high = np.minimum(boxes[:, None, 2:], boxes[None, :, 2:])
        return int(np.triu((high - low > 0.01).all(-1), 1).sum())

    return count
