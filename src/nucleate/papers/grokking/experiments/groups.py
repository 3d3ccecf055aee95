"""Fleets that learn the multiplication of a finite group: Figs. 6d, 17 and 18, for S3 or any other."""

from dataclasses import dataclass
from typing import Annotated, final

from nucleate.checking import Above, AtLeast
from nucleate.fleet import Members
from nucleate.papers.grokking.experiments.pairs import PairFleet, logspace
from nucleate.papers.grokking.experiments.toy import TABLE_1_STEPS
from nucleate.papers.grokking.recipe import MatrixGroup
from nucleate.papers.paper import Sizes
from nucleate.tasks import Group

GROUPS = "grokking/groups"
GROUPS_PHASES = "grokking/groups-phases"
GROUPS_NO_DECAY = "grokking/groups-no-decay"
GROUPS_CORNERS = "grokking/groups-corners"


LARGEST = 120
"""The most elements of a group to be learned: the number of its parallelograms grows with their cube."""


@final
@dataclass(frozen=True)
class GroupFleet(PairFleet):
    """Matrix networks Dec(E_a E_b) that learn a group, one for every combination of the listed values."""

    group: str = "S3"
    """Which group: cyclic C6, dihedral D5, symmetric S3, alternating A4, or a product such as C2xC3."""
    size: Annotated[int, AtLeast(1)] = 3
    """Rows of the matrices that represent the elements."""
    train_fraction: Annotated[tuple[float, ...], Above(0)] = (2 / 3,)
    """Training pairs, as fractions of all ordered pairs."""
    init_scale: Annotated[float | tuple[float, ...], Above(0)] = 0.1
    """Entries of the matrices start uniform in ±init_scale/2; one scale or several."""
    l1: Annotated[float, AtLeast(0)] = 1e-3
    """Weight of the matrices' mean absolute entry in the loss, which the authors' code has and the paper omits."""

    def check(self) -> None:
        if (order := Group.named(self.group).order) > LARGEST:
            self.refuse("group", f"must have <= {LARGEST} elements; {self.group} has {order}")
        sizes = self._train_sizes()
        if max(self.train_fraction) > 1:
            self.refuse("train_fraction", f"must be <= 1; got {max(self.train_fraction)}")
        if min(sizes) < 1 or len(set(sizes)) < len(sizes):
            self.refuse("train_fraction", f"gives training sets of {', '.join(map(str, sizes))} pairs; use others")

    def recipe(self) -> MatrixGroup:
        return MatrixGroup(group=Group.named(self.group), size=self.size, l1=self.l1, **self.shared())

    def members(self) -> Members:
        return self.combinations(train_size=self._train_sizes())

    def _train_sizes(self) -> list[int]:
        pairs = len(self.recipe().task.pairs)
        return [round(fraction * pairs) for fraction in self.train_fraction]


def _phases(**fields) -> GroupFleet:
    """Networks whose phase Table 1 defines; each stops once it is known."""
    return GroupFleet(stop=("train90", "valid90"), look=50, steps=TABLE_1_STEPS, **fields)


EXPERIMENTS = {
    # The paper has 11 seeds and gives neither the sizes of the training sets nor the decoder's rate nor the steps.
    GROUPS: Sizes.of(
        GroupFleet(
            train_fraction=tuple(size / 12 for size in range(1, 12)),
            seeds=11,
            eta_dec=(1e-4, 1e-3),
            steps=10_000,
            look=50,
        ),
        standard={"train_fraction": (0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9), "seeds": 8},
        quick=None,
    ),
    # Fig. 6d, whose weight decays the authors' code lists; the paper splits 24/12.
    GROUPS_PHASES: Sizes.of(
        _phases(
            first_seed=1000,
            eta_dec=logspace(-5, -2, 16),
            wd_dec=(0.0, 1.0, 2.0, 3.0, 5.0, 10.0, 20.0, 30.0, 50.0, 100.0, 200.0),
        ),
        standard={
            "eta_dec": logspace(-5, -2, 7),
            "wd_dec": (0.0, 1.0, 3.0, 10.0, 50.0, 200.0),
            "seeds": 1,
            "steps": 10_000,
        },
        quick=None,
    ),
    # Its row without decay, but for the corner.
    GROUPS_NO_DECAY: Sizes.of(
        _phases(first_seed=3000, eta_dec=logspace(-5, -2, 16)[:-1]),
        standard={"eta_dec": logspace(-5, -2, 7)[:-1]},
        quick=None,
    ),
    # Its right corners: a fast decoder, without and with decay.
    GROUPS_CORNERS: Sizes.of(_phases(first_seed=2000, eta_dec=(1e-2,), wd_dec=(0.0, 200.0), seeds=9), quick=None),
}
