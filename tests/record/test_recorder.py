"""Any loop becomes a run: what is logged is there, whatever library, schedule or member it is of."""

import errno
import json
import os

import numpy as np
import pytest
import xarray as xr

from nucleate.cli import main
from nucleate.record import Outcome, Recorder, Run, RunError, from_arrays, verify

RNG = np.random.default_rng(0)
LOSS = RNG.uniform(size=(3, 12)).astype(np.float32)
EMBEDDING = RNG.normal(size=(3, 12, 5, 2))
MEMBERS = {"seed": [4, 5, 6], "eta": [0.1, 0.2, 0.3]}
STEPS = np.arange(0, 120, 10)


@pytest.fixture
def folder(tmp_path):
    return tmp_path / "run"


def log_all(recorder: Recorder, rows=range(12)) -> None:
    for row in rows:
        recorder.log(STEPS[row], loss=LOSS[:, row], embedding=EMBEDDING[:, row])


def read(folder) -> xr.Dataset:
    """As someone without nucleate would."""
    return xr.open_zarr(folder / "record.zarr").load()


def assert_same(record: xr.Dataset, other: xr.Dataset) -> None:
    xr.testing.assert_equal(record, other)
    assert set(record.coords) == set(other.coords)
    for name in record.variables:
        assert (record[name].dtype, record[name].dims) == (other[name].dtype, other[name].dims)


WHOLE = from_arrays({"loss": LOSS, "embedding": EMBEDDING}, STEPS, members=MEMBERS)


# --- what is logged is there ------------------------------------------------------------------------------------------


@pytest.mark.parametrize("flush_seconds", [0.0, 20.0])
def test_a_recorder_and_from_arrays_make_one_record(folder, flush_seconds):
    with Recorder(folder, MEMBERS, flush_seconds=flush_seconds) as recorder:
        log_all(recorder)
    run = Run.open(folder)
    assert (run.status, run.about.members, run.about.steps, run.about.by) == ("complete", 3, 110, "recorder")
    verify(run.record_path)
    assert_same(run.record().load(), WHOLE)
    assert_same(read(folder), WHOLE)
    assert xr.open_zarr(run.record_path, consolidated=False).equals(read(folder))
    written = from_arrays({"loss": LOSS, "embedding": EMBEDDING}, STEPS, members=MEMBERS, into=folder.with_name("b"))
    assert_same(Run.open(folder.with_name("b")).record().load(), written)
    verify(Run(folder.with_name("b")).record_path)


def test_members_may_be_trained_one_after_the_other_or_in_turn(folder):
    with Recorder(folder, MEMBERS, flush_seconds=0.0) as recorder:
        for member in range(3):
            for row, step in enumerate(STEPS):
                recorder.log(int(step), member=member, loss=LOSS[member, row], embedding=EMBEDDING[member, row])
            assert recorder.last_steps.tolist() == [110] * (member + 1) + [-1] * (2 - member)
    assert_same(Run.open(folder).record().load(), WHOLE)
    with Recorder(
        folder.with_name("in-turn"), [{"seed": 4, "eta": 0.1}, {"seed": 5, "eta": 0.2}, {"seed": 6, "eta": 0.3}]
    ) as recorder:
        for row, step in enumerate(STEPS):
            for member in range(3):
                recorder.log(step, member=member, loss=LOSS[member, row], embedding=EMBEDDING[member, row])
    assert_same(Run.open(folder.with_name("in-turn")).record().load(), WHOLE)


def test_one_network_needs_no_member_axis(folder):
    with Recorder(folder) as recorder:
        recorder.log(0, loss=1, angle=[0.1, 0.2])
        recorder.log(5, loss=2, angle=[0.3, 0.4])
    record = Run.open(folder).record().load()
    assert record.loss.dims == ("member", "step")
    assert record.angle.dims == ("member", "step", "angle_0")
    assert record.angle.sel(step=5).values.tolist() == [[0.3, 0.4]]
    assert_same(record, from_arrays({"loss": [1, 2], "angle": [[0.1, 0.2], [0.3, 0.4]]}, [0, 5]))


def test_variables_of_another_schedule_have_an_axis_of_their_own_and_the_largest_keeps_step(folder):
    with Recorder(folder, 2, flush_seconds=0.0) as recorder:
        for step in range(21):
            if step % 10 == 0:
                recorder.log(step, embedding=np.full((2, 4, 3), step), gradient=np.full((2, 4, 3), -step))
            recorder.log(step, loss=[step, step + 0.5])
            if step >= 5:
                recorder.log(step, late=[1, 2])
        recorder.log(30, final=np.ones((2, 7)))
    record = Run.open(folder).record().load()
    axes = {name: record[name].dims[1] for name in ("embedding", "gradient", "loss", "late", "final")}
    assert axes == {
        "embedding": "step", "gradient": "step", "loss": "step_loss", "late": "step_late", "final": "step_final"
    }  # fmt: skip
    assert record.step.values.tolist() == [0, 10, 20]
    assert record.step_late.values.tolist() == list(range(5, 21))
    assert record.loss.sel(member=1, step_loss=7).item() == 7.5
    assert record.embedding.sel(step=20).values.mean() == 20
    every = from_arrays(
        {"embedding": record.embedding, "loss": record.loss}, {"embedding": [0, 10, 20], "loss": range(21)}, members=2
    )
    xr.testing.assert_equal(every.loss, record.loss)
    xr.testing.assert_equal(every.embedding.variable, record.embedding.variable)


def test_members_that_were_not_logged_are_empty_and_marked(folder):
    with Recorder(folder, 3) as recorder:
        recorder.log(0, loss=[1.0, 2.0, 3.0], count=[1, 2, 3], seen=[True, True, False])
        recorder.log(4, member=0, loss=0.5, count=7, seen=True)
        recorder.log(6, member=1, loss=np.nan)
    record = Run.open(folder).record().load()
    assert record.last_step.values.tolist() == [4, 6, 0]
    assert record.outcome.values.tolist() == [Outcome.OK, Outcome.DIVERGED, Outcome.OK]
    assert np.isnan(record.loss.values).tolist() == [[False, False, True], [False, True, True], [False, True, True]]
    assert record["count"].dims[1] == record.seen.dims[1] == "step_count"  # they were not seen at step 6
    assert record["count"].sel(member=2).values.tolist() == [3, -1]
    assert record.seen.sel(step_count=4).values.tolist() == [True, False, False]


def test_facts_and_columns_are_in_the_record(folder):
    facts = {"label": [3, 4], "map": (("row", "column"), np.eye(2)), "in_train": np.ones((2, 2), bool)}
    with Recorder(folder, {"seed": range(2), "decay": 0.5}, facts=facts, dims={"heat": ("x",)}) as recorder:
        recorder.log(0, heat=np.zeros((2, 6)))
    record = read(folder)
    assert record.label.dims == ("pair",)
    assert record["map"].dims == ("row", "column")
    assert record.in_train.dims == ("member", "pair")
    assert record.heat.dims == ("member", "step", "x")
    assert record.decay.values.tolist() == [0.5, 0.5]
    assert "decay" in record.coords


def test_many_chunks_in_both_directions(folder, monkeypatch):
    monkeypatch.setattr("nucleate.record.series._CHUNK_BYTES", 200)
    monkeypatch.setattr("nucleate.record.series._MOST_ROWS", 5)
    monkeypatch.setattr("nucleate.record.series._KEPT_BYTES", 300)
    for half in (range(7), range(7, 12)):
        with Recorder(folder, MEMBERS, flush_seconds=0.0) as recorder:
            log_all(recorder, half)
    assert len(list((folder / "record.zarr" / "embedding" / "c").rglob("*/*/0/0"))) > 10
    assert_same(Run.open(folder).record().load(), WHOLE)
    verify(folder / "record.zarr")


class Tensor:
    """What a PyTorch tensor looks like from outside."""

    def __init__(self, values, device="cuda"):
        self.values, self.device, self.dtype = np.asarray(values), device, "torch.bfloat16"

    def detach(self):
        return Tensor(self.values, self.device)

    def cpu(self):
        return Tensor(self.values, "cpu")

    def float(self):
        assert self.device == "cpu"
        return self.values.astype(np.float32)


class OnlyDLPack:
    def __init__(self, values):
        self._values = np.asarray(values)

    def __array__(self, *args, **kwargs):
        raise TypeError("implicit conversion is not allowed")

    def __dlpack__(self, **kwargs):
        return self._values.__dlpack__(**kwargs)

    def __dlpack_device__(self):
        return self._values.__dlpack_device__()


class Series(OnlyDLPack):
    """What a Series of pandas looks like from outside."""

    dtype = np.dtype(float)

    def get(self, key):
        raise NotImplementedError

    def __array__(self, *args, **kwargs):
        return self._values


def test_tensors_of_any_library(folder):
    jnp = pytest.importorskip("jax.numpy")
    values = np.array([1.5, 2.5], np.float32)
    kinds = {
        "list": [1.5, 2.5],
        "torch": Tensor(values),
        "dlpack": OnlyDLPack(values),
        "series": Series(values),
        "jax": jnp.asarray(values),
        "bfloat": jnp.asarray(values, jnp.bfloat16),
        "swapped": values.astype(">f4"),
        "long": values.astype(np.longdouble),
        "complex": values + 1j,
        "xarray": xr.DataArray(values),
    }
    with Recorder(folder, 2) as recorder:
        recorder.log(0, **kinds)
        values[:] = 0  # a loop that reuses its memory
    record = read(folder)
    for name in kinds:
        assert record[name].values[:, 0].real.tolist() == [1.5, 2.5], name


# --- it grows ---------------------------------------------------------------------------------------------------------


def test_it_can_be_read_while_it_grows(folder):
    recorder = Recorder(folder, MEMBERS)
    for row in range(12):
        log_all(recorder, [row])
        assert recorder.last_step == STEPS[row]
        if row % 5 == 3:
            recorder.flush()
            for record in (read(folder), Run.open(folder).record().load()):
                xr.testing.assert_equal(record.embedding, WHOLE.embedding[:, : row + 1])
                assert record.last_step.values.tolist() == [STEPS[row]] * 3
                assert record.outcome.values.tolist() == [Outcome.PENDING] * 3
            assert Run.open(folder).about.steps == STEPS[row]
        else:
            assert row < 3 or read(folder).sizes["step"] < row + 1
    recorder.close()
    recorder.close()
    assert_same(read(folder), WHOLE)


class Died(Exception):
    """What a process that is killed does not get to raise."""


def test_a_reader_sees_a_whole_commit_or_nothing_of_it(folder, monkeypatch):
    """The writer stops before each of its changes of the disk in turn."""
    from nucleate.record import disk

    replacing, left, stopped = os.replace, [10**9], 0

    def replace(source, target):
        left[0] -= 1
        if left[0] < 0:
            raise Died
        replacing(source, target)

    monkeypatch.setattr(disk.os, "replace", replace)
    with pytest.raises(RuntimeError), Recorder(folder, MEMBERS) as recorder:  # noqa: PT012
        log_all(recorder, range(4))
        recorder.flush()
        log_all(recorder, range(4, 7))
        for allowed in range(40):
            left[0] = allowed
            try:
                recorder.flush()
            except Died:
                stopped += 1
                for record in (read(folder), Run(folder).record().load()):
                    xr.testing.assert_equal(record.loss, WHOLE.loss[:, : record.sizes["step"]])
                    assert record.sizes["step"] in (4, 7)
            else:
                break
        left[0] = 10**9
        raise RuntimeError
    assert stopped > 5
    assert Run(folder).status == "interrupted"


def test_a_loop_continues_where_it_was(folder):
    with pytest.raises(ZeroDivisionError), Recorder(folder, MEMBERS) as recorder:  # noqa: PT012
        log_all(recorder, range(5))
        raise ZeroDivisionError
    assert Run(folder).status == "interrupted"
    with Recorder(folder, MEMBERS) as recorder:
        assert recorder.last_step == 40
        assert Run(folder).status == "running"
        log_all(recorder, range(5, 8))
    assert Run(folder).status == "complete"
    with Recorder(folder) as recorder:  # a complete one, too, and the members are known
        log_all(recorder, range(8, 12))
    assert_same(Run(folder).record().load(), WHOLE)
    verify(folder / "record.zarr")


def test_a_recorder_that_logs_nothing_leaves_a_run_that_can_be_begun_again(folder):
    with Recorder(folder, 3):
        pass
    assert Run(folder).status == "running"
    with Recorder(folder, 3) as recorder:
        recorder.log(0, loss=[1, 2, 3])
    assert Run(folder).status == "complete"


# --- bad input --------------------------------------------------------------------------------------------------------

BAD = [
    ((20,), {"loss": np.zeros(3)}, r"'loss' of member 0 .* step 20: it was logged already\. Go on .*last_step \(20\)"),
    ((15,), {"loss": np.zeros(3)}, r"step 15: the last was step 20\. Go on .*, skip .*, or choose a fresh folder"),
    ((-1,), {"loss": np.zeros(3)}, r"Recorder\.log: step must be >= 0"),
    ((2.5,), {"loss": np.zeros(3)}, r"Recorder\.log: step must be a whole number"),
    ((30,), {}, "nothing was given to be logged"),
    ((30,), {"loss": np.zeros(4)}, r"'loss' must have the 3 members .*; got the shape \(4,\)\. log\(step, member=i"),
    ((30,), {"loss": 1.0}, r"must have the 3 members as its first axis; got the shape \(\)"),
    ((30,), {"loss": np.zeros(3), "member": 3}, r"one of 0 to 2; got 3\. .* Recorder\(path, members=…\)"),
    ((30,), {"loss": 1.0, "member": "a"}, r"member must be a whole number, or None; got 'a'"),
    ((30,), {"embedding": np.zeros((3, 5, 3))}, r"'embedding' had the shape \(5, 2\) .* before; got \(5, 3\)\."),
    ((30,), {"loss": np.zeros(3, complex)}, r"'loss' was of float32 before; got complex128\. Convert it"),
    ((30,), {"loss": ["a", "b", "c"]}, "Recorder.log: loss must be a number, or an array of numbers; got"),
    ((30,), {"loss": None}, "Recorder.log: loss must be a number, or an array of numbers; got None"),
    ((30,), {"new": [[1], [2, 3], [4]]}, "Recorder.log: new must be a number, or an array of numbers"),
    ((30,), {"new": np.zeros((3, 0))}, r"'new' has the shape \(0,\), which holds no numbers"),
    ((30,), {"eta": np.zeros(3)}, "'eta' is a column of members or one of facts; log it under another name"),
    ((30,), {"token": np.zeros(3)}, "'token' is the name of an axis of 'embedding'; choose another"),
    ((30,), {"step_size": np.zeros(3)}, "'step_size' has a meaning of its own in every record; choose another name"),
    ((30,), {"a/b": np.zeros(3)}, "'a/b' cannot be the name of a variable"),
    ((30,), {"Loss": np.zeros(3)}, "'loss' and 'Loss' are one name to many disks; choose another for one of them"),
    ((30,), {"Eta": np.zeros(3)}, "'eta' and 'Eta' are one name to many disks"),
    ((30,), {"new": np.zeros(3), "NEW": np.zeros(3)}, "'new' and 'NEW' are one name to many disks"),
    ((30,), {"Step_size": np.zeros(3)}, "'Step_size' has a meaning of its own in every record"),
    ((30,), {"embed.weight": np.zeros(3)}, r"use letters from a to z, digits and '_', as in 'embed_weight'\."),
    ((30,), {"größe": np.zeros(3)}, "'größe' cannot be the name of a variable"),
    ((30,), {"gradient": np.zeros((3, 6, 2))}, "Dimension 'token' has size 5 in 'embedding', but 6 in 'gradient'"),
]  # fmt: skip


@pytest.mark.parametrize(("given", "values", "message"), BAD)
def test_bad_input_is_refused_and_names_the_way_out(folder, given, values, message):
    with Recorder(folder, MEMBERS) as recorder:
        log_all(recorder, range(3))
        with pytest.raises(ValueError, match=message) as caught:
            recorder.log(*given, **values)
        assert "\n" not in str(caught.value)
        log_all(recorder, range(3, 12))
    assert_same(read(folder), WHOLE)  # nothing of what was refused


def test_whole_numbers_that_would_wrap_are_refused(folder):
    with Recorder(folder) as recorder:
        recorder.log(0, count=np.int8(1), size=np.uint16(1))
        for values in ({"count": np.int64(300)}, {"count": np.uint8(255)}, {"size": np.uint64(2**63)}):
            with pytest.raises(ValueError, match=r"before, which cannot hold \d+\. Convert it to a larger type"):
                recorder.log(1, **values)
        recorder.log(1, count=np.int64(44), size=2)
    assert Run(folder).record()["count"].values.tolist() == [[1, 44]]


def test_a_step_between_those_of_other_members_is_refused(folder):
    with Recorder(folder, 2) as recorder:
        for step in (0, 10):
            recorder.log(step, member=0, loss=1.0)
        with pytest.raises(ValueError, match=r"at step 5: for other members it was logged at \[0, 10\], not between"):
            recorder.log(5, member=1, loss=1.0)


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"members": 0}, "members must be >= 1; got 0"),
        ({"members": "three"}, "members must be a whole number >= 1; got 'three'"),
        ({"members": {"eta": [1, 2], "seed": [1]}}, "columns must have equal lengths of at least 1; got"),
        ({"members": {}}, "columns must have equal lengths"),
        ({"members": [{"eta": 1}, {"seed": 1}]}, "a list must hold one dict for each member, all with the same keys"),
        ({"members": []}, "a list must hold one dict for each member"),
        ({"members": {"optimizer": ["adam", "sgd"]}}, "'optimizer' must be one number for each member; got"),
        ({"members": {"member": [1]}}, "'member' has a meaning of its own"),
        ({"members": {"eta": [1]}, "facts": {"eta": 1}}, "'eta' is a column of members and one of facts"),
        ({"members": {"eta": [1]}, "facts": {"ETA": 1}}, "'eta' and 'ETA' are one name to many disks"),
        ({"facts": {"label": [1], "left": [1, 2]}}, "Dimension 'pair' has size 1 in 'label', but 2 in 'left'"),
        ({"facts": {"map": ("x", np.eye(2))}}, r"facts: 'map' has the shape \(2, 2\), but the dimensions \('x',\)"),
        ({"flush_seconds": -1}, r"Recorder\.flush_seconds must be >= 0; got -1"),
    ],
)
def test_bad_descriptions_leave_nothing_behind(folder, given, message):
    with pytest.raises(ValueError, match=message):
        Recorder(folder, **given)
    assert not folder.exists()


@pytest.mark.parametrize("dims", [("x",), ("x", "x"), ("x", "step"), "x"])
def test_dims_must_name_each_axis_once(folder, dims):
    with Recorder(folder, dims={"map": dims}) as recorder, pytest.raises(ValueError, match="dims"):
        recorder.log(0, map=np.eye(2))


def test_other_members_or_facts_than_in_the_record_are_refused(folder):
    with Recorder(folder, MEMBERS, facts={"label": [1, 2]}) as recorder:
        log_all(recorder)
    for other in ({"members": 2}, {"members": MEMBERS | {"eta": [1, 2, 3]}}, {"facts": {"label": [1, 3]}}):
        with pytest.raises(RunError, match=r"was recorded with other members or facts: '.*' is not as in its record\."):
            Recorder(folder, **other)
    with Recorder(folder, MEMBERS, facts={"label": [1, 2]}) as recorder:
        assert recorder.last_step == 110


def test_members_of_a_record_may_be_left_out_where_facts_have_them(folder):
    facts = {"in_train": np.ones((3, 4), bool)}
    for given in ({"members": MEMBERS}, {}):
        with Recorder(folder, **given, facts=facts) as recorder:
            recorder.log(recorder.last_step + 1, loss=np.zeros(3))
    assert recorder.run.record().loss.shape == (3, 2)


def test_folders_of_others_are_left_alone(tmp_path, run):
    folder = tmp_path / "mine"
    with pytest.raises(RunError, match="holds a run of nucleate's own fleets; choose another folder"):
        Recorder(run.path, 3)
    (tmp_path / "notes").mkdir()
    (tmp_path / "notes" / "todo.txt").touch()
    with pytest.raises(RunError, match=r"is neither empty nor a run directory; choose another folder\."):
        Recorder(tmp_path / "notes")
    with pytest.raises(RunError, match="cannot be a folder of results: there is a file"):
        Recorder(tmp_path / "notes" / "todo.txt")
    from_arrays({"loss": LOSS}, STEPS, members=3, into=tmp_path / "whole")
    with pytest.raises(
        RunError, match="was written as a whole, by from_arrays; record what follows into another folder"
    ):
        Recorder(tmp_path / "whole")
    with Recorder(folder), pytest.raises(RunError, match=r"by a recorder that was not closed: close\(\) that"):
        Recorder(folder)


def test_a_closed_recorder_says_how_to_go_on(folder):
    recorder = Recorder(folder)
    recorder.log(0, loss=1.0)
    recorder.close()
    for call in (lambda: recorder.log(1, loss=1.0), recorder.flush):
        with pytest.raises(RunError, match=rf"{folder} was closed; Recorder\('{folder}'\) continues it"):
            call()


@pytest.mark.parametrize(
    ("reason", "message"),
    [
        (errno.ENOSPC, r"The disk is full while writing .*; free some space, then Recorder\('.*'\) continues"),
        (errno.EACCES, r"cannot be written: Permission denied\. Choose another folder\."),
    ],
)
def test_a_disk_that_fails_is_one_line_and_nothing_is_lost(folder, monkeypatch, reason, message):
    recorder = Recorder(folder, MEMBERS)
    log_all(recorder, range(6))

    def fail(descriptor):
        raise OSError(reason, os.strerror(reason))

    with monkeypatch.context() as broken:
        broken.setattr(os, "fsync", fail)
        with pytest.raises(RunError, match=message):
            recorder.flush()
        with pytest.raises(RunError, match=message):
            Recorder(folder.with_name("other"))
    log_all(recorder, range(6, 12))
    recorder.close()
    assert_same(read(folder), WHOLE)


# --- the rest of nucleate takes it for a run --------------------------------------------------------------------------


def test_the_command_line_knows_it(folder, capsys, monkeypatch):
    recorder = Recorder(folder, MEMBERS)
    log_all(recorder)
    recorder.flush()
    assert main(["show", str(folder)]) == 0
    said = capsys.readouterr().out
    assert "3 pending" in said
    assert "Recorder(" in said
    assert "nucleate resume" not in said
    assert main(["report", str(folder)]) == 0
    assert main(["export", str(folder), "--to", "csv"]) == 2
    assert f"is unfinished; finish it with `nucleate.record.Recorder('{folder}')` in its loop first." in (
        " ".join(capsys.readouterr().err.split())
    )
    assert main(["resume", str(folder)]) == 2
    assert "was recorded by a loop of your own" in capsys.readouterr().err
    recorder.close()
    for command in (["runs", "--root", str(folder.parent)], ["show", str(folder)], ["report", str(folder)]):
        assert main(command) == 0
    assert "3 ok" in capsys.readouterr().out
    assert main(["export", str(folder), "--to", "csv"]) == 0
    rows = (folder / "members.csv").read_text().splitlines()
    assert rows[0] == "member,eta,seed,outcome,last_step,final_loss"
    assert rows[1].startswith("0,0.1,4,ok,110,")
    assert json.loads((folder / "run.json").read_text())["by"] == "recorder"


def test_a_record_of_arrays_alone_has_a_report(folder):
    with Recorder(folder, MEMBERS) as recorder:
        for row in range(12):
            recorder.log(STEPS[row], embedding=EMBEDDING[:, row])
    assert main(["report", str(folder)]) == 0
    assert (folder / "report.html").exists()


def test_a_fleet_is_not_trained_into_it(folder):
    fleet = pytest.importorskip("nucleate.fleet")
    from examples.own_model import Quadratic

    with Recorder(folder, MEMBERS) as recorder:
        log_all(recorder)
    with pytest.raises(RunError, match="holds another plan"):
        fleet.train(fleet.Plan(Quadratic(), fleet.grid(seed=range(3), learning_rate=[0.1]), steps=110), folder)
