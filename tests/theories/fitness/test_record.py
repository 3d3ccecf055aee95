"""How starts and fates are read, and what a record lacks."""

import numpy as np
import pytest
from planted_fates import planted, start

from nucleate.observables import Above, TwiceTheMean
from nucleate.theories import Fitness
from nucleate.theories.fitness.record import Starts


def test_labels_follow_the_rule():
    record = planted()
    ends = np.linspace(5, 60, 29)
    record["signal"][:, 3] = ends
    shares = {rule: Fitness(rule=rule).fit(record).score(record) for rule in (Above(10.0), Above(30.0), TwiceTheMean())}
    for rule, threshold in ((Above(10.0), 10), (Above(30.0), 30), (TwiceTheMean(), 40)):
        np.testing.assert_allclose(shares[rule]["alive_share"], np.mean(ends > threshold))


def test_members_that_stopped_are_read_at_their_last_row_or_left_out():
    record = planted().reindex(step=[0, 3, 4, 500, 1000])
    for name in ("signal", "mean_signal"):
        record[name][0, 3] = record[name][0, 4]
        record[name][0, 4] = np.nan  # stopped at 500
        record[name][1, 3:] = np.nan  # never seen after its start
        record[name][2, 2] = np.nan  # no gradient
    record["signal"][3, :, 7] = np.where(record["step"] < 1000, 0.0, 60.0)  # nothing to compare with
    fit = Fitness().fit(record)
    score = fit.score(record)
    assert np.isnan(score.isel(member=[1, 2]).to_array()).all()
    assert np.isfinite(score.isel(member=[0, *range(3, 20)])["accuracy"]).all()
    kept = fit.score(planted())
    assert float(score["alive_share"][0]) == pytest.approx(float(kept["alive_share"][0]))
    expected = np.delete(start(planted())[2][3], 7).mean()
    assert float(score["alive_share"][3]) == pytest.approx(expected)


@pytest.mark.parametrize(
    ("change", "match"),
    [
        (lambda r: r.drop_vars("signal"), r"missing: 'signal' \(member, step, freq\)"),
        (lambda r: r.drop_vars("mean_signal"), "missing: 'mean_signal'"),
        (
            lambda r: r.isel(member=0),
            r"over \(step, freq\) instead: 'signal'(.|\n)*over \(step\) instead: 'mean_signal'",
        ),
        (lambda r: r.drop_vars("step"), "missing: 'step'"),
        (lambda r: r.isel(step=[0, 2, 3]), r"missing \[3\]"),
        (lambda r: r.isel(step=[0, 1, 2]), "a later row; there is none"),
        (lambda r: r * np.nan, "a later row; there is none"),
    ],
)
def test_what_a_record_lacks_is_named(change, match):
    with pytest.raises(ValueError, match=match):
        Fitness().fit(change(planted()))


def test_features_are_the_gradient_and_the_initial_signal():
    signal0, gradient, alive = start(planted())
    seen = Starts.read(planted(), Above(), at=4)
    np.testing.assert_allclose(seen.features[..., 0], gradient)
    np.testing.assert_array_equal(seen.features[..., 1], signal0)
    assert seen.there.all()
    np.testing.assert_array_equal(seen.alive, alive)
