"""A finished run that never was: a record made by hand."""

import dataclasses

import xarray as xr

from nucleate.record import About


@dataclasses.dataclass(frozen=True)
class PlantedRun:
    """Stands for a finished run."""

    dataset: xr.Dataset
    config: dict = dataclasses.field(default_factory=dict)

    @property
    def about(self) -> About:
        members, steps = self.dataset.sizes["member"], self.dataset.attrs["steps"]
        return About("complete", "2026-01-31", {}, "unknown", {}, members, steps, config=self.config)

    def record(self):
        return self.dataset
