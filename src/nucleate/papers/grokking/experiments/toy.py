"""The fleets behind the paper's figures: names, configs, and one row per experiment with its three sizes."""

from dataclasses import dataclass, replace
from typing import Annotated, final

import numpy as np

from nucleate.checking import AtLeast, Bits
from nucleate.fleet import Members
from nucleate.observables import ideal_test_accuracy
from nucleate.papers.config import Later
from nucleate.papers.grokking.experiments.pairs import APART, PairFleet, independent, logspace, paired
from nucleate.papers.grokking.recipe import P, ToyAddition
from nucleate.papers.paper import Sizes

DATA_SIZE = "grokking/data-size"
TRANSITION = "grokking/transition"
TRAJECTORIES = "grokking/trajectories"
PHASE_RATES = "grokking/phase-rates"
PHASE_DECAY = "grokking/phase-decay"
PHASE_DECAY_CLASSES = "grokking/phase-decay-classes"
NO_DECAY = "grokking/no-decay"
NO_DECAY_CLASSES = "grokking/no-decay-classes"
CORNERS = "grokking/corners"
CORNERS_DECAY = "grokking/corners-decay"
CORNERS_DECAY_CLASSES = "grokking/corners-decay-classes"
FOUR_SYMBOLS = "grokking/four-symbols"

FEASIBLE = 0.9
"""Table 1 asks for 90 % validation accuracy: a split whose ideal test accuracy is lower always counts as
memorization."""

TABLE_1_STEPS = 100_000
"""Table 1 defines phases by what happens within this many steps. Before then, "not yet" is not "never"."""

TABLE_1_DELAY = 1000
"""A network that generalises this many steps after it has fitted its training set, or later, groks."""


_MANY = 2000  # splits, none of which is feasible, are enough to give up


@final
@dataclass(frozen=True)
class ToyFleet(PairFleet):
    """Toy addition networks Dec(E_a + E_b), one for every combination of the listed values."""

    p: int = P
    """How many symbols are added."""
    train_size: tuple[int, ...] = (45,)
    """Training pairs, of p(p+1)/2."""
    paired: bool = False
    """Use the first eta_repr with the first eta_dec and so on, instead of every combination."""
    batch: Annotated[int | tuple[int, ...], AtLeast(0), Bits(31)] = 0
    """Minibatch size, one or several; 0 trains on the full batch."""
    feasible: bool = False
    """Use only splits from which an ideal network could reach 90 % validation accuracy."""
    training_set: tuple[tuple[int, int], ...] = ()
    """Train on these pairs, instead of random splits."""
    one_split: Annotated[bool, Later] = False
    """Train all networks with as many pairs on the same ones, as in the paper's maps, instead of a split for each."""

    def check(self) -> None:
        pairs = self.recipe().task.count
        if not self.train_size:
            self.refuse("train_size", "needs at least one value; got none")
        for size in self.train_size:
            if not 1 <= size <= pairs:
                self.refuse("train_size", f"must be between 1 and {pairs} for p={self.p}; got {size}")
        if self.paired and len(self.eta_repr) != len(self.eta_dec):
            self.refuse(
                "paired", f"needs as many eta_repr as eta_dec; got {len(self.eta_repr)} and {len(self.eta_dec)}"
            )
        if any(not 0 <= number < self.p for pair in self.training_set for number in pair):
            self.refuse("training_set", f"must pair numbers below p={self.p}; got {self.training_set}")
        if len({tuple(sorted(pair)) for pair in self.training_set}) < len(self.training_set):
            self.refuse("training_set", f"lists a pair twice; got {self.training_set}")
        if self.feasible and pairs in self.train_size:
            self.refuse("feasible", "needs validation pairs; train_size leaves none")

    def recipe(self) -> ToyAddition:
        return ToyAddition(
            p=self.p, training_set=self.training_set, minibatches=bool(np.any(self.batch)), **self.shared()
        )

    def members(self) -> Members:
        sizes = [len(self.training_set)] if self.training_set else self.train_size
        axes = {"train_size": sizes} | ({"batch": self.batch} if np.any(self.batch) else {})
        if self.paired:
            each = {name: tuple(dict.fromkeys(getattr(self, name))) for name in ("eta_repr", "eta_dec")}
            every = replace(self, paired=False, **each).combinations(**axes)
            rates = zip(self.eta_repr, self.eta_dec, strict=True)
            members = independent(paired(every, "eta_repr", "eta_dec", rates), self.first_seed)
        else:
            members = self.combinations(**axes)
        return members.with_columns(seed_split=self._split_seeds(members))

    def _split_seeds(self, members: Members) -> np.ndarray:
        """A different seed for the split of every member, or of every size if there is `one_split` for it, skipping
        infeasible splits if `feasible`."""
        if not self.feasible:
            return self.first_seed + (np.zeros(members.count, int) if self.one_split else np.arange(members.count))
        seeds = np.empty(members.count, int)
        first = self.first_seed
        for size in np.unique(members["train_size"]).tolist():
            wanted = np.flatnonzero(members["train_size"] == size)
            count = 1 if self.one_split else len(wanted)
            found: list[int] = []
            while len(found) < count:
                batch = range(first, first + 2 * count)
                found += self._feasible(batch, size)
                first = batch.stop
                if first > self.first_seed + _MANY and not found:
                    self.refuse("feasible", f"finds no feasible split of {size} pairs; use a larger train_size")
            seeds[wanted] = found[:count]
        return seeds

    def _feasible(self, seeds: range, size: int) -> list[int]:
        recipe = self.recipe()
        equations, quads = recipe.structure.equations, recipe.structure.quads  # first: they may be too large
        in_train = np.stack([recipe.split({"seed_split": seed, "train_size": size}).in_train for seed in seeds])
        ideal = np.asarray(ideal_test_accuracy(equations, quads, in_train), float)
        return [seed for seed, reachable in zip(seeds, ideal >= FEASIBLE, strict=True) if reachable]


def _linspace(high: float, count: int) -> tuple[float, ...]:
    return tuple(np.linspace(0, high, count).tolist())


def phases(**fields) -> ToyFleet:
    """Networks whose phase Table 1 defines; each stops once it is known."""
    return ToyFleet(feasible=True, stop=("train90", "valid90"), look=50, steps=TABLE_1_STEPS, **fields)


_RATES = (-5, -2)  # decades of learning rates in Fig. 6


def _map(high: float, **fields) -> Sizes:
    """A map over the decoder's learning rate and weight decay, which goes up to `high`.

    As in the paper, a cell of the standard budget has one network.
    """
    return Sizes.of(
        phases(eta_dec=logspace(*_RATES, 16), wd_dec=_linspace(high, 11), **fields),
        standard={"eta_dec": logspace(*_RATES, 7), "wd_dec": _linspace(high, 6), "seeds": 1, "steps": 10_000},
        quick=None,
    )


def _row(**fields) -> Sizes:
    """The row of such a map in which nothing decays, but for its corner."""
    return Sizes.of(
        phases(eta_dec=logspace(*_RATES, 16)[:-1], **fields),
        standard={"eta_dec": logspace(*_RATES, 7)[:-1]},
        quick=None,
    )


# Phases of short runs are not known, so there are no quick ones. No two fleets share a network.
EXPERIMENTS = {
    DATA_SIZE: Sizes.of(
        ToyFleet(first_seed=APART, train_size=(*range(5, 51, 5), 54), seeds=3, steps=5000, look=50),
        standard={"seeds": 18},
        quick={"seeds": 6},
    ),
    # The paper does not give the learning rates of Fig. 4b, whose step counts are not those of the defaults. These are
    # the defaults (and those of Fig. 5b), the rates that Fig. 12 names, which have such step counts, and some between.
    TRANSITION: Sizes.of(
        ToyFleet(
            first_seed=2 * APART,
            train_size=(6, 9, 12, 15, 18, 20, 22, 24, 26, 28, 30, 33, 36, 39, 42, 45, 48, 50, 52, 54),
            seeds=3,
            eta_repr=(1e-3, 3e-3, 1e-2),
            eta_dec=(1e-4, 1e-3, 1e-3),
            paired=True,
            steps=10_000,
            stop=("rqi95",),
        ),
        standard={"train_size": (12, 17, 22, 27, 33, 40, 47, 54), "seeds": 10},
        quick={"seeds": 5},
    ),
    TRAJECTORIES: Sizes.of(ToyFleet(first_seed=3 * APART, seeds=100, steps=5000, look=25), quick={"seeds": 40}),
    PHASE_RATES: Sizes.of(
        phases(first_seed=4 * APART, eta_repr=logspace(*_RATES, 13), eta_dec=logspace(*_RATES, 13)),
        standard={"eta_repr": logspace(*_RATES, 7), "eta_dec": logspace(*_RATES, 7), "seeds": 2, "steps": 10_000},
        quick=None,
    ),
    PHASE_DECAY: _map(10),
    PHASE_DECAY_CLASSES: _map(20, first_seed=5 * APART, readout="classification"),
    NO_DECAY: _row(first_seed=30 * APART),
    NO_DECAY_CLASSES: _row(first_seed=31 * APART, readout="classification"),
    # Corners of the three maps: (slow representation, fast decoder) and the reverse; no decay and high decay.
    CORNERS: Sizes.of(
        phases(first_seed=6 * APART, eta_repr=(1e-5, 1e-2), eta_dec=(1e-2, 1e-5), paired=True, seeds=9), quick=None
    ),
    CORNERS_DECAY: Sizes.of(phases(first_seed=7 * APART, eta_dec=(1e-2,), wd_dec=(0.0, 10.0), seeds=9), quick=None),
    CORNERS_DECAY_CLASSES: Sizes.of(
        phases(first_seed=8 * APART, readout="classification", eta_dec=(1e-2,), wd_dec=(0.0, 20.0), seeds=9),
        quick=None,
    ),
    FOUR_SYMBOLS: Sizes.of(
        ToyFleet(
            first_seed=9 * APART,
            p=4,
            train_size=(6,),
            training_set=((0, 2), (1, 1), (0, 3), (1, 2), (1, 3), (2, 2)),  # Eq. 21: an ideal network finds the line
            seeds=200,
            eta_repr=(1e-2, 1e-3),
            eta_dec=(1e-3, 1e-2),
            paired=True,
            steps=3000,
            look=100,
        ),
        quick={"seeds": 100},
    ),
}
