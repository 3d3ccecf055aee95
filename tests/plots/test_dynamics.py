import numpy as np
import pytest
from matplotlib.colors import to_rgba

from nucleate.plots import (
    PALETTE,
    fit_curve,
    fits_grid,
    interaction_matrix,
    loss_curves,
    panels,
    style,
    survivor_colors,
)


def legend(ax):
    return [text.get_text() for text in ax.get_legend().get_texts()]


@pytest.fixture
def sparse():
    rng = np.random.default_rng(0)
    matrix = 1e-3 * rng.normal(size=(29, 29)) * (rng.random((29, 29)) < 0.1)
    return matrix - np.diag(np.full(29, 0.05))


@pytest.fixture
def alive():
    return np.isin(np.arange(29), [4, 17, 18, 22])


def test_colours_are_centred_at_zero_and_not_ruled_by_the_diagonal(ax, sparse):
    mesh = interaction_matrix(ax, sparse)
    assert mesh.norm.vmin == -mesh.norm.vmax
    assert 1e-4 < mesh.norm.vmax < 5e-3
    assert mesh.cmap(mesh.norm(0.0))[:3] == pytest.approx((0.97,) * 3, abs=0.01)
    red, _, blue, _ = mesh.cmap(mesh.norm(-1e-3))
    assert red > blue


def test_a_masked_diagonal_is_not_drawn(ax, sparse):
    mesh = interaction_matrix(ax, sparse, mask_diagonal=True)
    assert np.array_equal(np.ma.getmaskarray(mesh.get_array()), np.eye(29, dtype=bool))
    assert np.isfinite(sparse).all(), "the caller's matrix must stay as it was"


def test_survivors_are_named_in_their_colours_on_both_axes(ax, sparse, alive, overlapping):
    interaction_matrix(ax, sparse, alive)
    for axis in (ax.xaxis, ax.yaxis):
        labels = sorted(axis.get_ticklabels(which="both"), key=lambda label: int(label.get_text()))
        assert [label.get_text() for label in labels] == ["5", "18", "19", "23"]
        assert [label.get_color() for label in labels] == [c for c in survivor_colors(alive) if c in PALETTE]
        assert overlapping(list(labels)) == 0


def test_rows_run_downwards_as_a_matrix_is_written(ax, sparse):
    interaction_matrix(ax, sparse)
    bottom, top = ax.get_ylim()
    assert (bottom, top) == (29.5, 0.5)


def test_the_bar_says_which_end_is_which(ax, sparse):
    interaction_matrix(ax, sparse, clabel="per step")
    bar = ax.figure.axes[-1]
    assert [text.get_text() for text in bar.texts] == ["collaboration", "competition"]
    assert bar.get_ylabel() == "per step"


@pytest.mark.parametrize("matrix", [np.zeros((3, 3)), -np.eye(4), [[np.nan]]])
def test_a_matrix_of_nothing_draws(ax, matrix):
    interaction_matrix(ax, matrix, mask_diagonal=True)
    ax.figure.draw_without_rendering()


def test_matrices_of_the_wrong_shape_are_named(ax):
    with pytest.raises(ValueError, match=r"\[freq, freq\]; got \(2, 3\)"):
        interaction_matrix(ax, np.zeros((2, 3)))
    with pytest.raises(ValueError, match=r"alive must be \[freq=2\]; got \(3,\)"):
        interaction_matrix(ax, np.zeros((2, 2)), [True] * 3)


def test_a_fit_is_drawn_over_what_it_fits(ax):
    fit_curve(ax, [0, 1], [2, 1], {"linear": [2, 1.1], "Lasso": [2, 0.9]}, title="$k$ = 23")
    assert [line.get_label() for line in ax.lines] == ["measured", "linear", "Lasso"]
    measured, linear, lasso = ax.lines
    assert measured.get_linewidth() > linear.get_linewidth()
    assert measured.get_zorder() < linear.get_zorder()
    assert linear.get_color() != lasso.get_color()
    assert linear.get_linestyle() != lasso.get_linestyle()


def test_a_fit_of_another_length_is_named(ax):
    with pytest.raises(ValueError, match=r"linear must be \[step=2\]; got \(3,\)"):
        fit_curve(ax, [0, 1], [2, 1], {"linear": [2, 1.1, 1]})


@pytest.fixture
def paths(alive):
    step = np.linspace(0, 3000, 20)
    return step, np.where(alive, 100.0, 87 * np.exp(-step[:, None] / 400)), alive


def grid(rows, columns, paths):
    step, observed, alive = paths
    with style():
        figure, axes = panels(rows, columns, size=(1.9, 1.5))
        fits_grid(axes, step, observed, {"linear": observed + 1}, alive)
        figure.draw_without_rendering()
    return figure, axes


def test_all_frequencies_are_on_one_scale_each_with_its_name(paths):
    _, axes = grid(5, 6, paths)
    assert [ax.texts[0].get_text() for ax in axes[:29]] == [f"$k$ = {k}" for k in range(1, 30)]
    assert len({ax.get_ylim() for ax in axes[:29]}) == 1
    colors = survivor_colors(paths[2])
    assert to_rgba(axes[22].lines[0].get_color()) == to_rgba(colors[22])
    for ax, highest in zip(axes[:29], paths[1].max(axis=0), strict=True):
        name = ax.texts[0].get_window_extent()
        assert ax.transData.transform((0, highest))[1] < name.y0


def test_the_spare_panel_has_the_legend(paths):
    figure, axes = grid(5, 6, paths)
    assert legend(axes[29]) == ["measured", "linear"]
    assert not axes[29].axison
    assert not figure.legends


def test_without_a_spare_panel_the_legend_is_above(paths):
    step, observed, alive = paths
    figure, axes = grid(1, 3, (step, observed[:, :3], alive[:3]))
    assert all(ax.get_legend() is None for ax in axes)
    assert len(figure.legends) == 1


def test_only_the_outer_panels_have_numbers(paths):
    _, axes = grid(5, 6, paths)
    left = [ax.yaxis.get_major_ticks()[0].label1.get_visible() for ax in axes[:29]]
    assert left == [index % 6 == 0 for index in range(29)]


def test_too_few_panels_or_a_wrong_shape_are_named(ax, paths):
    step, observed, alive = paths
    with pytest.raises(ValueError, match="axes must be at least 29, one per frequency; got 1"):
        fits_grid([ax], step, observed, {}, alive)
    with pytest.raises(ValueError, match=r"linear must be \[step=20, freq=29\]; got \(20, 1\)"):
        fits_grid([ax], step, observed, {"linear": observed[:, :1]}, alive)


def test_losses_are_a_median_between_quartiles(ax):
    loss = np.arange(1.0, 6.0)[:, None] * [1.0, 0.1]
    loss_curves(ax, [0, 1000], {"one circle": loss})
    assert ax.lines[0].get_ydata() == pytest.approx([3, 0.3])
    corners = ax.collections[0].get_paths()[0].vertices
    assert {2.0, 4.0} <= set(corners[corners[:, 0] == 0, 1].tolist())
    assert (ax.get_yscale(), legend(ax)) == ("log", ["one circle (5)"])


def test_a_diverged_network_counts_as_the_worst(ax):
    loss_curves(ax, [0, 1], {"a": [[1.0, 1.0], [2.0, np.nan], [3.0, np.inf]]}, ylog=False)
    median = ax.lines[0].get_ydata()
    assert median[0] == 2.0
    assert np.isnan(median[1])
    assert ax.get_ylim()[0] == 0
    ax.figure.draw_without_rendering()


def test_a_loss_of_zero_and_step_zero_fit_on_log_axes(ax):
    loss_curves(ax, [0, 1, 10, 100], {"a": [[4.0, 1.0, 0.1, 0.0]]}, xlog=True)
    ax.figure.draw_without_rendering()
    assert ax.get_xlim()[0] == 0
    assert ax.get_ylim()[0] > 0


def test_groups_that_never_were_finite_draw(ax):
    loss_curves(ax, [0, 1], {"a": np.full((3, 2), np.nan)})
    ax.figure.draw_without_rendering()


def test_losses_of_the_wrong_shape_are_named(ax):
    with pytest.raises(ValueError, match=r"'a' must be \[member, step=2\]; got \(3, 1\)"):
        loss_curves(ax, [0, 1], {"a": np.ones((3, 1))})
