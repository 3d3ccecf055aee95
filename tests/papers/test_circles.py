"""The circles paper: its measurements on planted evidence, and the whole path at a tiny size."""

import dataclasses

import numpy as np
import pytest
import xarray as xr
from planted import PlantedRun

from nucleate.claims import Evidence, Verdict
from nucleate.papers import PAPERS, Budget, Effort, replicate
from nucleate.papers.circles import readings
from nucleate.papers.circles.ledger.geometry import neighbours, principal_planes
from nucleate.record import NEVER, Outcome

PAPER = PAPERS["circles"]
CLAIMS = {claim.id: claim for claim in PAPER.claims}
P, FREQ = 59, 29
YES, NO, OPEN = Verdict.REPLICATED, Verdict.CONTRADICTED, Verdict.INCONCLUSIVE


def judge(number: int, config: dict | None = None, **records: xr.Dataset):
    runs = {f"circles/{name.replace('_', '-')}": PlantedRun(record, config or {}) for name, record in records.items()}
    return CLAIMS[f"circles/{number}"].judge(Evidence(runs, samples=200))


def fleet(
    alive: np.ndarray, *, steps: int = 4000, dead: float = 9.0, start=None, luck: int = 0, **columns
) -> xr.Dataset:
    """Networks that end with the given survivors, alive[member, freq]; every signal moves straight to its end."""
    members, freq = alive.shape
    rng = np.random.default_rng(luck)
    step = np.arange(0, steps + 1, 20)
    first = 87 + 4 * rng.normal(size=alive.shape) if start is None else start
    last = np.where(alive, 80.0, dead) + rng.normal(size=alive.shape) * 0.1
    part = np.minimum(step / (0.2 * steps), 1)[:, None]
    signal = first[:, None] * (1 - part) + last[:, None] * part
    mean = (2 * signal.sum(-1) + 50) / (2 * freq + 1)
    tested = np.arange(0, steps + 1, 100)
    loss = np.broadcast_to(np.geomspace(4, 1e-4, len(tested)), (members, len(tested))).copy()
    given = {"p": P, "dim": 128, "wd": 0.5, "seed": np.arange(members), "seed_embedding": np.arange(members), **columns}
    return xr.Dataset(
        {
            "signal": (("member", "step", "freq"), signal),
            "mean_signal": (("member", "step"), mean),
            "gradient_spectrum": (("member", "step", "freq"), np.zeros_like(signal)),
            "test_loss": (("member", "step_test"), loss),
            "test_accuracy": (("member", "step_test"), np.ones_like(loss)),
            "last_step": ("member", np.full(members, steps)),
            "clear_step": ("member", np.full(members, steps // 2)),
            "test99_step": ("member", np.full(members, 300)),
            "outcome": ("member", np.full(members, Outcome.OK)),
        },
        coords={
            "step": step,
            "step_test": tested,
            **{name: ("member", np.broadcast_to(value, members)) for name, value in given.items()},
        },
        attrs={"steps": steps},
    )


def with_counts(counts) -> np.ndarray:
    """Survivor sets of the given sizes."""
    return np.stack([np.arange(FREQ) < count for count in counts])


@pytest.mark.parametrize(("counts", "verdict"), [([4] * 30, YES), ([7] * 30, NO), ([4] * 24 + [6] * 6, OPEN)])
def test_number_of_survivors(counts, verdict):
    assert judge(1, competition=fleet(with_counts(counts))).verdict == verdict


def test_the_early_stop_is_checked_where_nothing_was_stopped():
    record = fleet(with_counts([4] * 10))
    assert "10 had by then the survivors" in judge(1, competition=record).findings.note
    record["clear_step"] = ("member", np.full(10, 20))  # at step 20 nothing has separated yet
    assert "of these 0 had by then" in judge(1, competition=record).findings.note


def test_the_dead_must_decay_and_the_living_stand_apart():
    alive = with_counts([4] * 30)
    long = fleet(alive[:5], steps=30_000, dead=1.0)
    assert judge(2, competition=fleet(alive), long=long).verdict == YES
    assert judge(2, competition=fleet(alive), long=fleet(alive[:5], steps=30_000, dead=30.0)).verdict == NO
    # Not separated by a factor of two: 80 and 42, with the line between dead and alive at 45.
    crowded = fleet(alive)
    crowded["signal"][:, -1, 4] = 42
    crowded["mean_signal"][:] = 22.5
    assert judge(2, competition=crowded, long=long).verdict == NO


@pytest.mark.parametrize(
    ("number", "column", "values"), [(9, "p", (13, 29, 59)), (10, "dim", (16, 64, 96)), (14, "wd", (1.0, 0.3, 0.1))]
)
def test_trends_of_the_count(number, column, values):
    name = {9: "primes", 10: "dimensions", 14: "decay"}[number]
    counts = np.repeat([2, 3, 5], 8)
    records = {name: fleet(with_counts(counts), **{column: np.repeat(values, 8)})}
    others = {} if number == 9 else {"competition": fleet(with_counts([4] * 8))}
    if number == 10:
        others = {"competition": fleet(with_counts([5] * 8))}
    assert judge(number, **records, **others).verdict == YES
    turned = {name: fleet(with_counts(counts[::-1]), **{column: np.repeat(values, 8)})}
    against = {"competition": fleet(with_counts([2] * 8))} if number == 10 else others
    assert judge(number, **turned, **against).verdict == NO


def test_networks_in_which_nothing_stands_out_are_not_counted_as_zero():
    flat = fleet(np.zeros((6, FREQ), bool), dead=87.0)
    found = readings.survival(flat)
    assert found.count.tolist() == [0] * 6
    assert not found.trusted.any()
    assert np.all(found.separation < 2)


def survival_fleet(slope: float, embeddings: int = 8, trials: int = 30) -> xr.Dataset:
    """Frequencies survive with a chance that rises with their initial signal, and has causes of its own."""
    rng = np.random.default_rng(1)
    first = 87 + 4 * rng.normal(size=(embeddings, FREQ))
    chance = np.clip(0.18 + slope * (first - 87) + 0.6 * abs(slope) * 4 * rng.normal(size=first.shape), 0, 1)
    start, chance = (np.repeat(part, trials, axis=0) for part in (first, chance))
    alive = rng.random(start.shape) < chance
    return fleet(alive, start=start, seed_embedding=np.repeat(np.arange(embeddings), trials))


def early(record: xr.Dataset, gradient: np.ndarray) -> xr.Dataset:
    """The record with its first steps looked at one by one, on which signals change by `gradient` of their start."""
    dense = np.union1d(np.arange(5), record.step.values)
    record = record.reindex(step=dense).interpolate_na("step", use_coordinate=True)
    start = record.signal.values[:, 0]
    for at in range(1, 5):
        record["signal"][:, at] = start * (1 + at * gradient)
    return record


def test_gradients_and_survival():
    record = survival_fleet(0.0)
    alive, rng = readings.final_alive(record), np.random.default_rng(0)
    telling = 1e-3 * (alive + 0.5 * rng.normal(size=alive.shape))
    assert judge(7, survival=early(record, telling)).verdict == YES
    assert judge(7, survival=early(record, -telling)).verdict == NO


def test_an_svm_must_beat_the_majority():
    record = survival_fleet(0.0, embeddings=5, trials=4)
    alive = readings.final_alive(record)
    clear = record.copy(deep=True)
    clear["signal"][:, 0] = 80 + 12 * alive + np.random.default_rng(0).normal(size=alive.shape)
    gain = "accuracy minus that of always answering 'dead'"
    assert judge(8, survival=early(clear, 0 * alive)).findings.estimates[gain].low > 0.05
    blind = judge(8, survival=early(record, 0 * alive))
    assert blind.findings.estimates[gain].value <= 0.01
    assert blind.verdict == NO


def test_circularity_of_random_starts_says_nothing_of_random_survival():
    assert judge(20, survival=survival_fleet(0.0, embeddings=5)).verdict == YES


def test_initial_signal_and_survival():
    assert judge(4, survival=survival_fleet(0.03, embeddings=30)).verdict == YES
    assert judge(4, survival=survival_fleet(0.0)).verdict == NO
    assert judge(4, survival=survival_fleet(-0.03)).verdict == NO


def test_perturbed_frequency():
    factor, seeds = np.repeat([0.85, 1.0, 1.15], 30), np.tile(np.arange(6), 15)
    alive = np.zeros((90, FREQ), bool)
    alive[:, 3] = True
    alive[60:, 24] = True
    record = fleet(alive, factor=factor, seed_embedding=seeds)
    assert judge(5, {"frequency": 25}, perturbed=record).verdict == YES
    assert judge(5, {"frequency": 4}, perturbed=record).verdict == NO
    few = fleet(alive, factor=factor, seed_embedding=seeds % 3)  # three embeddings say nothing about others
    assert judge(5, {"frequency": 25}, perturbed=few).verdict == OPEN


def test_every_budget_perturbs_as_far_as_the_claim_says():
    for effort in PAPER.efforts.values():
        factors = effort.experiments[readings.PERTURBED].factor
        assert (min(factors), max(factors)) == (0.85, 1.15)


def constructed(second_survives: np.ndarray, revived: np.ndarray) -> xr.Dataset:
    alive = np.zeros((len(revived), FREQ), bool)
    alive[:, 1], alive[:, 6], alive[:, 11] = True, second_survives, revived
    ratio = np.repeat([0.1, 1.0], len(revived) // 2)
    return fleet(alive, first=2, second=7, ratio=ratio)


def test_constructed_frequencies():
    half = np.arange(100) >= 50
    some = np.arange(100) % 4 == 0
    good = constructed(half, some)
    assert judge(6, lines=good, round=good).verdict == YES
    assert judge(6, lines=constructed(~half, some), round=good).verdict == NO
    assert judge(6, lines=constructed(half, np.zeros(100, bool)), round=good).verdict == OPEN


def test_no_decay():
    flat = fleet(np.zeros((8, FREQ), bool), dead=87.0, wd=0.0)
    flat["test_accuracy"][:] = 0.1
    assert judge(13, no_decay=flat).verdict == YES
    assert judge(13, no_decay=fleet(with_counts([4] * 8), wd=0.0)).verdict == NO


def frozen(losses: dict[int, float]) -> xr.Dataset:
    dims = np.repeat(list(losses), 4)
    record = fleet(with_counts([1] * len(dims)), steps=10_000, dim=dims)
    noise = np.random.default_rng(0).normal(size=(len(dims), 1)) * 0.01
    record["test_loss"][:] = np.repeat(list(losses.values()), 4)[:, None] + noise
    return record


def test_frozen_embeddings():
    small, large = frozen({16: 3.0, 20: 3.0, 36: 6.0, 48: 6.0}), frozen({64: 0.5, 128: 0.1})
    assert judge(11, frozen=small, frozen_large=large).verdict == YES
    assert judge(11, frozen=small, frozen_large=frozen({64: 5.0, 128: 5.0})).verdict == NO
    assert judge(12, frozen=small).verdict == YES
    assert judge(12, frozen=frozen({16: 6.0, 20: 6.0, 36: 3.0, 48: 3.0})).verdict == NO


@pytest.mark.parametrize(
    ("losses", "verdict"), [((3.0, 1.0, 0.01), YES), ((0.1, 0.05, 0.01), NO), ((3.0, 1.0, 0.7), NO)]
)
def test_ablation_after_training(losses, verdict):
    record = fleet(with_counts([4] * 10))
    values = np.broadcast_to([*losses, 0.0, 0.0], (10, 3, 5))
    record["ablated_loss"] = (("member", "step_ablated_loss", "kept"), values)
    record = record.assign_coords(step_ablated_loss=[0, 2000, 4000])
    assert judge(15, competition=record).verdict == verdict


def test_ablation_before_training():
    variant = np.repeat(np.arange(4), 6)
    counts = np.repeat([4, 2, 3, 4], 6)
    record = fleet(with_counts(counts), variant=variant, seed=np.tile(np.arange(6), 4))
    original = fleet(with_counts([4] * 6))
    record["test_loss"][variant == 1] = np.geomspace(4, 1e-8, record.sizes["step_test"])
    record["test_loss"][variant != 1, 20] = 3.0  # a slingshot
    assert judge(21, ablated=record).verdict == YES
    assert judge(22, ablated=record, competition=original).verdict == YES
    record["test_loss"][variant == 1] = 1.0
    assert judge(21, ablated=record).verdict == NO
    assert judge(22, ablated=record, competition=original).verdict == NO


def test_a_single_circle_is_noticed():
    names = ("competition", "primes", "composites", "dimensions", "decay", "lines", "ablated")
    several = {name: fleet(with_counts([4] * 20)) for name in names}
    assert judge(23, **several).verdict == YES
    lone = several | {"lines": fleet(with_counts([1] * 20))}
    assert judge(23, **lone).verdict == NO
    unlearned = fleet(with_counts([1] * 20))
    unlearned["test99_step"][:] = NEVER  # has not learned the task, so is not one of those that the claim is about
    assert judge(23, **(several | {"lines": unlearned})).verdict == YES


@pytest.mark.parametrize(("peak", "after", "verdict"), [(100, 1e-3, YES), (2000, 1e-3, NO), (100, 0.5, NO)])
def test_gradient_over_time(peak, after, verdict):
    record = fleet(with_counts([4] * 10))
    size = np.where(record.step.values < 1000, 0.1, after)
    size[record.step.values == peak] = 1.0
    record["gradient_spectrum"][:] = size[None, :, None]
    assert judge(24, competition=record).verdict == verdict


def test_principal_planes_and_neighbours():
    angle = 2 * np.pi * np.arange(P) / P
    circles = [radius * np.stack([np.cos(k * angle), np.sin(k * angle)], 1) for k, radius in ((23, 3.0), (5, 2.0))]
    rotation = np.linalg.qr(np.random.default_rng(0).normal(size=(8, 8)))[0][:4]
    planes = principal_planes(np.concatenate(circles, axis=1) @ rotation, 2)
    assert [neighbours(points) for points in planes] == [min(pow(k, -1, P), P - pow(k, -1, P)) for k in (23, 5)]


def test_principal_planes_of_true_circles_replicate_the_claim():
    alive = np.zeros((6, FREQ), bool)
    alive[:, [22, 4]] = True
    record = fleet(alive)
    angle = 2 * np.pi * np.arange(P) / P
    waves = [r * np.stack([np.cos(k * angle), np.sin(k * angle)], 1) for k, r in ((23, 3.0), (5, 2.0))]
    embedding = np.broadcast_to(np.concatenate(waves, axis=1), (6, 1, P, 4)).astype(np.float32)
    record["embedding"] = (("member", "step_embedding", "token", "dim_"), embedding)
    record = record.assign_coords(step_embedding=[4000])
    assert judge(3, competition=record).verdict == YES
    noise = np.random.default_rng(0).normal(size=embedding.shape).astype(np.float32)
    record["embedding"] = (record.embedding.dims, noise)
    assert judge(3, competition=record).verdict == NO


def linear_fleet(members: int = 6) -> xr.Dataset:
    """Signals that follow one sparse linear law, from different starts."""
    rng = np.random.default_rng(0)
    matrix = -0.004 * np.eye(FREQ)
    matrix[0, 1], matrix[2, 3] = 0.003, -0.002
    record = fleet(with_counts([4] * members), steps=600, seed_embedding=np.arange(members) // 2)
    record = record.isel(step=slice(0, 1)).reindex(step=np.arange(601))
    signal = np.empty((members, 601, FREQ))
    signal[:, 0] = 87 + 10 * rng.normal(size=(members, FREQ))
    for t in range(600):
        signal[:, t + 1] = signal[:, t] + signal[:, t] @ matrix.T
    record["signal"] = (("member", "step", "freq"), signal)
    return record


def test_equations():
    record = linear_fleet(4)
    linear = judge(16, dynamics=record)
    assert linear.findings.estimates["median in-sample R² of least squares"].value > 0.999
    assert "another run" in linear.findings.note
    blurred = record.signal.values + 0.3 * np.random.default_rng(0).normal(size=record.signal.shape)
    assert judge(18, dynamics=record.assign(signal=(record.signal.dims, blurred))).verdict == YES
    volterra = judge(17, dynamics=record)
    assert volterra.findings.estimates["median in-sample R², adjusted for the number of terms"].value > 0.999


def test_equations_do_not_fit_noise():
    record = linear_fleet()
    noise = np.random.default_rng(0).normal(size=record.signal.shape).cumsum(axis=1)
    record["signal"] = (record.signal.dims, 87 + noise)
    assert judge(16, dynamics=record).verdict == NO
    assert judge(17, dynamics=record).verdict == NO


def test_couplings_need_a_sign_that_networks_agree_about():
    noise = linear_fleet(12)
    noise = noise.assign_coords(seed_embedding=("member", np.arange(12) // 3))
    shaken = np.random.default_rng(0).normal(size=noise.signal.shape).cumsum(axis=1)
    random = noise.assign(signal=(noise.signal.dims, 87 + shaken))
    assert judge(19, survival=random).verdict != YES


def moduli(offset: np.ndarray, p: np.ndarray) -> xr.Dataset:
    counts = np.round(2 + p / 12 + offset).astype(int)
    return fleet(with_counts(np.repeat(counts, 4)), p=np.repeat(p, 4))


def test_composites_vary_more():
    p = np.arange(16, 60, 4)
    wild = np.where(np.arange(len(p)) % 2, 2.0, -1.0)
    assert judge(25, primes=moduli(0 * p, p + 1), composites=moduli(wild, p)).verdict == YES
    assert judge(25, primes=moduli(wild, p + 1), composites=moduli(0 * p, p)).verdict == NO


def test_short_runs_leave_counts_open():
    assert judge(1, competition=fleet(with_counts([7] * 30), steps=800)).verdict == OPEN


def test_budgets_share_their_experiments_and_claims_need_only_those():
    names = set(PAPER.experiments)
    assert {need for claim in PAPER.claims for need in claim.needs} == names
    for effort in PAPER.efforts.values():
        assert set(effort.experiments) == names
    assert [claim.id for claim in PAPER.claims] == [f"circles/{number}" for number in range(1, 26)]


def test_one_claim_trains_what_its_experiments_await(tmp_path):
    tiny = {
        name: dataclasses.replace(e, p=(11,), dim=(6,), embeddings=2, width=8, steps=20, snapshots=0, look_ablation=0)
        for name, e in PAPER.experiments.items()
        if name in (readings.COMPETITION, readings.ABLATED)
    }
    paper = dataclasses.replace(PAPER, efforts={Budget.QUICK: Effort(tiny, samples=50)})
    replication = replicate(paper, Budget.QUICK, tmp_path / "one", claims=(CLAIMS["circles/21"],))
    assert [run.path.name for run in replication.runs()] == ["competition", "ablated"]
    kept = replication.runs()[1].about["config"]["kept"]
    last = replication.runs()[0].record().signal.values[:, -1]
    assert kept == (np.argsort(-last, axis=1)[:, :2] + 1).tolist()


def dense_fleet(members: int = 8) -> xr.Dataset:
    """Every one of 400 steps looked at; four signals stay, the others decay."""
    record = linear_fleet(members).isel(step=slice(0, 401))
    rate = np.where(np.arange(FREQ) < 4, 2e-4, 5e-3)
    start = record.signal.values[:, :1]
    noise = 1 + 0.002 * np.random.default_rng(0).normal(size=record.signal.shape)
    record["signal"] = (record.signal.dims, start * np.exp(-rate * record.step.values[:, None]) * noise)
    record["mean_signal"] = (("member", "step"), (2 * record.signal.values.sum(-1) + 50) / P)
    record["last_step"] = ("member", np.full(members, 400))
    return record.assign_attrs(steps=400)


def pictured(record: xr.Dataset) -> xr.Dataset:
    """The record with embeddings that turn from noise into the circles of its survivors, and ablated losses."""
    members, rng = record.sizes["member"], np.random.default_rng(0)
    angle = 2 * np.pi * np.arange(P) / P
    circles = np.concatenate([np.stack([np.cos(k * angle), np.sin(k * angle)], 1) for k in range(1, 7)], axis=1)
    part = np.linspace(0, 1, 6)[:, None, None]
    embedding = (1 - part) * rng.normal(size=(members, 1, P, 12)) + part * circles
    record["embedding"] = (("member", "step_embedding", "token", "dim"), embedding.astype(np.float32))
    record["ablated_loss"] = (
        ("member", "step_ablated_loss", "kept"),
        np.broadcast_to([3.0, 1.0, 0.1, 0.01, 0.001], (members, 3, 5)),
    )
    steps = int(record.steps)
    return record.assign_coords(
        step_embedding=np.linspace(0, steps, 6).astype(int), step_ablated_loss=[0, steps // 2, steps]
    )


def test_every_figure_is_drawn(tmp_path):
    """From planted records: training the fleets of all figures takes minutes, however small they are."""
    counts = np.repeat([3, 4, 5, 4], 4)

    def varied(name, values):
        return fleet(with_counts(counts), **{name: np.repeat(values, 4)})

    lines = constructed(np.arange(16) >= 8, np.arange(16) % 4 == 0)
    records = {
        "competition": pictured(fleet(with_counts(counts))),
        "long": pictured(fleet(with_counts(counts[:2]))),
        "survival": dense_fleet(),
        "perturbed": varied("factor", [0.85, 0.95, 1.0, 1.15]),
        "lines": lines,
        "round": lines,
        "primes": varied("p", [19, 29, 41, 53]),
        "composites": varied("p", [20, 30, 42, 56]),
        "dimensions": varied("dim", [16, 32, 64, 96]),
        "frozen": frozen({16: 3.0, 48: 0.5}),
        "frozen-large": frozen({64: 0.1, 128: 0.01}),
        "decay": varied("wd", [0.1, 0.5, 1.0, 1.5]),
        "no-decay": fleet(np.zeros((4, FREQ), bool), dead=87.0, wd=0.0),
        "ablated": fleet(with_counts(np.tile([4, 2, 3, 4], 4)), variant=np.tile(np.arange(4), 4)),
        "dynamics": dense_fleet(),
    }
    runs = {f"circles/{name}": PlantedRun(record, {"frequency": 25}) for name, record in records.items()}
    assert set(runs) == set(PAPER.experiments)
    entries = PAPER.draw(Evidence(runs, samples=50), tmp_path)
    assert [entry.path.stem for entry in entries] == ["figure_2", "film", *(f"figure_{n}" for n in range(3, 17))]
    assert all(entry.path.stat().st_size > 5000 for entry in entries)
