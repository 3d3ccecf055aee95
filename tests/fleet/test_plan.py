import dataclasses
import subprocess
import sys

import numpy as np
import pytest
from small_fleets import Sums, all_sorts, fit, members

from nucleate.fleet import Crossing, Every, First, LogSpaced, Plan, Probe


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"steps": 0}, r"Plan\.steps must be >= 1; got 0\."),
        ({"block": 0}, r"Plan\.block must be >= 1; got 0\."),
        (
            {"recipe": Sums(extra=(Probe("loss", fit, Every(5)),))},
            r"two probes share a name; got \['loss', 'embedding', 'loss'\]",
        ),
        (
            {"recipe": Sums(crossings=(Crossing("low", "fit", above=0.5),))},
            r"Crossing 'low' watches 'fit'; the probes are \['loss', 'embedding'\]",
        ),
        (
            {"recipe": Sums(extra=(Probe("seed", fit, Every(5)),))},
            r"column 'seed' uses a name reserved by the record",
        ),
        ({"recipe": Sums(extra=(Probe("outcome", fit, Every(5)),))}, r"probe 'outcome' uses a name reserved"),
        ({"members": members(2, step=1)}, r"column 'step' uses a name reserved by the record"),
        ({"members": members(2, seed=[0.0, 1.0])}, r"Members\.seed must be integers from 0 to 2³²−1; got 0\.0 to 1"),
        ({"members": members(2, seed=[-1, 0])}, r"Members\.seed must be integers .*; got -1 to 0"),
        ({"recipe": Sums(stop=("low",))}, r"Sums\.stop names crossings that do not exist: \['low'\]"),
        (
            {"recipe": Sums(look=Every(5), extra=(Probe("fit", fit, Every(7)),))},
            r"Probe 'fit' has schedule Every\(gap=7\), but axis 'step' already has Every\(gap=5\); .*'step_fit'",
        ),
    ],
)
def test_a_plan_without_sense_is_refused(changes, message):
    with pytest.raises(ValueError, match=message):
        dataclasses.replace(Plan(Sums(), members(2), 10), **changes)


def test_members_of_one_shape_are_one_group():
    plan = Plan(
        Sums(p=6, static=("width",)),
        members(width=[3, 3, 5, 3], train_size=[8, 7, 8, 20], eta_dec=[1.0, 2.0, 3.0, 4.0], seed=range(4)),
        10,
    )
    groups = [plan.group(member) for member in range(4)]
    assert groups[0] == groups[1]  # 7 and 8 pairs fill the same slots
    assert len({*groups}) == 3


def test_lanes_are_filled_up_with_the_last_member():
    plan = Plan(Sums(static=("width",)), members(width=3, seed=range(5)), 10)
    data, member = plan.lanes([1, 4], 4)
    assert member["seed"].tolist() == [1, 4, 4, 4]
    assert "width" not in member
    assert data["in_train"].shape == (4, 10)
    assert np.array_equal(data["in_train"][2], plan.data[4]["in_train"])


BASE = Plan(Sums(), members(2), 10)


@pytest.mark.parametrize(
    "other",
    [
        Plan(Sums(noise=0.1), members(2), 10),
        Plan(Sums(), members(3), 10),
        Plan(Sums(), members(2, eta_dec=0.5), 10),
        Plan(Sums(), members(2), 11),
        Plan(Sums(extra=(Probe("fit", fit, Every(5)),)), members(2), 10),
    ],
)
def test_another_plan_has_another_fingerprint(other):
    assert other.fingerprint() != BASE.fingerprint()


def test_how_it_is_run_is_not_in_the_fingerprint():
    assert dataclasses.replace(BASE, block=4, about={"experiment": "x"}).fingerprint() == BASE.fingerprint()


def test_objects_of_different_types_are_told_apart_though_their_fields_agree():
    first, spaced = (Plan(Sums(look=look), members(2), 10) for look in (First(5), LogSpaced(5)))
    assert first.fingerprint() != spaced.fingerprint()


def test_a_fingerprint_is_the_same_in_every_process():
    # Functions among the recipe's fields, too, must not be known by their address.
    code = "from small_fleets import all_sorts; print(all_sorts().fingerprint())"
    result = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert result.stdout.strip() == all_sorts().fingerprint()


def test_one_member_of_a_plan():
    plan = Plan(Sums(), members(3), 10, block=2, about={"experiment": "x"})
    alone = plan.only(2)
    assert alone.members.row(0) == plan.members.row(2)
    assert (alone.recipe, alone.steps, alone.block, alone.about) == (plan.recipe, 10, 2, plan.about)
