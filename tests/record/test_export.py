"""Tables and files for other programs: what is in them, bit for bit, and what a failure leaves behind."""

import csv
import json

import numpy as np
import pytest
import xarray as xr

from nucleate.record import (
    NEVER,
    Outcome,
    Run,
    RunError,
    Store,
    Variable,
    create_store,
    curves_table,
    export_all,
    export_curves,
    export_members,
    members_table,
)

LOSS = np.array([[1 / 3, 0.1, 0.025], [1e-30, np.inf, np.nan], [0.7, 0.2, 3e38]], np.float32)
EMBEDDING = np.random.default_rng(0).normal(size=(3, 3, 4)).astype(np.float32)
SEEDS = [0, 1, 2**32 - 1]


@pytest.fixture
def run(tmp_path) -> Run:
    """Three members: one to the end, one that diverged at step 10, one that was stopped before its only late look."""
    run = Run.create(tmp_path / "run", {"experiment": "by-hand", "members": 3, "steps": 20})
    frame = xr.Dataset(
        {"ideal": ("member", [1.0, 0.9, 1 / 3]), "pairs": (("pair", "two"), np.zeros((4, 2), np.int32))},
        coords={
            "member": np.arange(3),
            "step": [0, 10, 20],
            "step_late": [20],
            "seed": ("member", SEEDS),
            "eta": ("member", [1e-3, 0.1, 1 / 3]),
        },
        attrs={"steps": 20},
    )
    values = {
        "loss": (("member", "step"), LOSS),
        "embedding": (("member", "step", "token"), EMBEDDING),
        "count": (("member", "step_late"), np.array([[7], [NEVER], [NEVER]], np.int32)),
        "outcome": (("member",), np.array([Outcome.OK, Outcome.DIVERGED, Outcome.STOPPED], np.int8)),
        "last_step": (("member",), np.array([20, 10, 19], np.int32)),
        "valid90_step": (("member",), np.array([10, NEVER, 0], np.int32)),
    }
    variables = [Variable(name, dims, v.shape, v.dtype, v.shape) for name, (dims, v) in values.items()]
    create_store(run.record_path, frame, variables)
    store = Store(run.record_path)
    for name, (_, value) in values.items():
        store.write(name, (slice(0, 3),), value)
    run.update(status="complete")
    return run


def rows_of(path) -> list[dict[str, str]]:
    with open(path, newline="", encoding="utf-8") as file:
        return list(csv.DictReader(file))


def test_a_row_says_who_a_member_was_and_how_it_ended(run):
    table = members_table(run.record())
    assert list(table) == [
        *("member", "eta", "seed"),
        *("outcome", "last_step", "valid90_step", "ideal"),
        *("final_count", "final_loss"),
    ]
    cells = {name: list(column.cells()) for name, column in table.items()}
    assert cells["seed"] == SEEDS
    assert cells["outcome"] == ["ok", "diverged", "stopped"]
    assert cells["valid90_step"] == [10, None, 0]  # never, and at once
    assert cells["final_count"] == [7, None, None]  # the others ended before anyone looked
    assert cells["final_loss"] == [float(LOSS[0, 2]), np.inf, float(LOSS[2, 1])]


def test_curves_end_where_a_member_ended(run):
    table = curves_table(run.record())
    rows = list(zip(*(column.cells() for column in table.values()), strict=True))
    assert [row[:3] for row in rows if row[2] == "loss"] == [
        *((0, step, "loss") for step in (0, 10, 20)),
        *((1, step, "loss") for step in (0, 10)),
        *((2, step, "loss") for step in (0, 10)),
    ]
    assert [row for row in rows if row[2] == "count"] == [(0, 20, "count", 7.0)]


def test_csv_is_read_back_bit_for_bit(run, tmp_path):
    assert export_members(run, tmp_path / "some" / "members.csv") == ["embedding", "pairs"]
    rows = rows_of(tmp_path / "some" / "members.csv")
    assert [row["valid90_step"] for row in rows] == ["10", "", "0"]
    assert [int(row["seed"]) for row in rows] == SEEDS
    assert [float(row["eta"]) for row in rows] == [1e-3, 0.1, 1 / 3]
    final = np.array([float(row["final_loss"]) for row in rows], np.float32)
    assert final.tobytes() == np.array([LOSS[0, 2], LOSS[1, 1], LOSS[2, 1]]).tobytes()
    export_curves(run, tmp_path / "curves.csv")
    values = [float(row["value"]) for row in rows_of(tmp_path / "curves.csv") if row["variable"] == "loss"]
    assert np.array(values, np.float32).tobytes() == np.concatenate([LOSS[0], LOSS[1, :2], LOSS[2, :2]]).tobytes()


def test_netcdf_holds_the_whole_record(run, tmp_path):
    pytest.importorskip("h5netcdf")
    assert export_all(run, tmp_path / "record.nc") == []
    with xr.open_dataset(tmp_path / "record.nc", engine="h5netcdf") as stored:
        xr.testing.assert_identical(stored.drop_attrs(), run.record().load().drop_attrs())
        for name, value in (("loss", LOSS), ("embedding", EMBEDDING)):
            assert stored[name].values.tobytes() == value.tobytes()
        assert stored.seed.values.tolist() == SEEDS
        assert json.loads(stored.attrs["run"])["experiment"] == "by-hand"
        assert stored.attrs["steps"] == 20


def test_parquet_has_empty_cells_and_the_types_of_the_record(run, tmp_path):
    parquet = pytest.importorskip("pyarrow.parquet")
    export_members(run, tmp_path / "members.parquet")
    table = parquet.read_table(tmp_path / "members.parquet")
    assert table["valid90_step"].to_pylist() == [10, None, 0]
    assert table["final_loss"].to_numpy().dtype == np.float32
    assert table["final_loss"].to_numpy().tobytes() == np.array([LOSS[0, 2], LOSS[1, 1], LOSS[2, 1]]).tobytes()
    assert table["outcome"].to_pylist() == ["ok", "diverged", "stopped"]
    export_curves(run, tmp_path / "curves.parquet")
    assert parquet.read_table(tmp_path / "curves.parquet").num_rows == 8


def test_a_corrupt_chunk_is_named_and_nothing_is_written(run, tmp_path):
    chunk = next(file for file in (run.record_path / "loss/c").rglob("*") if file.is_file())
    content = bytearray(chunk.read_bytes())
    content[len(content) // 2] ^= 0xFF
    chunk.write_bytes(bytes(content))
    with pytest.raises(RunError, match="variable 'loss' has a corrupt chunk"):
        export_members(run, tmp_path / "out" / "members.csv")
    assert not (tmp_path / "out").exists()


def test_a_failure_half_way_leaves_the_old_file_alone(run, tmp_path, monkeypatch):
    file = tmp_path / "members.csv"
    file.write_text("old")

    def full(*_):
        raise OSError("no space")

    monkeypatch.setattr("csv.writer", full)
    with pytest.raises(OSError, match="no space"):
        export_members(run, file)
    assert file.read_text() == "old"
    assert [path.name for path in tmp_path.iterdir() if path.is_file()] == ["members.csv"]


def test_a_record_without_curves_has_an_empty_table(tmp_path):
    record = xr.Dataset({"last_step": ("member", [1])}, coords={"member": [0]})
    assert [list(column.cells()) for column in curves_table(record).values()] == [[], [], [], []]
