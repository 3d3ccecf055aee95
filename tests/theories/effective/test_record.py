"""Which snapshots count, and everything that is missing is named at once."""

import numpy as np
import pytest
import xarray as xr

from nucleate.theories import AllParallelograms, EffectiveLoss
from nucleate.theories.effective.record import IN_TRAIN, Trajectories

LEFT, RIGHT = np.triu_indices(4)


def record(embedding):
    return xr.Dataset(
        {
            "embedding": (("member", "step", "token", "dim"), embedding),
            "left": ("pair", LEFT),
            "right": ("pair", RIGHT),
            "label": ("pair", LEFT + RIGHT),
            "in_train": (("member", "pair"), np.ones((len(embedding), 10), bool)),
        },
        coords={"step": [100, 110, 130], "eta_repr": ("member", np.array([0.1, 1.0]))},
    )


def test_times_are_steps_times_the_learning_rate_and_rows_end_where_they_are_not_finite():
    embedding = np.ones((2, 3, 4, 1))
    embedding[1, 1, 2] = np.nan
    seen = Trajectories.read(record(embedding))
    np.testing.assert_allclose(seen.times, [[0, 1, 3], [0, 10, 30]])
    assert seen.finite.tolist() == [[True] * 3, [True, False, False]]
    assert not seen.embedding[1, 1:].any()
    assert seen[[1]].times.tolist() == [[0, 10, 30]]


def test_parallelograms_are_those_of_the_task():
    seen = Trajectories.read(record(np.ones((2, 3, 4, 1))))
    # 0+2 = 1+1, 0+3 = 1+2, 1+3 = 2+2
    assert seen.equations.tolist() == [[1, -2, 1, 0], [1, -1, -1, 1], [0, 1, -2, 1]]
    assert not (seen.equations @ np.arange(4)).any()


def test_everything_that_is_missing_is_named_at_once():
    poor = record(np.ones((2, 3, 4, 1))).drop_vars(["left", "step", "in_train"])
    with pytest.raises(ValueError, match="cannot read") as error:
        EffectiveLoss().fit(poor)
    assert [f"missing: '{name}'" in str(error.value) for name in ("left", "step", "in_train", "right")] == [1, 1, 1, 0]
    with pytest.raises(ValueError, match="cannot read") as error:
        EffectiveLoss(quads=AllParallelograms()).fit(poor)
    assert "in_train" not in str(error.value)


def test_only_known_parallelograms_need_the_training_set():
    assert EffectiveLoss().quads.needs == (IN_TRAIN,)
    bare = record(np.ones((2, 3, 4, 1))).drop_vars("in_train")
    assert Trajectories.read(bare).in_train is None
    assert Trajectories.read(bare)[[0]].in_train is None
