"""A fleet of circle networks, as a typed config."""

import dataclasses
from dataclasses import dataclass
from typing import Annotated, ClassVar, Literal, final

import numpy as np
import xarray as xr

from nucleate.checking import Above, AtLeast, Bits, Count, Seed
from nucleate.fleet import Members, grid, table
from nucleate.interventions import Circle, Line
from nucleate.papers.circles.recipe import (
    CircleNetwork,
    ConstructedStart,
    KeptStart,
    PerturbedStart,
    RandomStart,
    Start,
)
from nucleate.papers.paper import Sequel
from nucleate.record import Need, at_the_end, column, require
from nucleate.theories.reading import STEP

VARIANTS = ("A: strongest", "B: two strongest", "C: one random", "D: two random")
"""What "kept" leaves of each network of its source."""
_NUMBER = {name[0]: number for number, name in enumerate(VARIANTS)}

_NEEDS = (
    Need("signal", ("member", "step", "freq"), "the signal of each frequency; a fleet of circle networks records it"),
    *(Need(name, ("member",), "a column of a fleet of circle networks") for name in ("p", "dim", "wd", "seed")),
    Need("last_step", ("member",), "the last step of each network; every fleet records it"),
    STEP,
)

_FEWEST_TO_CHOOSE = 11  # the smallest p with five frequencies


@final
@dataclass(frozen=True)
class CircleFleet(Sequel):
    """Modular-addition networks Dec([E_a, E_b]), one for every combination of the listed values."""

    repeats: ClassVar[str] = "embeddings"

    p: Annotated[tuple[int, ...], AtLeast(3), Bits(15)] = (59,)
    """Moduli, prime or not."""
    dim: tuple[Count, ...] = (128,)
    """Embedding dimensions."""
    wd: Annotated[tuple[float, ...], AtLeast(0)] = (0.5,)
    """Weight decays."""
    embeddings: Count = 1
    """Initial embeddings for each combination."""
    trials: Count = 1
    """Networks that share an embedding; each has its own decoder and split."""
    first_seed: Seed = 0
    """Seeds count from here, so that fleets compared with each other do not share networks."""
    start: Literal["random", "perturbed", "lines", "circles", "kept"] = "random"
    """How embeddings start: N(0, 1); with one frequency scaled; as two constructed lines or circles; or with nothing
    left but the frequencies that `source` found strongest (A, B) or random ones (C, D)."""
    frequency: int = 25
    """The frequency that "perturbed" scales."""
    factor: Annotated[tuple[float, ...], AtLeast(0)] = (1.0,)
    """What "perturbed" scales it by."""
    ratio: Annotated[tuple[float, ...], AtLeast(0)] = (1.0,)
    """Signal of the second constructed frequency over that of the first."""
    source: str = ""
    """For "kept": the experiment, with one network per embedding, whose first networks are trained again."""
    kept: tuple[tuple[int, int], ...] = ()
    """For "kept": the two strongest frequencies of each of those networks; read from `source` if left out."""
    variants: tuple[Literal["A", "B", "C", "D"], ...] = ("A", "B", "C", "D")
    """For "kept": what is left of each of those networks; one member for each."""
    frozen: bool = False
    """Train the decoder only."""
    eta: Annotated[float, Above(0)] = 0.01
    """Learning rate of AdamW."""
    width: Count = 100
    """Units in each of the two hidden layers."""
    steps: Count = 4000
    """Optimiser steps."""
    stop_when_clear: bool = False
    """Stop a network once every signal is far from the line between dead and alive (`CircleNetwork.clear`)."""
    look: Count = 20
    """Record the signals every N steps."""
    look_test: Count = 100
    """Record losses and accuracy every N steps."""
    snapshots: Annotated[int, AtLeast(0), Bits(31)] = 0
    """Record the embedding N times, at log-spaced steps."""
    look_ablation: Annotated[int, AtLeast(0), Bits(31)] = 0
    """Record the loss with only the strongest circles left every N steps; 0: never."""
    block: Count | None = None
    """Networks advanced together by one core; measured if left out."""

    def check(self) -> None:
        if self.snapshots == 1:
            self.refuse("snapshots", "must be 0, or at least 2 for the first and the last step; got 1")
        last = (min(self.p) - 1) // 2
        name = "frequency" if self.start == "perturbed" else "kept"
        for k in [self.frequency] if self.start == "perturbed" else [k for pair in self.kept for k in pair]:
            if not 1 <= k <= last:
                self.refuse(name, f"must be between 1 and {last} for p={min(self.p)}; got {k}")
        if self.start in ("lines", "circles", "kept") and min(self.p) < _FEWEST_TO_CHOOSE:
            self.refuse(
                "start", f"{self.start} needs p >= {_FEWEST_TO_CHOOSE}, for frequencies to choose from; got {self.p}"
            )
        if self.start == "kept" and not (self.source or self.kept):
            self.refuse("start", "kept needs `source` or `kept`; got neither")
        if not self.variants or len(set(self.variants)) < len(self.variants):
            self.refuse("variants", f"must be one or more of A to D, none of them twice; got {self.variants}")

    def recipe(self) -> CircleNetwork:
        starts: dict[str, Start] = {
            "random": RandomStart(),
            "perturbed": PerturbedStart(self.frequency),
            "lines": ConstructedStart(Line()),
            "circles": ConstructedStart(Circle()),
            "kept": KeptStart(),
        }
        return CircleNetwork(
            width=self.width,
            start=starts[self.start],
            frozen=self.frozen,
            look=self.look,
            look_test=self.look_test,
            snapshots=self.snapshots,
            look_ablation=self.look_ablation,
            stop=("clear",) if self.stop_when_clear else (),
        )

    @property
    def awaits(self) -> str:
        return "" if self.kept else self.source

    def after(self, record: xr.Dataset) -> "CircleFleet":
        """This fleet, with the two strongest frequencies that the networks of `source` ended with."""
        require(record, f"CircleFleet.after, with source = {self.source!r},", _NEEDS)
        if record.sizes["member"] < self.embeddings:
            self.refuse(
                "embeddings",
                f"must be at most {record.sizes['member']}, the networks of {self.source}; got {self.embeddings}",
            )
        for name in ("p", "dim", "wd"):
            found, asked = np.unique(column(record, name).values).tolist(), list(getattr(self, name))
            if found != asked:
                self.refuse(name, f"must be that of {self.source}, {found}; got {asked}")
        if record.seed.values[0] != self.first_seed:
            self.refuse("first_seed", f"must be that of {self.source}, {record.seed.values[0]}; got {self.first_seed}")
        strongest = np.argsort(-at_the_end(record, "signal")[: self.embeddings], axis=1)[:, :2] + 1
        return dataclasses.replace(self, kept=tuple(map(tuple, strongest.tolist())))

    def members(self) -> Members:
        members = self._kept() if self.start == "kept" else self._combinations()
        return members.with_columns(eta=np.full(members.count, self.eta))

    def _combinations(self) -> Members:
        members = grid(
            p=self.p,
            dim=self.dim,
            wd=self.wd,
            ratio=self.ratio,
            factor=self.factor,
            repeat=range(self.embeddings),
            trial=range(self.trials),
            seed=0,
        )
        # A decoder and a split per network; an embedding per combination, whatever the factor that scales it.
        cells = np.stack([members[name] for name in ("p", "dim", "wd", "ratio", "repeat")], axis=1)
        embedding = self.first_seed + np.unique(cells, axis=0, return_inverse=True)[1]
        number = self.first_seed + np.arange(members.count)
        first, second = self._drawn(members, embedding)
        return members.with_columns(
            seed=number, seed_split=number, seed_embedding=embedding, first=first, second=second
        )

    def _drawn(self, members: Members, embedding: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Two random frequencies for each embedding, neither twice the other: a harmonic would not be independent."""
        if self.start not in ("lines", "circles"):
            return np.zeros(members.count, int), np.zeros(members.count, int)
        drawn = [
            _unrelated(np.random.default_rng(seed), p) for seed, p in zip(embedding, members["p"].tolist(), strict=True)
        ]
        first, second = np.asarray(drawn).T
        return first, second

    def _kept(self) -> Members:
        """The variants of each network of the source: the same embedding, decoder and split, fewer frequencies."""
        rows = []
        for network, (strongest, next_strongest) in enumerate(self.kept):
            choice = np.random.default_rng(self.first_seed + network)
            others = [k for k in range(1, (self.p[0] + 1) // 2) if k not in (strongest, next_strongest)]
            one, two = choice.choice(others, 2, replace=False).tolist()
            pairs = ((strongest, strongest), (strongest, next_strongest), (one, one), (one, two))
            rows += [(network, _NUMBER[name], *pairs[_NUMBER[name]]) for name in self.variants]
        network, variant, first, second = np.asarray(rows).T
        return table(
            p=self.p[0],
            dim=self.dim[0],
            wd=self.wd[0],
            variant=variant,
            first=first,
            second=second,
            seed=self.first_seed + network,
            seed_split=self.first_seed + network,
            seed_embedding=self.first_seed + network,
        )


def _unrelated(choice: np.random.Generator, p: int) -> tuple[int, int]:
    frequencies = np.arange(1, (p + 1) // 2)
    while True:
        first, second = choice.choice(frequencies, 2, replace=False).tolist()
        doubles = {(2 * first) % p, (-2 * first) % p}, {(2 * second) % p, (-2 * second) % p}
        if second not in doubles[0] and first not in doubles[1]:
            return first, second
