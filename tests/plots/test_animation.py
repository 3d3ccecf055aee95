from itertools import pairwise

import numpy as np
import pytest
from matplotlib.figure import Figure
from PIL import Image

from nucleate.plots import animate, animate_circles


def number(frame, size=1.0):
    figure = Figure(figsize=(size, 1))
    figure.text(0.5, 0.5, str(frame))
    return figure


def film(path):
    """The frames as RGB arrays, and for how many milliseconds each is shown."""
    frames, durations = [], []
    with Image.open(path) as image:
        assert image.info["loop"] == 0
        for frame in range(image.n_frames):
            image.seek(frame)
            frames.append(np.asarray(image.convert("RGB")))
            durations.append(image.info["duration"])
    return frames, durations


@pytest.fixture
def moving():
    """Two circles over six frames, one of which dies."""
    angle = 2 * np.pi * 3 * np.arange(11) / 11
    ring = np.stack([np.cos(angle), np.sin(angle)], axis=1)
    shrinking = np.geomspace(1, 1e-3, 6)
    points = {"dies": shrinking[:, None, None] * ring, "survives": np.linspace(0.5, 1, 6)[:, None, None] * ring}
    return points, np.arange(6) * 100, {"dies": 87 * shrinking, "survives": np.linspace(50, 90, 6)}


def test_every_frame_is_drawn_and_the_last_one_is_held(tmp_path):
    path = animate(tmp_path / "new" / "count.gif", 4, number, seconds=0.05, hold=2)
    frames, durations = film(path)
    assert durations == [50, 50, 50, 2000]
    assert all(np.any(a != b) for a, b in pairwise(frames))
    assert [file.name for file in path.parent.iterdir()] == ["count.gif"]


def test_equal_frames_are_one_that_is_shown_longer(tmp_path):
    _, durations = film(animate(tmp_path / "still.gif", 3, lambda _: number(7), seconds=0.1, hold=0.5))
    assert durations == [700]


def test_a_single_frame_is_enough(tmp_path):
    with Image.open(animate(tmp_path / "one.gif", 1, number)) as image:
        assert image.n_frames == 1


def test_paper_is_white(tmp_path):
    frames, _ = film(animate(tmp_path / "count.gif", 2, number))
    assert all(frame[0, 0].tolist() == [255, 255, 255] for frame in frames)


def test_one_figure_may_be_redrawn(tmp_path):
    figure = Figure(figsize=(1, 1))
    text = figure.text(0.5, 0.5, "")

    def draw(frame):
        text.set_text(str(frame))
        return figure

    assert len(film(animate(tmp_path / "same.gif", 3, draw))[0]) == 3


def test_a_frame_that_cannot_be_drawn_leaves_the_old_file_alone(tmp_path):
    path = tmp_path / "count.gif"
    path.write_bytes(b"old")

    def draw(frame):
        if frame == 2:
            raise RuntimeError("no such frame")
        return number(frame)

    with pytest.raises(RuntimeError, match="no such frame"):
        animate(path, 3, draw)
    assert path.read_bytes() == b"old"
    assert len(list(tmp_path.iterdir())) == 1


@pytest.mark.parametrize(
    ("name", "arguments", "message"),
    [
        ("count.png", {}, r"must end in \.gif; got .*count\.png"),
        ("count.gif", {"frames": 0}, "frames must be >= 1; got 0"),
        ("count.gif", {"seconds": 0.001}, ">= 0.02, as browsers require; got 0.001"),
        ("count.gif", {"draw": lambda frame: number(frame, 1 + frame)}, "same size in pixels"),
    ],
)
def test_refuses_what_it_cannot_write(tmp_path, name, arguments, message):
    with pytest.raises(ValueError, match=message):
        animate(tmp_path / name, **({"frames": 2, "draw": number} | arguments))
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("xlog", [False, True])
def test_circles_move_side_by_side_over_their_signals(tmp_path, moving, xlog):
    path = animate_circles(tmp_path / "circles.gif", *moving, order={"dies": 4}, xlog=xlog)
    frames, durations = film(path)
    assert len(frames) == 6
    assert durations[:-1] == [100] * 5
    assert frames[0].shape[1] == 800
    assert path.stat().st_size < 50_000 * len(frames)  # 3 MB for sixty frames


def test_the_layout_stands_still(tmp_path, moving):
    frames, _ = film(animate_circles(tmp_path / "circles.gif", *moving))
    below = np.stack(frames)[:, -40:]  # the numbers and the name of the x axis
    assert np.all(below == below[0])


def test_curves_of_their_own_stand_below_circles(tmp_path, moving):
    points, steps, _ = moving
    accuracy = {"train": np.linspace(0, 1, 6), "valid": np.linspace(0, 0.5, 6)}
    path = animate_circles(tmp_path / "learning.gif", points, steps, accuracy, ylog=False, ylabel="accuracy")
    frames, _ = film(path)
    assert len(frames) == 6
    assert np.any(frames[0][-150:] != frames[-1][-150:])


def test_a_signal_of_zero_stays_in_the_picture(tmp_path, moving):
    points, steps, signals = moving
    signals["dies"][-2:] = 0
    assert len(film(animate_circles(tmp_path / "circles.gif", points, steps, signals))[0]) == 6


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"points": {}}, "at least 1 circle and frame; got 0 and 6"),
        ({"steps": []}, "at least 1 circle and frame; got 2 and 0"),
        ({"steps": np.arange(5)}, r"points of 'dies' must be \[frame=5, token, 2\]; got \(6, 11, 2\)"),
        ({"signals": {"dies": np.ones(5), "survives": np.ones(6)}}, r"signals of 'dies' must be \[frame=6\]"),
    ],
)
def test_circles_and_signals_must_match(tmp_path, moving, change, message):
    arguments = dict(zip(("points", "steps", "signals"), moving, strict=True)) | change
    with pytest.raises(ValueError, match=message):
        animate_circles(tmp_path / "circles.gif", **arguments)
