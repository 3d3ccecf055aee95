"""The grokking paper: its measurements on planted evidence, and the whole path at a tiny size."""

import dataclasses
import json

import numpy as np
import pytest
import xarray as xr
from planted import PlantedRun

from nucleate.claims import Evidence, Verdict
from nucleate.observables import Phase
from nucleate.papers import PAPERS, Budget, Effort, replicate, write_replication_report
from nucleate.papers.grokking import readings
from nucleate.papers.grokking.experiments import FEASIBLE, ToyFleet
from nucleate.papers.grokking.structure import Structure, half_crossing, survey
from nucleate.record import NEVER, Outcome

PAPER = PAPERS["grokking"]
CLAIMS = {claim.id: claim for claim in PAPER.claims}


def judge(claim: str, **records: xr.Dataset):
    runs = {f"grokking/{name.replace('_', '-')}": PlantedRun(record) for name, record in records.items()}
    return CLAIMS[f"grokking/{claim}"].judge(Evidence(runs, samples=200))


def phase_record(codes: np.ndarray, y: str = "wd_dec", steps: int = 100_000) -> xr.Dataset:
    """A record whose members have the given phases, codes[y, x, repeat]."""
    train = np.where(codes == Phase.CONFUSION, NEVER, 100)
    delay = {Phase.COMPREHENSION: 200, Phase.GROKKING: 5000, Phase.MEMORIZATION: NEVER, Phase.CONFUSION: NEVER}
    valid = np.vectorize(lambda code: delay[Phase(code)])(codes)
    rows, columns, repeats = np.indices(codes.shape)
    return xr.Dataset(
        {
            "train90_step": ("member", train.ravel()),
            "valid90_step": ("member", valid.ravel()),
            "outcome": ("member", np.full(codes.size, Outcome.OK)),
        },
        coords={
            "eta_dec": ("member", 10.0 ** (columns.ravel() - 5)),
            y: ("member", 10.0 ** (rows.ravel() - 5) if y == "eta_repr" else 1.0 * rows.ravel()),
            "repeat": ("member", repeats.ravel()),
        },
        attrs={"steps": steps},
    )


def repeated(cells: list, repeats: int) -> np.ndarray:
    return np.repeat(np.array(cells)[..., None], repeats, axis=2)


C, G, M, X = Phase.COMPREHENSION, Phase.GROKKING, Phase.MEMORIZATION, Phase.CONFUSION
PAPERLIKE = repeated([[C, G, M, M, M, M], [C, C, G, M, M, M], [C, C, C, X, X, X]], 5)
CORNERS = repeated([[M], [X]], 8)


def decay_maps(cells: np.ndarray, corners: np.ndarray = CORNERS, steps: int = 100_000) -> dict[str, xr.Dataset]:
    maps = dict.fromkeys(("phase_decay", "phase_decay_classes"), phase_record(cells, steps=steps))
    return maps | dict.fromkeys(("corners_decay", "corners_decay_classes"), phase_record(corners, steps=steps))


def test_decay_claims_hold_on_a_map_like_the_papers():
    large = np.kron(PAPERLIKE[..., 0], np.ones((6, 10), int))[..., None]  # as many cells as the paper's
    for claim, cells in (("20", large), ("21", PAPERLIKE), ("22", large)):
        assert judge(claim, **decay_maps(cells)).verdict == Verdict.REPLICATED


def test_decay_claims_fail_on_a_map_unlike_the_papers():
    assert judge("21", **decay_maps(PAPERLIKE, CORNERS[::-1].copy())).verdict == Verdict.CONTRADICTED
    lonely = np.full((12, 16, 1), M)
    lonely[5] = G
    assert judge("22", **decay_maps(lonely)).verdict == Verdict.CONTRADICTED
    assert judge("20", **decay_maps(lonely)).verdict == Verdict.CONTRADICTED


def test_what_a_short_or_coarse_map_cannot_know_is_inconclusive():
    """Before 10⁵ steps "not yet" is not "never", so neither memorisation nor confusion is established."""
    for claim in ("20", "21", "22"):
        assert judge(claim, **decay_maps(PAPERLIKE, steps=10_000)).verdict == Verdict.INCONCLUSIVE
    no_grokking = np.where(PAPERLIKE == G, C, PAPERLIKE)
    assert judge("20", **decay_maps(no_grokking)).verdict == Verdict.INCONCLUSIVE
    # But a corner that generalises has done so for good.
    generalising = decay_maps(PAPERLIKE, np.full_like(CORNERS, C), steps=10_000)
    assert judge("21", **generalising).verdict == Verdict.CONTRADICTED


def corner_record(fast_decoder: Phase, slow_decoder: Phase) -> xr.Dataset:
    """Eight networks at each end of the plane of learning rates."""
    record = phase_record(repeated([[fast_decoder], [slow_decoder]], 8), "eta_repr")
    slow = record.eta_repr.values == record.eta_repr.values.min()
    rates = {"eta_repr": np.where(slow, 1e-5, 1e-2), "eta_dec": np.where(slow, 1e-2, 1e-5)}
    return record.assign_coords({name: ("member", values) for name, values in rates.items()})


def test_competition_claim_reads_the_right_corners():
    plane = phase_record(repeated([[X, M, M, M], [X, M, M, M], [C, C, M, M], [C, C, C, M]], 6), "eta_repr")
    assert judge("19", phase_rates=plane, corners=corner_record(M, G)).verdict == Verdict.REPLICATED
    assert judge("19", phase_rates=plane, corners=corner_record(C, G)).verdict == Verdict.CONTRADICTED
    assert judge("19", phase_rates=plane, corners=corner_record(M, M)).verdict == Verdict.CONTRADICTED


def transition_record(critical: float, members: int = 400) -> xr.Dataset:
    """Networks that form the line exactly if they have more than `critical` of the data, in 1/(λ3 η) steps."""
    rng = np.random.default_rng(0)
    structure = Structure(10)
    size = rng.integers(8, 54, members)
    in_train = np.stack([structure.random_sets(int(s), 1)[0][rng.permutation(55)] for s in size])
    record = xr.Dataset(
        {
            "in_train": (("member", "pair"), in_train),
            "embedding": (("member", "step", "token", "dim"), np.zeros((members, 1, 10, 1))),
        },
        coords={"eta_repr": ("member", np.full(members, 1e-2)), "eta_dec": ("member", np.full(members, 1e-3))},
        attrs={"steps": 10_000},
    )
    steps = np.minimum(readings.theory_steps(record), 9000).astype(int)
    return record.assign(rqi95_step=("member", np.where(size / 55 > critical, steps, NEVER)))


def test_transition_claims_on_planted_networks():
    planted = transition_record(0.4)
    judgement = judge("16", transition=planted)
    assert judgement.verdict == Verdict.REPLICATED
    assert judge("16", transition=transition_record(0.7)).verdict == Verdict.CONTRADICTED
    assert judge("18", transition=planted).verdict == Verdict.REPLICATED
    slower = planted.assign(rqi95_step=("member", np.where(planted.rqi95_step > 0, 10_000 - planted.rqi95_step, NEVER)))
    assert judge("18", transition=slower).verdict == Verdict.CONTRADICTED


def test_half_crossing_interpolates():
    assert half_crossing(np.array([0.0, 0.2, 0.4]), np.array([0.0, 0.25, 0.75])) == pytest.approx(0.3)
    assert np.isinf(half_crossing(np.array([0.0, 1.0]), np.array([0.0, 0.1])))


def test_survey_agrees_with_rank_one_set_at_a_time():
    structure, seen = Structure(5), survey(5, 20)
    for size in (3, 7, 12):
        for number, in_train in enumerate(structure.random_sets(size, 20)):
            rows = [structure.equations[q] for q, (a, b) in enumerate(structure.quads) if in_train[a] and in_train[b]]
            rank = np.linalg.matrix_rank(np.array(rows)) if rows else 0
            assert seen.linear[size - 1, number] == (5 - rank == 2)


def test_feasible_splits_are_feasible():
    plan = ToyFleet(seeds=4, eta_dec=(1e-3, 1e-2), feasible=True, width=8).plan("x")
    ideal = plan.recipe.describe(plan.data)["ideal_test_accuracy"][1]
    assert (ideal >= FEASIBLE).all()
    assert len(set(plan.members["seed_split"].tolist())) == 8


def test_no_two_networks_share_an_init_or_a_split():
    members = ToyFleet(train_size=(20, 45), seeds=3, eta_dec=(1e-3, 1e-2)).plan("x").members
    assert members.count == 12
    for column in ("seed", "seed_split"):
        assert len(set(members[column].tolist())) == 12
    assert sorted(set(members["repeat"].tolist())) == [0, 1, 2]


def test_paired_rates_are_not_crossed():
    members = ToyFleet(eta_repr=(1e-2, 1e-3), eta_dec=(1e-3, 1e-2), paired=True, seeds=2).plan("x").members
    assert members.count == 4
    assert set(zip(members["eta_repr"].tolist(), members["eta_dec"].tolist(), strict=True)) == {
        (1e-2, 1e-3),
        (1e-3, 1e-2),
    }


def test_budgets_share_their_experiments_and_claims_need_only_those():
    names = set(PAPER.experiments)
    assert {need for claim in PAPER.claims for need in claim.needs} == names
    for effort in PAPER.efforts.values():
        assert set(effort.experiments) == names
    assert [claim.id for claim in PAPER.claims] == [f"grokking/{number}" for number in range(1, 25)]


def test_the_whole_paper_at_a_tiny_size(tmp_path):
    """Every claim gets a verdict and every figure is drawn from real, if tiny, fleets; asking again trains nothing."""
    tiny = {
        name: dataclasses.replace(
            experiment,
            seeds=2,
            steps=60,
            look=20,
            width=16,
            block=1,
            train_size=experiment.train_size[:1] if len(experiment.train_size) == 1 else (20, 45),
            eta_repr=experiment.eta_repr[:2],
            eta_dec=experiment.eta_dec[:2],
            wd_dec=experiment.wd_dec[:2],
        )
        for name, experiment in PAPER.experiments.items()
    }
    paper = dataclasses.replace(PAPER, efforts={Budget.QUICK: Effort(tiny, samples=50)})
    replication = replicate(paper, Budget.QUICK, tmp_path / "all")
    rows = replication.rows()
    assert [row["claim"] for row in rows] == [claim.id for claim in PAPER.claims]
    assert {row["verdict"] for row in rows} <= {"replicated", "contradicted", "inconclusive"}
    assert all(row["members"] > 0 for row in rows if int(row["claim"].split("/")[1]) >= 14)
    pictures = [tmp_path / "all" / entry["path"] for entry in replication.about["figures"]]
    assert len(pictures) == 8
    assert all(picture.stat().st_size > 10_000 for picture in pictures)
    page = write_replication_report(replication).read_text()
    assert page.count("data:image/png;base64") >= 8
    seconds = {run.path.name: run.about["seconds"] for run in replication.runs()}
    briefly = dataclasses.replace(paper, claims=(CLAIMS["grokking/14"], CLAIMS["grokking/20"]), draw=lambda *_: [])
    again = {run.path.name: run.about["seconds"] for run in replicate(briefly, Budget.QUICK, tmp_path / "all").runs()}
    assert again
    assert again.items() <= seconds.items()
    assert json.loads((tmp_path / "all/scorecard.json").read_text()) is not None


EXACT = {
    "1": Verdict.CONTRADICTED,
    "2": Verdict.REPLICATED,
    "5": Verdict.REPLICATED,
    "6": Verdict.CONTRADICTED,
    "7": Verdict.CONTRADICTED,
    "8": Verdict.REPLICATED,
    "9": Verdict.CONTRADICTED,
    "10": Verdict.REPLICATED,
    "11": Verdict.REPLICATED,
    "12": Verdict.CONTRADICTED,
    "13": Verdict.REPLICATED,
}


@pytest.mark.parametrize("number", EXACT)
def test_exact_claims_do_not_depend_on_luck(number):
    """Theorems and counts come out the same whatever the sample size."""
    claim = CLAIMS[f"grokking/{number}"]
    assert {claim.judge(Evidence({}, samples)).verdict for samples in (200, 300)} == {EXACT[number]}
