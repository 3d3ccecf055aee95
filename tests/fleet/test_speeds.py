"""How the work of a run is cut up: measured once for each program, remembered, and left alone where that would cost
more than it saves."""

import dataclasses
import json
from pathlib import Path

import jax
import pytest
from small_fleets import Sums, members

from nucleate import machine
from nucleate.fleet import Plan, speeds, train
from nucleate.fleet.cut import Cut
from nucleate.fleet.estimate import Needs
from nucleate.fleet.speeds import Pace

PIECES = Sums(batch=4, microbatches=(4, 2, 1))


@pytest.fixture
def cache(tmp_path, monkeypatch):
    """A cache of measured speeds that knows nothing yet. Compiled programs stay where they are."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    return tmp_path / "nucleate/speeds.json"


@pytest.fixture
def plan(monkeypatch):
    """Small, but made to look worth measuring, on a machine of four cores."""
    monkeypatch.setattr(speeds, "_WORTH_MEASURING", 1)
    monkeypatch.setattr(speeds, "_WORTH_CUTTING", 1)
    monkeypatch.setattr(speeds, "_CANDIDATES", {jax.default_backend(): (1, 4, 16)})
    monkeypatch.setattr(machine, "workers", lambda: jax.local_devices()[:1] * 4)
    return Plan(Sums(), members(6), 20)


@pytest.fixture
def measured(monkeypatch):
    """`measured(speed)` makes measurements up, from a cut and how many workers train side by side; what was asked."""

    def made_up(speed):
        asked = []

        def found(plan, members, cut, abreast):
            asked.append(cut)
            return float(speed(cut, abreast))

        monkeypatch.setattr(speeds, "_speed", found)
        return asked

    return made_up


def needs_of(plan: Plan) -> Needs:
    needs = Needs(plan, Path(), workers=4)
    needs.see(plan.group(0), 0)
    needs.counts[plan.group(0)] = plan.members.count
    return needs


def choose(plan: Plan, say=print) -> Pace:
    return speeds.choose_cut(needs_of(plan), range(plan.members.count), say)


def test_what_is_given_is_used():
    recipe = dataclasses.replace(PIECES, batch=8)
    plan = Plan(recipe, members(6), 10**9, block=3, microbatches=8)
    assert choose(plan, pytest.fail) == Pace(Cut(3, 8), None)


def test_a_small_run_is_not_measured(cache):
    assert choose(Plan(Sums(), members(6), 20), pytest.fail) == Pace(Cut(1, 1), None)
    assert choose(Plan(PIECES, members(1), 20), pytest.fail) == Pace(Cut(1, 4), None)
    assert not cache.exists()


def test_the_fastest_block_is_chosen_and_remembered(plan, cache, measured):
    asked = measured(lambda cut, abreast: 100 * cut.block)
    said = []
    assert choose(plan, said.append) == Pace(Cut(4, 1), 400.0)  # 16 is more than there are members
    assert said == ["measuring how to cut up the work", ""]
    assert list(json.loads(cache.read_text()).values()) == [{"1 in 1, 4 abreast": 100.0, "4 in 1, 2 abreast": 400.0}]
    asked.clear()
    assert choose(plan, pytest.fail) == Pace(Cut(4, 1), 400.0, remembered=True)
    assert not asked


def test_pieces_are_chosen_first_and_then_the_block(plan, cache, measured):
    asked = measured(lambda cut, abreast: 10 * (cut.microbatches == 2) + cut.block)
    assert choose(Plan(PIECES, members(6), 20)) == Pace(Cut(4, 2), 14.0)
    assert asked == [Cut(1, 4), Cut(1, 2), Cut(1, 1), Cut(4, 2)]


def test_pieces_are_worth_measuring_where_steps_take_long(plan, cache, measured, monkeypatch):
    monkeypatch.setattr(speeds, "_WORTH_MEASURING", 10**9)
    asked = measured(lambda cut, abreast: 1 / cut.microbatches)
    assert choose(Plan(PIECES, members(6), 20)).cut == Cut(1, 1)
    assert asked == [Cut(1, 4), Cut(1, 2), Cut(1, 1)]


def test_what_one_worker_trains_is_measured_alone(plan, cache, measured):
    abreast = set()
    measured(lambda cut, workers: abreast.add(workers) or 1)
    for matrices in (1, 2):  # decomposed by one call for a network
        needs = needs_of(Plan(PIECES, members(3), 20))
        needs.matrices = matrices
        speeds.choose_cut(needs, range(3), print)
    assert abreast == {3, 1}


def test_another_program_is_measured_again(plan, cache, measured):
    measured(lambda cut, abreast: 1 / cut.block)
    for each in (plan, Plan(Sums(width=6), members(6), 20)):
        assert choose(each) == Pace(Cut(1, 1), 1.0)
    assert len(json.loads(cache.read_text())) == 2


def test_a_fleet_smaller_than_every_block_gets_the_smallest(plan, cache, measured, monkeypatch):
    # As on an accelerator, whose blocks are large.
    monkeypatch.setattr(speeds, "_CANDIDATES", {jax.default_backend(): (8, 64)})
    measured(lambda cut, abreast: cut.block)
    assert choose(plan) == Pace(Cut(8, 1), None)


def test_a_damaged_cache_is_made_anew(plan, cache, measured):
    measured(lambda cut, abreast: cut.block)
    cache.parent.mkdir(parents=True)
    cache.write_text("{")
    assert choose(plan) == Pace(Cut(4, 1), 4.0)
    assert json.loads(cache.read_text())


@pytest.mark.parametrize("count", [1, 2])
def test_a_real_measurement_ends_in_a_run(plan, cache, tmp_path, monkeypatch, count):
    monkeypatch.setattr(speeds, "_CANDIDATES", {jax.default_backend(): (1,)})
    recipe = dataclasses.replace(PIECES, microbatches=(2, 1))
    about = train(Plan(recipe, members(count), 20), tmp_path / "run").about
    (known,) = json.loads(cache.read_text()).values()
    assert all(speed > 0 for speed in known.values())
    tried = [Cut(1, 2), Cut(1, 1)]
    assert [*known] == [speeds._named(cut, count) for cut in tried]
    assert Cut(about.block, about.microbatches) == max(tried, key=lambda cut: known[speeds._named(cut, count)])
