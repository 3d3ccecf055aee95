"""The fleets of the repons paper: their members, and what they refuse."""

import pytest

from nucleate.claims import share, words
from nucleate.claims.statistics import FEWEST
from nucleate.papers import Budget
from nucleate.papers.repons import PAPER
from nucleate.papers.repons.experiments import DECODERS, EFFORT, LINE, NARROW, SMALL, ReponFleet


def test_decoders_share_their_start():
    members = ReponFleet(embeddings=3, decoders=4).members()
    assert members["seed_embedding"].tolist() == [0] * 4 + [1] * 4 + [2] * 4
    assert len(set(members["seed"].tolist())) == 12


@pytest.mark.parametrize(
    ("field", "value"),
    [("dim", (0,)), ("wd", (-1.0,)), ("width", ()), ("embeddings", 0), ("eta", 0.0), ("train_size", 56), ("p", 2)],
)
def test_bad_input_is_named(field, value):
    with pytest.raises(ValueError, match=f"ReponFleet.{field}"):
        ReponFleet(**{field: value})


def test_accuracy_on_unseen_pairs_is_recorded_where_there_are_some():
    names = lambda **config: {probe.name for probe in ReponFleet(**config).recipe().probes}
    assert "valid_accuracy" in names(train_size=45)
    assert "valid_accuracy" not in names(train_size=55)


def test_every_experiment_is_looked_at_by_a_claim():
    assert {need for claim in PAPER.claims for need in claim.needs} == set(PAPER.experiments)


def test_fleets_that_are_compared_share_no_network():
    """The small, plane and held-out fleets count their seeds from places that the others do not reach."""
    seeds = [set(sizes.paper.members()["seed"].tolist()) for sizes in PAPER.experiments.values()]
    assert len(set.union(*seeds)) == sum(map(len, seeds))


def test_every_budget_has_enough_potentials_and_simulations_for_an_interval():
    for effort in (EFFORT.quick, EFFORT.standard, EFFORT.paper):
        assert effort.fits >= FEWEST
        assert effort.general == 0 or effort.general >= FEWEST
        assert words.NEARLY_ALL.judge(share(effort.simulated, effort.simulated)) == "replicated"


def test_quick_trains_what_is_learned_in_one_dimension_and_what_recovers_lines():
    assert list(PAPER.at(Budget.QUICK)) == [LINE, SMALL, DECODERS, NARROW]
