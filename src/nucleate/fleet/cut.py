"""How the work of a run is cut up: what decides the last bits of a network beside its recipe and its row."""

import dataclasses
from typing import NamedTuple

from nucleate.fleet.plan import Plan
from nucleate.fleet.recipe import Recipe
from nucleate.record import About


class Cut(NamedTuple):
    """Members into blocks that advance together, a batch into pieces that are differentiated one after the other."""

    block: int
    microbatches: int

    def __str__(self) -> str:
        """blocks of 1, batches in 4 pieces"""
        pieces = f", batches in {self.microbatches} pieces" if self.microbatches > 1 else ""
        return f"blocks of {self.block}{pieces}"


def counts(recipe: Recipe) -> tuple[int, ...]:
    """Into how many pieces a batch may be cut, the likely fastest first."""
    given = recipe.microbatches
    return given if isinstance(given, tuple) else (given,)


def first_cut(plan: Plan) -> Cut:
    """Of one member after the other, where nothing is measured."""
    return Cut(1, plan.microbatches or counts(plan.recipe)[0])


def cut_of(plan: Plan, about: About) -> Cut | None:
    """That of a run of the plan, once it has one. Before run.json said it, the first count was taken."""
    if about.block is None:
        return None
    return Cut(about.block, about.microbatches or counts(plan.recipe)[0])


def cut_alike(plan: Plan, about: About) -> Plan:
    """The plan as it is trained where a run of it was begun: nothing is measured again."""
    cut = cut_of(plan, about)
    return plan if cut is None else dataclasses.replace(plan, **cut._asdict())


def knows_pieces(plan: Plan, about: About) -> bool:
    """Whether a run that has been begun says into how many pieces its batches are cut, or they can only be cut so."""
    return about.microbatches is not None or len(counts(plan.recipe)) == 1
