import contextlib
import struct
from threading import Barrier, Thread

import matplotlib
import numpy as np
import pytest
from matplotlib.colors import to_rgb

from nucleate.plots import FRACTION_MAP, PALETTE, PHASE_COLORS, panels, save, style, token_colors


def lightness(color):
    """CIE L* of a colour: what is left of it in a grey print."""
    rgb = np.array(to_rgb(color))
    linear = np.where(rgb <= 0.04045, rgb / 12.92, ((rgb + 0.055) / 1.055) ** 2.4)
    luminance = linear @ (0.2126, 0.7152, 0.0722)
    return 116 * np.cbrt(luminance) - 16 if luminance > 0.008856 else 903.3 * luminance


def seen_by_a_deuteranope(color):
    """Machado, Oliveira and Fernandes (2009), severity 1."""
    matrix = [
        [0.367322, 0.860646, -0.227968],
        [0.280085, 0.672501, 0.047413],
        [-0.011820, 0.042940, 0.968881],
    ]
    return np.clip(np.array(matrix) @ to_rgb(color), 0, 1)


def settings():
    """All but the backend, which matplotlib chooses when it is first asked for."""
    return {key: matplotlib.rcParams[key] for key in matplotlib.rcParams if key != "backend"}


@pytest.mark.parametrize("fails", [False, True])
def test_a_notebooks_backend_that_is_loaded_while_drawing_goes_on_showing_figures(fails):
    with matplotlib.rc_context({"interactive": False}):
        with contextlib.suppress(ZeroDivisionError), style():
            matplotlib.interactive(True)  # as it does then
            assert 1 / (not fails)
        assert matplotlib.is_interactive()


def test_style_overrides_the_users_settings_and_gives_them_back():
    with matplotlib.rc_context({"axes.spines.top": True, "font.size": 31.0, "lines.linestyle": "--"}):
        with style():
            assert not matplotlib.rcParams["axes.spines.top"]
            assert matplotlib.rcParams["font.size"] < 31
            assert matplotlib.rcParams["lines.linestyle"] == "-"
            assert matplotlib.rcParams["savefig.dpi"] == 200
        assert matplotlib.rcParams["font.size"] == 31
        assert matplotlib.rcParams["lines.linestyle"] == "--"


def test_threads_compute_with_and_the_settings_survive_them():
    before = settings()
    barrier, seen = Barrier(2), []

    def draw():
        barrier.wait()
        for _ in range(5):
            with style():
                panels()[0].draw_without_rendering()
                seen.append(matplotlib.rcParams["savefig.dpi"])

    threads = [Thread(target=draw) for _ in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert seen == [200] * 10
    assert settings() == before


def test_phases_are_told_apart_in_grey_and_by_the_colour_blind():
    assert list(PHASE_COLORS) == ["comprehension", "grokking", "memorization", "confusion"]
    shades = sorted(lightness(color) for color in PHASE_COLORS.values())
    assert np.diff(shades).min() > 9
    seen = [seen_by_a_deuteranope(color) for color in PHASE_COLORS.values()]
    distances = [np.linalg.norm(a - b) for i, a in enumerate(seen) for b in seen[:i]]
    assert min(distances) > 0.3


def test_palette_is_distinct_to_the_colour_blind():
    seen = [seen_by_a_deuteranope(color) for color in PALETTE]
    assert min(np.linalg.norm(a - b) for i, a in enumerate(seen) for b in seen[:i]) > 0.1


def test_the_fraction_map_grows_lighter_but_never_white():
    shades = [lightness(FRACTION_MAP(value)[:3]) for value in np.linspace(0, 1, 20)]
    assert np.all(np.diff(shades) > 0)
    assert shades[-1] < 88


@pytest.mark.parametrize("tokens", [1, 4, 10])
def test_every_token_has_its_own_colour(tokens):
    assert len(set(token_colors(tokens))) == tokens


def test_panels_come_in_reading_order():
    with style():
        figure, axes = panels(2, 3, size=(2, 1.5))
    assert figure.get_size_inches().tolist() == [6, 3]
    assert axes == figure.axes


def test_saved_at_200_dots_per_inch_and_still_usable(tmp_path):
    with style():
        figure, (ax,) = panels(size=(3, 2))
    path = save(figure, tmp_path / "new" / "figure.png")
    assert struct.unpack(">II", path.read_bytes()[16:24]) == (600, 400)
    ax.plot([0, 1])
    assert save(figure, path) == path
    assert sorted(file.name for file in path.parent.iterdir()) == ["figure.csv", "figure.png"]


def test_a_figure_that_cannot_be_drawn_leaves_the_old_file_alone(tmp_path):
    path = tmp_path / "figure.png"
    path.write_bytes(b"old")
    with style():
        figure, (ax,) = panels()
        ax.set_title("$\\frac{$")
    with pytest.raises(ValueError, match="frac"):
        save(figure, path)
    assert path.read_bytes() == b"old"
    assert len(list(tmp_path.iterdir())) == 1


def test_only_png(tmp_path):
    with style(), pytest.raises(ValueError, match=r"must end in \.png; got .*figure\.pdf"):
        save(panels()[0], tmp_path / "figure.pdf")
