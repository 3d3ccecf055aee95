"""Where a run goes, what is refused, and what its folder tells."""

import dataclasses
import json
import subprocess
import sys
import time

import jax
import numpy as np
import pytest
import xarray as xr
from small_fleets import Sums, fit, members

from nucleate import machine
from nucleate.fleet import At, Crossing, Every, Members, Plan, Probe, Silent, train
from nucleate.record import SCHEMA_VERSION, Run, RunError, list_runs, verify

HOLD = """
import sys, time
from pathlib import Path
from nucleate.record import Run
with Run(Path(sys.argv[1])).lock():
    print("locked", flush=True)
    time.sleep(60)
"""

PLAN = Plan(
    Sums(
        extra=(Probe("fit", fit, At((100,)), axis="step_late"),),  # never: the run is shorter
        crossings=(Crossing("low", "loss", above=1e9),),
    ),
    members(3),
    steps=20,
    block=1,
    about={"experiment": "small", "config": {"p": 4}},
)


@pytest.fixture(scope="module")
def run(tmp_path_factory):
    return train(PLAN, tmp_path_factory.mktemp("train") / "some/where/run")


def test_a_run_directory_tells_all_about_itself(run):
    about = run.about
    assert about.schema_version == SCHEMA_VERSION
    assert about.status == "complete"
    assert (about.experiment, about.config) == ("small", {"p": 4})
    assert (about.members, about.steps, about.block, about.groups) == (3, 20, 1, 1)
    assert about.fingerprint == PLAN.fingerprint()
    assert about.seconds > 0
    assert about.versions["jax"] == jax.__version__
    assert [found.path for found in list_runs(run.path.parents[1])] == [run.path]


def test_the_record_is_whole_and_described(run):
    verify(run.record_path)
    record = run.record()
    columns = {"seed", "train_size", "eta_repr", "eta_dec", "wd_repr", "wd_dec"}
    assert set(record.coords) == {"member", "step", "step_late", *columns}
    assert all(record[name].dims == ("member",) for name in columns)
    assert record.seed.values.tolist() == [0, 1, 2]
    assert record.step.values.tolist() == [0, 5, 10, 15, 20]
    assert json.loads(record.attrs["about"]) == PLAN.about
    assert json.loads(record.attrs["outcomes"]) == {"PENDING": 0, "OK": 1, "STOPPED": 2, "DIVERGED": 3}
    assert (record.attrs["steps"], record.attrs["schema_version"]) == (20, SCHEMA_VERSION)
    assert record.outcome.attrs["flag_meanings"] == "pending ok stopped diverged"
    assert record.low_step.attrs.items() >= {"first_step_with": "loss > 1000000000.0", "never": -1}.items()


def test_a_schedule_that_lies_past_the_end_leaves_no_rows(run):
    assert run.record().fit.shape == (3, 0)


def test_the_record_opens_with_xarray_alone(run):
    code = "import sys, xarray; print(xarray.open_zarr(sys.argv[1]).load().loss.values.tobytes().hex())"
    result = subprocess.run(
        [sys.executable, "-I", "-W", "error", "-c", code, run.record_path], capture_output=True, text=True, check=True
    )
    assert bytes.fromhex(result.stdout) == run.record().loss.values.tobytes()


def test_the_record_can_be_saved_as_netcdf(run, tmp_path):
    run.record().drop_dims("step_late").to_netcdf(tmp_path / "record.nc", engine="scipy")
    assert np.array_equal(xr.load_dataset(tmp_path / "record.nc", engine="scipy").loss, run.record().loss)


@pytest.mark.parametrize("workers", [1, 5])
def test_the_numbers_do_not_depend_on_the_number_of_cores(run, tmp_path, monkeypatch, workers):
    monkeypatch.setattr(machine, "workers", lambda: jax.local_devices()[:1] * workers)
    monkeypatch.setattr("nucleate.fleet.layout._SHARDS_PER_WORKER", 1)
    other = train(PLAN, tmp_path / "run")
    assert other.about.shard_size == {1: 3, 5: 1}[workers]
    expected, record = run.record().load(), other.record().load()
    assert all(np.array_equal(record[name], expected[name]) for name in expected.variables)


@pytest.mark.parametrize("config", [{"p": 4}, {"sizes": (4, 5), "p": 4}])
def test_a_run_is_continued_after_its_recipe_has_moved(tmp_path, monkeypatch, config):
    plan = dataclasses.replace(PLAN, about={"experiment": "small", "config": config})
    before = train(plan, tmp_path / "run").about
    monkeypatch.setattr(Sums, "__module__", "nucleate.moved")  # only nucleate's own are known by their config
    assert plan.fingerprint() != before.fingerprint
    assert train(plan, tmp_path / "run").about == before  # recognised as complete
    later = dataclasses.replace(plan, about={"experiment": "small", "config": config | {"since_then": False}})
    assert train(later, tmp_path / "run").about == before


@pytest.mark.parametrize(
    "change",
    [
        {"about": {"experiment": "other", "config": {"p": 4}}},
        {"about": {"experiment": "small", "config": {"p": 5}}},
        {"about": {"experiment": "small"}},
        {"about": {}},
        {"steps": 30},
        {"members": members(2)},
    ],
)
def test_a_moved_recipe_with_another_config_is_another_plan(run, monkeypatch, change):
    monkeypatch.setattr(Sums, "__module__", "nucleate.moved")
    with pytest.raises(RunError, match="holds another plan"):
        train(dataclasses.replace(PLAN, **change), run.path)


# --- what is refused ----------------------------------------------------------------------------------------------


def test_a_folder_that_holds_another_plan(run):
    other = Plan(PLAN.recipe, PLAN.members, 30, block=1)
    with pytest.raises(RunError, match=r"run holds another plan \(small, 3 members\); .* another folder with --out"):
        train(other, run.path)
    assert run.status == "complete"


def test_a_folder_that_holds_something_else(tmp_path):
    (tmp_path / "thesis.tex").touch()
    with pytest.raises(RunError, match=r"is neither empty nor a run directory; choose another folder with --out"):
        train(PLAN, tmp_path)
    assert (tmp_path / "thesis.tex").exists()


def test_a_table_without_a_column_that_the_recipe_reads(tmp_path):
    columns = {name: column for name, column in PLAN.members.items() if name != "eta_dec"}
    with pytest.raises(ValueError, match=r"table has no column 'eta_dec', which the recipe reads; it has .*seed"):
        train(dataclasses.replace(PLAN, members=Members(columns)), tmp_path / "run")


def test_a_probe_whose_value_has_other_axes_than_it_says(tmp_path):
    recipe = dataclasses.replace(PLAN.recipe, extra=(Probe("fit", fit, Every(5), dims=("token",)),))
    with pytest.raises(
        ValueError, match=r"Probe 'fit' gives a value of shape \(\), so its dims must name 0 axes; got \("
    ):
        train(dataclasses.replace(PLAN, recipe=recipe), tmp_path / "run")


@pytest.mark.parametrize(
    ("shape", "dim", "message"),
    [
        (3, "token", r"Dimension 'token' has size 4 in 'embedding', but 3 in 'odd'; give one of them another name"),
        (3, "member", r"probe 'odd' has a dimension 'member', a name reserved by the record"),
        (3, "step", r"probe 'odd' has a dimension 'step', a name reserved by the record"),
        (0, "nothing", r"Probe 'odd' gives a value of shape \(0,\), which holds no numbers"),
    ],
)
def test_a_probe_that_no_record_could_hold(tmp_path, shape, dim, message):
    recipe = dataclasses.replace(PLAN.recipe, extra=(Probe("odd", lambda view: np.zeros(shape), Every(5), (dim,)),))
    with pytest.raises(ValueError, match=message):
        train(dataclasses.replace(PLAN, recipe=recipe), tmp_path / "run")


def test_a_file(tmp_path):
    (tmp_path / "file").touch()
    with pytest.raises(RunError, match=r"file cannot be a folder of results: there is a file in its place"):
        train(PLAN, tmp_path / "file")


def test_a_run_of_an_older_schema(tmp_path):
    about = Run.create(tmp_path, {"members": 3, "steps": 20}).path / "run.json"
    about.write_text(about.read_text().replace('"schema_version": 1', '"schema_version": 0'))
    with pytest.raises(RunError, match="was written with schema version 0"):
        train(PLAN, tmp_path)


def test_a_run_that_another_process_writes(tmp_path):
    with subprocess.Popen([sys.executable, "-c", HOLD, tmp_path], stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout.readline() == "locked\n"
        with pytest.raises(RunError, match=r"is being written by another process; wait for it"):
            train(PLAN, tmp_path)
        process.kill()
    assert not (tmp_path / "run.json").exists()
    assert train(PLAN, tmp_path).status == "complete"  # the kernel took the lock from the dead


def test_data_that_take_long_to_make_are_announced(tmp_path, monkeypatch):
    said = []

    class Listener(Silent):
        def say(self, message: str) -> None:
            said.append(message)

    make = Sums.data
    monkeypatch.setattr(Sums, "data", lambda self, member: time.sleep(0.51) or make(self, member))
    train(dataclasses.replace(PLAN, steps=1), tmp_path / "run", watch=Listener())
    assert said[0] == "making the data of member 1 of 3"
    assert said[1].startswith("making the data of member 2 of 3, about ")
    assert said[-1] == ""
