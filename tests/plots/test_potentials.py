import numpy as np
import pytest
from matplotlib.colors import to_rgba
from PIL import Image

from nucleate.plots import animate_repons, number_lines, plane_configuration, potential_curves, surface

R = np.linspace(-1, 1, 21)


def test_the_average_is_drawn_and_its_quadratic_part_marked(ax):
    potential_curves(ax, R, [R**2, 3 * R**2], best=1, quadratic=0.5)
    first, second, best, average, quadratic = (line.get_ydata() for line in ax.lines)
    assert np.array_equal(first, R**2)
    assert np.array_equal(second, best)
    assert average == pytest.approx(2 * R**2)
    assert ax.lines[-1].get_xdata() == pytest.approx(R[np.abs(R) <= 0.5])
    assert quadratic == pytest.approx(2 * R[np.abs(R) <= 0.5] ** 2)


def test_displacements_lie_below_all_curves(ax):
    potential_curves(ax, R, [R**2 - 1], seen={"canonical": [0.2, 0.3], "other": [-0.5]})
    places = [np.asarray(dots.get_offsets()) for dots in ax.collections]
    assert [dots[:, 0].tolist() for dots in places] == [[0.2, 0.3], [-0.5]]
    assert max(dots[:, 1].max() for dots in places) < -1
    assert places[0][0, 1] != places[1][0, 1]


def test_curves_of_the_wrong_length_are_named(ax):
    with pytest.raises(ValueError, match=r"must be \[fit, point=21\]; got \(2, 3\)"):
        potential_curves(ax, R, np.zeros((2, 3)))


def test_rows_of_values_are_x(ax):
    mesh = surface(ax, R, R[:, None] + 0 * R + 1)
    colors = np.asarray(mesh.get_array())
    assert np.all(np.diff(colors, axis=1) > 0)
    assert np.allclose(np.diff(colors, axis=0), 0)


def test_a_potential_of_both_signs_is_white_at_zero(ax):
    mesh = surface(ax, R, R[:, None] + 0 * R + 0.5)
    assert (mesh.norm.vmin, mesh.norm.vmax) == pytest.approx((-1.5, 1.5))
    assert min(mesh.to_rgba(0.0)[:3]) > 0.96
    red, blue = mesh.to_rgba(1.5), mesh.to_rgba(-1.5)
    assert red[0] > red[2]
    assert blue[0] < blue[2]


def test_a_potential_of_one_sign_is_sequential(ax):
    mesh = surface(ax, R, R[:, None] ** 2 + R**2)
    lightness = mesh.to_rgba(np.linspace(0, 2, 9))[:, :3] @ [0.299, 0.587, 0.114]
    assert np.all(np.diff(lightness) > 0)


def test_tokens_have_their_numbers_where_they_are(ax):
    number_lines(ax, {"low": [0.0, 2.0, 1.0], "high": [5.0, 4.0, 3.0]})
    numbers = [(text.get_text(), *text.xy) for text in ax.texts if text.get_text().isdigit()]
    assert sorted(numbers) == [
        ("0", 0.0, 0),
        ("0", 5.0, -1),
        ("1", 2.0, 0),
        ("1", 4.0, -1),
        ("2", 1.0, 0),
        ("2", 3.0, -1),
    ]


def test_numbers_of_close_tokens_do_not_overlap(ax, overlapping):
    number_lines(ax, {"close": np.arange(10) / 9})
    assert overlapping([text for text in ax.texts if text.get_text().isdigit()]) == 0


def test_a_plane_joins_tokens_in_order_on_equal_scales(ax):
    positions = np.array([[0.0, 0.0], [2.0, 1.0], [1.0, 5.0]])
    plane_configuration(ax, positions)
    assert ax.lines[0].get_xydata().tolist() == positions.tolist()
    assert ax.get_aspect() == 1
    assert len({to_rgba(color) for color in ax.collections[0].get_facecolors()}) == 3


def test_a_film_has_a_frame_for_each_step(tmp_path):
    motions = {"network": [[0.0, 1.0], [0.0, 1.5], [0.0, 2.0]], "flow": [[0.0, 1.0], [0.0, 1.4], [0.0, 1.8]]}
    path = animate_repons(tmp_path / "film.gif", [0, 5, 10], motions, {"attractive": (R, R**2, [[1.0, -1.0]])})
    with Image.open(path) as film:
        assert film.n_frames == 3


def test_a_film_names_a_motion_of_the_wrong_length(tmp_path):
    with pytest.raises(ValueError, match=r"'network' must be \[frame=2, token\]; got \(3, 1\)"):
        animate_repons(tmp_path / "film.gif", [0, 1], {"network": np.zeros((3, 1))}, {})
