"""What is in memory becomes the record that a recorder would have made of it."""

import numpy as np
import pytest

from nucleate.record import Outcome, Recorder, Run, RunError, from_arrays

ARRAYS = {"loss": np.array([[3.0, 2.0, 1.0], [3.0, np.nan, np.nan]]), "count": np.arange(6).reshape(2, 3)}


def test_a_loss_that_is_nan_to_the_end_has_diverged_as_a_recorder_says(tmp_path):
    with Recorder(tmp_path / "run", 2) as recorder:
        for step in range(3):
            recorder.log(step, **{name: array[:, step] for name, array in ARRAYS.items()})
    record = from_arrays(ARRAYS, range(3), members=2)
    assert record.last_step.values.tolist() == [2, 2]
    assert record.outcome.values.tolist() == [Outcome.OK, Outcome.DIVERGED]
    assert recorder.run.record().load().equals(record)


def test_a_member_that_ended_early_is_well_whatever_is_beside_its_loss():
    record = from_arrays(ARRAYS, range(3), members=2, facts={"last_step": [2, 0]})
    assert record.outcome.values.tolist() == [Outcome.OK] * 2
    assert record["count"].values.tolist() == [[0, 1, 2], [3, -1, -1]]
    assert from_arrays(ARRAYS, range(3), members=2, facts={"last_step": [2, -1]}).outcome.values.tolist() == [
        1,
        Outcome.PENDING,
    ]


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"steps": [0, 1, 2**31]}, r"steps of 'loss' must be < 2\*\*31"),
        ({"steps": [-1, 0, 1]}, "steps of 'loss' must be >= 0"),
        ({"steps": np.array([2, 1, 3], np.uint8)}, "must be whole numbers >= 0 that rise"),
        (
            {"facts": {"last_step": [2, 3]}},
            r"last_step must be a whole number from -1 to 2 for each of 2 members; got \[2, 3\]",
        ),
        ({"facts": {"last_step": [2.0, 1.0]}}, "last_step must be a whole number"),
        ({"facts": {"last_step": [2]}}, "for each of 2 members"),
    ],
)
def test_steps_that_cannot_be_are_refused(given, message):
    with pytest.raises(ValueError, match=message):
        from_arrays(ARRAYS, **({"steps": range(3), "members": 2} | given))


def test_a_record_does_not_change_with_the_arrays_it_was_made_of():
    loss = np.ones((1, 2))
    record = from_arrays({"loss": loss}, [0, 1], members=1)
    loss[:] = 0
    assert record.loss.values.tolist() == [[1.0, 1.0]]


def test_what_was_killed_before_it_was_complete_can_be_written_again(tmp_path, monkeypatch):
    def killed(run, **changes):
        if changes == {"status": "complete"}:
            raise KeyboardInterrupt
        update(run, **changes)

    update = Run.update
    with monkeypatch.context() as dying:
        dying.setattr(Run, "update", killed)
        with pytest.raises(KeyboardInterrupt):
            from_arrays(ARRAYS, range(3), members=2, into=tmp_path / "run")
    assert Run(tmp_path / "run").status == "created"
    record = from_arrays(ARRAYS, range(3), members=2, into=tmp_path / "run")
    assert Run(tmp_path / "run").status == "complete"
    assert Run(tmp_path / "run").record().load().equals(record)
    assert not [*tmp_path.rglob(".*")]
    with pytest.raises(RunError, match=r"holds a run already; choose another folder, or delete it\."):
        from_arrays(ARRAYS, range(3), members=2, into=tmp_path / "run")
