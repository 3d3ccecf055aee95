"""A paper that trains in a second: three claims, two figures, a sequel; each of its parts can be told to fail."""

from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Annotated, final

import jax
import jax.numpy as jnp
import numpy as np
import optax
import xarray as xr
from PIL import Image

from nucleate.checking import Above, AtLeast, Seed
from nucleate.claims import Check, Claim, Estimate, Evidence, Findings, Region, Revision, Steps, Threshold, bootstrap
from nucleate.fleet import Every, Members, Probe, Recipe, table
from nucleate.models import MLP
from nucleate.papers import Experiment, Later, Paper, Sequel, Sizes
from nucleate.plots import Picture
from nucleate.record import at_the_end

FIRST, SECOND = "toy/first", "toy/second"

CALLS: Counter[str] = Counter()
"""How often each part was called."""
_ERRORS: dict[str, BaseException | Callable[[], object]] = {}


@contextmanager
def raising(**errors: BaseException | Callable[[], object]) -> Iterator[None]:
    """Parts that raise, or do something else, before their work, by name; and calls counted from here on."""
    CALLS.clear()
    _ERRORS.update(errors)
    try:
        yield
    finally:
        _ERRORS.clear()


def _called(name: str) -> None:
    CALLS[name] += 1
    error = _ERRORS.get(name)
    if isinstance(error, BaseException):
        raise error
    if error:
        error()


@final
@dataclass(frozen=True)
class Line(Recipe):
    """y = x by least squares. Columns: `seed`, `eta`."""

    def data(self, member):
        _called("data")
        x = np.linspace(-1, 1, 4, dtype=np.float32)[:, None]
        return {"train": {"x": x, "y": x}}

    def model(self, member, key):
        return MLP((1, 1), key=key)

    def optimizer(self, member):
        return optax.sgd(member["eta"])

    def loss(self, model, batch, key):
        _called("loss")
        answer = jax.vmap(model)(batch["x"])
        return jnp.mean((answer - batch["y"]) ** 2), answer

    @property
    def probes(self):
        return (Probe("loss", lambda view: view.loss, Every(5)),)

    def describe(self, data):
        return {}


@final
@dataclass(frozen=True)
class Lines(Experiment):
    """Lines, one for each seed."""

    seeds: Annotated[int, AtLeast(1)] = 8
    first_seed: Annotated[Seed, Later] = 0
    eta: Annotated[float, Above(0)] = 0.1
    steps: Annotated[int, AtLeast(1)] = 20
    block: int | None = 1

    def recipe(self) -> Line:
        return Line()

    def members(self) -> Members:
        return table(seed=range(self.first_seed, self.first_seed + self.seeds), eta=self.eta)


@final
@dataclass(frozen=True)
class Slower(Sequel):
    """Lines at a learning rate that the loss of `source` decides."""

    source: str = FIRST
    seeds: int = 6
    first_seed: Annotated[Seed, Later] = 0
    eta: float | None = None
    steps: int = 20
    block: int | None = 1

    @property
    def awaits(self) -> str:
        return self.source if self.eta is None else ""

    def after(self, record: xr.Dataset) -> "Slower":
        return replace(self, eta=0.05 if float(record.loss.max()) > 0 else 0.1)

    def recipe(self) -> Line:
        return Line()

    def members(self) -> Members:
        return table(seed=range(self.first_seed, self.first_seed + self.seeds), eta=self.eta)


@dataclass(frozen=True)
class Fit:
    fall: np.ndarray


def fit(evidence: Evidence) -> Fit:
    """What a claim and a figure share."""
    _called("fit")
    loss = evidence.record(FIRST).loss.values
    return Fit(loss[:, -1] / loss[:, 0])


FALL = Check("loss at the end over loss at the start", "falls", Region.below(1), Threshold.PAPER)
LATE = Check("loss at the end", "0", Region.below(1e-6), mature=Steps(1000, SECOND))
HALF = Check("half", "1/3", Region.around(1 / 3, 0.01))


def fall(evidence: Evidence) -> Findings:
    _called("fall")
    return Findings({FALL: bootstrap(np.median, evidence.once(fit).fall)}, "8 lines.")


def late(evidence: Evidence) -> Findings:
    _called("late")
    return Findings({LATE: bootstrap(np.median, at_the_end(evidence.record(SECOND), "loss"))})


def half(evidence: Evidence) -> Findings:
    _called("half")
    return Findings({HALF: Estimate.exact(evidence.effort.numerator / 2)}, "A half is not a third.")


def figure_1(evidence: Evidence, folder: Path) -> Picture:
    _called("figure_1")
    shade = int(255 * float(np.median(evidence.once(fit).fall)))
    return Picture(_image(folder / "figure_1.png", shade), "Fig. 1: the loss falls", "Grey is where it ends.")


def figure_2(evidence: Evidence, folder: Path) -> list[Picture]:
    _called("figure_2")
    shades = evidence.record(SECOND).eta.values[:2] * 255
    return [
        Picture(_image(folder / f"figure_2{i}.png", int(s)), f"Fig. 2{i}", "")
        for i, s in zip("ab", shades, strict=True)
    ]


def _image(path: Path, shade: int) -> Path:
    Image.new("L", (8, 4), shade).save(path)
    return path


@dataclass(frozen=True)
class Effort:
    numerator: int


CLAIMS = (
    Claim("toy/1", "Sec. 1", "The loss falls.", (FALL,), fall, (FIRST,)),
    Claim(
        "toy/2",
        "Fig. 2",
        "The loss falls to nothing.",
        (LATE,),
        late,
        (SECOND,),
        quote="In the end the loss is nothing.",
        history=(Revision("loss at the end < 1", "replicated", "any line would have passed."),),
    ),
    Claim("toy/3", "Eq. 3", "Half is a third.", (HALF,), half),
)

PAPER = Paper(
    "toy",
    "A toy paper",
    "Nobody (2026)",
    CLAIMS,
    {FIRST: Sizes.of(Lines(), quick={"seeds": 7}), SECOND: Sizes.of(Slower())},
    Sizes.of(Effort(1)),
    (figure_1, figure_2),
)
