from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from nucleate.fleet import At, Every, First, Last, LogSpaced
from nucleate.fleet.schedule import timeline

# A schedule is made inside the test: beartype, which checks it, draws random numbers, and a strategy must not.
schedules = st.one_of(
    st.tuples(st.just(Every), st.integers(1, 400)),
    st.tuples(st.just(LogSpaced), st.integers(2, 60)),
    st.tuples(st.just(First), st.integers(1, 50)),
    st.tuples(st.just(At), st.lists(st.integers(0, 900), min_size=1, max_size=8).map(tuple)),
    st.tuples(st.just(Last)),
)
runs = st.integers(1, 800)


@given(schedules, runs)
def test_a_schedule_is_increasing_and_within_the_run(schedule, steps):
    make, *arguments = schedule
    at = make(*arguments).at(steps)
    assert np.all(np.diff(at) > 0)
    assert np.all((at >= 0) & (at <= steps))
    assert np.issubdtype(at.dtype, np.integer)


@given(st.integers(1, 100), runs)
def test_every_is_evenly_spaced_and_ends_at_the_end(gap, steps):
    at = Every(gap).at(steps).tolist()
    assert at == sorted({*range(0, steps + 1, gap), steps})


@given(st.integers(2, 100), runs)
def test_log_spaced_has_both_ends_and_at_most_so_many_steps(count, steps):
    at = LogSpaced(count).at(steps)
    assert (at[0], at[-1]) == (0, steps)
    assert len(at) <= count
    # Equal in ln(1 + step), each to the nearest whole step.
    ideal = np.expm1(np.linspace(0, np.log1p(steps), count))
    assert np.all(np.abs(ideal[:, None] - at).min(axis=1) <= 0.5 + 1e-9)


@given(st.integers(1, 100), runs)
def test_first_are_the_first(count, steps):
    assert First(count).at(steps).tolist() == list(range(min(count, steps + 1)))


def test_at_leaves_out_what_is_past_the_end_and_sorts_the_rest():
    assert At((7, 3, 3, 11)).at(10).tolist() == [3, 7]
    assert At((7, 3)).at(2).tolist() == []


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: Every(0), r"Every\.gap must be >= 1; got 0\."),
        (lambda: LogSpaced(1), r"LogSpaced\.count must be >= 2; got 1\."),
        (lambda: First(0), r"First\.count must be >= 1; got 0\."),
        (lambda: At(()), r"At\.chosen needs at least one value; got none\."),
        (lambda: At((3, -1)), r"At\.chosen must be >= 0; got -1\."),
    ],
)
def test_a_schedule_without_sense_is_refused(make, message):
    with pytest.raises(ValueError, match=message):
        make()


@given(
    st.dictionaries(st.sampled_from("abc"), schedules),
    runs,
    st.integers(1, 70),
    st.integers(1, 300),
)
def test_the_timeline_walks_all_steps_and_meets_every_look_once(axes, steps, events, max_gap):
    axes = {name: make(*arguments) for name, (make, *arguments) in axes.items()}
    chunks = timeline(axes, steps, events=events, max_gap=max_gap)
    assert (chunks[0].start, chunks[-1].stop) == (0, steps)
    assert all(before.stop == after.start for before, after in pairwise(chunks))
    assert all(len(chunk.gap) == events for chunk in chunks)  # one shape, one program
    assert all(chunk.steps == chunk.gap.sum() < 5 * max_gap + 1 for chunk in chunks)

    gaps = np.concatenate([chunk.gap for chunk in chunks])
    assert gaps.sum() == steps
    assert gaps.min() >= 0
    assert gaps.max() <= max_gap

    # An event stands before its gap: where it stands is the sum of the gaps before it.
    stands = np.cumsum(gaps) - gaps
    for name, schedule in axes.items():
        looks = np.concatenate([chunk.looks[name] for chunk in chunks])
        assert stands[looks].tolist() == schedule.at(steps).tolist()


@given(runs, st.integers(1, 70), st.integers(1, 300))
def test_the_last_step_is_an_event_even_if_nobody_looks(steps, events, max_gap):
    # There a member that diverged in the last stretch is noticed.
    chunks = timeline({"step": First(1)}, steps, events=events, max_gap=max_gap)
    gaps = np.concatenate([chunk.gap for chunk in chunks])
    assert gaps[-1] == 0
    assert steps in np.cumsum(gaps) - gaps
