"""How members end: crossings, early stops, divergence, and what each leaves in the record. Replay of each kind."""

import dataclasses

import numpy as np
import pytest
from small_fleets import Sums, fit, members, step

from nucleate.fleet import Crossing, Every, Plan, Probe, replay, train
from nucleate.record import NEVER, Outcome

pytestmark = pytest.mark.usefixtures("compiled_once")
STEPS = 600
DIVERGING = 2
RECIPE = Sums(
    look=Every(5),
    extra=(Probe("fit", fit, Every(7), axis="step_fit"), Probe("taken", step, Every(5))),
    crossings=(
        Crossing("low", "fit", at_least=-0.05),
        Crossing("half", "fit", above=-0.5),
        Crossing("never", "fit", above=0.0),
    ),
    stop=("low", "half"),
)
# Three that stop at different steps, one that diverges, two too slow to stop.
ROWS = members(seed=range(6), eta_dec=[3e-2, 1e-2, 1e30, 1e-4, 2e-2, 1e-5], eta_repr=1e-3)
FINE = [i for i in range(ROWS.count) if i != DIVERGING]


@pytest.fixture(scope="module", params=[1, 4], ids=["block 1", "block 4"])
def plan(request):
    return Plan(RECIPE, ROWS, STEPS, block=request.param)


@pytest.fixture(scope="module")
def run(plan, tmp_path_factory):
    return train(plan, tmp_path_factory.mktemp("outcomes") / "run")


@pytest.fixture(scope="module")
def record(run):
    return run.record().load()


def test_every_member_has_an_outcome(record):
    ok, stopped, diverged = Outcome.OK, Outcome.STOPPED, Outcome.DIVERGED
    assert record.outcome.values.tolist() == [stopped, stopped, diverged, ok, stopped, ok]
    assert record.last_step.values[[3, 5]].tolist() == [STEPS, STEPS]
    assert len(set(record.last_step.values[[0, 1, 4]].tolist())) == 3


def test_a_crossing_is_the_first_looked_at_step_past_the_threshold(record):
    watched, steps = record.fit.values, record.step_fit.values
    for name, past in [("low", watched >= np.float32(-0.05)), ("half", watched > -0.5), ("never", watched > 0)]:
        brute = [steps[row].min() if row.any() else NEVER for row in past]
        assert record[f"{name}_step"].values.tolist() == brute, name
    assert (record.low_step.values == NEVER).tolist() == [False, False, True, True, False, True]
    assert (record.never_step.values == NEVER).all()


def test_a_member_stops_where_its_last_awaited_crossing_is(record):
    stopped = record.outcome.values == Outcome.STOPPED
    awaited = np.maximum(record.low_step, record.half_step).values
    assert np.array_equal(record.last_step.values[stopped], awaited[stopped])


def test_rows_end_with_the_last_step(record):
    for member in range(ROWS.count):
        one = record.isel(member=member)
        for name, axis in [("loss", "step"), ("embedding", "step"), ("fit", "step_fit")]:
            missing = np.isnan(one[name].values.reshape(one.sizes[axis], -1)).all(axis=1)
            after = one[axis].values > one.last_step.values
            if member == DIVERGING:
                assert missing[after].all(), name
            else:
                assert np.array_equal(missing, after), name
        taken = np.where(one.step.values > one.last_step.values, NEVER, one.step.values)
        assert one.taken.values.tolist() == taken.tolist()


def test_divergence_is_noticed_at_the_first_look_at_it(record):
    one = record.isel(member=DIVERGING)
    seen = np.union1d(record.step.values, record.step_fit.values)
    finite = np.isfinite(one.loss.values[one.step.values < one.last_step.values])
    assert finite.all()
    assert 0 < one.last_step.values <= seen[1]  # one update is enough at a rate of 1e30


def test_a_diverged_member_harms_no_other(plan, record, trained):
    without = trained(dataclasses.replace(plan, members=ROWS.only(FINE)))
    for name in record.data_vars:
        assert np.array_equal(record[name].values[FINE], without[name].values, equal_nan=True), name


def test_stopping_changes_no_number_before_the_stop(plan, record, trained):
    on = trained(dataclasses.replace(plan, recipe=dataclasses.replace(RECIPE, stop=())))
    assert on.outcome.values.tolist() == [3 if member == DIVERGING else 1 for member in range(ROWS.count)]
    assert np.array_equal(on.low_step, record.low_step)
    recorded = np.isfinite(record.embedding.values)
    assert recorded.sum() < recorded.size
    assert np.array_equal(record.embedding.values[recorded], on.embedding.values[recorded])


@pytest.mark.parametrize("member", [1, DIVERGING, 3])
def test_replay_is_bit_identical(plan, run, record, member):
    again = replay(plan, run, member)
    assert again.member.values.tolist() == [member]
    for name in [*record.data_vars, *record.coords]:
        expected = record[name].sel(member=[member]) if "member" in record[name].dims else record[name]
        assert np.array_equal(again[name], expected, equal_nan=name != "in_train"), name


def test_replay_looks_closer(plan, run, record):
    closer = replay(
        dataclasses.replace(plan, recipe=dataclasses.replace(RECIPE, look=Every(1), extra=RECIPE.extra[:1])), run, 4
    )
    assert closer.sizes["step"] == STEPS + 1
    assert np.array_equal(closer.loss.sel(step=record.step)[0], record.loss[4], equal_nan=True)


@pytest.mark.parametrize("member", [-1, 6])
def test_replay_of_nobody_is_refused(plan, run, member):
    with pytest.raises(ValueError, match=rf"replay: member must be between 0 and 5; got {member}\."):
        replay(plan, run, member)
