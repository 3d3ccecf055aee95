"""Claims 7 and 8 on planted coefficients: plateaus are found where there are some, and nowhere else."""

import numpy as np
import pytest
from plants_collisions import CHECKPOINTS, RESTING, RISING, coefficients, falls_once, mixed

from nucleate.claims import Reason, Verdict
from nucleate.observables import Doubt
from nucleate.papers.collisions.ledger import CLAIMS
from nucleate.papers.collisions.ledger.learning_coefficients import (
    EARLIER_OF_ONE,
    EARLIER_OF_TWO,
    RESTS,
    change,
    plateaus,
)

(SEVENTH, EIGHTH) = (claim for claim in CLAIMS if claim.number in (7, 8))


def test_changes_and_plateaus():
    step, sure = np.geomspace(100, 51_200, 19), np.full(19, 0.01)
    assert change(step, np.full(19, 3.0), sure).value == pytest.approx(0)
    assert change(step, np.full(19, 3.0), sure).flat
    assert change(step, 0.1 + step, sure).rises
    assert change(step, 0.1 + step, sure).flat is False
    assert change(step, np.full(19, 3.0), np.full(19, 30.0)).flat is None
    assert change(step, np.full(19, 3.0), np.full(19, 30.0)).rises is None
    assert np.isnan(change(step, np.full(19, np.nan), sure).value)
    flat_once = np.where(step < 400, 1.0, (step / 400) ** 1.5)
    assert plateaus(step, flat_once, sure, until=51_200) == 1
    assert plateaus(step, step, sure, until=51_200) == 0
    assert plateaus(step, flat_once, sure, until=130) is None  # nothing could have been seen


def test_the_error_of_a_change_is_that_of_repeated_noise():
    step, rng = np.geomspace(1000, 4000, 6), np.random.default_rng(0)
    noise = rng.normal(0, 0.3, (4000, 6))
    found = [change(step, 5 + each, np.full(6, 0.3)) for each in noise]
    assert np.std([each.value for each in found]) == pytest.approx(found[0].error, rel=0.05)


@pytest.mark.parametrize(
    ("found", "expected"),
    [
        (coefficients(RESTING), Verdict.REPLICATED),
        (coefficients(RISING), Verdict.CONTRADICTED),
        (coefficients(RESTING, error=50.0), Verdict.INCONCLUSIVE),
        (coefficients(RESTING, doubt=Doubt.UNMIXED), Verdict.INCONCLUSIVE),
        (coefficients(-RESTING), Verdict.INCONCLUSIVE),
    ],
)
def test_coefficients_that_rest_within_the_law_replicate_and_ones_that_rise_do_not(found, expected):
    rests, rises = SEVENTH.judge(mixed(known=found)).checks
    assert (rests.label, rests.verdict) == (RESTS.label, expected)
    assert rises.verdict == Verdict.SHOWN


def test_it_is_told_how_much_of_an_error_is_not_chance():
    assert "an error is 2 times the statistical one (median)" in SEVENTH.judge(mixed(known=coefficients(RESTING))).note


def test_coefficients_that_rise_in_networks_that_still_learn_may_yet_rest():
    row = SEVENTH.judge(mixed(known=coefficients(RISING), fvu=0.2))
    assert (row.verdict, row.reason) == (Verdict.INCONCLUSIVE, Reason.TOO_EARLY)


def falls_twice(step: np.ndarray) -> np.ndarray:
    t = np.maximum(step, 1.0) / 40_000
    return -0.9 * np.where(t < 1, t**-0.1, t**-0.5)


def test_an_earlier_plateau_is_looked_for_in_heads_with_two_laws_and_in_heads_with_one():
    rests_early = coefficients(np.where(CHECKPOINTS < 40_000, 1.0, CHECKPOINTS / 40_000))
    two_laws = EIGHTH.measure(mixed(correlation=falls_twice, known=rests_early)).estimates
    assert two_laws[EARLIER_OF_TWO].value == 1
    assert np.isnan(two_laws[EARLIER_OF_ONE].value)
    one_law = EIGHTH.measure(mixed(correlation=falls_once, known=rests_early)).estimates
    assert one_law[EARLIER_OF_ONE].value == 1
    rising = EIGHTH.measure(mixed(correlation=falls_twice, known=coefficients(RISING))).estimates
    assert rising[EARLIER_OF_TWO].value == 0
