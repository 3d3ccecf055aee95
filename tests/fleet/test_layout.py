import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from small_fleets import Sums, members

from nucleate.fleet import At, Every, First, Plan, Probe
from nucleate.fleet.layout import Layout, shard_size


@given(st.integers(1, 5000), st.sampled_from([1, 4, 16, 64, 512]), st.integers(1, 128))
def test_a_shard_is_whole_blocks_and_leaves_nobody_idle(count, block, workers):
    size = shard_size(count, block, workers)
    assert size % block == 0
    assert size >= 1
    shards = -(-count // size)
    # Either there are several shards for each worker, or a shard is as large or as small as it may be.
    assert shards >= 4 * workers or size >= 64 or size == block or count <= 8 * workers * block


def make(size: int, count: int = 5) -> Layout:
    extra = (
        Probe("weight", lambda view: view.model.decoder.weights[0], First(3), ("input", "unit"), "step_weight"),
        Probe("late", lambda view: view.loss, At((5000,)), axis="step_late"),
    )
    plan = Plan(Sums(look=Every(2), extra=extra), members(count), steps=1000)
    shapes = {"loss": (), "embedding": (4, 2), "weight": (2, 5), "late": ()}
    return Layout(plan, size, {name: (shape, np.dtype("float32")) for name, shape in shapes.items()})


def test_every_member_is_in_one_shard():
    assert [list(shard) for shard in make(size=2).shards] == [[0, 1], [2, 3], [4]]


def test_chunks_are_aligned_with_shards_and_never_larger_than_the_variable():
    layout = make(size=2)
    for variable in layout.variables():
        assert variable.chunks[0] == 2
        assert all(chunk <= max(size, 1) for chunk, size in zip(variable.chunks, variable.shape, strict=True))
        assert all(chunk >= 1 for chunk in variable.chunks)


def test_probes_of_one_axis_share_their_rows(monkeypatch):
    monkeypatch.setattr("nucleate.fleet.layout._CHUNK_BYTES", 4096)
    layout = make(size=2)
    # 4096 bytes hold 64 rows of two members' 4 x 2 embeddings.
    assert layout.rows_per_chunk == {"step": 64, "step_weight": 3, "step_late": 1}


def test_the_frame_has_a_coordinate_for_every_column_and_axis():
    frame = make(size=2).frame()
    assert set(frame.coords) == {
        *("member", "seed", "train_size", "eta_repr", "eta_dec", "wd_repr", "wd_dec"),
        *("step", "step_weight", "step_late"),
    }
    assert frame.step_weight.values.tolist() == [0, 1, 2]
    assert frame.sizes["step_late"] == 0
    assert frame.in_train.dims == ("member", "pair")
