"""A column of the fleet's table and an axis of the record may be called `dim`, now and in records made before."""

import dataclasses

import numpy as np
import pytest
import xarray as xr

from nucleate.fleet import Every, kept_model, open_run, replay, train
from nucleate.papers import write_experiment_report
from nucleate.papers.repons.experiments import LINE, ReponFleet
from nucleate.record import Run, column, joined
from nucleate.theories import ClosedForm, PairPotential, Rotation

pytestmark = pytest.mark.usefixtures("compiled_once")
PLAN = ReponFleet(dim=(2,), embeddings=6, steps=20, look=5).plan(LINE)


@pytest.fixture(scope="module")
def now(tmp_path_factory) -> Run:
    return train(PLAN, tmp_path_factory.mktemp("now") / "run")


@pytest.fixture(scope="module")
def before(tmp_path_factory) -> Run:
    """A run as it was made when both were called `dim` on the disk, too."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("nucleate.record.store.told_apart", lambda frame, variables: frame)
        return train(PLAN, tmp_path_factory.mktemp("before") / "run")


@pytest.fixture(params=["now", "before"])
def run(request) -> Run:
    return request.getfixturevalue(request.param)


def test_a_record_is_selected_from_and_made_a_table(run):
    record = run.record()
    assert record.dim_size.values.tolist() == [2] * 6
    assert record.dim_size.attrs["long_name"] == "dimensions of the embedding"
    assert column(record, "dim").values.tolist() == column(xr.open_zarr(run.record_path), "dim").values.tolist()
    np.testing.assert_array_equal(record.embedding.sel(dim=1), record.embedding.values[..., 1])
    assert len(record.embedding.to_dataframe().reset_index()) == record.embedding.size


def test_a_new_record_is_so_without_nucleate(now):
    record = xr.open_zarr(now.record_path)
    assert record.embedding.sel(dim=1).sizes == {"member": 6, "step": 5, "token": 10}
    assert {"dim", "dim_size"} <= {*record.embedding.to_dataframe().reset_index()}


def test_it_is_resumed_replayed_and_read_with_others(run, before, now):
    train(PLAN, run.path)
    run.update(status="interrupted")
    train(PLAN, run.path)
    np.testing.assert_array_equal(replay(PLAN, run, 2).embedding[0], run.record().embedding[2])
    more = ReponFleet(dim=(2,), embeddings=6, steps=20, look=5, first_seed=50).plan(LINE)
    whole = joined({"first": run.record(), "second": train(more, run.path.parent / "more").record()})
    assert (whole.sizes["member"], whole.left.dims) == (12, ("pair",))
    assert len(open_run(run.path).recipe.probes) == 4


def test_theories_and_reports_read_either(run):
    for record in (run.record(), xr.open_zarr(run.record_path)):
        fit = PairPotential(Rotation(), ClosedForm(ridge=1.0)).fit(record.isel(member=slice(0, 4)))
        assert np.isfinite(fit.score(record.isel(member=[5])).attrs["force_r2"])
    assert "dim" in write_experiment_report(run).read_text()


def test_weights_come_back(tmp_path):
    plan = ReponFleet(dim=(2,), embeddings=2, steps=5, look=5).plan(LINE)
    kept = train(dataclasses.replace(plan, keep_weights=Every(5)), tmp_path / "run")
    assert kept.model(1, step=5).embedding.shape == (10, 2)
    assert kept_model(plan.recipe, kept.record().isel(member=0)).embedding.shape == (10, 2)
