"""Maps and films of attention along a sequence, and tables as heat maps."""

import numpy as np
import pytest
from PIL import Image

from nucleate.plots import animate_sequence, panels, sequence_attention, style, table_heat


def test_the_map_shows_the_attention_it_is_given():
    with style():
        _, (ax,) = panels()
        image = sequence_attention(ax, np.eye(3), text="abc", title="step 0", highest=0.5)
    np.testing.assert_array_equal(image.get_array(), np.eye(3))
    assert image.get_clim() == (0.0, 0.5)
    assert [label.get_text() for label in ax.get_yticklabels()] == ["a", "b", "c"]


def test_long_sequences_are_not_spelled_out():
    with style():
        _, (ax,) = panels()
        sequence_attention(ax, np.eye(50), text="x" * 50)
    assert "x" not in {label.get_text() for label in ax.get_xticklabels()}


def test_numbers_are_written_where_there_are_some():
    with style():
        _, (ax,) = panels()
        table_heat(ax, [[0.25, np.nan], [1.0, 0.5]], ["a", "b"], ["x", "y"])
    assert [text.get_text() for text in ax.texts] == ["0.25", "1.00", "0.50"]
    assert ax.texts[0].get_color() != ax.texts[1].get_color()  # white on dark, dark on bright


def test_a_film_has_a_frame_for_each_step(tmp_path):
    maps = np.random.default_rng(0).dirichlet(np.ones(4), size=(3, 4))
    path = animate_sequence(
        tmp_path / "film.gif", {"a": maps, "b": maps[::-1]}, [0, 5, 50], {"a": [3, 2, 1], "b": [1, 2, 3]}
    )
    with Image.open(path) as film:
        assert film.n_frames == 3


@pytest.mark.parametrize(
    ("draw", "why"),
    [
        (lambda ax: sequence_attention(ax, np.ones((2, 3))), r"must be \[query, key\]"),
        (lambda ax: sequence_attention(ax, np.ones((2, 2)), text="abc"), "must have 2 tokens; got 3"),
        (lambda ax: table_heat(ax, np.ones((2, 2)), ["a"], ["b"]), r"must be \[1 rows, 1 columns\]"),
        (lambda ax: animate_sequence("f.gif", {"a": np.ones((1, 2, 2))}, [0], {}), "needs a curve for each map"),
        (lambda ax: animate_sequence("f.gif", {"a": np.ones((1, 2, 2))}, [0, 1], {"a": [1]}), "for each of 2 steps"),
    ],
)
def test_what_does_not_fit_is_refused(draw, why):
    with style():
        _, (ax,) = panels()
        with pytest.raises(ValueError, match=why):
            draw(ax)
