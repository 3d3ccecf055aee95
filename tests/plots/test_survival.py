import numpy as np
import pytest
from matplotlib.colors import to_rgba

from nucleate.claims import share
from nucleate.plots import PALETTE, count_curve, fitness_plane, rate_curve, two_histograms


def legend(ax):
    return [text.get_text() for text in ax.get_legend().get_texts()]


def band(ax, index=0):
    """Lower and upper edge of a `fill_between`, over the x of its corners."""
    corners = ax.collections[index].get_paths()[0].vertices
    return {
        float(x): (corners[corners[:, 0] == x, 1].min(), corners[corners[:, 0] == x, 1].max()) for x in corners[:, 0]
    }


def test_counts_are_a_mean_with_its_band_over_dots_of_the_networks(ax):
    counts = np.random.default_rng(0).poisson([[2], [4], [6]], (3, 50))
    count_curve(ax, [17, 59, 97], counts, xlabel="p")
    assert ax.lines[0].get_ydata() == pytest.approx(counts.mean(axis=1))
    edges = band(ax)
    for position, sample in zip((17, 59, 97), counts, strict=True):
        low, high = edges[position]
        assert low < sample.mean() < high
        assert high - low == pytest.approx(3.92 * sample.std() / 50**0.5, rel=0.2)
    places = {(p, count) for p, row in zip((17, 59, 97), counts.tolist(), strict=True) for count in row}
    assert {tuple(dot) for dot in ax.collections[1].get_offsets().tolist()} == places
    assert ax.get_legend() is None


def test_the_area_of_a_dot_is_its_number_of_networks(ax):
    count_curve(ax, [17, 23], [[2, 2, 2, 3], [3, 3, 3, 3]])
    dots = ax.collections[1]
    assert dots.get_offsets().tolist() == [[17, 2], [17, 3], [23, 3]]
    assert dots.get_sizes() / dots.get_sizes()[1] == pytest.approx([3, 1, 4])
    assert [text.get_text() for text in ax.texts] == ["dot area: networks"]


def test_whole_numbers_have_no_fractional_ticks(ax):
    count_curve(ax, [3, 4, 5], [[2], [3], [3]])
    assert all(float(tick).is_integer() for tick in (*ax.get_xticks(), *ax.get_yticks()))


def test_a_log_axis_has_room_for_no_weight_decay_at_all(ax):
    count_curve(ax, [0, 0.1, 1, 10], np.ones((4, 5)), xlog=True)
    assert np.asarray(ax.collections[1].get_offsets())[:, 0].tolist() == [0, 0.1, 1, 10]
    ax.figure.draw_without_rendering()


def test_networks_in_which_nothing_separated_are_rings_and_counted(ax):
    hollow = [[False, True], [False, True]]
    count_curve(ax, [1, 2], [[3, 0], [4, 4]], hollow=hollow, note="not settled")
    discs, rings = ax.collections[1:]
    assert discs.get_offsets().tolist() == [[1, 3], [2, 4]]
    assert rings.get_offsets().tolist() == [[1, 0], [2, 4]]
    assert rings.get_sizes()[1] == 2 * discs.get_sizes()[1]  # around the disc of the network that settled
    assert rings.get_facecolors().size == 0
    assert legend(ax) == ["mean", "not settled (2 of 4)"]
    assert ax.lines[0].get_ydata().tolist() == [1.5, 4.0]


def test_diverged_networks_are_left_out_and_one_alone_has_no_band(ax):
    count_curve(ax, [1, 1, 2], [3, 5, np.nan])
    assert ax.lines[0].get_xdata().tolist() == [1]
    ax.clear()
    count_curve(ax, [1, 2], [[3], [5]])
    ax.figure.draw_without_rendering()
    assert ax.lines[0].get_ydata().tolist() == [3, 5]


def test_two_series_are_told_apart(ax):
    count_curve(ax, [1, 2], [[3, 4], [5, 6]], label="ours")
    count_curve(ax, [1, 2], [[3, 4], [5, 6]], label="theirs", color=PALETTE[1])
    assert legend(ax) == ["ours", "theirs"]
    assert len(ax.texts) <= 1


def test_counts_of_the_wrong_shape_are_named(ax):
    with pytest.raises(ValueError, match=r"got x \(3,\), counts \(2, 2\)"):
        count_curve(ax, [1, 2, 3], [[1, 2], [3, 4]])


def test_rates_have_wilsons_band(ax):
    rate_curve(ax, {"largest": ([0.0, 1.0], [10, 40], [50, 50])}, xlabel="r")
    assert ax.lines[0].get_ydata().tolist() == [0.2, 0.8]
    edges, wilson = band(ax), share(10, 50)
    assert edges[0.0] == pytest.approx((wilson.low, wilson.high))
    assert ax.get_ylim()[0] < 0 < 1 < ax.get_ylim()[1]
    assert ax.get_legend() is None


def test_no_trials_make_a_gap(ax):
    rate_curve(ax, {"a": ([0, 1, 2], [1, 0, 2], [2, 0, 2])})
    assert np.isnan(ax.lines[0].get_ydata()[1])
    ax.figure.draw_without_rendering()


@pytest.mark.parametrize("groups", [2, 10])
def test_every_line_has_its_colour_and_its_name(ax, groups):
    x = np.arange(5)
    rate_curve(ax, {f"embedding {n}": (x, x, np.full(5, 10)) for n in range(groups)})
    assert len({to_rgba(line.get_color()) for line in ax.lines}) == groups
    assert len(legend(ax)) == groups


def test_columns_that_do_not_match_are_named(ax):
    with pytest.raises(ValueError, match=r"of 'a' must be \[x\]; got \(2,\), \(1,\), \(2,\)"):
        rate_curve(ax, {"a": ([0, 1], [1], [2, 2])})


@pytest.fixture
def fitness():
    rng = np.random.default_rng(0)
    signal, gradient = rng.normal(87, 5, 300), rng.normal(-0.012, 0.003, 300)
    return signal, gradient, signal + 1500 * gradient > 75


def test_the_boundary_divides_survivors_from_the_dead(ax, fitness):
    fitness_plane(ax, *fitness, boundary=(1500, 1, -75))
    alive = fitness[2]
    assert legend(ax) == [f"dead ({np.sum(~alive)})", f"survived ({np.sum(alive)})", "boundary"]
    (line,) = ax.lines
    assert line.get_xdata() + 1500 * line.get_ydata() == pytest.approx([75, 75])
    assert np.isin(ax.collections[1].get_offsets()[:, 0], fitness[0][alive]).all()


def test_the_boundary_does_not_move_the_limits(ax, fitness):
    fitness_plane(ax, *fitness)
    limits = ax.get_xlim(), ax.get_ylim()
    ax.clear()
    fitness_plane(ax, *fitness, boundary=(1, 1, 1e6))
    assert (ax.get_xlim(), ax.get_ylim()) == limits


@pytest.mark.parametrize(("boundary", "direction"), [((0, 1, -87), "x"), ((1, 0, 0.012), "y")])
def test_a_boundary_may_ignore_either_measure(ax, fitness, boundary, direction):
    fitness_plane(ax, *fitness, boundary=boundary)
    along = ax.lines[0].get_xdata() if direction == "x" else ax.lines[0].get_ydata()
    assert along == pytest.approx([-boundary[2]] * 2)


def test_a_boundary_without_weights_is_refused(ax, fitness):
    with pytest.raises(ValueError, match="a non-zero weight"):
        fitness_plane(ax, *fitness, boundary=(0, 0, 1))


def test_fitness_leaves_out_what_is_not_finite(ax):
    fitness_plane(ax, [1, np.nan, 3], [1, 2, 3], [True, True, False])
    assert legend(ax) == ["dead (1)", "survived (1)"]


def test_fitness_of_different_shapes_is_refused(ax):
    with pytest.raises(ValueError, match=r"got \(1,\), \(2,\) and \(1,\)"):
        fitness_plane(ax, [1], [1, 2], [True])


def test_either_histogram_adds_up_to_one(ax, fitness):
    _, gradient, alive = fitness
    two_histograms(ax, gradient, alive, xlabel="gradient")
    for bars in ax.patches[::2]:
        assert np.sum(bars.get_data().values) == pytest.approx(1)
    medians = [line.get_xdata()[0] for line in ax.lines]
    assert medians == pytest.approx([np.median(gradient[~alive]), np.median(gradient[alive])])


def test_long_numbers_under_a_histogram_do_not_overlap(ax, fitness, overlapping):
    two_histograms(ax, fitness[1], fitness[2])
    assert overlapping([tick.label1 for tick in ax.xaxis.get_major_ticks()]) == 0


def test_a_histogram_without_survivors_says_so(ax):
    two_histograms(ax, [1.0, 2.0, np.nan], [False, False, True])
    assert legend(ax) == ["dead (2)", "survived (0)"]
    ax.figure.draw_without_rendering()


def test_values_and_status_must_match(ax):
    with pytest.raises(ValueError, match=r"got \(2,\), \(1,\)"):
        two_histograms(ax, [1, 2], [True])
