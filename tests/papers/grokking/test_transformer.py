"""Transformers: what their recipe trains and records, what is read from it, and claims that cannot be judged yet."""

from functools import partial

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
import pytest
from planted import PlantedRun
from plants_transformer import PLANTS, TRANSFORMER, called_generalised, decayed, dropped, learned, plan, run, tickets

from nucleate.claims import Evidence, Reason, Verdict
from nucleate.fleet import rebuild
from nucleate.fleet.gradient import differentiate
from nucleate.models import Dropout, cross_entropy
from nucleate.observables import effective_dimension, pca_spectrum
from nucleate.papers import Budget
from nucleate.papers.grokking import PAPER, readings
from nucleate.papers.grokking.experiments import DROPOUT, LOTTERY, TransformerFleet
from nucleate.record import NEVER, Outcome
from nucleate.record.tree import pack, unpack

CLAIMS = {claim.number: claim for claim in PAPER.claims}


# --- recipe ----------------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def record(tiny_runs):
    return tiny_runs["transformer"].record().load()


@pytest.fixture(scope="module")
def recipe(tiny_runs):
    return TransformerFleet.from_json(tiny_runs["transformer"].about.config).recipe()


def test_what_is_recorded_is_what_the_recorded_network_does(record, recipe):
    """Accuracies and effective dimensions, without dropout, from the weights of the same step."""
    for member, row in ((0, -1), (3, -1), (3, 0)):
        model = rebuild(recipe, {}, record.weights.values[member, row])
        seen = record.isel(member=member).sel(step=record.step_weights.values[row])
        correct = np.asarray(eqx.filter_jit(model)(recipe.task.pairs)).argmax(-1) == recipe.task.label
        in_train = record.in_train.values[member].astype(bool)
        assert float(seen.train_accuracy) == pytest.approx(correct[in_train].mean(), abs=1e-6)
        assert float(seen.valid_accuracy) == pytest.approx(correct[~in_train].mean(), abs=1e-6)
        expected = effective_dimension(pca_spectrum(model.embedding))
        assert float(seen.effective_dimension) == pytest.approx(float(expected), rel=1e-4)


def test_the_loss_is_that_of_the_training_pairs_and_drops_what_its_key_says(recipe):
    member = {"seed_split": 3, "dropout": 0.2}
    model = eqx.filter_jit(recipe.model)({}, jax.random.key(0))
    batch = jax.tree.map(jnp.asarray, recipe.data(member)["train"])
    real = batch["weight"] > 0
    for data, dropout in ((batch, Dropout(0.2, jax.random.key(1))), ({**batch}, None)):
        if dropout is None:
            del data["dropout"]
        losses = cross_entropy(eqx.filter_jit(model)(data["pair"], dropout), data["label"])
        found, _ = eqx.filter_jit(recipe.loss)(model, data, jax.random.key(1))
        assert float(found) == pytest.approx(float(losses[real].mean()), rel=1e-5)


def test_networks_without_dropout_have_a_program_of_their_own(tiny_runs):
    assert tiny_runs["transformer"].about.groups == 2
    planned = TransformerFleet(p=5, dim=8, hidden=8, seeds=2, dropout=(0.1, 0.2), steps=10).plan("x")
    assert len({planned.group(member) for member in range(4)}) == 1  # all rates above zero share one


def test_the_decoder_decays_and_the_embedding_does_not(recipe):
    member = {"eta_repr": 0.1, "eta_dec": 0.1, "wd_dec": 0.5}
    model = eqx.filter_jit(recipe.model)({}, jax.random.key(0))
    params = jax.tree.map(jnp.ones_like, model)
    optimizer = recipe.optimizer(member)
    still, _ = optimizer.update(jax.tree.map(jnp.zeros_like, params), optimizer.init(params), params)
    assert not np.any(still.embedding)
    assert all(np.allclose(leaf, -0.05) for leaf in jax.tree.leaves(still.decoder))


def test_no_two_networks_share_an_init_or_a_split():
    members = TransformerFleet(dropout=(0.0, 0.2), seeds=3, first_seed=50).members()
    assert members["seed"].tolist() == members["seed_split"].tolist() == list(range(50, 56))
    assert members["repeat"].tolist() == [0, 1, 2] * 2


@pytest.mark.parametrize(
    ("fields", "message"),
    [
        ({"dropout": (0.1, 1.0)}, r"TransformerFleet.dropout must be >= 0 and < 1; got 1.0\."),
        ({"dropout": (-0.1,)}, r"TransformerFleet.dropout must be >= 0 and < 1; got -0.1\."),
        ({"heads": 3}, r"TransformerFleet.heads must divide dim=256; got 3\."),
        ({"p": 2}, r"TransformerFleet.p must be >= 3; got 2\."),
        ({"train_share": 1.0}, r"TransformerFleet.train_share must be > 0 and < 1; got 1.0\."),
        ({"p": 3, "train_share": 0.05}, r"TransformerFleet.train_share must leave pairs to train on and others to"),
        ({"weights": 1}, r"TransformerFleet.weights must be 0, or at least 2"),
        ({"eta_dec": ()}, r"TransformerFleet.eta_dec needs at least one value; got none\."),
    ],
)
def test_a_bad_config_is_refused(fields, message):
    with pytest.raises(ValueError, match=message):
        TransformerFleet(**fields)


# --- readings --------------------------------------------------------------------------------------------------------


def test_times_and_values_are_read_where_they_were_recorded():
    seen = learned().record(TRANSFORMER)
    assert (readings.circle_step(seen) == 1500).all()
    assert (readings.peak_step(seen) == 1500).all()
    assert np.allclose(readings.at_crossing(seen, "frequency_share", "train99"), seen.frequency_share[:, 1])
    never = learned(valid=NEVER).record(TRANSFORMER)
    assert np.isnan(readings.at_crossing(never, "frequency_share", "valid99")).all()
    assert readings.generalised(never).sizes["member"] == 0
    assert readings.is_mature(seen)
    assert not readings.is_mature(learned(valid=3000).record(TRANSFORMER))
    assert not readings.is_mature(never)


def test_projected_accuracies_are_those_of_the_recorded_networks(tiny_runs, record):
    found = readings.lottery(Evidence({LOTTERY: called_generalised(tiny_runs["transformer"])}, None))
    assert found.step.tolist() == record.step_weights.values.tolist()
    assert found.count.tolist() == [2, 4]  # no more than there are
    for pairs, name in ((1, "train_accuracy"), (2, "valid_accuracy")):
        for row in (0, -1):
            recorded = record[name].sel(step=found.step[row]).values
            assert found.whole[:, row, pairs] == pytest.approx(recorded, abs=1e-6)
    assert found.final[:, -1] == pytest.approx(found.current[:, -1])  # at the end, they are the same components
    assert found.current[:, :, -1] == pytest.approx(found.whole)  # on all its own components, it is whole
    assert found.end == pytest.approx(record.embedding.values[:, -1], abs=1e-6)
    assert type(unpack(*pack(found))) is readings.Lottery


def test_a_ticket_is_the_final_frequency_at_the_start():
    found = tickets(start=0.8, enough=1.0, gain=0.1).once(readings.lottery)
    seen = readings.ticket(found)
    assert (seen.frequency == 3).all()
    assert (seen.at_the_end > 0.9).all()
    assert (seen.at_the_start > seen.on_its_own).all()
    assert found.gain == pytest.approx(np.full(6, 0.1), rel=0.11)


# --- claims ----------------------------------------------------------------------------------------------------------


def judged(number: int, evidence: Evidence) -> tuple[str, set[str]]:
    row = CLAIMS[number].judge(evidence)
    return row.verdict, {check.reason for check in row.checks}


@pytest.mark.parametrize("number", [31, 32])
def test_before_networks_have_trained_on_it_is_too_early(number):
    for valid in (3000, NEVER):
        assert judged(number, learned(share=(0.2,) * 4, valid=valid)) == (Verdict.INCONCLUSIVE, {Reason.TOO_EARLY})


def test_a_small_network_is_not_judged_by_an_absolute_time():
    small = CLAIMS[33].judge(dropped(NEVER, NEVER))
    assert [check.reason for check in small.checks] == [Reason.TOO_EARLY]
    assert "smaller than the paper's" in small.note
    assert len(CLAIMS[33].judge(dropped(9000, 500, Budget.PAPER)).checks) == 2
    assert judged(33, dropped(9000, 5000, Budget.PAPER))[0] == Verdict.CONTRADICTED
    assert judged(33, dropped(9000, 500, Budget.PAPER))[0] == Verdict.REPLICATED


def test_times_that_never_came_are_too_early_and_not_equal():
    assert judged(34, decayed(NEVER, NEVER)) == (Verdict.INCONCLUSIVE, {Reason.TOO_EARLY})


def test_no_network_that_generalised_holds_no_ticket():
    networks = run(LOTTERY, valid99_step=("member", np.full(plan(LOTTERY).members.count, NEVER)))
    assert judged(35, Evidence({LOTTERY: networks}, None)) == (Verdict.INCONCLUSIVE, {Reason.TOO_EARLY})


@pytest.mark.parametrize("number", [31, 32, 33, 34])
def test_networks_that_all_diverged_decide_nothing(number):
    planted = PLANTS[f"grokking/{number}"][0]()

    def gone(name):
        record = planted.record(name)
        return PlantedRun(record.assign(outcome=("member", np.full(record.sizes["member"], Outcome.DIVERGED))))

    evidence = Evidence({name: gone(name) for name in CLAIMS[number].needs}, None)
    verdict, reasons = judged(number, evidence)
    assert verdict == Verdict.INCONCLUSIVE
    assert all(reasons)


@pytest.mark.parametrize("number", [31, 32, 33, 34])
def test_numbers_that_are_all_alike_raise_nothing(number):
    def alike(name):
        count = plan(name).members.count
        steps = {f"{kind}{at}_step": ("member", np.full(count, 20)) for kind in ("train", "valid") for at in (90, 99)}
        numbers = ("frequency", "frequency_share", "effective_dimension")
        return run(name, **steps, **{number: (("member", "step"), np.ones((count, 4))) for number in numbers})

    row = CLAIMS[number].judge(Evidence({name: alike(name) for name in CLAIMS[number].needs}, None))
    assert all(check.reason for check in row.checks if check.verdict == "inconclusive")


def test_dropout_is_tried_with_and_without():
    assert 0 in plan(DROPOUT).members["dropout"]
    assert (plan(DROPOUT).members["dropout"] > 0).sum() >= 6


def test_the_best_of_many_values_is_no_better_by_choice_alone():
    """The least of many medians would be: of networks that are all alike, half must do better than those chosen."""
    steps = np.random.default_rng(0).permutation(6 * 200).astype(float)
    values, repeat = np.repeat(np.arange(200), 6), np.tile(np.arange(6), 200)
    chosen = np.concatenate(
        [readings.at_best(steps[rows], values[rows], repeat[rows]) for rows in np.split(np.arange(1200), 20)]
    )
    assert len(chosen) == 6 * 20
    assert np.median(chosen) == pytest.approx(np.median(steps), rel=0.2)


def test_the_loss_is_a_mean_over_pieces_of_the_batch(recipe):
    """There is padding in the last of them."""
    batch = jax.tree.map(jnp.asarray, recipe.data({"seed_split": 3, "dropout": 0.0})["train"])
    assert not batch["weight"].all()
    model, key = eqx.filter_jit(recipe.model)({}, jax.random.key(0)), jax.random.key(1)
    params, rest = eqx.partition(model, eqx.is_array)
    by_pieces = jax.jit(
        lambda params, pieces: differentiate(
            lambda params, batch, key: recipe.loss(eqx.combine(params, rest), batch, key), params, batch, key, pieces
        ),
        static_argnums=1,
    )
    (whole, _), gradient = by_pieces(params, 1)
    (value, _), pieced = by_pieces(params, 4)
    assert float(value) == pytest.approx(float(whole), rel=1e-5)
    jax.tree.map(partial(np.testing.assert_allclose, rtol=1e-4, atol=1e-6), pieced, gradient)
