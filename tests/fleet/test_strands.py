"""A network with all cores to itself: its numbers depend neither on how many those are, nor on interruptions."""

import dataclasses

import numpy as np
import pytest
from small_fleets import ALL_SORTS, Sums, members
from test_sessions import Stops

from nucleate import machine
from nucleate.fleet import Crossing, Every, Plan, replay, train
from nucleate.record import Outcome, Run

pytestmark = pytest.mark.usefixtures("compiled_once")
RECIPE = Sums(p=6, batch=8, noise=0.1, look=Every(50), extra=ALL_SORTS, microbatches=(4, 8))
PLAN = Plan(RECIPE, members(1, train_size=20), 1500, microbatches=4, spread=True, keep_weights=Every(350))


@pytest.fixture
def cores(monkeypatch):
    """`cores(count)`: so many are used."""
    return lambda count: monkeypatch.setattr(machine, "cores", lambda: count)


@pytest.fixture(scope="module")
def whole(tmp_path_factory, compiled_once):
    """Trained with the cores that there are."""
    return train(PLAN, tmp_path_factory.mktemp("whole") / "run")


def assert_same(run: Run, whole: Run) -> None:
    record, expected = run.record().load(), whole.record().load()
    assert set(record.data_vars) == set(expected.data_vars)
    for name, values in expected.data_vars.items():
        assert np.array_equal(record[name], values, equal_nan=values.dtype.kind == "f"), name


def test_how_it_is_cut_up_is_noted(whole):
    assert (whole.about.block, whole.about.microbatches, whole.about.spread) == (1, 4, True)


@pytest.mark.parametrize("count", [1, 2, 8])
def test_any_number_of_cores_finds_the_same_bits(whole, tmp_path, cores, count):
    cores(count)
    assert_same(train(PLAN, tmp_path / "run"), whole)


def test_interrupted_and_resumed_with_other_cores(whole, tmp_path, cores):
    """By a plan that leaves the choice open: run.json has it."""
    cores(2)
    with pytest.raises(RuntimeError, match="on purpose"):
        train(PLAN, tmp_path / "run", watch=Stops(), checkpoint_seconds=0)
    assert list((tmp_path / "run/checkpoints").glob("*.checkpoint"))
    cores(1)
    assert_same(train(dataclasses.replace(PLAN, microbatches=None, spread=None), tmp_path / "run"), whole)


def test_replayed_and_looked_at_more_often(whole):
    closer = dataclasses.replace(RECIPE, look=Every(1))
    again = replay(Plan(closer, PLAN.members, PLAN.steps), whole, 0)  # which compares the numbers
    record = whole.record().load()
    assert np.array_equal(again.loss.sel(step=record.step), record.loss)


def test_it_is_the_network_that_one_core_trains(whole, tmp_path):
    record = whole.record().load()
    alone = train(dataclasses.replace(PLAN, spread=False), tmp_path / "run").record().load()
    for name in ("loss", "embedding", "grads", "first_weight", "final_weights"):
        np.testing.assert_allclose(alone[name], record[name], rtol=2e-3, atol=1e-4, err_msg=name)
    assert np.array_equal(alone.chosen, record.chosen)


@pytest.mark.parametrize(
    ("rate", "outcome"), [(1e30, Outcome.DIVERGED), (1e-2, Outcome.STOPPED)], ids=["diverged", "stopped"]
)
def test_it_ends_where_one_core_ends(tmp_path, rate, outcome):
    recipe = dataclasses.replace(RECIPE, crossings=(Crossing("low", "fit", at_least=-0.4),), stop=("low",))
    plan = dataclasses.replace(PLAN, recipe=recipe, members=members(1, train_size=20, eta_dec=rate))
    one, spread = (
        train(dataclasses.replace(plan, spread=spread), tmp_path / str(spread)).record().load()
        for spread in (False, True)
    )
    for record in (one, spread):
        assert record.outcome.item() == outcome
        assert 0 < record.last_step < PLAN.steps
    assert one.last_step.item() == spread.last_step.item()
    assert one.loss.notnull().sum() == spread.loss.notnull().sum()


def test_what_advances_together_is_not_spread():
    with pytest.raises(ValueError, match=r"Plan\.spread must be False where members advance together; got block=2"):
        dataclasses.replace(PLAN, block=2)
