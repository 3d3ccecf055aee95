"""The repons paper: its network against an independent loop, its measurements on planted evidence, the whole path."""

import jax
import numpy as np
import pytest
import xarray as xr
from planted import PlantedRun

from nucleate.claims import Evidence, Verdict
from nucleate.fleet import train
from nucleate.papers import PAPERS
from nucleate.papers.repons import potentials, readings
from nucleate.papers.repons.experiments import ReponFleet
from nucleate.papers.repons.ledger.configurations import bin_shares
from nucleate.record import Outcome
from nucleate.theories import PairPotential, Parity

PAPER = PAPERS["repons"]
CLAIMS = {claim.id: claim for claim in PAPER.claims}
LEFT, RIGHT = np.triu_indices(10)
YES, NO, OPEN = Verdict.REPLICATED, Verdict.CONTRADICTED, Verdict.INCONCLUSIVE


def fleet(ends: np.ndarray, start: np.ndarray | None = None, gradient=None, **variables) -> xr.Dataset:
    """Networks whose embeddings move straight from `start` to `ends`, both [member, token, dim]."""
    members = len(ends)
    start = np.random.default_rng(0).normal(size=ends.shape) if start is None else start
    step = np.arange(0, 101, 10)
    part = (step / step[-1])[:, None, None]
    path = start[:, None] * (1 - part) + ends[:, None] * part
    axes = ("member", "step", "token", "dim")
    return xr.Dataset(
        {
            "embedding": (axes, path),
            "gradient": (axes, np.zeros_like(path) if gradient is None else gradient(path)),
            "accuracy": (("member", "step"), np.ones((members, len(step)))),
            "left": ("pair", LEFT),
            "right": ("pair", RIGHT),
            "label": ("pair", LEFT + RIGHT),
            "outcome": ("member", np.full(members, Outcome.OK)),
            **variables,
        },
        coords={
            "step": step,
            "eta": ("member", np.full(members, 0.1)),
            "seed": ("member", np.arange(members)),
            "seed_embedding": ("member", np.arange(members)),
        },
        attrs={"steps": 100},
    )


def judge(number: int, **records: xr.Dataset):
    runs = {f"repons/{name.replace('_', '-')}": PlantedRun(record) for name, record in records.items()}
    return CLAIMS[f"repons/{number}"].judge(Evidence(runs, samples=20))


def in_order(members: int) -> np.ndarray:
    return np.arange(10.0)[None, :, None] * np.linspace(0.2, 0.4, members)[:, None, None]


def shuffled(members: int) -> np.ndarray:
    rng = np.random.default_rng(1)
    return np.stack([rng.permutation(10) * 0.3 for _ in range(members)])[..., None]


def test_the_network_agrees_with_numpy(tmp_path):
    """Gradient descent by hand, in single precision's reach: positions and gradients of 30 steps."""
    experiment = ReponFleet(embeddings=2, width=(7,), wd=(0.01,), steps=30, look=5)
    plan = experiment.plan("test")
    record = train(plan, tmp_path / "run").record().load()
    for member in range(2):
        model = plan.recipe.model(
            plan.members.row(member), jax.random.fold_in(jax.random.key(plan.members.row(member)["seed"]), 0)
        )
        E, W1, W2, b1, b2 = (
            np.asarray(part, np.float64) for part in (model.embedding, *model.decoder.weights, *model.decoder.biases)
        )
        label = LEFT + RIGHT
        M = np.eye(10)[LEFT] + np.eye(10)[RIGHT]
        for step in range(31):
            h = np.tanh(M @ E @ W1 + b1)
            logits = h @ W2 + b2
            chance = np.exp(logits - logits.max(1, keepdims=True))
            chance /= chance.sum(1, keepdims=True)
            loss = -np.log(chance[np.arange(55), label]).mean()
            pulled = (chance - np.eye(19)[label]) / 55
            hidden = pulled @ W2.T * (1 - h * h)
            gE = M.T @ (hidden @ W1.T)
            if step % 5 == 0:
                row = record.isel(member=member).sel(step=step)
                np.testing.assert_allclose(row.train_loss, loss, rtol=1e-5)
                np.testing.assert_allclose(row.embedding, E, rtol=1e-4, atol=1e-6)
                np.testing.assert_allclose(row.gradient, gE, rtol=1e-3, atol=1e-6)
            gW1, gW2, gb1, gb2 = (M @ E).T @ hidden, h.T @ pulled, hidden.sum(0), pulled.sum(0)
            E, W1, W2, b1, b2 = (
                x - 0.1 * (g + 0.01 * x) for x, g in ((E, gE), (W1, gW1), (W2, gW2), (b1, gb1), (b2, gb2))
            )


def test_decoders_share_their_start():
    plan = ReponFleet(embeddings=3, decoders=4).plan("test")
    assert plan.members["seed_embedding"].tolist() == [0] * 4 + [1] * 4 + [2] * 4
    assert len(set(plan.members["seed"].tolist())) == 12


@pytest.mark.parametrize(
    ("field", "value"),
    [("dim", (0,)), ("wd", (-1.0,)), ("width", ()), ("embeddings", 0), ("eta", 0.0), ("train_size", 56), ("p", 2)],
)
def test_bad_input_is_named(field, value):
    with pytest.raises(ValueError, match=f"ReponFleet.{field}"):
        ReponFleet(**{field: value})


def test_parts_share_no_run():
    record = fleet(in_order(50))
    parts = readings.parts(record, most=8)
    seeds = [set(part.seed.values.tolist()) for part in (parts.fitted, parts.chosen, parts.tested)]
    assert [len(part) for part in seeds] == [30, 2, 8]
    assert not (seeds[0] & seeds[1] | seeds[0] & seeds[2] | seeds[1] & seeds[2])


def test_resampled_runs_can_be_told_apart_and_are_refused_as_a_test():
    i, j = LEFT, RIGHT
    M = np.eye(10)[i] + np.eye(10)[j]
    same = (i + j)[:, None] == i + j

    def gradient(path):
        sums = M @ path
        pull = np.where(same, 6.0, -0.05) * (sums - np.swapaxes(sums, 2, 3))
        return M.T @ pull.sum(3, keepdims=True)

    record = fleet(shuffled(12), gradient=gradient)
    fit = PairPotential(Parity(), coefficients=20).fit(potentials.resampled(record, seed=0))
    assert fit.force_r2 > 0.999
    with pytest.raises(ValueError, match="also fitted"):
        fit.score(record)


@pytest.mark.parametrize(
    ("share", "verdict"), [(0.5, YES), (1.0, NO), (0.0, NO)], ids=["a mix", "all canonical", "none"]
)
def test_the_mix(share, verdict):
    count = int(100 * share)
    ends = np.concatenate([in_order(100)[:count], shuffled(100)[count:]])
    assert judge(32, line=fleet(ends)).verdict is verdict


@pytest.mark.parametrize(("ends", "verdict"), [(in_order(100), YES), (shuffled(100), NO), (in_order(8), OPEN)])
def test_a_small_start(ends, verdict):
    record = fleet(ends).assign_coords(init_scale=("member", np.full(len(ends), 0.1)))
    assert judge(35, small=record).verdict is verdict


def test_lines_and_generalisers_are_counted():
    rng = np.random.default_rng(0)
    flat = rng.normal(size=(500, 10, 2))

    def held_out(right):
        record = fleet(flat, valid_accuracy=(("member", "step"), np.full((500, 11), right)))
        columns = {"dim": 2, "train_size": 45}
        return record.assign_coords({name: ("member", np.full(500, value)) for name, value in columns.items()})

    assert judge(40, plane=fleet(flat), held_out=held_out(0.9)).verdict is YES
    assert judge(40, plane=fleet(flat), held_out=held_out(1.0)).verdict is NO
    line = np.arange(10.0)[None, :, None] * np.array([0.3, 0.4]) * np.ones((500, 1, 1))
    assert judge(40, plane=fleet(line), held_out=held_out(0.9)).verdict is NO


def test_shares_of_bins_need_networks():
    inside, canonical = np.repeat([0.1, 0.9], [20, 5]), np.repeat([0.0, 1.0], [20, 5])
    shares = bin_shares(inside, canonical)
    assert shares[0] == 0
    assert np.isnan(shares[4])


def test_the_ceiling_compares_networks_with_one_start():
    record = fleet(np.concatenate([in_order(4), in_order(4)[::-1]]))
    record = record.assign_coords(seed_embedding=("member", np.array([0, 0, 1, 1, 2, 2, 3, 3])))
    ceiling = readings.ceiling(record)
    np.testing.assert_allclose(ceiling.representation, 0, atol=1e-12)
    assert (ceiling.trajectory > 0).all()


def pulled(path: np.ndarray) -> np.ndarray:
    """The gradient of a well for pairs that share a label, and of a hill for those that do not."""
    M = np.eye(10)[LEFT] + np.eye(10)[RIGHT]
    sums = M @ path
    x = sums[:, :, :, None] - sums[:, :, None]
    square = np.sum(x**2, axis=-1, keepdims=True)
    same = ((LEFT + RIGHT)[:, None] == LEFT + RIGHT)[..., None]
    slope = np.where(same, 2 * x / (1 + square), -0.1 * x * np.exp(-square / 4))
    return 1e-2 * (M.T @ slope.sum(3))


def test_every_claim_is_judged_and_every_figure_drawn(tmp_path, monkeypatch):
    """From planted records, far too few to say anything; the fleets themselves are trained in other tests."""
    monkeypatch.setattr(potentials, "_FEW", 2)
    coarse = lambda symmetry, parts, most=0: PairPotential(symmetry, configurations=60, coefficients=40)
    monkeypatch.setattr(potentials, "_theory", coarse)
    rng = np.random.default_rng(0)
    mixed = np.concatenate([in_order(10), shuffled(10)])[rng.permutation(20)]
    plane = rng.normal(size=(20, 10, 2))

    def with_columns(record, **columns):
        return record.assign_coords(
            {name: ("member", np.broadcast_to(value, record.sizes["member"])) for name, value in columns.items()}
        )

    unseen = (("member", "step"), np.full((20, 11), 0.8))
    records = {
        "line": fleet(mixed, gradient=pulled),
        "small": with_columns(fleet(in_order(8)), init_scale=0.1),
        "decoders": with_columns(fleet(mixed[:8]), seed_embedding=np.arange(8) // 2),
        "plane": fleet(plane, gradient=pulled),
        "held-out": with_columns(fleet(plane, valid_accuracy=unseen), dim=[1, 2] * 10, train_size=45),
        "narrow": with_columns(fleet(plane), wd=[0.0, 0.03] * 10, width=10),
    }
    runs = {f"repons/{name}": PlantedRun(record) for name, record in records.items()}
    assert set(runs) == set(PAPER.experiments)
    evidence = Evidence(runs, samples=4)
    rows = [claim.judge(evidence).row() for claim in PAPER.claims]
    assert [row["claim"] for row in rows] == [f"repons/{number}" for number in range(26, 46)]
    # Two fits say nothing about how far another would be off.
    assert all(row["verdict"] == "inconclusive" for row in rows if row["claim"] in ("repons/29", "repons/45"))
    entries = PAPER.draw(evidence, tmp_path)
    assert [entry.path.stem for entry in entries] == ["figure_1", "film", "figure_2", "figure_3", "figure_4"]
    assert all(entry.path.stat().st_size > 5000 for entry in entries)


def test_budgets_share_their_experiments_and_claims_need_only_those():
    names = set(PAPER.experiments)
    assert {need for claim in PAPER.claims for need in claim.needs} == names
    for effort in PAPER.efforts.values():
        assert set(effort.experiments) == names
