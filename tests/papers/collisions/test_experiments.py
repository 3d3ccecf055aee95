"""The fleets of the collisions paper: what they refuse, and what a budget buys."""

import dataclasses
import re

import pytest

from nucleate.claims.statistics import FEWEST
from nucleate.papers import Budget
from nucleate.papers.collisions import PAPER
from nucleate.papers.collisions.experiments import BOX, EFFORT, EXPERIMENTS, ParticleFleet

TINY = ParticleFleet(particles=3, width=3.0, height=3.0, blocks=1, heads=2, embedding=8, simulated=32, stride=8)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"particles": 1}, "ParticleFleet.particles must be >= 2; got 1."),
        ({"particles": 10}, "ParticleTask.particles must be at most 9"),
        ({"embedding": 9}, "ParticleFleet.embedding must be a multiple of heads = 2; got 9."),
        ({"stride": 5}, "PairStream.stride must divide the 32 steps of a simulation; got 5."),
        ({"batch": 0}, "ParticleFleet.batch must be >= 1; got 0."),
        ({"eta": 0.0}, "ParticleFleet.eta must be > 0; got 0.0."),
        ({"eta": float("nan")}, "ParticleFleet.eta must be > 0; got nan."),
        ({"states": 1}, "ParticleFleet.states must be >= 2; got 1."),
        ({"checkpoints": 1}, "ParticleFleet.checkpoints must be >= 2; got 1."),
        ({"steps": 0}, "ParticleFleet.steps must be >= 1; got 0."),
        ({"first_seed": -1}, "ParticleFleet.first_seed must be >= 0; got -1."),
    ],
)
def test_bad_input_names_the_field_and_the_value(change, message):
    with pytest.raises(ValueError, match=re.escape(message)):
        dataclasses.replace(TINY, **change)


def test_claims_need_the_fleet_and_nothing_else():
    assert {need for claim in PAPER.claims for need in claim.needs} == set(PAPER.experiments)


def test_every_budget_but_the_quick_one_has_enough_networks_for_an_interval():
    assert {budget: EXPERIMENTS[BOX].at(budget).seeds >= FEWEST for budget in Budget} == {
        Budget.QUICK: False,
        Budget.STANDARD: True,
        Budget.PAPER: True,
    }


def test_weights_are_kept_at_the_beginning_and_at_the_end_and_more_often_late():
    standard = EXPERIMENTS[BOX].standard
    looks, kept = standard.recipe().looks, standard.keep_weights.chosen
    for steps in (looks, kept):
        assert (steps[0], steps[-1]) == (0, standard.steps)
    assert 15 <= len(kept) <= 21
    # What coefficients are estimated at.
    assert sum(step >= standard.steps / 2**3 for step in kept) >= EFFORT.standard.chains.checkpoints
