"""What the collisions claims are judged by: on planted records the rules see what is there, and nothing else."""

import numpy as np
import pytest
from planted import PlantedRun
from plants_collisions import (
    FORMED,
    MIXED,
    NETWORKS,
    NOBODY,
    PLANTS,
    alike,
    breaking,
    evidence,
    falling,
    mixed,
    moving,
    rollouts,
    steps_of,
)

from nucleate.claims import Evidence, Reason, Verdict
from nucleate.papers.collisions.experiments import BOXES, EFFORT, LARGE, SMALL
from nucleate.papers.collisions.ledger import CLAIMS, exact, power_laws, shares, simulator, variants
from nucleate.papers.collisions.readings.learning_coefficients import of_heads
from nucleate.papers.collisions.readings.rollouts import Energies, energies
from nucleate.record import Outcome

BY_NUMBER = {claim.number: claim for claim in CLAIMS}
TRAINED = [claim.number for claim in CLAIMS if claim.needs]
SIX = {LARGE: 6, SMALL: 1}  # networks: enough for an interval in the large box, which alone is judged by claims 4 to 8


def judged(number: int, found: Evidence):
    return BY_NUMBER[number].judge(found)


def checked(number: int, found: Evidence) -> dict:
    """The row of each check, by its label."""
    return {check.label: check for check in judged(number, found).checks}


@pytest.mark.parametrize("claim", [claim for claim, plants in PLANTS.items() if all(plants)])
def test_a_verdict_follows_what_is_planted(claim):
    number = int(claim.split("/")[1])
    verdicts = [judged(number, make()).verdict for make in PLANTS[claim]]
    assert verdicts == [Verdict.REPLICATED, Verdict.CONTRADICTED]


@pytest.mark.parametrize("number", TRAINED)
def test_where_no_head_has_formed_and_nothing_is_learned_it_is_too_early(number):
    row = judged(number, evidence(alike([[NOBODY] * 4] * 3), fvu=0.9, known={of_heads: None}))
    assert (row.verdict, row.reason) == (Verdict.INCONCLUSIVE, Reason.TOO_EARLY)


@pytest.mark.parametrize("number", TRAINED)
def test_where_no_network_is_left_nothing_is_judged(number):
    runs = {}
    for name in BOXES:
        one = mixed().record(name)
        runs[name] = PlantedRun(one.assign(outcome=("member", np.full(NETWORKS[name], Outcome.DIVERGED, np.int8))))
    assert judged(number, Evidence(runs, EFFORT.standard)).verdict == Verdict.INCONCLUSIVE


@pytest.mark.parametrize("number", [6, 9, 12])
def test_a_correlation_that_is_not_a_number_decides_nothing(number):
    row = judged(number, evidence(alike(MIXED, SIX), lambda step: np.full(len(step), np.nan)))
    assert row.verdict == Verdict.INCONCLUSIVE


def at_rest(step: np.ndarray) -> np.ndarray:
    return -0.45 + np.random.default_rng(0).normal(0, 0.003, len(step))


def test_a_correlation_that_has_come_to_rest_is_no_power_law():
    resting = evidence(alike(MIXED, SIX), at_rest, limit=-0.2)
    assert judged(4, resting).verdict == Verdict.CONTRADICTED
    assert checked(5, resting)[power_laws.ELSEWHERE.label].measured == 0
    assert (judged(6, resting).verdict, judged(6, resting).reason) == (Verdict.INCONCLUSIVE, Reason.TOO_FEW)
    assert judged(12, resting).verdict == Verdict.CONTRADICTED


def test_heads_that_fall_as_a_power_law_are_counted_whatever_their_kind():
    steady = evidence(alike(MIXED, SIX))
    assert judged(5, steady).verdict == Verdict.CONTRADICTED
    assert checked(6, steady)[power_laws.EXPONENTS.label].measured == 1


def noisy(step: np.ndarray) -> np.ndarray:
    return falling(step) * np.exp(np.random.default_rng(0).normal(0, 0.002, len(step)))


def exponential(step: np.ndarray) -> np.ndarray:
    noise = np.random.default_rng(0).normal(0, 0.002, len(step))
    return -0.2 - 0.7 * np.exp(-step / 15_000) * np.exp(noise)


def test_a_power_law_is_told_from_an_exponential():
    label = power_laws.PREFERRED.label
    assert checked(4, evidence(alike(MIXED, SIX), noisy))[label].measured == 1
    assert checked(4, evidence(alike(MIXED, SIX), exponential))[label].measured < 0.5


def test_four_networks_of_a_box_do_not_decide_shares_of_heads():
    assert (judged(4, mixed()).verdict, judged(4, mixed()).reason) == (Verdict.INCONCLUSIVE, Reason.TOO_FEW)


def test_a_head_that_turns_from_partial_to_true_is_found_with_its_change_of_exponent():
    found = variants.moves(evidence({name: moving(name) for name in BOXES}, breaking))
    assert {(move.block, move.head) for move in found} == {(2, 1)}
    assert len({move.network for move in found}) == 8
    assert all(abs(move.true - 10_000) < 1500 for move in found)
    assert all(abs(move.partial - 2000) < 500 for move in found)


def test_heads_that_were_never_partial_have_not_moved():
    assert steps_of(LARGE)[-1] > FORMED
    assert variants.moves(mixed()) == []
    row = judged(9, mixed())
    assert (row.verdict, row.reason) == (Verdict.INCONCLUSIVE, Reason.TOO_FEW)


def test_a_share_of_heads_of_few_networks_says_nothing_of_networks():
    few = shares.share_of_heads(np.array([10.0, 0, 0, 0, 0, 0]), np.array([10.0, 0, 0, 0, 0, 0]))
    assert (few.value, few.low, few.high, few.reason) == (1.0, -np.inf, np.inf, Reason.TOO_FEW)
    unlike = shares.share_of_heads(np.array([10.0, 0, 10, 0, 10, 0]), np.full(6, 10.0))
    assert unlike.low < 0.2
    assert unlike.high > 0.8


def test_networks_that_all_agree_leave_room_for_others():
    whole = shares.share_of_heads(np.full(6, 10.0), np.full(6, 10.0))
    assert whole.value == whole.high == 1
    assert whole.low == pytest.approx(0.025 ** (1 / 6), abs=1e-3)  # as sure as six hits of six
    assert shares.pooled_share(np.zeros(6), np.full(6, 10.0)).high == pytest.approx(1 - 0.025 ** (1 / 6), abs=1e-3)
    assert shares.pooled_share(np.array([1.0] * 6), np.array([1.0] * 3 + [3.0] * 3)).value == pytest.approx(0.5)


def test_energies_of_rollouts():
    truth = np.broadcast_to(10 - 5 * np.linspace(0, 1, 50), (2, 4, 50))
    network = truth * np.array([1.1, 1.0])[:, None, None]
    assert simulator.energy_error(Energies(truth, network)) == pytest.approx([0.1, 0.0], abs=1e-9)
    broken = network.copy()
    broken[0, 0, -1] = np.inf
    broken[0, 1, -1] = np.nan
    assert simulator.stable(Energies(truth, broken)).tolist() == [0.5, 1.0]


def test_networks_that_are_no_simulators_yet_are_not_judged_as_simulators():
    wild = rollouts(1, 0.1)
    for found in wild[energies].values():
        found.network[3] = 1e6 * found.network[3, :, ::-1]
    assert judged(10, mixed(known=wild)).verdict != Verdict.REPLICATED
    row = judged(10, mixed(known=wild, fvu=[0.1, 0.1, 0.1, 0.9]))
    assert row.verdict == Verdict.REPLICATED
    assert "2 of 8 networks" in row.note


def test_exact_claims_hold():
    found = Evidence({}, EFFORT.quick)
    for number in (13, 14, 15, 16):
        assert judged(number, found).verdict == Verdict.REPLICATED
    assert exact.magnetisation(-0.5) == pytest.approx(0.9575, abs=1e-4)
    quadratic = np.zeros((3, 3))
    quadratic[1, 0] = quadratic[0, 1] = 1.0
    assert exact.finite_truth(quadratic, 1000.0) == pytest.approx(2000 / 2001, rel=1e-4)


def test_every_claim_is_there_once():
    assert [claim.number for claim in CLAIMS] == list(range(1, 17))
