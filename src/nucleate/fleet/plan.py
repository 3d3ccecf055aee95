"""What to train, and how to divide the work."""

import dataclasses
import hashlib
import json
import typing
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, final

import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, PyTree

from nucleate.checking import Checked, Count, conform, detached
from nucleate.fleet.code import file_of, name_of
from nucleate.fleet.members import Members
from nucleate.fleet.recipe import Probe, Recipe
from nucleate.fleet.schedule import Last, Schedule
from nucleate.fleet.weights import FINAL, weights_probe


@dataclass(frozen=True)
class Plan(Checked):
    """A fleet to train: a recipe, a table of members and a number of steps.

    `block`: members advanced together on one core. `microbatches`: pieces in which a batch is differentiated, of those
    that the recipe allows. None takes what is fastest, measured where the run is long enough. `about`: entries for
    `run.json`. `keep_weights`: when the weights of all networks are kept, for `Trained.model`; those that they end
    with are kept, too, wherever that is, and None keeps nothing. `made_by`: the class which makes the plan from
    `about`, where that is not the recipe.
    """

    recipe: Recipe
    members: Members
    steps: Count
    block: Count | None = None
    about: Mapping[str, Any] = field(default_factory=dict)
    keep_weights: Schedule | None = Last()  # noqa: RUF009 - it is frozen
    made_by: type | None = None
    microbatches: Count | None = None

    def check(self) -> None:
        self._check_recipe()
        self._refuse_other_weights()
        names = [probe.name for probe in self.probes]
        if len(set(names)) < len(names):
            raise ValueError(f"Plan: two probes share a name; got {names}.")
        self._refuse_clashes(names)
        for crossing in self.recipe.crossings:
            if crossing.probe not in names:
                raise ValueError(f"Crossing '{crossing.name}' watches '{crossing.probe}'; the probes are {names}.")
        unknown = set(self.recipe.stop) - {crossing.name for crossing in self.recipe.crossings}
        if unknown:
            raise ValueError(f"{type(self.recipe).__name__}.stop names crossings that do not exist: {sorted(unknown)}.")
        self.schedules  # noqa: B018 - raises where two probes disagree about an axis

    def _check_recipe(self) -> None:
        """Check the class attributes of a recipe, which may be properties, as its fields are checked."""
        for name, hint in typing.get_type_hints(Recipe, include_extras=True).items():
            conform(f"{type(self.recipe).__name__}.{name}", getattr(self.recipe, name), hint)
        conform(f"{type(self.recipe).__name__}.probes", self.recipe.probes, tuple[Probe, ...])
        if unknown := set(self.recipe.static) - set(self.members):
            raise ValueError(
                f"{type(self.recipe).__name__}.static names columns that the members lack: {sorted(unknown)}."
            )

    def _refuse_other_weights(self) -> None:
        """Check that nothing of the recipe's, or of the table's, is called like the weights that are to be kept."""
        if self.keep_weights is None:
            return
        ours = {FINAL} | {name for probe in self._of_weights for name in (probe.name, probe.axis)}
        theirs = {name for probe in self.recipe.probes for name in (probe.name, probe.axis, *probe.dims)}
        if clash := ours & (theirs | {*self.members}):
            raise ValueError(
                f"Plan.keep_weights records '{min(clash)}', and so does {type(self.recipe).__name__}: call that "
                "otherwise, or keep none with keep_weights=None."
            )

    def _refuse_clashes(self, names: list[str]) -> None:
        """Check that everything that one record will hold has a name of its own, and columns are numbers for JAX."""
        crossings = [f"{crossing.name}_step" for crossing in self.recipe.crossings]
        taken = ["member", "outcome", "last_step", *crossings]
        axes = [*{probe.axis for probe in self.probes}]
        for kind, chosen in (("axis", axes), ("probe", names), ("column", list(self.members))):
            for name in chosen:
                if name in taken:
                    raise ValueError(f"Plan: {kind} '{name}' uses a name reserved by the record; choose another.")
                taken.append(name)
        for probe in self.probes:
            if clash := {"member", "outcome", "last_step", *crossings, *names, *axes} & set(probe.dims):
                raise ValueError(
                    f"Plan: probe '{probe.name}' has a dimension '{min(clash)}', a name reserved by the record; "
                    "choose another."
                )
        seed = self.members["seed"]
        if seed.dtype.kind not in "iu" or seed.min() < 0 or seed.max() >= 2**32:
            raise ValueError(f"Members.seed must be integers from 0 to 2³²−1; got {seed.min()} to {seed.max()}.")
        for name, column in self.members.items():
            if column.dtype.kind in "iu" and (column.min() < -(2**31) or column.max() >= 2**32):
                raise ValueError(
                    f"Members.{name} must be integers from -2³¹ to 2³²−1; got {column.min()} to {column.max()}."
                )

    @cached_property
    def probes(self) -> tuple[Probe, ...]:
        """All that is recorded over steps: what the recipe's probes see and, where they are kept, the weights."""
        return self.recipe.probes + self._of_weights

    @property
    def _of_weights(self) -> tuple[Probe, ...]:
        return weights_probe(self.keep_weights)

    @cached_property
    def schedules(self) -> dict[str, Schedule]:
        """The schedule of each step axis."""
        schedules: dict[str, Schedule] = {}
        for probe in self.probes:
            if schedules.setdefault(probe.axis, probe.schedule) != probe.schedule:
                raise ValueError(
                    f"Probe '{probe.name}' has schedule {probe.schedule}, but axis '{probe.axis}' already has "
                    f"{schedules[probe.axis]}; give the probe an axis of its own, such as 'step_{probe.name}'."
                )
        return schedules

    @property
    def data(self) -> Sequence[PyTree]:
        """The data of each member, made when they are asked for; those that are not kept already are not kept then."""
        return _Data(self)

    def datum(self, member: int) -> PyTree:
        """The data of one member: made on first use, which may take a while, and kept."""
        if member not in self._made:
            data = self.recipe.data(self.members.row(member))
            self._made[member] = jax.tree.map(lambda leaf: detached("Recipe.data", leaf), data)
        return self._made[member]

    def forget(self, members: Iterable[int]) -> None:
        """Let go of the data of members; they are made again if they are needed."""
        for member in members:
            self._made.pop(member, None)

    @cached_property
    def _made(self) -> dict[int, PyTree]:
        return {}

    def only(self, member: int) -> "Plan":
        """The plan that trains only this member."""
        return dataclasses.replace(self, members=self.members.only([member]))

    def fingerprint(self) -> str:
        """A hash of what is trained and recorded. Bits also depend on how it is cut up, the versions and the machine.

        Code is identified by its name only; `code_of` tells whether a recipe was rewritten under the same name.
        """
        recipe = self.recipe
        content = {
            "recipe": _identity(recipe),
            "probes": [_identity((p.name, p.schedule, p.dims, p.axis)) for p in self.probes],
            "crossings": _identity(recipe.crossings),
            "stop": _identity(recipe.stop),
            "batching": _identity(recipe.batching),
            "members": {name: column.tolist() for name, column in self.members.items()},
            "steps": self.steps,
        }
        if self.keep_weights is not None:
            content["keep_weights"] = _identity(self.keep_weights)
        return hashlib.sha256(json.dumps(content, sort_keys=True, default=str).encode()).hexdigest()[:16]

    def group(self, member: int) -> tuple:
        """Members with equal groups run the same program: equal static columns, equal data shapes."""
        row = self.members.row(member)
        leaves, structure = jax.tree.flatten(self.datum(member))
        shapes = tuple((np.shape(leaf), np.result_type(leaf).str) for leaf in leaves)
        return (tuple((name, row[name]) for name in self.recipe.static), shapes, structure)

    def lanes(self, index: list[int], width: int) -> tuple[PyTree, dict[str, Array]]:
        """Data and traced columns of the chosen members, stacked; the last member is repeated up to `width`."""
        index = index + [index[-1]] * (width - len(index))
        data = jax.tree.map(lambda *leaves: jnp.asarray(np.stack(leaves)), *[self.datum(i) for i in index])
        member = {
            name: jnp.asarray(column[index]) for name, column in self.members.items() if name not in self.recipe.static
        }
        return data, member


@final
class _Data(Sequence):
    """The data of a plan's members."""

    def __init__(self, plan: Plan):
        self._plan = plan

    def __len__(self) -> int:
        return self._plan.members.count

    def __getitem__(self, at):
        if isinstance(at, slice):
            return [self[member] for member in range(len(self))[at]]
        member = range(len(self))[at]
        kept = self._plan._made
        return kept[member] if member in kept else self._plan.recipe.data(self._plan.members.row(member))


def _identity(value: Any) -> Any:
    """`value` in JSON types, the same in every process: objects by their type or `identity`, functions by name."""
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        fields = {field.name: _identity(getattr(value, field.name)) for field in dataclasses.fields(value)}
        return {"type": _called(type(value)), **fields}
    if isinstance(value, Mapping):
        return {str(key): _identity(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_identity(item) for item in value]
    if isinstance(value, np.ndarray | jax.Array):
        return value.tolist()
    if isinstance(identity := getattr(value, "identity", None), str):
        return identity
    if value is None or isinstance(value, str | int | float):
        return value
    if hasattr(value, "__qualname__"):
        return _called(value)
    return {
        "type": _called(type(value)),
        **{name: _identity(item) for name, item in sorted(vars(value).items())},
    }


def _called(thing: Any) -> str:
    """The name of a class or function. A user may move and rename files: there, it is code that tells them apart."""
    return thing.__qualname__ if file_of(thing) else name_of(thing)
