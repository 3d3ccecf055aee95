from dataclasses import dataclass, replace

import pytest
import xarray as xr
from toy_paper import CLAIMS, FIRST, PAPER, SECOND, Lines, Slower

from nucleate.claims import Claim
from nucleate.papers import Budget, Paper, Sizes, awaited, ready
from nucleate.record import MissingColumn

THIRD = "toy/third"
CHAIN = replace(
    PAPER,
    claims=(replace(CLAIMS[2], needs=(THIRD,)),),
    experiments={
        FIRST: Sizes.of(Lines()),
        "toy/other": Sizes.of(Lines()),
        SECOND: Sizes.of(Slower(FIRST)),
        THIRD: Sizes.of(Slower(SECOND)),
    },
)


@dataclass(frozen=True)
class Draws:
    sets: int
    fits: int = 3


def test_a_size_changes_what_it_names_and_nothing_else():
    sizes = Sizes.of(Draws(1000), standard={"sets": 100}, quick={"fits": 1})
    assert [sizes.at(budget) for budget in Budget] == [Draws(100, 1), Draws(100), Draws(1000)]
    assert Sizes.of(Draws(5)) == Sizes(Draws(5), Draws(5), Draws(5))


def test_a_paper_has_every_experiment_at_every_budget():
    assert PAPER.at(Budget.QUICK) == {FIRST: Lines(seeds=7), SECOND: Slower()}
    assert PAPER.at(Budget.PAPER)[FIRST] == Lines(seeds=8)


def test_what_a_budget_leaves_out_is_neither_needed_nor_at_it():
    small = replace(PAPER, experiments=PAPER.experiments | {SECOND: Sizes.of(Slower(), quick=None)})
    assert small.at(Budget.QUICK) == {FIRST: Lines(seeds=7)}
    assert [small.left_out(claim, Budget.QUICK) for claim in small.claims] == [(), (SECOND,), ()]
    assert small.needed(small.claims, Budget.QUICK) == [FIRST]
    assert small.needed(small.claims, Budget.STANDARD) == [FIRST, SECOND]


def test_what_a_sequel_awaits_is_needed_however_far_back():
    assert CHAIN.needed(CHAIN.claims, Budget.QUICK) == [FIRST, SECOND, THIRD]
    assert PAPER.needed(PAPER.claims[:1], Budget.QUICK) == [FIRST]
    assert PAPER.needed(PAPER.claims[1:2], Budget.QUICK) == [FIRST, SECOND]
    assert PAPER.needed(PAPER.claims[2:], Budget.QUICK) == []


def test_a_sequel_is_ready_when_it_awaits_nothing_more():
    class Twice(Slower):
        """Awaits another one when it has seen the first."""

        def after(self, record):
            return Twice(source="" if self.source == SECOND else SECOND)

    asked: list[str] = []

    def record_of(name: str) -> xr.Dataset:
        asked.append(name)
        return xr.Dataset({"loss": ((), 1.0)})

    assert ready(Lines(), record_of) == Lines()
    assert awaited(Lines()) == ""
    assert awaited(ready(Slower(), record_of)) == ""
    assert asked == [FIRST]
    assert awaited(ready(Twice(), record_of)) == ""
    assert asked == [FIRST, FIRST, SECOND]


def test_a_sequel_has_no_plan_before_it_is_ready():
    with pytest.raises(ValueError, match=r"Slower is made from the record of toy/first, which is not there yet"):
        Slower().plan(SECOND)


def test_a_plan_says_what_it_is_a_plan_of():
    plan = Lines(seeds=3).plan(FIRST)
    assert (plan.members.count, plan.steps, plan.block) == (3, 20, 1)
    assert plan.about == {
        "experiment": FIRST,
        "config": {"seeds": 3, "first_seed": 0, "eta": 0.1, "steps": 20, "block": 1},
    }


def _paper(*claims: Claim, **experiments) -> Paper:
    return replace(PAPER, claims=claims, experiments={f"toy/{name}": Sizes.of(e) for name, e in experiments.items()})


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: replace(PAPER, name="joy"), r"Paper joy: names begin with 'joy/'; got 'toy/first'\."),
        (
            lambda: _paper(CLAIMS[2], CLAIMS[2]),
            r"toy has two claims with the same id; got \['toy/3', 'toy/3'\]\.",
        ),
        (lambda: _paper(CLAIMS[0]), r"Claim toy/1 needs \['toy/first'\]; there are \[\]\."),
        (lambda: _paper(second=Slower()), r"Paper toy: toy/second awaits toy/first, which must come before it\."),
        (
            lambda: _paper(second=Slower(), first=Lines()),
            r"Paper toy: toy/second awaits toy/first, which must come before it\.",
        ),
    ],
)
def test_a_paper_that_does_not_hang_together_is_refused(make, message):
    with pytest.raises(ValueError, match=message):
        make()


def test_a_sequel_that_goes_on_waiting_is_refused(monkeypatch):
    monkeypatch.setattr(Slower, "after", lambda self, record: self)
    with pytest.raises(ValueError, match=r"Slower\.after must answer .* no longer awaits toy/first"):
        ready(Slower(), lambda name: xr.Dataset())


def test_a_sequel_that_reads_what_the_record_lacks_names_both():
    message = r"the record of toy/first has no 'loss'; it has eta\."
    with pytest.raises(MissingColumn, match=message):
        ready(Slower(), lambda name: xr.Dataset({"eta": ("member", [0.1])}))


@pytest.mark.parametrize("size", ["standard", "quick"])
def test_a_size_of_a_field_that_is_not_there_is_refused(size):
    message = (
        rf"Sizes\.of: {size} changes 'sedes', which Lines does not have; its fields are seeds, first_seed, eta, steps, "
        r"block\."
    )
    with pytest.raises(ValueError, match=message):
        Sizes.of(Lines(), **{size: {"sedes": 3}})
