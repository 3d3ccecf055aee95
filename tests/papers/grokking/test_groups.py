"""Networks that learn a group: their fleets, what they record, what is read from it, and their figures."""

from itertools import permutations

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from planted import PlantedRun
from plants_grokking import evidence, plan, run
from plants_groups import nothing_generalises, qualities, shapes

from nucleate.claims import Evidence, Reason
from nucleate.fleet import train
from nucleate.papers.grokking import PAPER, readings
from nucleate.papers.grokking.experiments import GROUPS, GroupFleet
from nucleate.papers.grokking.figures.groups import figure_17, figure_18
from nucleate.papers.grokking.recipe import MatrixGroup
from nucleate.plots import style
from nucleate.record import Outcome
from nucleate.tasks import Group, GroupTask

CLAIMS = {claim.number: claim for claim in PAPER.claims}
SMALL = {"seeds": 2, "width": 8, "steps": 40, "look": 20, "block": 1}

# --- recipe and experiments ------------------------------------------------------------------------------------------


def test_the_network_of_the_paper():
    """3×3 matrices for S3, a decoder 9-200-200-30, entries that start uniform in ±0.05."""
    recipe = GroupFleet().recipe()
    model = recipe.model({"init_scale": 0.1}, jax.random.key(0))
    assert model.embedding.shape == (6, 3, 3)
    assert [weight.shape for weight in model.decoder.weights] == [(9, 200), (200, 200), (200, 30)]
    assert float(jnp.abs(model.embedding).max()) <= 0.05
    assert recipe.split({"seed_split": 0, "train_size": 24}).in_train.sum() == 24
    assert len(recipe.quads) == 90


def test_the_penalty_is_the_mean_absolute_entry():
    plain, penalised = (MatrixGroup(group=Group.named("C2"), width=4, l1=weight) for weight in (0.0, 0.5))
    member = {"seed_split": 0, "train_size": 3, "init_scale": 1.0}
    key = jax.random.key(0)
    model, batch = plain.model(member, key), jax.tree.map(jnp.asarray, plain.data(member)["train"])
    difference = penalised.loss(model, batch, key)[0] - plain.loss(model, batch, key)[0]
    assert float(difference) == pytest.approx(0.5 * float(jnp.abs(model.embedding).mean()), rel=1e-4)


@pytest.mark.parametrize(
    ("fields", "message"),
    [
        ({"group": "X3"}, "'X3' is not the name of a group"),
        ({"group": "C1"}, "C1 has 1"),
        ({"group": "C121"}, r"GroupFleet.group must have <= 120 elements; C121 has 121\."),
        ({"train_fraction": (1.2,)}, r"GroupFleet.train_fraction must be <= 1; got 1.2\."),
        ({"train_fraction": (0.0,)}, r"GroupFleet.train_fraction must be > 0; got 0.0\."),
        ({"train_fraction": ()}, r"GroupFleet.train_fraction needs at least one value"),
        ({"train_fraction": (0.5, 0.51)}, r"gives training sets of 18, 18 pairs; use others"),
        ({"train_fraction": (0.001,)}, r"gives training sets of 0 pairs; use others"),
        ({"size": 0}, r"GroupFleet.size must be >= 1; got 0\."),
        ({"l1": -1.0}, r"GroupFleet.l1 must be >= 0; got -1.0\."),
    ],
)
def test_a_bad_config_is_refused(fields, message):
    with pytest.raises(ValueError, match=message):
        GroupFleet(**fields)


def test_fractions_are_of_the_pairs_of_the_group():
    members = GroupFleet(group="D5", train_fraction=(0.25, 0.5), seeds=2).members()
    assert members["train_size"].tolist() == [25, 25, 50, 50]
    assert len(set(members["seed_split"].tolist())) == 4


# --- what is read ----------------------------------------------------------------------------------------------------

MATRICES = np.stack([np.eye(3)[list(image)] for image in sorted(permutations(range(3)))])


def ending_with(embedding: np.ndarray, outcome: int = 0) -> Evidence:
    """Networks of the standard budget that all end with this embedding of S3."""
    task, columns = GroupTask(Group.named("S3")), plan(GROUPS).members
    sets = np.stack([plan(GROUPS).recipe.split(columns.row(i)).in_train for i in range(columns.count)])
    return evidence(
        groups=run(
            GROUPS,
            in_train=(("member", "pair"), sets),
            left=("pair", task.pairs[:, 0]),
            right=("pair", task.pairs[:, 1]),
            label=("pair", task.label),
            embedding=(("member", "step", "token", "row", "column"), np.tile(embedding, (len(sets), 1, 1, 1, 1))),
            accuracy=(("member", "step"), np.ones((len(sets), 1))),
            train_accuracy=(("member", "step"), np.ones((len(sets), 1))),
            rqi95_step=("member", np.full(len(sets), 100)),
        )
    )


def test_a_representation_knows_every_pair_whose_label_it_has_seen():
    found = ending_with(MATRICES)
    seen, record = found.once(readings.group_qualities), found.record(GROUPS)
    labels = [np.unique(record.label.values[known]) for known in record.in_train.values]
    assert (seen.rqi == 1).all()
    assert seen.predicted_accuracy == pytest.approx([len(each) / 6 for each in labels])


def test_random_matrices_know_what_they_were_trained_on():
    seen = ending_with(np.random.default_rng(0).normal(size=(6, 3, 3))).once(readings.group_qualities)
    assert (seen.rqi < 0.05).all()
    assert seen.predicted_accuracy == pytest.approx(seen.fraction, abs=0.1)


def test_hexagons_are_found_and_noise_is_not():
    hexagons, noise = (readings.polygons(shapes(hexagons).record(GROUPS)) for hexagons in (True, False))
    limit = np.quantile(readings.random_polygons(6, 3, 500), 0.01)
    assert (hexagons.best < limit).all()
    assert np.mean(noise.best < limit) < 0.15
    assert noise.points.shape == (144, 6, 3)


def test_a_group_of_two_elements_has_no_polygon():
    assert readings.random_polygons(2, 1, 5).tolist() == [1.0] * 5


# --- claims ----------------------------------------------------------------------------------------------------------


def test_without_generalising_networks_there_is_no_hexagon_to_judge():
    row = CLAIMS[30].judge(nothing_generalises())
    assert (row.verdict, row.reason) == ("inconclusive", Reason.TOO_FEW)


def test_memory_alone_does_not_make_the_prediction_a_lower_bound():
    """Where no more is predicted than the training set, a network that has fitted it cannot fall short."""
    fraction = plan(GROUPS).members["train_size"] / 36
    row = CLAIMS[29].judge(qualities(predicted_accuracy=fraction, accuracy=fraction))
    assert [check.verdict for check in row.checks] == ["inconclusive"] * 2
    unfitted = CLAIMS[29].judge(qualities(fitted=np.zeros(len(fraction), bool)))
    assert unfitted.verdict == "inconclusive"


def test_a_transition_elsewhere_contradicts():
    fraction = plan(GROUPS).members["train_size"] / 36
    early = CLAIMS[28].judge(qualities(steps=np.where(fraction > 0.25, 500.0, np.inf)))
    assert [check.verdict for check in early.checks] == ["replicated", "contradicted", "replicated"]
    late = CLAIMS[28].judge(qualities(steps=np.where(fraction > 0.75, 500.0, np.inf)))
    assert [check.verdict for check in late.checks] == ["replicated", "replicated", "inconclusive"]
    never = CLAIMS[28].judge(qualities())
    assert [check.verdict for check in never.checks] == ["replicated", "replicated", "contradicted"]


def test_networks_that_stopped_early_are_too_early_to_be_judged():
    """What was planned does not count, nor a network that stopped when it was good."""
    for number, planted in ((28, qualities), (29, qualities), (30, lambda: shapes(hexagons=False))):
        found = planted()
        record = found.record(GROUPS).assign(last_step=("member", np.full(found.about(GROUPS).members, 9000)))
        known = {readings.group_qualities: found.once(readings.group_qualities)} if number < 30 else None
        row = CLAIMS[number].judge(evidence(known, groups=PlantedRun(record)))
        assert {check.reason for check in row.checks} == {Reason.TOO_EARLY}


# --- figures ---------------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def pentagon(tmp_path_factory):
    """The ten symmetries of a pentagon, by 2×2 matrices."""
    fleet = GroupFleet(group="D5", size=2, train_fraction=(0.5, 0.8), **SMALL)
    return Evidence({GROUPS: train(fleet.plan(GROUPS), tmp_path_factory.mktemp("d5") / "run")}, None)


@pytest.mark.parametrize("figure", [figure_17, figure_18])
def test_figures_are_of_whatever_group_was_learned(pentagon, figure, tmp_path):
    with style():
        picture = figure(pentagon, tmp_path)
    assert "D5" in picture.title
    assert "S3" not in picture.title + picture.caption


def test_the_record_of_another_group(pentagon):
    record = pentagon.record(GROUPS)
    assert record.embedding.sizes["token"] == 10
    assert record.sizes["pair"] == 100
    assert np.isfinite(record.rqi.values).all()
    assert pentagon.once(readings.group_qualities).fraction.tolist() == [0.5, 0.5, 0.8, 0.8]


def test_networks_that_all_diverged_have_no_portrait(pentagon, tmp_path):
    record = pentagon.record(GROUPS)
    gone = record.assign(outcome=("member", np.full(4, Outcome.DIVERGED)))
    assert figure_17(Evidence({GROUPS: PlantedRun(gone, {"group": "D5"})}, None), tmp_path) is None
