"""GaLore on text: what the recipe trains and records, which rates are chosen, and claims that cannot be judged yet."""

from dataclasses import replace

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
import optax
import pytest
from plants_attention_galore import BEST, PLANTS, RATES, TALK, compared, fleet, run

from nucleate.claims import Evidence, Reason, Verdict
from nucleate.fleet import View, train
from nucleate.models import cross_entropy
from nucleate.observables import stable_rank
from nucleate.papers.attention.experiments.galore import TextFleet, best_rate, final_bits
from nucleate.papers.attention.figures.galore import FIGURES
from nucleate.papers.attention.ledger.galore import CLAIMS
from nucleate.papers.attention.readings import galore as readings
from nucleate.papers.attention.recipe.galore import KINDS, METHODS, VALID, block_matrices
from nucleate.plots import style
from nucleate.record import Outcome
from nucleate.record.tree import pack, unpack

TINY = {"width": 8, "hidden": 12, "blocks": 1, "heads": 2, "rank": 2, "context": 6, "batch": 4, "steps": 6, "look": 3}
MEMORY, TEXT = CLAIMS


@pytest.fixture(scope="module")
def tiny(tmp_path_factory):
    """A network that GaLore trains."""
    config = TextFleet(**TINY, methods=("galore",), eta=(0.01,), seeds=1, gap=2)
    folder = tmp_path_factory.mktemp("text")
    return config, train(config.plan(RATES), folder / "run").record().load()


# --- recipe ----------------------------------------------------------------------------------------------------------


def test_what_is_recorded_at_the_start_is_what_the_network_does(tiny):
    config, record = tiny
    recipe, held = config.recipe(), config.recipe().task.spread(VALID)

    @eqx.filter_jit
    def bits(key):
        logits = recipe.model({"method": METHODS.index("galore")}, key)(held[:, :-1])
        return cross_entropy(logits.reshape(-1, 256), jnp.asarray(held[:, 1:].reshape(-1))).mean() / np.log(2)

    start = jax.random.fold_in(jax.random.key(0), 0)
    assert float(record.valid_bits[0, 0]) == pytest.approx(float(bits(start)), rel=1e-5)
    assert record.gradient_rank.shape == (1, 3, len(KINDS))
    assert (record.gradient_rank.values >= 1).all()
    assert record.text.values.tolist() == [recipe.task.checksum]


def test_products_start_from_products():
    recipe = TextFleet(**TINY).recipe()
    model = eqx.filter_jit(recipe.model)({"method": METHODS.index("low-rank")}, jax.random.key(0))
    block = model.blocks[0]
    for matrix in (block.attention.query.reshape(8, 8), block.attention.output.reshape(8, 8), *block.mlp.weights):
        assert np.linalg.matrix_rank(np.asarray(matrix), tol=1e-5) == 2
    assert np.linalg.matrix_rank(np.asarray(model.embedding), tol=1e-5) == 8


def test_gradient_ranks_are_of_the_matrices_they_are_named_after(tiny):
    recipe = tiny[0].recipe()
    member = {"method": 0}
    model = eqx.filter_jit(recipe.model)(member, jax.random.key(1))
    batch = jnp.asarray(recipe.task.spread(4))
    grads = eqx.filter_jit(eqx.filter_grad(lambda model: recipe.loss(model, batch, jax.random.key(0))[0]))(model)
    view = View(model, grads, batch, jnp.int32(0), jnp.zeros(()), None, None)
    probe = next(probe for probe in recipe.probes if probe.name == "gradient_rank")
    seen = dict(zip(probe.attrs["matrices"], np.asarray(probe.look(view)), strict=True))
    block = grads.blocks[0]
    assert seen["key 1"] == pytest.approx(float(stable_rank(block.attention.key.reshape(8, 8))), rel=1e-5)
    assert seen["down 1"] == pytest.approx(float(stable_rank(block.mlp.weights[1])), rel=1e-5)


def test_only_matrices_of_blocks_have_a_low_rank():
    recipe = TextFleet(**TINY).recipe()
    shapes = eqx.filter_eval_shape(recipe.model, {"method": 0}, jax.random.key(0))
    meant = [
        ".".join(str(getattr(step, "name", getattr(step, "idx", ""))) for step in path)
        for path, leaf in jax.tree_util.tree_leaves_with_path(shapes)
        if block_matrices(tuple(str(getattr(step, "name", getattr(step, "idx", ""))) for step in path), leaf.shape)
    ]
    attention = [f"blocks.0.attention.{name}" for name in ("query", "key", "value", "output")]
    assert meant == [*attention, "blocks.0.mlp.weights.0", "blocks.0.mlp.weights.1"]


def test_each_method_remembers_what_the_algebra_says():
    config = TextFleet(**TINY)
    shapes = [(8, 8)] * 4 + [(8, 12), (12, 8)]
    inside = sum(m * n for m, n in shapes)
    full, weights = readings.memory(config, "adam")
    assert full == 2 * weights
    outside, r = weights - inside, 2
    factors = sum(r * (m + n) for m, n in shapes)
    expected = {
        "galore": (2 * outside + sum(min(shape) * r + 2 * max(shape) * r for shape in shapes), weights),
        "low-rank": (2 * outside + 3 * factors, outside),
        "lora": (2 * outside + 3 * factors, weights),
        "relora": (2 * outside + 3 * factors, weights),
    }
    for method, floats in expected.items():
        assert readings.memory(config, method) == floats


# --- experiments -----------------------------------------------------------------------------------------------------


def test_methods_share_seeds_and_rates_are_chosen_on_others():
    rates, best = fleet(RATES).members(), fleet(BEST).members()
    for members in (rates, best):
        seeds = [set(members["seed"][members["method"] == method]) for method in range(len(METHODS))]
        assert all(seen == seeds[0] for seen in seeds)
    assert not set(rates["seed"]) & set(best["seed"])


def test_a_sequel_has_each_methods_best_rate():
    config = replace(fleet(BEST), best=None)
    assert config.awaits == RATES
    with pytest.raises(ValueError, match="made from the record of attention/text-rates"):
        config.plan(BEST)
    record = run(RATES, TALK).record()
    middle = np.unique(record.eta.values)[2]
    ready = config.after(record)
    assert (ready.awaits, ready.best) == ("", (middle,) * 5)
    assert np.unique(ready.members()["eta"]).tolist() == [middle]


def test_a_rate_at_which_a_network_diverged_is_not_the_best():
    record = run(RATES, TALK).record().load()
    middle = np.unique(record.eta.values)[2]
    one = (record.eta.values == middle) & (record.method.values == 0)
    outcome = record.outcome.values.copy()
    outcome[np.flatnonzero(one)[0]] = Outcome.DIVERGED
    diverged = record.assign(outcome=("member", outcome))
    assert np.isinf(final_bits(diverged)).sum() == 1
    assert best_rate(record, 0) == middle != best_rate(diverged, 0)
    with pytest.raises(ValueError, match="no network of the record was trained by relora"):
        best_rate(record.isel(member=record.method.values < 4), 4)


@pytest.mark.parametrize(
    ("fields", "message"),
    [
        ({"rank": 65}, r"TextFleet.rank must be <= 64, the smaller of width and hidden; got 65\."),
        ({"heads": 3}, r"TextFleet.heads must divide width = 64; got 3\."),
        ({"methods": ("adam", "adam")}, r"TextFleet.methods must name each method once"),
        ({"best": (0.1,)}, r"TextFleet.best needs one rate for each of 5 methods; got 1\."),
        ({"text": "none.txt"}, r"TextFleet.text must be a file of text; none.txt: none.txt: there is no such file\."),
        ({"context": 10**6}, r"TextFleet.text must be a file of text; .* longer than context = 1000000 in both parts"),
    ],
)
def test_a_bad_config_is_refused(fields, message):
    with pytest.raises(ValueError, match=message):
        TextFleet(**fields)


def test_a_text_of_the_users_is_learned(tmp_path):
    (tmp_path / "mine.txt").write_text("to be or not to be " * 20)
    mine = TextFleet(**TINY, text=str(tmp_path / "mine.txt"))
    assert mine.recipe().task.text.size == 380
    assert mine.members()["text"][0] != TextFleet(**TINY).members()["text"][0]


# --- claims ----------------------------------------------------------------------------------------------------------


def test_memory_is_what_the_talk_says():
    row = MEMORY.judge(Evidence({}, None))
    assert row.verdict == Verdict.REPLICATED
    assert "60M: full rank 0.35 (0.36)" in row.note


@pytest.mark.parametrize("side", [0, 1])
def test_the_claim_can_come_out_either_way(side):
    row = TEXT.judge(PLANTS["attention/28"][side]())
    assert row.verdict == (Verdict.REPLICATED, Verdict.CONTRADICTED)[side], row.checks
    assert f"GaLore 2.{(3, 8)[side]}" in row.note


def test_close_races_are_shown_and_not_judged():
    """Of Adam, LoRA and ReLoRA, far larger networks are needed."""
    for name in ("adam", "lora", "relora"):
        row = TEXT.judge(compared(**{name: 2.2}))
        assert row.verdict == Verdict.REPLICATED
        assert "2.200" in row.note
    assert "GaLore is 1.002" in TEXT.judge(compared()).note


def test_shorter_runs_and_diverged_networks_decide_nothing():
    evidence = compared(galore=3.0)
    short = evidence.record(BEST).assign_attrs(steps=1999)
    planted = replace(run(BEST, TALK), dataset=short)
    row = TEXT.judge(Evidence({RATES: run(RATES, TALK), BEST: planted}, None))
    assert {check.reason for check in row.checks} == {Reason.TOO_EARLY}
    gone = Evidence({RATES: run(RATES, TALK), BEST: run(BEST, TALK, outcome=Outcome.DIVERGED)}, None)
    row = TEXT.judge(gone)
    assert row.verdict == Verdict.INCONCLUSIVE
    assert all(check.reason for check in row.checks)


def test_readings_can_be_kept():
    evidence = compared()
    for reading in (readings.comparison, readings.sweep, readings.gradient_ranks):
        found = evidence.once(reading)
        assert type(unpack(*pack(found))) is type(found)
    assert evidence.once(readings.sweep).at_the_edge == []


def test_figures_are_drawn_from_planted_runs(tmp_path):
    diverged = Evidence({RATES: run(RATES, TALK), BEST: run(BEST, TALK, outcome=Outcome.DIVERGED)}, None)
    for evidence in (compared(), diverged):
        for figure in FIGURES:
            with style():
                picture = figure(evidence, tmp_path)
            assert (picture is None) == (evidence is diverged)
            assert picture is None or picture.path.read_bytes()[:4] == b"\x89PNG"


def test_adam_is_optax_adam():
    """On the schedule of the authors: up for a tenth of all steps, then down to a tenth."""
    recipe = TextFleet(**{**TINY, "steps": 100}).recipe()
    params = {"weight": jnp.zeros(())}
    optimizer = recipe.optimizer({"method": 0, "eta": 0.5, "seed": 0})
    state = optimizer.init(params)
    sizes = []
    for _ in range(100):
        change, state = optimizer.update({"weight": jnp.ones(())}, state, params)
        sizes.append(-float(change["weight"]))
    assert np.argmax(sizes) in (9, 10)
    assert sizes[0] == pytest.approx(0.05, rel=1e-3)
    assert sizes[-1] == pytest.approx(0.05, rel=0.02)
    assert isinstance(optimizer, optax.GradientTransformation)
