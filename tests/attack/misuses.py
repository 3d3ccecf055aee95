"""The public names of every room, called as they cannot work; after the table, their dataclasses with a field wrong."""

import dataclasses
import importlib
import random
import re
import traceback
import typing
from pathlib import Path
from typing import Any, ClassVar, final

import jax
import jax.numpy as jnp
import numpy as np
from tests.attack.case import Attack, Case
from tests.attack.configs import VALUES, fits
from tests.attack.ground import place, place_to_work, touched
from tests.attack.misuse_table import misuses
from tests.attack.toys import TOY, Lines
from tests.papers.toy_paper import CLAIMS, FALL, Line, Slower

from nucleate.fleet import Every, Plan, Probe, Recipe, table, train
from nucleate.papers.circles.experiments import CircleFleet
from nucleate.tasks import AdditionTask

_ROOMS = (
    "algebra",
    "models",
    "tasks",
    "interventions",
    "theories",
    "observables",
    "claims",
    "fleet",
    "record",
    "papers",
)
"""A name that two rooms have, `Above` and `Line`, is meant as the later room has it, or as `_names` does."""
_EXAMPLES = """
Plan(R, M, 20) | Members({"seed": np.arange(2)}) | Every(5) | LogSpaced(5) | First(3) | At((0, 5)) | Minibatch(3)
Lines() | Probe("loss", loss, Every(5)) | Crossing("low", "loss", below=1.0) | AdditionTask(5)
ModularAdditionTask(7) | Box() | Contact() | ParticleTask() | TransformerSize() | Frame() | ClosedForm() | Sparse()
Neural() | PairPotential() | Regimes() | Window() | Logistic() | LinearSVM() | PowerLaw("loss") | KnownLimit()
LinearFlow() | LotkaVolterra() | Fitness() | Features() | Region(0, 1) | Estimate(0.5, 0.0, 1.0) | CHECK | CLAIMS[0]
Steps(10, "toy/first") | Setting(1e-4, 1.0) | Grid((1e-4,), (1.0,)) | Sampling() | Distance() | MeanSquare()
EffectiveLoss() | RMSpropSGLD() | TOY | Thresholds()
"""


@final
@dataclasses.dataclass(frozen=True)
class _Shaped(Recipe):
    """The toy recipe with a probe of a vector: its axes may be named badly, and it may be empty."""

    dims: tuple[str, ...]
    size: int

    data, model, optimizer, loss, describe = Line.data, Line.model, Line.optimizer, Line.loss, Line.describe

    @property
    def probes(self) -> tuple[Probe, ...]:
        size = self.size
        return (Probe("vector", lambda view: jnp.zeros(size) + view.loss, Every(5), dims=self.dims),)


def _loss(view) -> Any:
    return view.loss


def _names() -> dict[str, Any]:
    """What the expressions of the table are made of."""
    names: dict[str, Any] = {}
    for room in _ROOMS:
        module = importlib.import_module(f"nucleate.{room}")
        names |= {name: getattr(module, name) for name in module.__all__}
    names["Above"] = importlib.import_module("nucleate.observables").Above
    recipe, members = Line(), table(seed=range(2), eta=0.1)
    plan = Plan(recipe, members, 20, block=1)
    run = train(plan, Path("run").absolute())
    key, addition = jax.random.key(0), AdditionTask(5)
    quads = names["parallelograms"](addition.label)
    return names | {
        "R": recipe,
        "M": members,
        "P": plan,
        "D": run.record().load(),
        "RUN": run,
        "K": key,
        "Line": Line,
        "E": jax.random.normal(key, (7, 4)),
        "PAIRS": addition.pairs,
        "CHECK": FALL,
        "CLAIMS": CLAIMS,
        "TOY": TOY,
        "Q": names["equations"](addition.pairs, quads, 5),
        "C5": names["Characters"].cyclic(5),
        "Path": Path,
        "np": np,
        "zeros": np.zeros,
        "nan": float("nan"),
        "loss": _loss,
        "Lines": Lines,
        "Slower": Slower,
        "CircleFleet": CircleFleet,
        "Probed": lambda dims, size=3: Plan(_Shaped(dims, size), members, 20, block=1),
    }


@final
class Misuses(Attack):
    """The table from its beginning to its end, then any field of any public dataclass."""

    name: ClassVar[str] = "misuses"
    table: ClassVar[list] = misuses()
    enough: ClassVar[int] = len(table)

    def __init__(self):
        self._names = _names()
        self._examples = [part.strip() for line in _EXAMPLES.strip().splitlines() for part in line.split(" | ")]

    def case(self, number: int, rng: random.Random) -> Case:
        if number < len(self.table):
            expression, error, word = self.table[number]
            return Case(expression, lambda: self._expect(expression, error, word))
        expression = rng.choice(self._examples)
        fields = dataclasses.fields(eval(expression, dict(self._names)))  # type: ignore[arg-type]
        if not fields:
            return self.case(number, rng)
        name, value = rng.choice(fields).name, rng.choice(VALUES)
        return Case(f"{expression} with {name}={value!r}", lambda: self._replace(expression, name, value))

    def _expect(self, expression: str, error: type[Exception] | tuple[type[Exception], ...], word: str) -> str:
        with place_to_work("ground") as work:
            Path("empty").mkdir()
            try:
                made = eval(expression, dict(self._names))
            except error as raised:
                said = str(raised)
                return "" if word in said else f"{expression}: no '{word}' in: {place(_traceback(raised))}"
            except Exception as raised:
                return f"{expression}: an undeclared error: {place(_traceback(raised))}"
            return touched(work / "../neighbour") or f"{expression}: accepted: {made!r:.100}"

    def _replace(self, expression: str, name: str, value: Any) -> str:
        example = eval(expression, dict(self._names))
        kind, hints = type(example), typing.get_type_hints(type(example), include_extras=True)
        try:
            made = dataclasses.replace(example, **{name: value})
        except ValueError as raised:
            named = re.search(r"[A-Z]\w+\.\w+|[A-Z]\w+:|[A-Z]\w+ \w+/", str(raised)) or kind.__name__ in str(raised)
            return "" if named else f"names no field: {place(_traceback(raised))}"
        except Exception as raised:
            return f"not a ValueError: {place(_traceback(raised))}"
        wrong = not fits(getattr(made, name), hints[name])
        return f"accepted: {kind.__name__}.{name} = {getattr(made, name)!r:.100}" if wrong else ""


def _traceback(error: Exception) -> str:
    return "".join(traceback.format_exception(error))
