from typing import NamedTuple

import jax
import numpy as np
import pytest

from nucleate.fleet import checkpoint


class Pair(NamedTuple):
    a: np.ndarray
    b: dict


def state(seed: int) -> list:
    rng = np.random.default_rng(seed)
    return [Pair(rng.normal(size=(2, 3)).astype(np.float32), {"x": np.int32(seed), "y": np.array([True, False])})]


PENDING = {"loss": np.arange(4, dtype=np.float32).reshape(2, 2), "a/b": np.zeros((2, 0, 3))}


@pytest.fixture
def file(tmp_path):
    checkpoint.save(tmp_path / "00000.checkpoint", 7, state(1), PENDING)
    return tmp_path / "00000.checkpoint"


def same(saved) -> bool:
    position, states, pending = saved
    equal = jax.tree.map(
        lambda x, y: x.dtype == y.dtype and np.array_equal(x, y), [states, pending], [state(1), PENDING]
    )
    return position == 7 and jax.tree.structure(states) == jax.tree.structure(state(1)) and all(jax.tree.leaves(equal))


def test_what_is_saved_is_restored(file):
    assert same(checkpoint.restore(file, state(2)))


def test_the_newest_replaces_the_older(file):
    checkpoint.save(file, 8, state(3), {})
    position, states, pending = checkpoint.restore(file, state(2))
    assert (position, pending) == (8, {})
    assert np.array_equal(states[0].a, state(3)[0].a)
    assert [entry.name for entry in file.parent.iterdir()] == [file.name]


def test_no_file_is_no_checkpoint(tmp_path):
    assert checkpoint.restore(tmp_path / "none", state(2)) is None


def test_a_checkpoint_of_another_program_is_none(file):
    other = [state(2)[0]._replace(a=np.zeros((2, 4), np.float32))]
    wider = [state(2)[0]._replace(a=np.zeros((2, 3)))]
    more = state(2) * 2
    assert [checkpoint.restore(file, like) for like in (other, wider, more)] == [None] * 3


@pytest.mark.parametrize("content", [b"", b"garbage", b"PK\x03\x04", b"\x00" * 500, b"\x80\x04]q\x00."])
def test_garbage_is_no_checkpoint(file, content):
    file.write_bytes(content)
    assert checkpoint.restore(file, state(2)) is None


def test_a_truncated_file_is_no_checkpoint(file):
    content = file.read_bytes()
    for length in range(0, len(content), 37):
        file.write_bytes(content[:length])
        assert checkpoint.restore(file, state(2)) is None


def test_any_flipped_bit_is_noticed(file):
    content = file.read_bytes()
    for position in range(len(content)):
        flipped = bytearray(content)
        flipped[position] ^= 1 << position % 8
        file.write_bytes(flipped)
        assert checkpoint.restore(file, state(2)) is None, f"byte {position}"
