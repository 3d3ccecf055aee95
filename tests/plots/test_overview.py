import numpy as np
import pytest
import xarray as xr

from nucleate.plots import end_maps, overview, style


def record(**variables):
    return xr.Dataset(variables, coords={"step": np.arange(5)})


def test_a_panel_for_each_history_with_every_member_and_the_median():
    loss = np.outer([1.0, 2.0, 9.0], 0.5 ** np.arange(5))
    loss[2, 3:] = np.nan
    data = record(loss=(("member", "step"), loss), rqi=(("member", "step"), loss), final=(("member",), loss[:, 0]))
    with style():
        figure = overview(data)
        figure.draw_without_rendering()
    assert [ax.get_title(loc="left") for ax in figure.axes] == ["loss", "rqi"]
    *members, median = figure.axes[0].lines
    assert len(members) == 3
    assert median.get_ydata() == pytest.approx([2, 1, 0.5, 1.5 / 8, 1.5 / 16])


def test_a_record_without_histories_is_refused():
    with style(), pytest.raises(ValueError, match="needs a variable over"):
        overview(record(final=(("member",), np.ones(3))))


def swept(losses, **columns):
    coords = {"step": np.arange(5)} | {name: ("member", column) for name, column in columns.items()}
    return xr.Dataset({"loss": (("member", "step"), losses)}, coords)


def test_the_median_is_over_seeds_and_not_over_what_was_swept():
    slow, fast = np.full((3, 5), 1.0), np.full((3, 5), 0.01)
    with style():
        figure = overview(swept(np.concatenate([slow, fast]), eta=[0.1] * 3 + [0.2] * 3, seed=range(6)))
        figure.draw_without_rendering()
    bold = [line for line in figure.axes[0].lines if line.get_lw() > 1]
    assert [line.get_ydata()[0] for line in bold] == [1.0, 0.01]
    assert bold[0].get_color() != bold[1].get_color()
    (legend,) = figure.legends
    assert legend.get_title().get_text() == "eta"
    assert [text.get_text() for text in legend.get_texts()] == ["0.1", "0.2"]


def test_of_many_values_a_few_are_named_with_the_first_and_the_last():
    etas = np.geomspace(1e-4, 1, 30)
    with style():
        figure = overview(swept(np.ones((30, 5)), eta=etas))
    named = [text.get_text() for text in figure.legends[0].get_texts()]
    assert (len(named), named[0], named[-1]) == (6, "0.0001", "1")


def test_where_two_were_swept_there_is_a_map_of_ends_without_those_that_diverged():
    losses = np.outer([1.0, 3.0, 8.0, 5.0, np.inf], np.ones(5))
    record = swept(losses, eta=[0.1, 0.1, 0.2, 0.1, 0.2], decay=[0, 0, 0, 1, 1], seed=range(5))
    with style():
        (ax,) = end_maps(record).axes
    assert (ax.get_xlabel(), ax.get_ylabel()) == ("eta", "decay")
    assert [text.get_text() for text in ax.texts] == ["2", "8", "5", "–"]
    assert end_maps(swept(losses, eta=range(5))) is None
    assert end_maps(swept(losses, eta=[0, 0, 1, 1, 0], decay=[0, 1, 0, 1, 0], width=[8, 8, 8, 8, 9])) is None
