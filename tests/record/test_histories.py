"""What members have in common, and where they ended."""

import numpy as np
import pytest
import xarray as xr

from nucleate.record import NEVER, Outcome, cells, ends, histories, swept


def fleet(**columns) -> xr.Dataset:
    return xr.Dataset(coords={name: ("member", list(column)) for name, column in columns.items()})


def test_scalars_come_by_name_and_only_without_them_arrays():
    embedding = (("member", "step", "token"), np.full((2, 3, 4), 2.0), {"long_name": "positions"})
    loss = (("member", "step_loss"), np.ones((2, 5)))
    record = xr.Dataset({"rqi": (("member", "step"), np.ones((2, 3))), "loss": loss, "embedding": embedding})
    assert list(histories(record)) == ["loss", "rqi"]
    ((name, size),) = histories(record[["embedding"]]).items()
    assert (name, size.dims, size.attrs["long_name"]) == (
        "embedding",
        ("member", "step"),
        "positions: root mean square",
    )
    assert size.values == pytest.approx(np.full((2, 3), 2.0))
    assert histories(xr.Dataset({"final": ("member", [1.0])})) == {}


def test_a_member_ends_where_it_was_stopped_and_one_that_diverged_has_no_end():
    losses = [[4.0, 2.0, 1.0], [4.0, 3.0, np.nan], [4.0, 5.0, np.inf], [np.nan] * 3]
    coords = {"step": [0, 10, 20], "last_step": ("member", [20, 15, 20, NEVER])}
    outcome = ("member", [Outcome.OK, Outcome.STOPPED, Outcome.DIVERGED, Outcome.PENDING])
    record = xr.Dataset({"loss": (("member", "step"), losses), "outcome": outcome}, coords)
    assert ends(record, record.loss) == pytest.approx([1.0, 3.0, np.nan, np.nan], nan_ok=True)
    assert ends(record, record.loss, step=9) == pytest.approx([4.0, 4.0, np.nan, np.nan], nan_ok=True)


def test_a_hyperparameter_that_others_determine_is_no_axis_of_its_own():
    eta, decay = np.repeat([0.1, 0.2, 0.3], 4), np.tile([0, 0, 1, 1], 3)
    record = fleet(eta=eta, decay=decay, product=eta * (1 + decay), width=[8] * 12, seed=range(12))
    assert swept(record) == ("eta", "decay")
    assert swept(fleet(eta=[0.1, 0.2, 0.3], coarse=[0, 0, 1])) == ("eta",)
    assert swept(fleet(seed=range(3), repeat=range(3), seed_split=range(3))) == ()


def test_cells_hold_every_member_once_in_rising_order():
    record = fleet(eta=[0.2, 0.1, 0.2, 0.1], decay=[1, 0, 0, 0], seed=range(4))
    found = cells(record, ("eta", "decay"))
    assert [cell.values for cell in found] == [(0.1, 0.0), (0.2, 0.0), (0.2, 1.0)]
    assert [cell.members.tolist() for cell in found] == [[1, 3], [2], [0]]
    ((whole),) = cells(record, ())
    assert whole.members.tolist() == [0, 1, 2, 3]
