"""Every figure is drawn, from tiny fleets."""

import numpy as np
import pytest
from PIL import Image

from nucleate.claims import Evidence
from nucleate.papers.grokking import PAPER, readings
from nucleate.papers.grokking.figures.dynamics import _make_room, figure_4cd
from nucleate.plots import Picture, panels, style


@pytest.mark.parametrize("figure", PAPER.figures, ids=lambda figure: figure.__name__)
def test_every_figure_is_drawn(figure, tiny, tmp_path):
    with style():
        picture = figure(tiny, tmp_path)
    assert isinstance(picture, Picture)
    assert picture.path.parent == tmp_path
    with Image.open(picture.path) as image:
        assert len(np.unique(np.asarray(image.convert("RGB")))) > 10
    assert picture.title.startswith("Fig. ")
    assert picture.caption.endswith(".")


def test_a_theory_that_could_not_be_fitted_is_not_drawn(tmp_path):
    assert figure_4cd(Evidence({}, None, known={readings.theory_test: None}), tmp_path) is None


def test_a_theory_beyond_the_networks_stays_inside_the_axes():
    _, (ax,) = panels()
    ax.set(yscale="log", ylim=(100, 1000))
    _make_room(ax, [10.0, 5000.0])
    low, high = ax.get_ylim()
    assert low < 10 < 5000 < high
