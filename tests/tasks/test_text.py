"""Text: the one that comes along, files of the user's, and windows that never cross from one part into the other."""

import re

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from nucleate.fleet import Stream
from nucleate.tasks import TextTask, bundled_text, read_text, windows

COUNT = np.arange(250, dtype=np.uint8)


def test_the_bundled_text_is_english_without_repeated_paragraphs():
    text = bundled_text().tobytes().decode()
    assert len(text) > 300_000
    assert text.count(" the ") > 2000
    paragraphs = [" ".join(paragraph.split()) for paragraph in text.split("\n\n")]
    assert len(set(paragraphs)) == len(paragraphs)


def test_what_is_validated_on_was_hardly_ever_trained_on():
    task = TextTask(bundled_text())
    train, valid = (part.tobytes().decode(errors="ignore").split() for part in (task.train, task.valid))
    eight = lambda words: [tuple(words[i : i + 8]) for i in range(len(words) - 7)]
    seen = set(eight(train))
    assert np.mean([phrase in seen for phrase in eight(valid)]) < 0.01


def test_a_python_without_the_text_says_what_to_do(monkeypatch):
    monkeypatch.setattr("nucleate.tasks.text._BUNDLED", "pydoc_data.absent")
    with pytest.raises(ModuleNotFoundError, match="give a file of your own"):
        bundled_text.__wrapped__()


def test_windows_cover_one_part_and_stay_in_it():
    task = TextTask(COUNT, context=8, held_out=0.1)
    draw = jax.jit(Stream(lambda data, key, step: windows(data["train"], key, 64, 9)).draw)
    drawn = np.stack([draw({"train": jnp.asarray(task.train)}, jax.random.key(step), 0) for step in range(60)])
    assert (drawn == drawn[..., :1] + np.arange(9)).all()
    assert set(drawn[..., 0].ravel()) == set(range(225 - 8))  # each start that there is, to the very last
    held = task.spread(5)
    assert (held == held[:, :1] + np.arange(9)).all()
    assert (held.min(), held.max()) == (225, 249)


def test_parts_meet_where_the_share_says():
    for held_out in (0.1, 0.25, 0.5, 0.9):
        task = TextTask(COUNT, context=8, held_out=held_out)
        assert np.array_equal(np.concatenate([task.train, task.valid]), COUNT)
        assert task.valid.size == round(held_out * 250)


def test_the_checksum_tells_texts_apart():
    other = COUNT.copy()
    other[-1] ^= 1
    assert TextTask(COUNT, context=8).checksum != TextTask(other, context=8).checksum


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (COUNT[:0], "TextTask.text is empty"),
        (
            COUNT[:84],
            "text must be longer than context = 8 in both parts; got 76 bytes to train and 8 to validate on.",
        ),
    ],
)
def test_a_text_that_will_not_do_is_refused(text, message):
    with pytest.raises(ValueError, match=re.escape(message)):
        TextTask(text, context=8)


def test_the_shortest_text_will_do():
    task = TextTask(COUNT[:85], context=8)
    assert (task.train.size, task.valid.size) == (76, 9)
    assert task.spread(2).tolist() == [list(range(76, 85))] * 2


def test_files(tmp_path):
    (tmp_path / "some.txt").write_bytes(bytes(range(256)))
    assert read_text(tmp_path / "some.txt").tolist() == list(range(256))
    (tmp_path / "empty.txt").touch()
    for name, problem in {
        "none.txt": "there is no such file",
        "empty.txt": "is empty",
        ".": "cannot be read",
    }.items():
        with pytest.raises(ValueError, match=problem):
            read_text(tmp_path / name)
