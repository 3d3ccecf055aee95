"""Quadratic networks on groups: names, configs, and one row per experiment with its three sizes."""

from dataclasses import dataclass
from typing import Annotated, Literal, final

import numpy as np

from nucleate.algebra import Characters, memorising, mixed, order_six
from nucleate.checking import Above, AtLeast, AtMost, Bits, Count, Seed
from nucleate.fleet import Members, grid
from nucleate.papers.algebra.recipe.descent import AdamDecoupled, AdamL2
from nucleate.papers.algebra.recipe.network import GroupNetwork
from nucleate.papers.algebra.recipe.starts import ComposedStart, RandomStart, Start
from nucleate.papers.paper import Experiment, Sizes
from nucleate.tasks import Group

C7 = "algebra/c7"
C11 = "algebra/c11"
C23 = "algebra/c23"
C71 = "algebra/c71"
C127 = "algebra/c127"
DECAY = "algebra/decay"
ADAMW = "algebra/adamw"
OCCAM = "algebra/occam"

EPOCHS = 10_000
"""The talk's table is of networks after this many epochs, each of which is one step on all training pairs."""

LARGEST = 200
"""The most elements of a group: a step looks at the cube of them."""


@final
@dataclass(frozen=True)
class GroupFleet(Experiment):
    """Quadratic networks that learn the addition of an abelian group, one for every combination of the listed
    values. The defaults are those of the talk for d = 23."""

    group: str = "C23"
    """Which group: cyclic C23, or a product of cyclic groups such as C3xC3. It must be abelian."""
    nodes: Count = 512
    """Hidden nodes of networks that start at random."""
    start: Literal["random", "memorising", "order-6", "order-4/6"] = "random"
    """Weights at the start: random, or those of a constructed optimum, which has a number of nodes of its own."""
    noise: Annotated[float, AtLeast(0)] = 0.01
    """Normal noise on the weights of a constructed optimum, in units of their standard deviation."""
    eta: Annotated[tuple[float, ...], Above(0)] = (0.01,)
    """Learning rates."""
    wd: Annotated[tuple[float, ...], AtLeast(0)] = (5e-5,)
    """Weight decays."""
    descent: Literal["adam", "adamw"] = "adam"
    """Adam with weight decay inside its gradient, as the talk's code has it, or AdamW."""
    train_share: Annotated[float, Above(0), AtMost(1)] = 0.9
    """Share of the ordered pairs that are trained on."""
    seeds: Count = 20
    """Networks per combination. Every network has weights and held-out pairs of its own."""
    first_seed: Seed = 0
    """Seeds count from here, so that fleets do not share networks."""
    steps: Count = EPOCHS
    """Optimiser steps, each on all training pairs."""
    points: Annotated[int, AtLeast(2), Bits(31)] = 200
    """Record losses and accuracies about N times, at log-spaced steps."""
    looks: Annotated[int, AtLeast(2), Bits(31)] = 40
    """Record the weights about N times, at log-spaced steps."""
    block: Count | None = 1
    """Networks advanced together by one core; measured if left out."""

    def check(self) -> None:
        group = Group.named(self.group)
        if not group.is_abelian:
            x, y = (group.elements[token] for token in np.argwhere(group.products != group.products.T)[0])
            self.refuse(
                "group",
                f"must be abelian, such as C23 or C3xC3, for characters to be numbers; in {self.group}, {x} ∘ {y} is "
                f"not {y} ∘ {x}",
            )
        if not 3 <= group.order <= LARGEST:
            self.refuse("group", f"must have 3 to {LARGEST} elements; {self.group} has {group.order}")

    def recipe(self) -> GroupNetwork:
        return GroupNetwork(
            Group.named(self.group),
            self._start(),
            {"adam": AdamL2(), "adamw": AdamDecoupled()}[self.descent],
            self.train_share,
            self.points,
            self.looks,
        )

    def _start(self) -> Start:
        if self.start == "random":
            return RandomStart(self.nodes)
        make = {"memorising": memorising, "order-6": order_six, "order-4/6": mixed}[self.start]
        return ComposedStart(make(Characters.of(Group.named(self.group).products)), self.noise)

    def members(self) -> Members:
        members = grid(eta=self.eta, wd=self.wd, seed=range(self.seeds))
        seed = self.first_seed + np.arange(members.count)
        return members.with_columns(repeat=members["seed"], seed=seed, seed_split=seed)


_QUICK = {"nodes": 128, "steps": 2000, "seeds": 6}
_DECAYS = (0.0, 1e-5, 1e-4, 2e-4, 5e-4)  # the authors' sweep, without the 5e-5 of C23, and none at all

EXPERIMENTS = {
    # Smaller groups and other decays are shown beside the talk's d = 23. The authors' table is of five networks.
    C7: Sizes.of(GroupFleet("C7", seeds=50, first_seed=1000), standard={"seeds": 20}, quick=_QUICK),
    C11: Sizes.of(GroupFleet("C11", seeds=50, first_seed=2000), standard={"seeds": 20}, quick=_QUICK),
    C23: Sizes.of(GroupFleet(seeds=50), standard={"seeds": 30}, quick=_QUICK),
    # Hours on two cores: a step of 127 elements costs 170 times as much as one of 23.
    C71: Sizes.of(GroupFleet("C71", seeds=10, first_seed=3000), standard=None),
    C127: Sizes.of(GroupFleet("C127", seeds=10, first_seed=4000), standard=None),
    DECAY: Sizes.of(
        GroupFleet(wd=_DECAYS, seeds=20, first_seed=5000, looks=20),
        standard={"seeds": 6},
        quick={"nodes": 128, "steps": 2000, "seeds": 2},
    ),
    ADAMW: Sizes.of(
        # Decoupled decay is not divided by the gradient's scale: it takes larger numbers to do anything.
        GroupFleet(descent="adamw", wd=(0.1, 0.3, 1.0), seeds=20, first_seed=6000, looks=20),
        standard={"seeds": 6},
        quick={"nodes": 128, "steps": 2000, "seeds": 2},
    ),
    OCCAM: Sizes.of(
        GroupFleet(
            "C7", start="memorising", wd=(0.0, 2e-5, 5e-5, 1e-4, 2e-4), train_share=1.0, seeds=20, first_seed=7000
        ),
        standard={"seeds": 6},
        quick={"seeds": 1},
    ),
}
