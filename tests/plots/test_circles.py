import numpy as np
import pytest
from matplotlib.collections import LineCollection
from matplotlib.colors import to_rgba

from nucleate.plots import PALETTE, circle, panels, reach, signal_curves, snapshots, style, survivor_colors

DEAD = "#B4B8BE"


def ring(tokens, k, radius=1.0):
    angle = 2 * np.pi * k * np.arange(tokens) / tokens
    return radius * np.stack([np.cos(angle), np.sin(angle)], axis=1)


@pytest.fixture
def signals():
    """29 frequencies, of which 4 survive; a fast one is exactly 0 in the end."""
    step = np.arange(0, 3001, 50)
    alive = np.isin(np.arange(29), [4, 17, 18, 22])
    rate = np.where(alive, -1e-4, np.linspace(2e-3, 1e-2, 29))
    signal = 87 * np.exp(-step[:, None] * rate)
    signal[40:, 28] = 0
    return step, signal, alive


def dots(ax):
    return ax.collections[-1]


def joined(ax):
    return [collection for collection in ax.collections if isinstance(collection, LineCollection)]


def test_survivors_have_colours_of_their_own_and_the_dead_are_grey():
    colors = survivor_colors([True, False, True, True])
    assert colors[1] == DEAD
    assert len(set(colors)) == 4
    assert PALETTE[-1] not in survivor_colors([True] * 29)


def test_signals_are_lines_on_a_log_axis_with_survivors_named(ax, signals):
    step, signal, alive = signals
    lines = signal_curves(ax, step, signal, alive, ylabel="s")
    assert len(lines) == 29
    assert [line.get_color() == DEAD for line in lines] == (~alive).tolist()
    assert (ax.get_yscale(), ax.get_ylabel()) == ("log", "s")
    assert [text.get_text() for text in ax.texts] == ["$k$ = 5", "$k$ = 18", "$k$ = 19", "$k$ = 23", "25 dead"]


@pytest.mark.parametrize("xlog", [False, True])
def test_names_do_not_overlap_where_signals_coincide(ax, signals, overlapping, xlog):
    step, signal, _ = signals
    alive = np.ones(29, bool)
    alive[12:] = False
    signal_curves(ax, step, np.full_like(signal, 50.0), alive, xlog=xlog)
    assert overlapping(list(ax.texts)) == 0


def test_a_log_axis_of_steps_starts_at_step_zero(ax, signals):
    signal_curves(ax, *signals, xlog=True)
    assert tuple(ax.get_xlim()) == (0, 3000)
    assert np.isfinite(ax.transData.transform((0, 1))).all()


@pytest.mark.parametrize("value", [0.0, np.nan])
def test_signals_that_are_zero_or_not_numbers_do_not_break_the_axis(ax, signals, value):
    step, signal, alive = signals
    signal_curves(ax, step, np.full_like(signal, value), alive)
    ax.figure.draw_without_rendering()
    assert [text.get_text() for text in ax.texts] == ["25 dead"]


def test_a_survivor_is_named_where_it_was_last_seen(ax):
    signal_curves(ax, [0, 1, 2], [[1.0], [2.0], [np.nan]], [True])
    assert ax.texts[0].xy == (2, 2.0)


def test_labels_can_be_left_to_a_neighbour(ax, signals):
    signal_curves(ax, *signals, label_survivors=False)
    assert not ax.texts


def test_signals_of_the_wrong_shape_are_named(ax):
    with pytest.raises(ValueError, match=r"\[step=2, freq=3\]; got \(3, 2\)"):
        signal_curves(ax, [0, 1], np.ones((3, 2)), [True] * 3)


def test_neighbours_on_the_circle_are_joined_and_look_alike(ax):
    circle(ax, ring(59, 23), order=18)
    (lines,) = joined(ax)
    lengths = [np.linalg.norm(segment[0] - segment[1]) for segment in lines.get_segments()]
    assert lengths == pytest.approx([2 * np.sin(np.pi / 59)] * 59)
    colors = dots(ax).get_facecolors()
    steps = np.linalg.norm(colors - np.roll(colors, -18, axis=0), axis=1)
    assert steps.max() < 0.1
    assert len(np.unique(colors.round(4), axis=0)) == 59


def test_a_spacing_that_shares_a_factor_makes_several_loops(ax):
    circle(ax, ring(12, 1), order=4)
    assert sorted(len(loop.get_segments()) for loop in joined(ax)) == [3, 3, 3, 3]


def test_without_an_order_nothing_is_joined(ax):
    circle(ax, ring(7, 2), title="PC 1 and 2")
    assert not joined(ax)
    assert ax.get_title(loc="left") == "PC 1 and 2"


def test_the_axes_are_quiet_and_of_equal_scale(ax):
    circle(ax, [[3.0, 0.0], [0.0, -1.0]], numbers=False)
    assert ax.get_aspect() == 1
    assert ax.get_xlim() == ax.get_ylim() == pytest.approx((-3.24, 3.24))
    assert ax.get_xticks().size == 0
    assert not any(spine.get_visible() for spine in ax.spines.values())


@pytest.mark.parametrize(
    ("tokens", "numbers", "count"), [(13, None, 13), (59, None, 0), (13, False, 0), (59, True, 59)]
)
def test_few_tokens_are_numbered(ax, tokens, numbers, count):
    circle(ax, ring(tokens, 3), numbers=numbers)
    assert len(ax.texts) == count


def test_numbers_on_a_circle_are_all_seen_and_crowded_ones_hidden(ax, overlapping):
    circle(ax, ring(29, 3))
    assert overlapping(list(ax.texts)) == 0
    assert all(text.get_visible() for text in ax.texts)
    ax.clear()
    circle(ax, np.random.default_rng(0).normal(size=(29, 2)) * 0.1, limit=1)
    ax.figure.draw_without_rendering()
    shown = [text for text in ax.texts if text.get_visible()]
    assert 0 < len(shown) < 29
    assert overlapping(shown) == 0


def test_tokens_that_are_gone_are_left_out(ax):
    points = ring(5, 1)
    points[2] = np.nan
    circle(ax, points, order=1)
    ax.figure.draw_without_rendering()
    assert [text.get_text() for text in ax.texts] == ["0", "1", "3", "4"]
    circle(ax, np.full((5, 2), np.nan))
    ax.figure.draw_without_rendering()


@pytest.mark.parametrize("order", [0, 5, -1])
def test_an_impossible_spacing_is_named(ax, order):
    with pytest.raises(ValueError, match=f"between 1 and 4; got {order}"):
        circle(ax, ring(5, 1), order=order)


def test_points_of_the_wrong_shape_are_named(ax):
    with pytest.raises(ValueError, match=r"must be \[token, 2\]; got \(5, 3\)"):
        circle(ax, np.zeros((5, 3)))


def test_a_collapsing_circle_is_seen_to_shrink():
    points = np.stack([ring(59, 7, radius) for radius in (2.0, 0.5, 0.01)])
    with style():
        figure, axes = panels(1, 3, size=(2, 2))
        snapshots(axes, points, [0, 500, 20_000], order=17, label="dies")
        figure.draw_without_rendering()
    assert [ax.get_title(loc="left") for ax in axes] == ["step 0", "step 500", "step 20,000"]
    assert len({ax.get_xlim() for ax in axes}) == 1
    sizes = [np.ptp(ax.transData.transform(here)[:, 0]) for ax, here in zip(axes, points, strict=True)]
    assert sizes[0] > 3.9 * sizes[1] > 100 * sizes[2]
    assert axes[0].get_ylabel() == "dies"


def test_two_rows_may_share_a_limit_and_name_their_steps_once():
    first, second = np.ones((1, 5, 2)), np.full((1, 5, 2), 3.0)
    limit = reach(first, second)
    with style():
        _, axes = panels(2, 1)
        snapshots(axes[:1], first, [0], limit=limit)
        snapshots(axes[1:], second, [0], limit=limit, titles=False)
    assert axes[0].get_xlim() == axes[1].get_xlim()
    assert axes[1].get_title(loc="left") == ""


def test_snapshots_need_a_step_and_axes_each(ax):
    with pytest.raises(ValueError, match=r"got \(2, 5, 2\), 2 steps and 1 axes"):
        snapshots([ax], np.zeros((2, 5, 2)), [0, 1])


def test_reach_ignores_what_is_not_finite_and_is_never_zero():
    assert reach([[np.nan, np.inf], [1.0, -2.0]]) == pytest.approx(2.16)
    assert reach(np.zeros((3, 2))) == 1.0


def test_the_dead_grey_is_the_one_tested_here(ax):
    lines = signal_curves(ax, [0, 1], [[1.0], [0.5]], [False])
    assert to_rgba(lines[0].get_color()) == to_rgba(DEAD)
