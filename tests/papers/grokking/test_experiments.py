"""The fleets: which networks they have, what they refuse, and that runs recorded long ago are still theirs."""

from itertools import combinations

import pytest

from nucleate.papers import Budget
from nucleate.papers.grokking import PAPER
from nucleate.papers.grokking.experiments import (
    DATA_SIZE,
    FEASIBLE,
    FOUR_SYMBOLS,
    LOTTERY,
    TRAJECTORIES,
    TRANSFORMER,
    TRANSITION,
    ToyFleet,
    toy,
)
from nucleate.papers.grokking.experiments.pairs import PairFleet


def test_feasible_splits_are_feasible():
    planned = ToyFleet(seeds=4, eta_dec=(1e-3, 1e-2), feasible=True, width=8).plan("x")
    ideal = planned.recipe.describe(planned.data)["ideal_test_accuracy"][1]
    assert (ideal >= FEASIBLE).all()
    assert len(set(planned.members["seed_split"].tolist())) == 8


def test_feasible_splits_of_several_sizes_share_no_seed():
    members = ToyFleet(train_size=(25, 45), seeds=2, feasible=True).members()
    assert members["seed_split"].tolist() == [33, 50, 52, 53]


def test_no_two_networks_share_an_init_or_a_split():
    members = ToyFleet(train_size=(20, 45), seeds=3, eta_dec=(1e-3, 1e-2)).members()
    assert members.count == 12
    for column in ("seed", "seed_split"):
        assert len(set(members[column].tolist())) == 12
    assert sorted(set(members["repeat"].tolist())) == [0, 1, 2]


def test_paired_rates_are_not_crossed():
    members = ToyFleet(eta_repr=(1e-2, 1e-3), eta_dec=(1e-3, 1e-2), paired=True, seeds=2).members()
    assert members.count == 4
    assert set(zip(members["eta_repr"].tolist(), members["eta_dec"].tolist(), strict=True)) == {
        (1e-2, 1e-3),
        (1e-3, 1e-2),
    }


@pytest.mark.parametrize(
    ("fields", "message"),
    [
        ({"train_size": ()}, r"ToyFleet.train_size needs at least one value; got none\."),
        ({"train_size": (56,)}, r"ToyFleet.train_size must be between 1 and 55 for p=10; got 56\."),
        ({"eta_dec": (1e-3, 0.0)}, r"ToyFleet.eta_dec must be > 0; got 0.0\."),
        ({"wd_repr": -1.0}, r"ToyFleet.wd_repr must be >= 0; got -1.0\."),
        ({"paired": True, "eta_repr": (1.0, 2.0)}, r"ToyFleet.paired needs as many eta_repr as eta_dec; got 2 and 1\."),
        ({"training_set": ((0, 10),)}, r"ToyFleet.training_set must pair numbers below p=10; got \(\(0, 10\),\)\."),
        ({"training_set": ((0, 1), (1, 0))}, r"ToyFleet.training_set lists a pair twice"),
        ({"feasible": True, "train_size": (55,)}, r"ToyFleet.feasible needs validation pairs"),
        ({"p": 1}, r"AdditionTask.p must be >= 2; got 1\."),
    ],
)
def test_a_bad_config_is_refused(fields, message):
    with pytest.raises(ValueError, match=message):
        ToyFleet(**fields)


def test_all_networks_may_share_one_split_of_each_size():
    shared = ToyFleet(train_size=(25, 45), seeds=3, feasible=True, one_split=True)
    members = shared.members()
    seeds = [set(members["seed_split"][members["train_size"] == size].tolist()) for size in (25, 45)]
    assert [len(each) for each in seeds] == [1, 1]
    assert seeds[0] != seeds[1]
    assert len(set(members["seed"].tolist())) == members.count  # only the split is shared
    assert set(ToyFleet(seeds=3, one_split=True).members()["seed_split"].tolist()) == {0}


def test_a_size_without_feasible_splits_is_refused(monkeypatch):
    monkeypatch.setattr(toy, "_MANY", 100)
    with pytest.raises(ValueError, match=r"ToyFleet.feasible finds no feasible split of 1 pairs"):
        ToyFleet(train_size=(1,), seeds=1, feasible=True).members()


def test_claims_need_only_the_experiments_there_are():
    assert {need for claim in PAPER.claims for need in claim.needs} == set(PAPER.experiments)
    assert [claim.id for claim in PAPER.claims] == [f"grokking/{number}" for number in range(1, 41)]


def test_a_smaller_budget_costs_less():
    def cost(budget):
        return {name: e.steps * e.members().count for name, e in PAPER.at(budget).items()}

    quick, standard = cost(Budget.QUICK), cost(Budget.STANDARD)
    assert all(quick[name] < standard[name] for name in quick)
    assert set(quick) == {DATA_SIZE, TRANSITION, TRAJECTORIES, FOUR_SYMBOLS, TRANSFORMER, LOTTERY}


def test_no_two_fleets_of_a_claim_share_a_network():
    standard = PAPER.at(Budget.STANDARD)
    pairs = {name: each for name, each in standard.items() if isinstance(each, PairFleet)}
    seeds = {name: set(each.members()["seed"].tolist()) for name, each in pairs.items()}
    for claim in PAPER.claims:
        for one, other in combinations((name for name in claim.needs if name in seeds), 2):
            assert not seeds[one] & seeds[other], (claim.id, one, other)


def test_paired_rates_may_occur_twice():
    members = ToyFleet(eta_repr=(1e-3, 3e-3, 1e-2), eta_dec=(1e-4, 1e-3, 1e-3), paired=True, seeds=1).members()
    assert list(zip(members["eta_repr"].tolist(), members["eta_dec"].tolist(), strict=True)) == [
        (1e-3, 1e-4),
        (3e-3, 1e-3),
        (1e-2, 1e-3),
    ]
