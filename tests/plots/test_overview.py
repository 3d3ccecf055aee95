import numpy as np
import pytest
import xarray as xr

from nucleate.plots import overview, style


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
