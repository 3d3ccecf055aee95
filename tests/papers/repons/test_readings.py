"""Readings of the repons paper: which runs they look at, and that fits survive being kept."""

import numpy as np
import pytest
from planted import PlantedRun
from plants_repons import LEFT, RIGHT, anywhere, fit, fleet, flows, in_order, potentials, ring, scores, some, well

from nucleate.claims import Evidence, Reason
from nucleate.papers.repons import PAPER, readings
from nucleate.papers.repons.experiments import DECODERS, HELD_OUT, LINE, NARROW, PLANE, SMALL, ReponEffort
from nucleate.papers.repons.readings import fits
from nucleate.record import Keep, Outcome
from nucleate.record.tree import pack, unpack
from nucleate.theories import PairPotential, Parity, Rotation
from nucleate.theories.pairs import PairPotentialFit

EFFORT = ReponEffort(fits=2, general=2, chosen=1, simulated=4, starts=4)
SNAPSHOTS = 6  # of which the first and the last are left of every fifth: flows of one length, and one program
IN_THE_PLANE = {readings.parity_potentials: Parity(), readings.rotation_potentials: Rotation()}
SCORES = (readings.line_scores, readings.general_scores, readings.parity_scores, readings.rotation_scores)
FLOWS = (readings.line_flows, readings.parity_flows, readings.rotation_flows)
ALL = (
    readings.line_potentials,
    *IN_THE_PLANE,
    readings.general_fits,
    *SCORES,
    readings.paired_scores,
    *FLOWS,
    readings.quadratic_flows,
    readings.line_forces,
    readings.line_energies,
    readings.line_wells,
    readings.flow_lattices,
    readings.network_lattices,
    readings.attraction_hessians,
    readings.ceiling,
)


def of(record, name: str = LINE, effort: ReponEffort = EFFORT) -> Evidence:
    return Evidence({name: PlantedRun(record)}, effort)


def pulled(path: np.ndarray) -> np.ndarray:
    """The gradient of a well for pairs that share a label, and of a hill for those that do not."""
    M = np.eye(10)[LEFT] + np.eye(10)[RIGHT]
    sums = M @ path
    x = sums[:, :, :, None] - sums[:, :, None]
    square = np.sum(x**2, axis=-1, keepdims=True)
    same = ((LEFT + RIGHT)[:, None] == LEFT + RIGHT)[..., None]
    slope = np.where(same, 2 * x / (1 + square), -0.1 * x * np.exp(-square / 4))
    return 1e-2 * (M.T @ slope.sum(3))


def with_force(ends: np.ndarray, snapshots: int = SNAPSHOTS):
    record = fleet(ends, steps=100, snapshots=snapshots)
    record["gradient"] = (record.embedding.dims, pulled(record.embedding.values))
    return record


@pytest.fixture(scope="module")
def runs():
    """A few planted runs of every experiment: far too few to say anything."""
    unseen = fleet(anywhere(20, 2), train_size=45)
    unseen["valid_accuracy"] = (("member", "step"), np.full((20, 4), 0.8))
    records = {
        LINE: with_force(some(in_order(20), anywhere(20))),
        SMALL: fleet(in_order(8), init_scale=0.1),
        DECODERS: fleet(in_order(8), seed_embedding=np.arange(8) // 2),
        PLANE: with_force(anywhere(20, 2)),
        HELD_OUT: unseen,
        NARROW: fleet(anywhere(20, 2), wd=[0.0, 0.03] * 10, width=10),
    }
    return {name: PlantedRun(record) for name, record in records.items()}


@pytest.fixture(scope="module")
def small(runs):
    """What is fitted to them and predicted from that; planted where it would be compiled for another symmetry."""
    few = scores(0.4, 0.4).isel(member=slice(EFFORT.simulated))
    known = dict.fromkeys((readings.general_scores, readings.parity_scores, readings.rotation_scores), few)
    known |= dict.fromkeys((readings.parity_flows, readings.rotation_flows), flows(anywhere(EFFORT.starts, 2)))
    known |= {compute: potentials(symmetry, 2) for compute, symmetry in IN_THE_PLANE.items()}
    coarse = lambda symmetry, runs, most=0: PairPotential(symmetry, configurations=60, coefficients=40)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(fits, "_theory", coarse)
        evidence = Evidence(runs, EFFORT, known=known)
        for compute in ALL:
            evidence.once(compute)
        yield evidence


def test_whatever_is_computed_from_evidence_is_tried_here():
    public = (getattr(readings, name) for name in readings.__all__)
    takes_evidence = {one for one in public if getattr(one, "__annotations__", {}).get("evidence") is Evidence}
    views = {readings.line_parts, readings.plane_parts, readings.networks}  # cheap, and never kept
    assert takes_evidence - views == set(ALL)


def test_readings_come_back_from_disk_bit_for_bit(small):
    for compute in ALL:
        tree, arrays = pack(small.once(compute))
        again, copies = pack(unpack(tree, arrays))
        assert again == tree, compute
        for copy, array in zip(copies, arrays, strict=True):
            assert copy.dtype == array.dtype
            np.testing.assert_array_equal(copy, array)


def test_fits_from_disk_pull_the_same(small):
    ends = anywhere(5)
    found, general = small.once(readings.line_potentials), small.once(readings.general_fits)
    kept = (*unpack(*pack(found)).fits, *unpack(*pack(general)))
    for one, again in zip((*found.fits, *general), kept, strict=True):
        np.testing.assert_array_equal(again.force(ends), one.force(ends))
        np.testing.assert_array_equal(again.energy(ends), one.energy(ends))


def test_potentials_have_the_symmetry_that_they_are_named_for(runs, monkeypatch):
    asked = []
    monkeypatch.setattr(fits, "_potentials", lambda *args: asked.append(args) or potentials())
    for compute, symmetry, dim in (
        (readings.line_potentials, Parity(), 1),
        *((*one, 2) for one in IN_THE_PLANE.items()),
    ):
        compute(Evidence(runs, EFFORT))
        seen, parts, count = asked[-1]
        assert (seen, parts.fitted.sizes["dim"], count) == (symmetry, dim, EFFORT.fits)


def test_a_resumed_replication_fits_nothing_again(runs, small, tmp_path, monkeypatch):
    monkeypatch.setattr("nucleate.claims.evidence._WORTH_KEEPING", 0.0)
    fitted = []
    monkeypatch.setattr(fits, "_potentials", lambda *args: fitted.append(1) or small.once(readings.line_potentials))
    ends = anywhere(3)
    forces = []
    for _ in range(2):
        evidence = Evidence(runs, EFFORT, keep=Keep(tmp_path, "this code"))
        forces.append(evidence.once(readings.line_potentials).best.force(ends))
    assert len(fitted) == 1
    np.testing.assert_array_equal(*forces)


def test_two_fits_to_few_runs_feed_every_claim_and_decide_none_that_rests_on_fits(small):
    rows = {claim.number: claim.judge(small) for claim in PAPER.claims}
    assert list(rows) == list(range(26, 46))
    assert all(rows[number].verdict == "inconclusive" for number in (28, 29, 30, 31))


def test_parts_share_no_run():
    parts = readings.split(fleet(in_order(50)), chosen=2, tested=8)
    seeds = [set(part.seed.values.tolist()) for part in (parts.fitted, parts.chosen, parts.tested)]
    assert [len(part) for part in seeds] == [30, 2, 8]
    assert len(set.union(*seeds)) == 40


def test_predictions_are_of_tested_runs_alone(monkeypatch):
    monkeypatch.setattr(PairPotentialFit, "score", lambda self, record: record)
    monkeypatch.setattr(PairPotentialFit, "simulate", lambda self, x0, times: np.stack([0 * x0, x0, x0], axis=1))
    runs = {LINE: PlantedRun(fleet(anywhere(20))), PLANE: PlantedRun(fleet(anywhere(20, 2)))}
    known = {
        readings.line_potentials: potentials(),
        readings.general_fits: 2 * (fit(Parity(), well, ring),),
        **{compute: potentials(symmetry, 2) for compute, symmetry in IN_THE_PLANE.items()},
    }
    evidence = Evidence(runs, EFFORT, known=known)
    for compute in (*SCORES, readings.paired_scores, readings.line_flows):
        in_line = compute.__name__.startswith(("line", "general", "paired"))
        tested, found = (readings.line_parts if in_line else readings.plane_parts)(evidence).tested, compute(evidence)
        if compute is readings.line_flows:
            np.testing.assert_array_equal(found.ends, readings.first_embedding(tested))
        else:
            assert sorted(found.seed.values.tolist()) == tested.seed.values.tolist()


def test_flows_in_the_plane_start_anywhere_and_have_settled_if_they_keep_their_shape(monkeypatch):
    grown = lambda self, x0, times: np.stack([x0, x0, 3 * x0 + 1], axis=1)
    turned = lambda self, x0, times: np.stack([x0, x0, x0[..., ::-1]], axis=1)
    known = {compute: potentials(symmetry, 2) for compute, symmetry in IN_THE_PLANE.items()}
    evidence = Evidence({PLANE: PlantedRun(fleet(anywhere(20, 2), init_scale=0.5))}, EFFORT, known=known)
    for simulate, settled in ((grown, True), (turned, False)):
        monkeypatch.setattr(PairPotentialFit, "simulate", simulate)
        found = readings.rotation_flows(evidence)
        assert found.ends.shape == (EFFORT.starts, 10, 2)
        assert found.settled.tolist() == [settled] * EFFORT.starts


def test_networks_that_went_nowhere_finite_are_left_out_and_padding_is_not():
    ends = anywhere(4, 2)
    ends[1] = np.nan  # not a number
    ends[2, :, 1] = np.nan  # of one dimension, in a fleet that has two
    record = fleet(ends)
    record["outcome"] = ("member", np.array([Outcome.OK, Outcome.OK, Outcome.OK, Outcome.DIVERGED]))
    assert readings.networks(of(record), LINE).seed.values.tolist() == [0, 2]


def test_potentials_are_fitted_to_runs_that_they_do_not_share(small):
    found = small.once(readings.line_potentials)
    seeds = [set(fit.runs["seed"].tolist()) for fit in found.fits]
    assert len(set.union(*seeds)) == sum(map(len, seeds)) == readings.line_parts(small).fitted.sizes["member"]
    assert [set(fit.runs["seed"].tolist()) for fit in small.once(readings.general_fits)] == seeds
    assert found.units == "2 potentials, fitted to disjoint sets of 6 runs or more"
    assert len(found.curls) == 2


def test_a_budget_may_leave_potentials_without_symmetry_out(runs):
    with pytest.raises(readings.Unfitted) as error:
        readings.general_fits(Evidence(runs, ReponEffort(general=0)))
    assert error.value.reason is Reason.LEFT_OUT


def test_accuracy_on_trained_pairs_is_what_is_left_of_that_on_all():
    record = fleet(anywhere(3, 2), train_size=45)
    record["accuracy"] = record.accuracy * 47 / 55
    np.testing.assert_allclose(readings.train_accuracy(record), 47 / 55)
    record["valid_accuracy"] = record.accuracy * 0 + 0.2  # 2 of 10
    np.testing.assert_allclose(readings.train_accuracy(record), 1)


def test_the_ceiling_compares_networks_with_one_start():
    record = fleet(np.concatenate([in_order(4), in_order(4)[::-1]]), seed_embedding=np.arange(8) // 2)
    found = readings.ceiling(of(record, DECODERS))
    assert len(found.trajectory) == 4
    np.testing.assert_allclose(found.representation, 0, atol=1e-12)
    assert (found.trajectory > 0).all()


@pytest.mark.parametrize(
    ("record", "reason"),
    [(fleet(in_order(2)), Reason.TOO_FEW), (fleet(in_order(20)), Reason.UNDEFINED)],
    ids=["two networks", "no network is pulled"],
)
def test_where_nothing_can_be_fitted_the_reason_is_given(record, reason):
    with pytest.raises(readings.Unfitted) as error:
        readings.line_potentials(of(record))
    assert error.value.reason is reason
