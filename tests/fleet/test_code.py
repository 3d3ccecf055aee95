"""A recipe that was rewritten under the same name does not pass for the one that trained a run."""

import importlib.util
import inspect
import linecache
import sys

import pytest

from nucleate.fleet import Plan, open_run, table, train
from nucleate.fleet.code import code_of
from nucleate.papers.grokking.recipe import ToyAddition
from nucleate.record import RunError

LINE = """
import jax.numpy as jnp
import numpy as np
import optax
from nucleate.fleet import Every, Probe, Recipe
from nucleate.models import MLP

class Line(Recipe):
    def data(self, member):
        return {"train": {"x": np.ones((2, 1), np.float32)}}
    def model(self, member, key):
        return MLP((1, 1), key=key)
    def optimizer(self, member):
        return optax.sgd(0.1)
    def loss(self, model, batch, key):
        return jnp.mean(model(batch["x"][0]) ** 2), None
    @property
    def probes(self):
        return (Probe("loss", lambda view: view.loss, Every(2)),)
"""


@pytest.fixture
def written(tmp_path, monkeypatch):
    """A recipe from a module of the user's, as it is written now."""

    def load(text: str):
        file = tmp_path / "lines.py"
        file.write_text(text)
        spec = importlib.util.spec_from_file_location("lines", file)
        module = importlib.util.module_from_spec(spec)
        monkeypatch.setitem(sys.modules, "lines", module)
        linecache.checkcache(str(file))
        exec(compile(text, str(file), "exec"), module.__dict__)
        return module.Line()

    return load


def test_rewritten_code_is_refused_and_comments_are_not(written, tmp_path):
    plan = lambda text: Plan(written(text), table(seed=[0]), steps=4, block=1)
    train(plan(LINE), tmp_path / "run")
    train(plan(LINE.replace("    def model", "    # a comment\n    def model")), tmp_path / "run")
    train(plan(LINE + "\nTHRESHOLD = 3\n"), tmp_path / "run")  # what a claim in the same file may change
    with pytest.raises(RunError, match="was trained by other code: Line has been rewritten since"):
        train(plan(LINE.replace("sgd(0.1)", "adam(0.1)")), tmp_path / "run")


def test_a_python_that_fails_to_parse_once_is_asked_again(written, monkeypatch):
    recipe, source = written(LINE), inspect.getsource
    failures = [SystemError("AST constructor recursion depth mismatch")]
    before = code_of(recipe)

    def once(thing):
        if failures:
            raise failures.pop()
        return source(thing)

    monkeypatch.setattr(inspect, "getsource", once)
    assert code_of(recipe) == before is not None
    assert not failures


def test_only_code_of_users_in_files_is_known(written):
    assert code_of(ToyAddition()) is None
    assert code_of(written(LINE)) is not None


USED = LINE.replace("MLP((1, 1), key=key)", "Deep(SIZES, key)").replace(
    "class Line",
    """
SIZES = (1, 1)
def scaled(factor):
    return factor
class Deep(MLP):
    def __init__(self, sizes, key):
        super().__init__(sizes, key=key)
        self.factor = scaled(1.0)
class Line""",
)


@pytest.mark.parametrize(
    "change",
    [("scaled(1.0)", "scaled(3.0)"), ("return factor", "return -factor"), ("SIZES = (1, 1)", "SIZES = (1, 2)")],
)
def test_what_a_recipe_uses_is_its_code_too(written, change):
    assert change[0] in USED
    assert code_of(written(USED.replace(*change))) != code_of(written(USED))
    assert code_of(written(USED + "\ndef unused():\n    return 3\n")) == code_of(written(USED))


def test_a_recipe_with_other_fields_is_another_plan(written, tmp_path):
    head = "@dataclass(frozen=True)\nclass Line(Recipe):\n    width: int = 1"
    fields = "from dataclasses import dataclass\n" + LINE.replace("class Line(Recipe):", head)
    about = {"experiment": "mine/line", "config": {"seeds": 1}}
    plan = lambda recipe: Plan(recipe, table(seed=[0]), steps=4, block=1, about=about)
    train(plan(written(fields)), tmp_path / "run")
    with pytest.raises(RunError, match=r"holds another plan \(mine/line, 1 members\); delete it"):
        train(plan(type(written(fields))(width=2)), tmp_path / "run")


TORCH = """
import jax.numpy as jnp
import numpy as np
import optax
import torch
from nucleate.fleet import Every, Probe, Recipe
from nucleate.models import from_torch

class Net(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.layer = torch.nn.Linear(1, 1)
    def forward(self, x):
        return self.layer(x) * 2

NETWORK = from_torch(Net, jnp.ones((1, 1)))

class Line(Recipe):
    def __init__(self, network=None):
        self.network = network
    def data(self, member):
        return {"train": np.ones((2, 1), np.float32)}
    def model(self, member, key):
        return (NETWORK if self.network is None else self.network).fresh(member["seed"])
    def optimizer(self, member):
        return optax.sgd(0.1)
    def loss(self, model, batch, key):
        return jnp.mean(model(batch) ** 2), None
    @property
    def probes(self):
        return (Probe("loss", lambda view: view.loss, Every(2)),)
"""


@pytest.mark.torch
def test_a_module_of_pytorch_that_was_rewritten_is_refused(written, tmp_path):
    pytest.importorskip("torch")
    rewritten = TORCH.replace("* 2", "* 3")
    plan = lambda recipe: Plan(recipe, table(seed=[0]), steps=4, block=1)
    train(plan(written(TORCH)), tmp_path / "global")
    train(plan(written(TORCH)), tmp_path / "global")
    with pytest.raises(RunError, match="was trained by other code: Line has been rewritten since"):
        train(plan(written(rewritten)), tmp_path / "global")

    def with_field(text):
        recipe = written(text.replace("(NETWORK if self.network is None else self.network)", "self.network"))
        return type(recipe)(sys.modules["lines"].NETWORK)

    train(plan(with_field(TORCH)), tmp_path / "field")
    train(plan(with_field(TORCH)), tmp_path / "field")
    with pytest.raises(RunError, match="was trained by other code: Line has been rewritten since"):
        train(plan(with_field(rewritten)), tmp_path / "field")
    assert open_run(tmp_path / "field", recipe=with_field(TORCH)).model(0).to_torch().layer.weight.shape == (1, 1)
    with pytest.raises(RunError, match=r"run\.json does not hold the object nucleate\.models\.pytorch\.origin\.Origin"):
        open_run(tmp_path / "field").model(0)
    with pytest.raises(RunError, match="holds another plan"):
        train(plan(with_field(TORCH.replace("Linear(1, 1)", "Linear(1, 1, bias=False)"))), tmp_path / "field")
