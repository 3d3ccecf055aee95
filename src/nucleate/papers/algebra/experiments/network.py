"""Quadratic networks on groups: names, configs, and one row per experiment with its three sizes."""

from dataclasses import dataclass
from typing import Annotated, Literal, final

import numpy as np

from nucleate.checking import Above, AtLeast, AtMost, Bits, Count, Seed
from nucleate.fleet import Members, grid
from nucleate.papers.algebra.recipe.descent import AdamDecoupled, AdamL2
from nucleate.papers.algebra.recipe.network import GroupNetwork
from nucleate.papers.algebra.recipe.starts import RandomStart
from nucleate.papers.paper import Experiment, Sizes
from nucleate.tasks import Group

C7 = "algebra/c7"
C11 = "algebra/c11"
C23 = "algebra/c23"
C71 = "algebra/c71"
C127 = "algebra/c127"
DECAY = "algebra/decay"
ADAMW = "algebra/adamw"

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
    """Hidden nodes."""
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
    steps: Count = 10_000
    """Optimiser steps, each on all training pairs."""
    look: Count = 100
    """Record losses and accuracies every N steps."""
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
            RandomStart(self.nodes),
            {"adam": AdamL2(), "adamw": AdamDecoupled()}[self.descent],
            self.train_share,
            self.look,
            self.looks,
        )

    def members(self) -> Members:
        members = grid(eta=self.eta, wd=self.wd, seed=range(self.seeds))
        seed = self.first_seed + np.arange(members.count)
        return members.with_columns(repeat=members["seed"], seed=seed, seed_split=seed)


_SMALL = {"nodes": 128, "steps": 2000, "seeds": 6}

EXPERIMENTS = {
    C7: Sizes.of(GroupFleet("C7", first_seed=1000), standard={"seeds": 12}, quick=_SMALL),
    C11: Sizes.of(GroupFleet("C11", first_seed=2000), standard={"seeds": 12}, quick=_SMALL),
    C23: Sizes.of(GroupFleet(seeds=30), standard={"seeds": 20}, quick=_SMALL),
}
