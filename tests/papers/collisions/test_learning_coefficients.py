"""Claims 7 and 8 on planted coefficients: plateaus are found where there are some, and nowhere else."""

import numpy as np
import pytest
from plants_collisions import MIXED, alike, evidence, falling

from nucleate.claims import Evidence, Verdict
from nucleate.observables import Doubt
from nucleate.papers.collisions.experiments import LARGE, SMALL
from nucleate.papers.collisions.ledger import CLAIMS
from nucleate.papers.collisions.ledger.learning_coefficients import (
    EARLIER_OF_ONE,
    EARLIER_OF_TWO,
    RESTS,
    change,
    plateaus,
)
from nucleate.papers.collisions.readings.learning_coefficients import HeadCoefficients, of_heads

(SEVENTH, EIGHTH) = (claim for claim in CLAIMS if claim.number in (7, 8))
LATE = np.geomspace(200, 40_000, 20).astype(int)
UNITS = np.array([(member, 2, head) for member in range(6) for head in (1, 3)])


def coefficients(value, error=0.01, doubt=0) -> HeadCoefficients:
    """Of two collision heads of each of six networks, [head, checkpoint], and of no others."""
    every = np.broadcast_to(np.asarray(value, float), (len(UNITS), len(LATE)))
    return HeadCoefficients(
        LARGE,
        *UNITS.T,
        collision=np.ones(len(UNITS), bool),
        step=LATE,
        value=every,
        error=np.full(every.shape, error),
        doubt=np.full(every.shape, int(doubt)),
        trace=np.zeros((len(UNITS), 2, 4)),
        burn_in=2,
    )


def planted(found: HeadCoefficients, correlation=falling) -> Evidence:
    return evidence(alike(MIXED, {LARGE: 6, SMALL: 1}), correlation, known={of_heads: found})


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
        (coefficients(np.full(20, 5.0)), Verdict.REPLICATED),
        (coefficients(LATE / 1000), Verdict.CONTRADICTED),
        (coefficients(np.full(20, 5.0), error=50.0), Verdict.INCONCLUSIVE),
        (coefficients(np.full(20, 5.0), doubt=Doubt.UNMIXED), Verdict.INCONCLUSIVE),
        (coefficients(np.full(20, -1.0)), Verdict.INCONCLUSIVE),
    ],
)
def test_coefficients_that_rest_within_the_law_replicate_and_ones_that_rise_do_not(found, expected):
    rests, _ = SEVENTH.judge(planted(found)).checks
    assert (rests.label, rests.verdict) == (RESTS.label, expected)


def falls_twice(step: np.ndarray) -> np.ndarray:
    t = np.maximum(step, 1.0) / 4000
    return -0.9 * np.where(t < 1, t**-0.1, t**-0.5)


def falls_once(step: np.ndarray) -> np.ndarray:
    return np.where(step < 4000, -0.4 * (np.maximum(step, 1) / 4000) ** 0.3, falling(step))


def test_an_earlier_plateau_is_looked_for_in_heads_with_two_laws_and_in_heads_with_one():
    rests_early = coefficients(np.where(LATE < 4000, 1.0, LATE / 4000))
    two_laws = EIGHTH.measure(planted(rests_early, falls_twice)).estimates
    assert two_laws[EARLIER_OF_TWO].value == 1
    assert np.isnan(two_laws[EARLIER_OF_ONE].value)
    one_law = EIGHTH.measure(planted(rests_early, falls_once)).estimates
    assert one_law[EARLIER_OF_ONE].value == 1
    rising = EIGHTH.measure(planted(coefficients(LATE / 1000), falls_twice)).estimates
    assert rising[EARLIER_OF_TWO].value == 0
