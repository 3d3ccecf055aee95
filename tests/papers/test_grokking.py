"""The grokking paper: its measurements on planted evidence, and the whole path at a tiny size."""

import dataclasses
import json
from pathlib import Path

import numpy as np
import pytest
import xarray as xr

from nucleate.claims import Evidence, Verdict
from nucleate.observables import Phase
from nucleate.papers import PAPERS, Budget, Effort, replicate, write_replication_report
from nucleate.papers.grokking import readings
from nucleate.papers.grokking.experiments import FEASIBLE, ToyFleet
from nucleate.papers.grokking.structure import Structure, half_crossing, off_line, survey, time_to_line
from nucleate.record import NEVER

PAPER = PAPERS["grokking"]
CLAIMS = {claim.id: claim for claim in PAPER.claims}


@dataclasses.dataclass(frozen=True)
class PlantedRun:
    """Stands for a finished run: a record made by hand."""

    dataset: xr.Dataset

    @property
    def about(self):
        return {"members": self.dataset.sizes["member"], "steps": self.dataset.attrs["steps"], "seconds": 0.0}

    record_path = Path("planted")

    def record(self):
        return self.dataset


def judge(claim: str, **records: xr.Dataset):
    runs = {f"grokking/{name.replace('_', '-')}": PlantedRun(record) for name, record in records.items()}
    return CLAIMS[f"grokking/{claim}"].judge(Evidence(runs, samples=200))


def phase_record(codes: np.ndarray, y: str = "wd_dec", steps: int = 30_000) -> xr.Dataset:
    """A record whose members have the given phases, codes[y, x, seed]."""
    train = np.where(codes == Phase.CONFUSION, NEVER, 100)
    delay = {Phase.COMPREHENSION: 200, Phase.GROKKING: 5000, Phase.MEMORIZATION: NEVER, Phase.CONFUSION: NEVER}
    valid = np.vectorize(lambda code: delay[Phase(code)])(codes)
    rows, columns, seeds = np.indices(codes.shape)
    return xr.Dataset(
        {"train90_step": ("member", train.ravel()), "valid90_step": ("member", valid.ravel())},
        coords={
            "eta_dec": ("member", 10.0 ** columns.ravel()),
            y: ("member", 1.0 + rows.ravel()),
            "seed": ("member", seeds.ravel()),
        },
        attrs={"steps": steps},
    )


C, G, M, X = Phase.COMPREHENSION, Phase.GROKKING, Phase.MEMORIZATION, Phase.CONFUSION
PAPERLIKE = np.repeat(np.array([[C, G, M, M, M, M], [C, C, G, M, M, M], [C, C, C, X, X, X]])[..., None], 5, axis=2)


def test_phase_claims_hold_on_a_map_like_the_papers():
    maps = {"phase_decay": phase_record(PAPERLIKE), "phase_decay_classes": phase_record(PAPERLIKE)}
    for claim in ("20", "21", "22"):
        assert judge(claim, **maps).verdict == Verdict.REPLICATED


def test_phase_claims_fail_on_a_map_unlike_the_papers():
    swapped = PAPERLIKE[::-1].copy()  # memorises at high decay, confused at low
    maps = {"phase_decay": phase_record(swapped), "phase_decay_classes": phase_record(swapped)}
    assert judge("21", **maps).verdict == Verdict.CONTRADICTED
    lonely = np.full_like(PAPERLIKE, M)
    lonely[1] = G
    maps = {"phase_decay": phase_record(lonely), "phase_decay_classes": phase_record(lonely)}
    assert judge("22", **maps).verdict == Verdict.CONTRADICTED


def test_a_phase_absent_from_a_coarse_map_is_not_held_against_the_paper():
    no_grokking = np.where(PAPERLIKE == G, C, PAPERLIKE)
    maps = {"phase_decay": phase_record(no_grokking), "phase_decay_classes": phase_record(no_grokking)}
    assert judge("20", **maps).verdict == Verdict.INCONCLUSIVE
    full = np.kron(no_grokking[..., 0], np.ones((6, 6), int))[..., None].astype(int)
    record = phase_record(full, steps=100_000)
    assert judge("20", phase_decay=record, phase_decay_classes=record).verdict == Verdict.CONTRADICTED


def test_competition_claim_reads_the_right_corners():
    codes = np.repeat(np.array([[M, M, M, M], [X, C, M, M], [G, C, C, M], [G, G, C, C]])[..., None], 6, axis=2)
    assert judge("19", phase_rates=phase_record(codes, "eta_repr")).verdict == Verdict.REPLICATED
    assert judge("19", phase_rates=phase_record(codes[::-1].copy(), "eta_repr")).verdict == Verdict.CONTRADICTED


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
        coords={"eta_repr": ("member", np.full(members, 1e-2))},
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
    assert np.isnan(half_crossing(np.array([0.0, 1.0]), np.array([0.0, 0.1])))


def test_off_line_against_least_squares():
    embedding = np.random.default_rng(0).normal(size=(3, 7, 2))
    design = np.stack([np.ones(7), np.arange(7)], axis=1)
    for found, points in zip(off_line(embedding), embedding, strict=True):
        _, residual, *_ = np.linalg.lstsq(design, points, rcond=None)
        assert found == pytest.approx(residual.sum())


def test_time_to_line_of_a_planted_decay():
    times = np.linspace(0, 10, 1001)
    bend = np.array([1.0, -1, -1, 1])[None, :, None] * np.exp(-times)[:, None, None]
    path = np.arange(4.0)[None, :, None] * 1e3 + bend
    assert time_to_line(path[None], times)[0] == pytest.approx(3, abs=0.011)
    assert np.isinf(time_to_line(path[None, :50], times[:50])[0])


def test_survey_agrees_with_rank_one_set_at_a_time():
    structure, seen = Structure(5), survey(5, 20)
    for size in (3, 7, 12):
        for number, in_train in enumerate(structure.random_sets(size, 20)):
            rows = [structure.equations[q] for q, (a, b) in enumerate(structure.quads) if in_train[a] and in_train[b]]
            rank = np.linalg.matrix_rank(np.array(rows)) if rows else 0
            assert seen.linear[size - 1, number] == (5 - rank == 2)


def test_feasible_splits_are_feasible():
    experiment = ToyFleet(seeds=8, feasible=True, width=8)
    plan = experiment.plan("x")
    ideal = plan.recipe.describe(plan.data)["ideal_test_accuracy"][1]
    assert (ideal >= FEASIBLE).all()
    assert len(set(plan.members["seed_split"].tolist())) == 8


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
    again = replicate(paper, Budget.QUICK, tmp_path / "all")
    assert {run.path.name: run.about["seconds"] for run in again.runs()} == seconds
    assert json.loads((tmp_path / "all/scorecard.json").read_text()) is not None


EXACT = {
    "1": Verdict.REPLICATED,
    "2": Verdict.REPLICATED,
    "5": Verdict.REPLICATED,
    "6": Verdict.CONTRADICTED,
    "7": Verdict.CONTRADICTED,
    "8": Verdict.REPLICATED,
    "9": Verdict.REPLICATED,
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
