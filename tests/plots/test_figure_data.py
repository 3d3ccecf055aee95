"""What a figure shows can be had as numbers, whatever it is drawn with."""

import csv
import io

import numpy as np
import pytest
from matplotlib.collections import LineCollection

from nucleate.plots import figure_data, panels, save, style, value_map


def rows(figure) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(figure_data(figure))))


def told(row: dict[str, str]) -> tuple[str, ...]:
    return tuple(row[name] for name in ("series", "kind", "x", "y", "value"))


DRAWINGS = {
    "a line": (lambda ax: ax.plot([0, 1], [2, 3], label="loss"), [("loss", "line", "0", "2", "")]),
    "dots": (lambda ax: ax.plot([0], [2], "o"), [("points 1", "points", "0", "2", "")]),
    "a scatter": (lambda ax: ax.scatter([0, 1], [2, 3], c=[7, 8], label="r"), [("r", "points", "0", "2", "7")]),
    "a level": (lambda ax: ax.axhline(0.9), [("level 1", "level", "", "0.9", "")]),
    "a mark": (lambda ax: ax.axvline(0.4), [("level 1", "level", "0.4", "", "")]),
    "bars": (lambda ax: ax.bar([1, 2], [5, 6], bottom=[1, 1], label="b"), [("b", "bar", "1", "6", "5")]),
    "a histogram": (lambda ax: ax.hist([1, 1, 3], [0, 2, 4], label="h"), [("h", "bar", "1", "2", "2")]),
    "stairs": (lambda ax: ax.stairs([4, 5], [0, 2, 4]), [("step 1", "step", "1", "4", "")]),
    "an image": (lambda ax: ax.imshow([[1, 2], [3, 4]]), [("cell 1", "cell", "0", "0", "1")]),
    "an image upwards": (lambda ax: ax.imshow([[1, 2], [3, 4]], origin="lower"), [("cell 1", "cell", "0", "0", "1")]),
    "a mesh": (lambda ax: ax.pcolormesh([0, 2, 4], [0, 1], [[5.0, 6.0]]), [("cell 1", "cell", "1", "0.5", "5")]),
    "an arrow": (lambda ax: ax.quiver([0], [1], [2], [3]), [("arrow 1", "arrow", "0", "1", "")]),
    "segments": (
        lambda ax: ax.add_collection(LineCollection([[(0, 1), (2, 3)]])),
        [("segment 1", "segment", "0", "1", "")],
    ),
    "a band": (lambda ax: ax.fill_between([0, 1], [2, 2], [3, 4], label="s"), [("s", "area", "0", "3", "")]),
}


@pytest.mark.parametrize("drawing", DRAWINGS)
def test_everything_in_the_coordinates_of_the_data_is_read(drawing, ax):
    draw, first = DRAWINGS[drawing]
    draw(ax)
    assert [told(row) for row in rows(ax.figure)[:1]] == first


def test_all_points_of_an_image_are_where_they_are_drawn(ax):
    ax.imshow([[1, 2], [3, 4]], extent=(0, 4, 0, 2))
    assert [told(row)[2:] for row in rows(ax.figure)] == [
        ("1", "1.5", "1"),
        ("3", "1.5", "2"),
        ("1", "0.5", "3"),
        ("3", "0.5", "4"),
    ]


def test_what_is_hidden_or_not_of_the_data_is_left_out(ax):
    ax.plot([0, 1], [0, 1], transform=ax.transAxes)
    ax.plot([0, 1], [0, 1], visible=False)
    ax.scatter([0.5], [0.5], transform=ax.transAxes)
    ax.contour([[0, 1], [1, 2]])
    assert figure_data(ax.figure) == ""


def test_panels_have_their_titles_colour_bars_are_none_and_places_have_names():
    with style():
        figure, (left, right) = panels(1, 2)
        mesh = value_map(left, [[0.1, np.nan]], ["8", "∞"], ["small"], span=(0, 1), title="Map")
        figure.colorbar(mesh, ax=left)
        right.plot([1], [2], color="red")
        right.set_ylabel("loss")
    found = rows(figure)
    assert [(row["panel"], row["value"], row["x_label"], row["y_label"]) for row in found] == [
        ("1 Map", "0.1", "8", "small"),
        ("1 Map", "", "∞", "small"),
        ("2 loss", "", "", ""),
    ]
    assert found[-1]["color"] == "#ff0000"


def test_data_are_saved_beside_the_picture_and_old_ones_go(tmp_path):
    with style():
        figure, (ax,) = panels()
        empty = save(figure, tmp_path / "a.png")
    assert [file.name for file in tmp_path.iterdir()] == ["a.png"]
    ax.plot([0, 1], [2, 3])
    save(figure, empty)
    assert (tmp_path / "a.csv").read_text().startswith("panel,series,kind,x,y,value,color\n1,line 1,line,0,2,,")
    ax.clear()
    save(figure, empty)
    assert [file.name for file in tmp_path.iterdir()] == ["a.png"]
