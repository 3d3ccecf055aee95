"""The ledger of the repons paper on evidence that decides little or nothing; `plants_repons` has what decides."""

import numpy as np
import pytest
from planted import PlantedRun
from plants_repons import anywhere, fit, fleet, flows, in_order, lines, potentials, some

from nucleate.claims import Evidence, bootstrap
from nucleate.papers.repons import PAPER, readings
from nucleate.papers.repons.experiments import DECODERS, HELD_OUT, LINE, NARROW, PLANE, SMALL, ReponEffort
from nucleate.papers.repons.ledger.configurations import bin_shares, largest_fall
from nucleate.record import Outcome
from nucleate.theories import Parity, Rotation

CLAIMS = {claim.number: claim for claim in PAPER.claims}
RESTS_ON_FITS = (26, 27, 28, 29, 30, 31, 33, 34, 37, 38, 39, 41, 43, 44, 45)


def evidence(line: np.ndarray, plane: np.ndarray, known=None, **changed) -> Evidence:
    """All experiments, with networks that end there."""
    unseen = fleet(plane, train_size=45)
    unseen["valid_accuracy"] = unseen.accuracy
    records = {
        LINE: fleet(line),
        SMALL: fleet(line, init_scale=0.1),
        DECODERS: fleet(line, seed_embedding=np.arange(len(line)) // 2),
        PLANE: fleet(plane),
        HELD_OUT: unseen,
        NARROW: fleet(
            plane, steps=3000, wd=np.arange(len(plane)) % 2 * 0.03, width=np.arange(len(plane)) // 2 % 2 * 190 + 10
        ),
    }
    runs = {name: PlantedRun(record.assign(changed)) for name, record in records.items()}
    return Evidence(runs, ReponEffort(fits=2, general=2, chosen=1, simulated=4, starts=4), known=known)


def none_left() -> Evidence:
    return evidence(in_order(20), lines(20), outcome=("member", np.full(20, Outcome.DIVERGED)))


def not_a_number() -> Evidence:
    return evidence(np.full((20, 10, 1), np.nan), np.full((20, 10, 2), np.nan))


@pytest.mark.parametrize("claim", PAPER.claims, ids=lambda claim: claim.id)
@pytest.mark.parametrize("empty", [none_left, not_a_number])
def test_no_network_left_decides_nothing(claim, empty):
    row = claim.judge(empty())
    assert {check.verdict for check in row.checks} <= {"inconclusive", "shown"}
    assert all(check.measured is None for check in row.checks)


def test_networks_that_are_all_alike_and_are_not_pulled_determine_no_potential():
    alike = evidence(np.zeros((20, 10, 1)), np.zeros((20, 10, 2)))
    rows = {number: claim.judge(alike) for number, claim in CLAIMS.items()}
    assert {number for number, row in rows.items() if row.verdict == "inconclusive"} >= set(RESTS_ON_FITS)


def test_a_flat_potential_has_no_features_to_judge():
    flat = lambda r: 0 * r
    known = {
        compute: readings.Potentials(tuple(fit(symmetry, flat, flat, dim) for _ in range(6)), np.full(6, 0.1))
        for compute, symmetry, dim in (
            (readings.line_potentials, Parity(), 1),
            (readings.rotation_potentials, Rotation(), 2),
        )
    }
    found = evidence(some(in_order(1000), anywhere(1000)), anywhere(1000, 2), known)
    for number in (28, 29, 30, 31, 45):
        row = CLAIMS[number].judge(found)
        assert (row.verdict, row.reason) in {("inconclusive", "undefined"), ("inconclusive", "too few")}, number


def test_few_networks_say_nothing_of_the_shape_of_potentials():
    known = {readings.line_potentials: potentials(), readings.rotation_potentials: potentials(Rotation(), 2)}
    few = evidence(some(in_order(20), anywhere(20)), anywhere(20, 2), known)
    for number in (28, 29, 30, 31, 45):
        assert CLAIMS[number].judge(few).reason == "too early", number


def test_networks_that_still_change_their_order_are_too_early_for_what_they_end_in():
    moving = fleet(in_order(500), snapshots=2)  # there is nothing between the start and the end
    row = CLAIMS[35].judge(Evidence({SMALL: PlantedRun(moving)}, ReponEffort()))
    assert (row.decisive.measured, row.verdict, row.reason) == (1.0, "inconclusive", "too early")


def test_networks_that_have_not_learned_their_pairs_cannot_show_that_none_generalises():
    half = ("member", "step"), np.full((500, 4), 0.5)
    row = CLAIMS[40].judge(evidence(in_order(500), anywhere(500, 2), accuracy=half))
    assert (row.verdict, row.reason) == ("inconclusive", "too early")


@pytest.mark.parametrize(("settled", "verdict"), [(True, "contradicted"), (False, "inconclusive")])
def test_flows_that_have_not_come_to_rest_contradict_nothing(settled, verdict):
    known = dict.fromkeys((readings.rotation_flows, readings.parity_flows), flows(anywhere(500, 2), settled))
    row = CLAIMS[41].judge(evidence(in_order(20), anywhere(20, 2), known))
    assert (row.checks[0].verdict, row.checks[0].reason) == (verdict, "" if settled else "too early")


def test_few_networks_do_not_show_that_all_are_canonical():
    few = evidence(in_order(8), anywhere(8, 2))
    (check,) = CLAIMS[35].judge(few).checks
    assert (check.measured, check.verdict, check.reason) == (1.0, "inconclusive", "too few")


def test_a_line_that_generalises_counts_against_the_claim_that_there_is_none():
    seen = {check.label: check.verdict for check in CLAIMS[40].judge(evidence(in_order(500), lines(500))).checks}
    assert set(seen.values()) == {"contradicted"}


def test_shares_of_bins_need_networks():
    inside, canonical = np.repeat([0.1, 0.9], [197, 3]), np.repeat([0.0, 1.0], [197, 3])
    shares = bin_shares(inside, canonical)
    assert shares[0] == 0
    assert np.isnan(shares[4])


def test_a_share_that_rises_at_once_does_not_fall_whatever_a_few_unseen_networks_did():
    inside = np.repeat([0.3, 0.9], 600)
    found = bootstrap(largest_fall, inside, inside > 0.5, bounds=(0, 1))
    assert found.high < 0.1


def test_every_claim_quotes_the_paper():
    assert all(claim.quote for claim in PAPER.claims)


def test_a_mix_that_we_chose_is_shown_and_not_counted():
    assert CLAIMS[32].judge(evidence(in_order(20), anywhere(20, 2))).verdict == "shown"
