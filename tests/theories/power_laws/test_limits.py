"""Limits are broadcast to the histories, and a recorded one must be there."""

import numpy as np
import pytest
import xarray as xr

from nucleate.theories import FreeLimit, KnownLimit, PowerLaw, RecordedLimit

LIKE = xr.DataArray(np.ones((3, 2)), dims=("head", "member"))
RECORD = xr.Dataset(
    {"c": (("member", "step"), np.ones((2, 6))), "c_star": ("member", [1.0, 2.0])}, coords={"step": np.arange(6)}
)


def test_each_history_has_its_limit_whatever_the_order_of_axes():
    assert RecordedLimit("c_star").of(RECORD, LIKE).tolist() == [[1.0, 2.0]] * 3
    assert KnownLimit(0.5).of(RECORD, LIKE).tolist() == [[0.5, 0.5]] * 3
    assert np.isnan(FreeLimit().of(RECORD, LIKE)).all()


def test_only_a_recorded_limit_needs_a_variable():
    assert KnownLimit().needs == FreeLimit().needs == ()
    with pytest.raises(ValueError, match="missing: 'c_star', the limit of each history"):
        PowerLaw("c", limit=RecordedLimit("c_star")).fit(RECORD.drop_vars("c_star"))
    with pytest.raises(ValueError, match=r"The limit 'c' is over \('member', 'step'\), the histories only over"):
        PowerLaw("c", limit=RecordedLimit("c")).fit(RECORD)
