"""Evidence for the claims on digits, planted at the sizes of the standard budget: where each holds, and where it
fails."""

from collections.abc import Callable

import numpy as np
from planted import PlantedRun
from plants_grokking import evidence, plan, run

from nucleate.claims import Evidence
from nucleate.papers.grokking.experiments.images import DIGITS, DIGITS_CORNERS, DIGITS_PHASES, DIGITS_SIZES
from nucleate.record import NEVER


def crossed(name: str, train: np.ndarray, valid: np.ndarray, **others) -> PlantedRun:
    """Networks that learn their training images and generalise at these steps."""
    train, valid = (np.broadcast_to(steps, plan(name).members.count) for steps in (train, valid))
    curve = (("member", "step"), np.stack([np.full(len(train), 0.1), np.where(valid == NEVER, 0.2, 0.8)], 1))
    return run(
        name,
        train90_step=("member", train),
        valid60_step=("member", valid),
        valid_accuracy=curve,
        weight_norm=curve,
        **others,
    )


def digits(train: int, valid: int) -> Evidence:
    return evidence(digits=crossed(DIGITS, np.asarray(train), np.asarray(valid)))


def corners(lowest: int, middle: int, highest: int) -> PlantedRun:
    """Corners whose lower two generalise at these steps, and whose highest learn their training images at this one."""
    decay = plan(DIGITS_CORNERS).members["decay"]
    low, high = decay == decay.min(), decay == decay.max()
    return crossed(DIGITS_CORNERS, np.where(high, highest, 800), np.select([low, high], [lowest, NEVER], middle))


def plane(power: float) -> PlantedRun:
    """A map on which the delay is a power of learning rate and weight decay; a tenth of the networks is confused."""
    columns = plan(DIGITS_PHASES).members
    delay = 3000 * (columns["eta_last"] / 1e-3 * columns["decay"] / 1e-2) ** power
    train = np.where(np.arange(columns.count) % 10 == 9, NEVER, 1000)
    valid = np.where(1000 + delay < plan(DIGITS_PHASES).steps, 1000 + delay, NEVER).astype(int)
    return crossed(DIGITS_PHASES, train, np.where(train == NEVER, NEVER, valid))


def layout(power: float = -0.2, lowest: int = NEVER, middle: int = 1200, highest: int = NEVER) -> Evidence:
    return evidence(digits_phases=plane(power), digits_corners=corners(lowest, middle, highest))


def sizes(exponent: float, smallest: float = 1.0) -> Evidence:
    """Networks whose time is a power of the training size, and longer by a factor with the smallest."""
    size = plan(DIGITS_SIZES).members["train_size"]
    rng = np.random.default_rng(38)
    steps = 2000 * (size / 2048) ** exponent * rng.uniform(0.95, 1.05, len(size))
    steps = np.where(size == size.min(), smallest * steps, steps)
    valid = np.where(steps <= plan(DIGITS_SIZES).steps, steps, NEVER).astype(int)
    return evidence(digits_sizes=crossed(DIGITS_SIZES, np.asarray(100), valid))


PLANTS: dict[str, tuple[Callable[[], Evidence] | None, Callable[[], Evidence] | None]] = {
    "grokking/36": (lambda: digits(1000, 20_000), lambda: digits(1000, 1200)),
    "grokking/37": (layout, lambda: layout(power=0.2)),
    "grokking/38": (lambda: sizes(-0.2, smallest=5.0), lambda: sizes(0.3)),
}
