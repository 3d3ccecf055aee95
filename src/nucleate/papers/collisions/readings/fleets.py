"""The fleet itself: networks that stayed finite, how they were made, and their weights as networks again."""

import json
from functools import cache

import xarray as xr

from nucleate.claims import Evidence
from nucleate.fleet import kept_model
from nucleate.models import ParticleTransformer
from nucleate.papers.collisions.experiments import BOX, ParticleFleet
from nucleate.papers.collisions.recipe import ParticleNetwork
from nucleate.record import RunError, stayed_finite


def networks(evidence: Evidence) -> xr.Dataset:
    """The networks that stayed finite; there may be none."""
    return stayed_finite(evidence.record(BOX))


def recipe(record: xr.Dataset) -> ParticleNetwork:
    """How the networks of a record were made: their task, their size, their boundary."""
    return _recipe(record.attrs.get("about", "{}"))


@cache  # figures ask for every head that they show
def _recipe(about: str) -> ParticleNetwork:
    config = json.loads(about).get("config")
    if config is None:
        raise RunError("The record does not say how its networks were made: attribute `about` has no config.")
    return ParticleFleet.from_json(config).recipe()


def network(record: xr.Dataset, row: int, checkpoint: int = -1) -> ParticleTransformer:
    """The network in a row of a record, as it was at a checkpoint (a row of `step_weights`): the last by default."""
    step = int(record.step_weights.values[checkpoint])
    return kept_model(recipe(record), record.isel(member=row), step)  # type: ignore[return-value]
