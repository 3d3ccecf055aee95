import numpy as np
import pytest
from matplotlib.collections import EllipseCollection, LineCollection
from matplotlib.colors import to_rgba
from PIL import Image

from nucleate.plots import PALETTE, animate_attention, attention_map, particles

POSITION = np.array([[1.0, 1.0], [2.0, 1.0], [5.0, 3.0]])
ATTENTION = np.array([[0.0, 0.9, 0.004], [0.6, 0.0, 0.1], [0.2, 0.3, 0.0]])
BOX = (6.0, 4.0)


def drawn(ax, kind):
    return [collection for collection in ax.collections if isinstance(collection, kind)]


def test_particles_are_as_large_as_they_are_in_the_box(ax):
    circles = particles(ax, POSITION, BOX, diameter=0.5)
    ax.figure.draw_without_rendering()
    assert circles.get_offsets().tolist() == POSITION.tolist()
    assert circles.get_widths().tolist() == [0.5] * 3
    unit = np.diff(ax.transData.transform([(0, 0), (1, 1)]), axis=0)[0]
    assert unit[0] == pytest.approx(unit[1])
    assert ax.patches[-1].get_bbox().size.tolist() == list(BOX)


def test_the_query_is_green_and_on_top(ax):
    circles = particles(ax, POSITION, BOX, query=0)
    assert circles.get_offsets().tolist()[-1] == POSITION[0].tolist()
    green = [np.allclose(color, to_rgba(PALETTE[2])) for color in circles.get_facecolors()]
    assert green == [False, False, True]


def test_lines_are_as_opaque_as_attention_and_the_faintest_are_left_out(ax):
    lines = attention_map(ax, POSITION, ATTENTION, BOX)
    assert lines.get_colors()[:, 3].tolist() == [0.1, 0.2, 0.3, 0.6, 0.9]
    assert lines.get_segments()[-1].tolist() == [[1.0, 1.0], [2.0, 1.0]]
    assert len(drawn(ax, EllipseCollection)) == 1


def test_only_what_the_query_attends_to(ax):
    lines = attention_map(ax, POSITION, ATTENTION, BOX, query=1)
    assert lines.get_colors()[:, 3].tolist() == [0.1, 0.6]
    assert all(segment[0].tolist() == [2.0, 1.0] for segment in lines.get_segments())


def test_what_is_not_finite_is_not_drawn(ax):
    lost = POSITION.copy()
    lost[2] = np.nan
    lines = attention_map(ax, lost, np.where(ATTENTION == 0.6, np.nan, ATTENTION), BOX)
    ax.figure.draw_without_rendering()
    assert lines.get_colors()[:, 3].tolist() == [0.9]


def test_nobody_is_attended_to(ax):
    assert not attention_map(ax, POSITION, np.zeros((3, 3)), BOX).get_segments()
    ax.figure.draw_without_rendering()


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ((POSITION[0], ATTENTION, BOX), "attention must be"),
        ((POSITION[:, :1], ATTENTION, BOX), r"position must be \[particle, 2\]; got \(3, 1\)"),
        ((POSITION, ATTENTION[:2], BOX), r"attention must be \[particle=3, particle\]; got \(2, 3\)"),
        ((POSITION, ATTENTION, (6.0, 0.0)), r"box must be \(width, height\), both positive"),
    ],
)
def test_bad_input_is_named(ax, arguments, message):
    with pytest.raises(ValueError, match=message):
        attention_map(ax, *arguments)


def test_a_query_that_is_not_there(ax):
    with pytest.raises(ValueError, match="query must be between 0 and 2; got 3"):
        particles(ax, POSITION, BOX, query=3)


def test_a_film_moves_particles_and_lines(tmp_path):
    motion = POSITION + np.array([0.0, 0.5])[:, None, None]
    looking = np.stack([ATTENTION, np.zeros((3, 3))])
    path = animate_attention(tmp_path / "film.gif", {"a": motion, "b": motion}, {"a": looking}, BOX, [0.0, 0.1])
    with Image.open(path) as film:
        assert film.n_frames == 2
        first = np.asarray(film.convert("RGB"), int)
        film.seek(1)
        second = np.asarray(film.convert("RGB"), int)
    colored = [(np.ptp(frame, axis=2) > 100).sum() for frame in (first, second)]
    assert colored[0] > 50
    assert colored[1] == 0
    middle = first.shape[1] // 2
    assert (np.ptp(first, axis=2) > 100)[:, middle:].sum() == 0


@pytest.mark.parametrize(
    ("motions", "attention", "times", "message"),
    [
        ({}, {}, [0.0], "at least 1 motion and frame; got 0 and 1"),
        ({"a": POSITION[None]}, {}, [0.0, 1.0], r"motions of 'a' must be \[frame=2, particle, 2\]; got \(1, 3, 2\)"),
        ({"a": POSITION[None]}, {"b": ATTENTION[None]}, [0.0], r"attention must have titles from \['a'\]; got 'b'"),
        ({"a": POSITION[None]}, {"a": ATTENTION[None, :2]}, [0.0], r"must be \[frame=1, particle=3, particle=3\]"),
    ],
)
def test_a_bad_film_is_named(tmp_path, motions, attention, times, message):
    with pytest.raises(ValueError, match=message):
        animate_attention(tmp_path / "film.gif", motions, attention, BOX, times)


def test_lines_are_a_collection_of_their_own(ax):
    attention_map(ax, POSITION, ATTENTION, BOX, title="B: step 100")
    assert len(drawn(ax, LineCollection)) == 1
    assert ax.get_title(loc="left") == "B: step 100"
