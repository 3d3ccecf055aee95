import numpy as np
import pytest
from small_fleets import Sums, members

from nucleate.fleet import Every, Plan
from nucleate.fleet.layout import Layout
from nucleate.fleet.shard import Rows
from nucleate.record import Store, create_store, open_record


@pytest.fixture
def layout(monkeypatch):
    """Five members in shards of two, a loss at steps 0..20, of which a chunk of the store holds eight."""
    monkeypatch.setattr("nucleate.fleet.layout._CHUNK_BYTES", 8 * 2 * 4 * 8)
    plan = Plan(Sums(look=Every(1)), members(5), steps=20)
    shapes = {"loss": (), "embedding": (4, 2)}
    return Layout(plan, 2, {name: (shape, np.dtype("float32")) for name, shape in shapes.items()})


@pytest.fixture
def store(layout, tmp_path):
    create_store(tmp_path / "record.zarr", layout.frame(), layout.variables())
    return Store(tmp_path / "record.zarr")


def fill(rows, pieces):
    """Add `pieces` of made-up recordings, writing what can be written after each, and return all of them."""
    rng = np.random.default_rng(0)
    recorded = {"loss": [], "embedding": []}
    for count in pieces:
        for name, shape in (("loss", ()), ("embedding", (4, 2))):
            recorded[name].append(rng.normal(size=(len(rows.shard), count, *shape)).astype(np.float32))
            rows.add(name, recorded[name][-1])
        rows.flush()
    return {name: np.concatenate(parts, axis=1) for name, parts in recorded.items()}


@pytest.mark.parametrize("pieces", [[21], [3, 3, 3, 3, 3, 3, 3], [7, 0, 14]])
def test_rows_reach_the_store_however_they_come(layout, store, tmp_path, pieces):
    rows = Rows(layout, layout.shards[1], store)
    recorded = fill(rows, pieces)
    rows.flush(last=True)
    record = open_record(tmp_path / "record.zarr", complete=False)
    for name, values in recorded.items():
        assert np.array_equal(record[name].values[2:4], values)
        assert np.isnan(record[name].values[[0, 1, 4]]).all()  # other shards are untouched


def test_only_whole_chunks_are_written_before_the_end(layout, store):
    assert layout.rows_per_chunk == {"step": 8}
    rows = Rows(layout, layout.shards[0], store)
    recorded = fill(rows, [5, 5, 9])
    assert rows.written == {"loss": 16, "embedding": 16}
    assert np.array_equal(rows.pending["loss"], recorded["loss"][:, 16:])


def test_rows_go_on_where_a_checkpoint_left_them(layout, store, tmp_path):
    first = Rows(layout, layout.shards[0], store)
    before = fill(first, [11])
    second = Rows(layout, layout.shards[0], store, first.pending, first.written)
    after = fill(second, [10])
    second.flush(last=True)
    record = open_record(tmp_path / "record.zarr", complete=False)
    assert np.array_equal(record.loss.values[:2], np.concatenate([before["loss"], after["loss"]], axis=1))
