"""Networks come back from a run, bit for bit as they were trained, or an error says why they do not."""

import dataclasses
import json
import sys

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
import pytest
from small_fleets import Sums, first_weight, fit, members

from nucleate.fleet import (
    At,
    Crossing,
    Every,
    Last,
    Plan,
    Probe,
    Trained,
    flat_weights,
    kept_model,
    open_run,
    rebuild,
    replay,
    train,
)
from nucleate.models import MLP
from nucleate.record import Outcome, Run, RunError

pytestmark = pytest.mark.usefixtures("compiled_once")
STOPPING, DIVERGING, WHOLE = 0, 1, 2
RECIPE = Sums(
    extra=(
        Probe("fit", fit, Every(5)),
        Probe("last_weight", lambda view: view.model.decoder.weights[1], Every(5), dims=("unit", "output")),
    ),
    crossings=(Crossing("low", "fit", at_least=-0.2),),
    stop=("low",),
    static=("width",),
)
ROWS = members(width=[5, 5, 3], eta_dec=[3e-2, 1e30, 1e-5], eta_repr=[1e-2, 1e-3, 1e-5])
PLAN = Plan(RECIPE, ROWS, 60, block=1, keep_weights=At((0, 10, 20, 60)))


@pytest.fixture(scope="module")
def run(tmp_path_factory) -> Trained:
    return train(PLAN, tmp_path_factory.mktemp("kept") / "run")


def same(model: eqx.Module, other: eqx.Module) -> bool:
    return bool(eqx.tree_equal(model, other))


def test_every_kept_network_is_the_one_that_was_trained(run):
    record = run.record()
    assert record.outcome.values.tolist() == [Outcome.STOPPED, Outcome.DIVERGED, Outcome.OK]
    assert 20 < record.last_step[STOPPING] < 60
    for member, step in ((STOPPING, 0), (STOPPING, 20), (DIVERGING, 0), (WHOLE, 10), (WHOLE, 60)):
        model, seen = run.model(member, step=step), record.isel(member=member).sel(step=step)
        assert np.array_equal(model.embedding, seen.embedding)
        assert np.array_equal(model.decoder.weights[1], seen.last_weight[: ROWS["width"][member]])


def test_a_network_comes_back_where_it_ended_wherever_that_was(run):
    record = run.record()
    for member in (STOPPING, WHOLE):
        ended = int(record.last_step[member])
        assert same(run.model(member), run.model(member, step=ended))
        assert np.array_equal(run.model(member).embedding, record.embedding.isel(member=member).sel(step=ended))
    row = ROWS.row(WHOLE)
    made = RECIPE.model(row, jax.random.key(0))
    assert jax.tree.structure(run.model(WHOLE)) == jax.tree.structure(made)
    assert same(rebuild(RECIPE, row, flat_weights(made)), made)


def test_what_is_asked_in_vain_is_named_with_what_there_is(run):
    stopped = int(run.record().last_step[STOPPING])
    for asked, message in (
        ((3,), r"member must be between 0 and 2; got 3\."),
        ((-1,), r"member must be between 0 and 2; got -1\."),
        (("first",), r"member must be a whole number; got 'first'\."),
        (
            (WHOLE, 12),
            r"member 2 were not kept at step 12; the nearest at which they were is 10\. Plan\(…, keep_weights=",
        ),
        ((WHOLE, 99), r"the nearest at which they were is 60; it ended at step 60\."),
        ((STOPPING, 60), rf"the nearest at which they were is {stopped}; it ended at step {stopped}\."),
        ((DIVERGING,), r"Member 1 diverged at step 5; the last step before at which its weights were kept is 0\."),
        ((DIVERGING, 20), r"Member 1 diverged at step 5; the last step before at which its weights were kept is 0\."),
    ):
        with pytest.raises(ValueError, match=message):
            run.model(*asked)


def test_keeping_weights_changes_no_number(run, trained):
    none, ends = (trained(dataclasses.replace(PLAN, keep_weights=keep)) for keep in (None, Last()))
    record = run.record()
    assert set(record.data_vars) - set(ends.data_vars) == {"weights"}
    assert set(ends.data_vars) - set(none.data_vars) == {"final_weights"}
    for name in ends.data_vars:
        assert np.array_equal(ends[name], record[name], equal_nan=ends[name].dtype.kind == "f"), name


def test_a_run_that_kept_nothing_says_how_and_replay_makes_up_for_it(run, tmp_path):
    plan = dataclasses.replace(PLAN, keep_weights=None)
    bare = train(plan, tmp_path / "run")
    with pytest.raises(
        ValueError, match=r"member 2 were not kept\. Plan\(.*kept_model\(recipe, replay\(plan, run, 2\)"
    ):
        bare.model(WHOLE)
    again = replay(PLAN, bare, WHOLE).isel(member=0)
    assert same(kept_model(RECIPE, again), run.model(WHOLE))
    assert same(kept_model(RECIPE, again, 10), run.model(WHOLE, step=10))
    with pytest.raises(RunError, match="holds another plan"):
        train(PLAN, tmp_path / "run")


def test_an_unfinished_network_does_not_come_back(run, tmp_path):
    about = json.loads((run.path / "run.json").read_text())
    with pytest.raises(ValueError, match="member 0 are not there yet: it is not trained to its end"):
        kept_model(RECIPE, run.record().isel(member=0).assign(outcome=int(Outcome.PENDING)))
    assert about["keep_weights"] == {"type": "nucleate.fleet.schedule.At", "chosen": [0, 10, 20, 60]}


def test_weights_of_that_name_are_one_thing(run):
    mine = dataclasses.replace(RECIPE, extra=(*RECIPE.extra, Probe("weights", first_weight, Every(5), ("in", "unit"))))
    with pytest.raises(ValueError, match=r"keep_weights records 'weights', and so does Sums: call that otherwise"):
        dataclasses.replace(PLAN, recipe=mine)
    assert dataclasses.replace(PLAN, recipe=mine, keep_weights=Last()).probes[-1].name == "weights"


def test_short_floats_come_back_as_they_were():
    half = lambda tree: jax.tree.map(lambda leaf: leaf.astype(jnp.bfloat16) if eqx.is_array(leaf) else leaf, tree)
    recipe = dataclasses.replace(Sums())
    object.__setattr__(recipe, "model", lambda member, key: half(MLP((2, 3, 1), key=key)))
    model = recipe.model({}, jax.random.key(1))
    weights = flat_weights(model)
    assert weights.dtype == jnp.float32
    assert same(rebuild(recipe, {}, np.asarray(weights)), model)


# --- a run that is opened later -------------------------------------------------------------------------------------

FILE = """
from dataclasses import dataclass
import jax.numpy as jnp
import numpy as np
import optax
from nucleate.fleet import Every, Probe, Recipe, Schedule
from nucleate.models import MLP

@dataclass(frozen=True)
class Deep(Recipe):
    sizes: tuple[int, ...] = (1, 2, 1)
    look: Schedule = Every(2)

    def data(self, member):
        return {"train": np.ones((2, 1), np.float32)}

    def model(self, member, key):
        return MLP(self.sizes, key=key)

    def optimizer(self, member):
        return optax.sgd(member["eta"])

    def loss(self, model, batch, key):
        return jnp.mean(model(batch[0]) ** 2), None

    @property
    def probes(self):
        return (Probe("loss", lambda view: view.loss, self.look),)
"""


@pytest.fixture
def deep(tmp_path, monkeypatch):
    """A run of a recipe in a file of the user's."""
    from nucleate.fleet import table
    from nucleate.fleet.files import import_file

    monkeypatch.setattr(sys, "path", [*sys.path])
    (tmp_path / "deep_file.py").write_text(FILE)
    kind = import_file(tmp_path / "deep_file.py").Deep
    return train(Plan(kind((1, 3, 1)), table(seed=[0, 1], eta=0.1), 4), tmp_path / "run")


@pytest.fixture
def forget(deep, monkeypatch):
    """`forget()`: as another process would find it."""
    return lambda: monkeypatch.delitem(sys.modules, type(deep.recipe).__module__)


def test_the_recipe_of_a_run_is_made_again_from_its_file(deep, forget):
    about = Run(deep.path).about
    assert about.made_by is not None
    assert (about.made_by.name, about.made_by.file) == ("deep_file.Deep", str(deep.path.parent / "deep_file.py"))
    assert about.config["sizes"] == [1, 3, 1]
    forget()
    again = open_run(deep.path)
    assert type(again.recipe) is not type(deep.recipe)  # another process has another class of that name
    assert vars(again.recipe) == vars(deep.recipe)
    assert same(again.model(1), deep.model(1))


def test_a_recipe_that_is_given_must_be_that_of_the_run(deep):
    kind = type(deep.recipe)
    assert same(open_run(deep.path, kind((1, 3, 1))).model(0), deep.model(0))
    with pytest.raises(RunError, match=r"was trained by a Deep with sizes = \[1, 3, 1\], not \[1, 2, 1\]\."):
        open_run(deep.path, kind())
    with pytest.raises(RunError, match=r"was trained by deep_file\.Deep, not by small_fleets\.Sums\."):
        open_run(deep.path, Sums())


def test_a_recipe_that_was_rewritten_is_refused_unless_that_is_allowed(deep, forget, monkeypatch):
    file = deep.path.parent / "deep_file.py"
    forget()
    file.write_text(FILE.replace("sgd", "adam"))
    with pytest.raises(RunError, match="was trained by other code: Deep has been rewritten since"):
        open_run(deep.path)
    again = open_run(deep.path, other_code=True)
    assert same(again.model(1), deep.model(1))
    monkeypatch.delitem(sys.modules, type(again.recipe).__module__)
    file.unlink()
    with pytest.raises(RunError, match=r"there is no file .*deep_file\.py"):
        open_run(deep.path)


def test_what_run_json_cannot_hold_is_named(run):
    with pytest.raises(
        RunError, match=r"small_fleets\.Sums of .* cannot be made again .* the function small_fleets\.fit"
    ):
        open_run(run.path)
    assert same(open_run(run.path, RECIPE).model(WHOLE), run.model(WHOLE))
