import numpy as np
import pytest
import xarray as xr

from nucleate.plots import PHASE_COLORS, phase_diagram

RATES = np.logspace(-5, -2, 13)


def tick_labels(axis):
    axis.axes.figure.draw_without_rendering()
    low, high = sorted(axis.get_view_interval())
    return [tick.label1.get_text() for tick in axis.get_major_ticks() if low <= tick.get_loc() <= high]


@pytest.fixture
def votes():
    rng = np.random.default_rng(0)
    ballots = rng.integers(0, 4, (13, 13, 5))
    counts = (ballots[..., None] == np.arange(4)).sum(-2)
    return counts.argmax(-1), counts.max(-1) / 5


def test_a_cell_for_each_pair_and_a_share_for_each_split_vote(ax, votes):
    winner, share = votes
    mesh = phase_diagram(ax, winner, share, RATES, RATES, xlog=True, ylog=True)
    assert mesh.get_array().shape == (13, 13, 3)
    assert len(ax.texts) == np.sum(share < 1)
    assert {text.get_text() for text in ax.texts} == {f"{value:.0%}" for value in share[share < 1]}


def test_a_unanimous_cell_has_the_full_colour_and_a_split_one_is_paler(ax):
    mesh = phase_diagram(ax, [[2, 2, 2]], [[1.0, 0.8, 0.4]], [1, 2, 3], [1])
    full, split, more_split = mesh.get_array()[0]
    memorization = PHASE_COLORS["memorization"]
    assert "#{:02x}{:02x}{:02x}".format(*np.round(full * 255).astype(int)) == memorization.lower()
    assert full.sum() < split.sum() < more_split.sum()


def test_rows_are_y_and_columns_are_x(ax):
    mesh = phase_diagram(ax, [[0, 1, 2], [3, 3, 3]], np.ones((2, 3)), [10, 20, 30], [1, 2])
    corners = mesh.get_coordinates()
    assert corners[0, :, 0].tolist() == [5, 15, 25, 35]
    assert corners[:, 0, 1].tolist() == [0.5, 1.5, 2.5]


def test_log_axes_are_labelled_with_powers_of_ten_at_their_place(ax, votes):
    phase_diagram(ax, *votes, RATES, RATES, xlog=True, ylog=True)
    for axis in (ax.xaxis, ax.yaxis):
        assert tick_labels(axis) == [rf"$\mathdefault{{10^{{{power}}}}}$" for power in (-5, -4, -3, -2)]
        assert axis.get_minorticklocs().size == 0


def test_a_short_log_axis_is_labelled_with_its_values(ax):
    phase_diagram(ax, [[0, 1, 2]], [[1, 1, 1]], [2e-4, 3e-4, 5e-4], [1], xlog=True)
    assert tick_labels(ax.xaxis) == ["0.0002", "0.0003", "0.0005"]


def test_a_short_log_axis_of_many_values_labels_some_of_them(ax, overlapping):
    values = np.logspace(-3.9, -3.1, 20)
    phase_diagram(ax, np.zeros((1, 20)), np.ones((1, 20)), values, [1], xlog=True)
    assert 4 <= len(tick_labels(ax.xaxis)) <= 8
    assert overlapping([tick.label1 for tick in ax.xaxis.get_major_ticks()]) == 0


def test_an_even_linear_axis_is_to_scale_with_real_values(ax):
    phase_diagram(ax, np.zeros((6, 1)), np.ones((6, 1)), [1], np.arange(0, 12, 2))
    assert tick_labels(ax.yaxis) == ["0", "2", "4", "6", "8", "10"]
    assert ax.get_yticks().tolist() == [0, 2, 4, 6, 8, 10]


def test_an_uneven_linear_axis_has_equal_cells_with_real_values(ax):
    decays = [0, 1, 2, 3, 5, 10, 20, 30, 50, 100, 200]
    mesh = phase_diagram(ax, np.zeros((11, 1)), np.ones((11, 1)), [1], decays)
    assert tick_labels(ax.yaxis) == [str(decay) for decay in decays]
    assert np.ptp(np.diff(mesh.get_coordinates()[:, 0, 1])) == 0


def test_long_axes_do_not_crowd_their_labels(ax, overlapping):
    values = np.linspace(0, 1, 40)
    phase_diagram(ax, np.zeros((1, 40)), np.ones((1, 40)), values, [1])
    assert overlapping([tick.label1 for tick in ax.xaxis.get_major_ticks()]) == 0


def test_the_legend_names_the_phases_outside_the_axes(ax, votes, extents):
    phase_diagram(ax, *votes, RATES, RATES, xlog=True, ylog=True)
    names = ax.get_legend().get_texts()
    assert [name.get_text() for name in names] == list(PHASE_COLORS)
    boxes = extents(names)
    assert boxes[:, 0].min() > ax.bbox.x1
    assert boxes[:, 2].max() <= ax.figure.bbox.x1


def test_missing_cells_are_hatched_and_named(ax):
    winner, share = [[0, -1], [-1, 3]], [[1, np.nan], [0, 0.6]]
    phase_diagram(ax, winner, share, [1, 2], [1, 2])
    assert sum(patch.get_hatch() is not None for patch in ax.patches) == 2
    assert [text.get_text() for text in ax.texts] == ["60%"]
    assert ax.get_legend().get_texts()[-1].get_text() == "no majority"


def test_the_legend_can_be_left_to_a_neighbour(ax):
    phase_diagram(ax, [[0]], [[1]], [3], [1e-3], ylog=True, legend=False)
    assert ax.get_legend() is None


def test_the_share_fits_its_cell(ax, votes, extents):
    phase_diagram(ax, *votes, RATES, RATES, xlog=True, ylog=True)
    boxes = extents(list(ax.texts))
    assert np.max(boxes[:, 2] - boxes[:, 0]) < ax.bbox.width / 13
    assert np.max(boxes[:, 3] - boxes[:, 1]) < ax.bbox.height / 13


def test_takes_xarray(ax):
    winner = xr.DataArray([[0, 1], [2, 3]], dims=("y", "x"), coords={"x": [1.0, 2.0], "y": [3.0, 4.0]})
    mesh = phase_diagram(ax, winner, xr.ones_like(winner, float), winner.x, winner.y)
    assert mesh.get_array().shape == (2, 2, 3)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"winner": [[0, 1, 2]]}, r"must be \[y, x\] = \(1, 2\); got \(1, 3\)"),
        ({"winner": [[0, 4]]}, r"phase codes must be −1 … 3; got \[0, 4\]"),
        ({"x": [2.0, 1.0]}, "x must be ascending"),
        ({"x": [0.0, 1.0], "xlog": True}, "x must be positive and ascending"),
    ],
)
def test_refuses_what_it_cannot_draw(ax, change, message):
    arguments = {"winner": [[0, 1]], "share": [[1, 1]], "x": [1.0, 2.0], "y": [1.0]} | change
    with pytest.raises(ValueError, match=message):
        phase_diagram(ax, **arguments)
