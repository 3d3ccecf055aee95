"""What the collisions claims are judged by: on planted records the rules see what is there, and nothing else."""

from functools import cache

import numpy as np
import pytest
from planted import PlantedRun
from plants_collisions import (
    FORMED,
    LAST,
    MIXED,
    NETWORKS,
    NOBODY,
    PARTIAL,
    PLANTS,
    TRUE,
    alike,
    at_rest,
    breaking,
    evidence,
    falling,
    history,
    mixed,
    moving,
    rollouts,
)

from nucleate.claims import Evidence, Reason, Verdict
from nucleate.papers.collisions.experiments import BOX, EFFORT
from nucleate.papers.collisions.ledger import CLAIMS, exact, heads, maturity, power_laws, shares, simulator, variants
from nucleate.papers.collisions.readings.fleets import networks
from nucleate.papers.collisions.readings.learning_coefficients import of_heads
from nucleate.papers.collisions.readings.rollouts import Energies, energies
from nucleate.record import Outcome

BY_NUMBER = {claim.number: claim for claim in CLAIMS}
TRAINED = [int(claim.split("/")[1]) for claim in PLANTS]
LEARNING = 0.2  # of the variance unexplained: a network that has not finished


def judged(number: int, found: Evidence):
    return BY_NUMBER[number].judge(found)


def checked(number: int, found: Evidence) -> dict:
    """The row of each check, by its label."""
    return {check.label: check for check in judged(number, found).checks}


@pytest.mark.parametrize("number", TRAINED)
def test_where_no_head_has_formed_and_nothing_is_learned_it_is_too_early(number):
    none = {of_heads: None, **rollouts(20, 9.0)}
    row = judged(number, evidence(alike([[NOBODY] * 4] * 3), fvu=0.9, known=none))
    assert (row.verdict, row.reason) == (Verdict.INCONCLUSIVE, Reason.TOO_EARLY)


@pytest.mark.parametrize("claim", PLANTS)
def test_networks_that_have_not_finished_learning_contradict_nothing(claim, monkeypatch):
    monkeypatch.setattr(maturity, "UNEXPLAINED", 0.01)  # less than is planted
    _, refuted = PLANTS[claim]
    row = judged(int(claim.split("/")[1]), refuted())
    assert (row.verdict, row.reason) == (Verdict.INCONCLUSIVE, Reason.TOO_EARLY)


@pytest.mark.parametrize("number", [*TRAINED, 12])
def test_where_no_network_is_left_nothing_is_judged(number):
    gone = mixed().record(BOX).assign(outcome=("member", np.full(NETWORKS, Outcome.DIVERGED, np.int8)))
    row = judged(number, Evidence({BOX: PlantedRun(gone)}, EFFORT.standard))
    assert row.verdict == (Verdict.SHOWN if number == 12 else Verdict.INCONCLUSIVE)


@pytest.mark.parametrize("number", [6, 9])
def test_a_correlation_that_is_not_a_number_decides_nothing(number):
    row = judged(number, mixed(correlation=lambda step: np.full(len(step), np.nan)))
    assert row.verdict == Verdict.INCONCLUSIVE


def test_a_network_that_has_some_heads_counts_for_a_claim_before_it_has_finished():
    assert judged(2, mixed(fvu=LEARNING)).verdict == Verdict.REPLICATED
    half = np.concatenate([alike(MIXED, NETWORKS // 2), alike([[NOBODY] * 4] * 3, NETWORKS - NETWORKS // 2)])
    row = judged(2, evidence(half, fvu=LEARNING))
    assert (row.verdict, row.reason) == (Verdict.INCONCLUSIVE, Reason.TOO_EARLY)


def test_heads_that_are_neither_near_0_nor_near_1_fill_the_gap():
    gap = heads.GAP.label
    assert checked(1, mixed())[gap].measured == pytest.approx((1 / 0.5) / min(8 / 0.2, 3 / 0.125))
    assert checked(1, mixed(fvu=LEARNING))[gap].interval[0] == 0  # a partial head may still become true


def test_one_partial_head_in_the_first_block_does_not_contradict():
    score = alike(MIXED)
    score[0, 0, 0] = PARTIAL
    first = checked(3, evidence(score))[heads.IN_FIRST.label]
    assert first.measured == pytest.approx(1 / (4 * NETWORKS))
    assert first.verdict == Verdict.REPLICATED


def test_a_head_that_has_just_formed_is_not_at_the_end_of_its_development():
    late = history(alike(MIXED))
    late[:, : late.shape[1] - 10, 2, 3] = 0.0  # one head of four forms in the last looks
    young = evidence(late)
    assert maturity.settled(networks(young)).sum() == 3 * NETWORKS
    assert f"less than an octave: {NETWORKS}." in judged(4, young).note


def test_a_correlation_that_has_come_to_rest_is_no_power_law():
    resting = mixed(correlation=at_rest, limit=-0.2)
    assert judged(4, resting).verdict == Verdict.CONTRADICTED
    assert checked(5, resting)[power_laws.ELSEWHERE.label].measured == 0
    assert (judged(6, resting).verdict, judged(6, resting).reason) == (Verdict.INCONCLUSIVE, Reason.TOO_FEW)
    assert checked(12, resting)[power_laws.CONTACT.label].measured == pytest.approx(2.25, rel=0.05)


def noisy(step: np.ndarray) -> np.ndarray:
    return falling(step) * np.exp(np.random.default_rng(0).normal(0, 0.002, len(step)))


def exponential(step: np.ndarray) -> np.ndarray:
    noise = np.random.default_rng(0).normal(0, 0.002, len(step))
    return -0.9 * np.exp(-step / 50_000 + noise)


def test_a_power_law_is_told_from_an_exponential():
    label = power_laws.PREFERRED.label
    assert checked(4, mixed(correlation=noisy))[label].measured == 1
    assert checked(4, mixed(correlation=exponential))[label].measured < 0.5


def test_few_networks_do_not_decide_shares_of_heads():
    few = evidence(alike(MIXED, 5))
    assert (judged(4, few).verdict, judged(4, few).reason) == (Verdict.INCONCLUSIVE, Reason.TOO_FEW)


def test_a_head_that_turns_from_partial_to_true_is_found_with_its_change_of_exponent():
    found = variants.moves(networks(evidence(moving(), breaking)))
    assert {(move.block, move.head) for move in found} == {(2, 1)}
    assert len({move.row for move in found}) == NETWORKS
    assert all(abs(move.true - 10_000) < 1500 for move in found)
    assert all(abs(move.partial - 2000) < 500 for move in found)


def test_one_head_that_moves_is_enough_and_none_of_few_says_nothing():
    one = moving()
    one[1:, :, 2, 1] = TRUE  # all others were true from the beginning
    assert judged(9, evidence(one, breaking)).verdict == Verdict.INCONCLUSIVE  # one in six octaves: by chance
    chances = [(True, 0.04)]
    assert variants._seen(chances, 0).value == 1
    assert variants._seen(chances, 0).reason is None
    assert variants._seen([(True, 0.3)], 1).reason == Reason.TOO_FEW
    assert variants._seen([(False, 0.1)] * 5, 5).reason == Reason.TOO_FEW
    assert variants._seen([(False, 0.1)] * 6, 5).reason == Reason.TOO_EARLY
    assert variants._seen([(False, 0.1)] * 6, 6).reason is None


def test_the_chance_of_several_things():
    assert variants._by_chance([0.5, 0.5], 1) == pytest.approx(0.75)
    assert variants._by_chance([0.1, 0.2, 0.3], 3) == pytest.approx(0.006)


def test_heads_that_were_never_partial_have_not_moved():
    assert LAST > FORMED
    assert variants.moves(networks(mixed())) == []
    row = judged(9, mixed())
    assert (row.verdict, row.reason) == (Verdict.INCONCLUSIVE, Reason.TOO_FEW)


def test_a_share_of_heads_of_few_networks_says_nothing_of_networks():
    few = shares.share_in_networks(np.array([10.0, 0, 0, 0, 0, 0]), np.array([10.0, 0, 0, 0, 0, 0]))
    assert (few.value, few.low, few.high, few.reason) == (1.0, -np.inf, np.inf, Reason.TOO_FEW)
    unlike = shares.share_in_networks(np.array([10.0, 0, 10, 0, 10, 0]), np.full(6, 10.0))
    assert unlike.low < 0.2
    assert unlike.high > 0.8


def test_networks_that_all_agree_are_as_sure_as_their_heads_but_for_being_few():
    none, whole = (shares.share_in_networks(np.full(12, hits), np.full(12, 4.0)) for hits in (0.0, 4.0))
    assert none.high == pytest.approx(1 - 0.025 ** (1 / 40), abs=1e-3)  # 48 heads count as 40
    assert whole.low == pytest.approx(1 - none.high)
    assert shares.share_in_networks(np.array([1.0] * 6), np.array([1.0] * 3 + [3.0] * 3)).value == pytest.approx(0.5)


def test_intervals_hold_the_share_where_heads_of_a_network_resemble_each_other(monkeypatch):
    monkeypatch.setattr(shares, "share", cache(shares.share))  # of few pairs of numbers
    rng, share, alike_by = np.random.default_rng(0), 0.3, 0.3
    odds = (1 / alike_by - 1) * np.array([share, 1 - share])
    hits = rng.binomial(4, rng.beta(*odds, (400, 12)))
    found = [shares.share_in_networks(each.astype(float), np.full(12, 4.0)) for each in hits]
    assert np.mean([one.low <= share <= one.high for one in found]) >= 0.94


def test_energies_of_rollouts():
    truth = np.broadcast_to(10 - 5 * np.linspace(0, 1, 50), (2, 4, 50))
    network = truth * np.array([1.1, 1.0])[:, None, None]
    assert simulator.energy_error(Energies(truth, network)) == pytest.approx([0.1, 0.0], abs=1e-9)
    broken = network.copy()
    broken[0, 0, -1] = np.inf
    broken[0, 1, -1] = np.nan
    assert simulator.stable(Energies(truth, broken)).tolist() == [0.5, 1.0]


def test_networks_that_are_no_simulators_yet_may_still_become_ones():
    wild = rollouts(1, 0.1)
    wild[energies].network[3] = 1e6 * wild[energies].network[3, :, ::-1]
    assert judged(10, mixed(known=wild)).verdict != Verdict.REPLICATED
    row = judged(10, mixed(known=rollouts(20, 0.5), fvu=LEARNING))
    assert (row.verdict, row.reason) == (Verdict.INCONCLUSIVE, Reason.TOO_EARLY)
    assert f"0 of {NETWORKS} networks" in row.note


def test_exact_claims_hold_but_for_a_misprint():
    found = Evidence({}, EFFORT.quick)
    rows = {number: judged(number, found) for number in range(13, 19)}
    assert {number: row.verdict for number, row in rows.items()} == {
        **dict.fromkeys((13, 14, 15, 17), Verdict.REPLICATED),
        16: Verdict.SHOWN,
        18: Verdict.CONTRADICTED,
    }
    measured = {check.label: check.measured for row in rows.values() for check in row.checks}
    assert measured[exact.CONSTANT.label] == pytest.approx(8**0.5)
    assert measured[exact.STILL.label] == pytest.approx(1, abs=0.01)
    assert measured[exact.OFF.label] < 4
    assert measured[exact.LINEAR.label] < 1e-12
    assert exact.magnetisation(-0.5) == pytest.approx(0.9575, abs=1e-4)
    quadratic = np.zeros((3, 3))
    quadratic[1, 0] = quadratic[0, 1] = 1.0
    assert exact.polynomial_excess(quadratic, 1000.0, gamma=1.0) == pytest.approx(2000 / 2001, rel=1e-4)


def test_every_claim_is_there_once():
    assert [claim.number for claim in CLAIMS] == list(range(1, 19))
