"""Which snapshots of a record count, what it lacks, and which runs are the same."""

import numpy as np
import pytest
from planted_pairs import STEPS, hill, planted, record_of, well

from nucleate.theories import PairPotential, Parity
from nucleate.theories.pairs.record import ForceRecord, check_disjoint


@pytest.mark.parametrize("name", ["gradient", "embedding", "eta", "step", "left", "label"])
def test_what_a_record_lacks_is_named(record, name):
    with pytest.raises(ValueError, match=f"missing: '{name}'"):
        PairPotential().fit(record.drop_vars(name))


def test_runs_that_were_fitted_are_refused_whatever_their_snapshots(record, fit):
    late = record.isel(step=slice(STEPS // 2, None))
    with pytest.raises(ValueError, match=r"30 of 30 members were also fitted.*Split by run, never by snapshot"):
        fit.score(late)
    with pytest.raises(ValueError, match="1 of 1 members were also fitted, the first with seed=7"):
        fit.score(late.isel(member=[7]))


def test_snapshots_that_pose_as_members_are_refused(record):
    doubled = record.isel(member=[0, 0, 1])
    with pytest.raises(ValueError, match="cannot be told apart"):
        PairPotential().fit(doubled)
    with pytest.raises(ValueError, match="such as 'seed', that tells runs apart"):
        PairPotential().fit(record.drop_vars("seed"))


def test_records_that_cannot_be_compared_are_refused(record, fit):
    renamed = planted((well, hill), Parity(), members=2, seed=1).rename(seed="run")
    with pytest.raises(ValueError, match="Cannot tell whether"):
        fit.score(renamed)


def test_snapshots_count_up_to_the_first_that_is_not_finite():
    embedding, gradient = np.ones((3, 4, 2, 1)), 2 * np.ones((3, 4, 2, 1))
    gradient[1, 2, 0], embedding[2, 0] = np.nan, np.inf
    seen = ForceRecord.read(record_of(embedding, gradient, eta=0.5))
    assert seen.finite.sum(axis=1).tolist() == [4, 2, 0]
    assert not seen.embedding[~seen.finite].any()
    assert seen.times.tolist() == [[0.0, 0.5, 1.0, 1.5]] * 3
    assert len(seen.configurations(most=100, seed=0)) == 6
    assert len(seen.configurations(most=100, seed=0, members=slice(1, None))) == 2


def test_configurations_are_drawn_without_replacement_and_keep_their_gradients():
    embedding = np.arange(40.0).reshape(4, 5, 2, 1)
    seen = ForceRecord.read(record_of(embedding, -embedding))
    drawn = seen.configurations(most=7, seed=3)
    assert len(np.unique(drawn.embedding[:, 0])) == len(drawn) == 7
    assert np.array_equal(drawn.gradient, -drawn.embedding)


def test_runs_differ_if_any_common_coordinate_does():
    fitted = {"seed": np.array([0, 1]), "size": np.array([10, 10])}
    check_disjoint(fitted, {"seed": np.array([0]), "size": np.array([20])})
    with pytest.raises(ValueError, match="1 of 1 members were also fitted, the first with seed=0, size=10"):
        check_disjoint(fitted, {"seed": np.array([0]), "size": np.array([10]), "note": np.array(["x"])})
