"""A run with the recipe that made it, which gives its networks back."""

from functools import cached_property
from pathlib import Path
from typing import final

import equinox as eqx
import xarray as xr

from nucleate.checking import checked, shown
from nucleate.fleet.code import code_of
from nucleate.fleet.origin import described, recipe_of
from nucleate.fleet.recipe import Recipe
from nucleate.fleet.weights import kept_model
from nucleate.record import Run, RunError


@final
class Trained(Run):
    """A run of a fleet, whose networks come back: `run.model(member, step)`; `train` and `open_run` return one."""

    def __init__(self, path: Path | str, recipe: Recipe | None = None):
        super().__init__(path)
        if recipe is not None:
            self.__dict__["recipe"] = recipe

    @cached_property
    def recipe(self) -> Recipe:
        """How one of its networks is made: as `train` was given it or, of a run that was opened, as run.json says."""
        return recipe_of(self)

    @checked
    def model(self, member: int, step: int | None = None) -> eqx.Module:
        """The network of a member as it was after `step` steps, or where it ended, bit for bit.

        It was kept where it ended unless the plan says otherwise, and at the steps of `Plan.keep_weights`. An error
        names the nearest step at which it was kept, or says how to keep it. One that has diverged is not given back.
        """
        count = self.about.members
        if not 0 <= member < count:
            raise ValueError(f"Trained.model: member must be between 0 and {count - 1}; got {member}.")
        return kept_model(self.recipe, self._opened.isel(member=member), step)

    @property
    def _opened(self) -> xr.Dataset:
        """The record. That of a complete run is opened, which takes a while, once."""
        return self._whole if self.status == "complete" else self.record()

    @cached_property
    def _whole(self) -> xr.Dataset:
        return self.record()


@checked
def open_run(path: Path | str, recipe: Recipe | None = None, *, other_code: bool = False) -> Trained:
    """The run in a folder, with its networks: `open_run("runs/mine").model(3, step=100)`.

    Its recipe is made again from run.json, for which the file that it is in is imported. `recipe`: that of a run whose
    run.json cannot say it, such as one from a notebook; it is compared with what run.json says. One that has been
    rewritten since is refused, unless `other_code`: networks come back if they still have as many weights.
    """
    run = Trained.open(path)
    if run.about.by is not None:
        raise RunError(f"{path} was recorded by a loop of your own, whose networks it does not know.")
    made = Trained(run.path, recipe or recipe_of(run))
    if not other_code:
        _refuse_other(made, given=recipe is not None)
    return made


def _refuse_other(run: Trained, *, given: bool) -> None:
    """Refuse a recipe which is not that of the run, as far as run.json tells."""
    about, name = run.about, type(run.recipe).__name__
    fields = described(run.recipe)
    kind = fields.pop("type")
    if (
        given and about.made_by and about.experiment is None
    ):  # else it was made by another class, with fields of its own
        if kind != about.made_by.name:
            raise RunError(f"{run.path} was trained by {about.made_by.name}, not by {kind}.")
        for other in sorted(fields.keys() | about.config.keys()):
            if fields.get(other) != about.config.get(other):
                held, asked = shown(about.config.get(other)), shown(fields.get(other))
                raise RunError(f"{run.path} was trained by a {name} with {other} = {held}, not {asked}.")
    if None not in (codes := (about.code, code_of(run.recipe))) and codes[0] != codes[1]:
        raise RunError(
            f"{run.path} was trained by other code: {name} has been rewritten since. If it makes the same networks, "
            "say open_run(…, other_code=True)."
        )
