"""Retrain one member of a run, to look closer."""

import tempfile
from pathlib import Path

import numpy as np
import xarray as xr

from nucleate.checking import checked
from nucleate.fleet.allow import Allow
from nucleate.fleet.cut import cut_alike, knows_pieces
from nucleate.fleet.plan import Plan
from nucleate.fleet.sessions import same_bits
from nucleate.fleet.train import has_members, train
from nucleate.fleet.weights import FINAL
from nucleate.record import Run, RunError


@checked
def replay(plan: Plan, run: Run, member: int) -> xr.Dataset:
    """Retrain one member of a run on its own and return its record, bit for bit as it was in the fleet.

    `plan` is the run's plan, or, to look closer, one with more probes or denser schedules on the same recipe. A plan
    that trains other networks is refused: by its members and steps at once, and by its numbers when they are there.
    With other versions or instructions than the run's, or where an older run does not say into how many pieces it cut
    its batches, last bits may differ, and numbers are not compared.
    """
    if not 0 <= member < plan.members.count:
        raise ValueError(f"replay: member must be between 0 and {plan.members.count - 1}; got {member}.")
    about = run.about
    if about.block is None:
        raise RunError(f"{run.path} has no record yet; `nucleate resume {run.path}` makes it.")
    asked, held = (plan.members.count, plan.steps), (about.members, about.steps)
    if asked != held or not has_members(plan, run):
        raise ValueError(
            f"replay: plan must be that of {run.path}, with its {held[0]} members and {held[1]} steps; "
            f"got another one, with {asked[0]} members and {asked[1]} steps."
        )
    alone = cut_alike(plan.only(member), about)
    with tempfile.TemporaryDirectory() as folder:
        again = train(alone, Path(folder) / "replay", allow=Allow.LONG).record().load()
    if about.status == "complete" and same_bits(run) and knows_pieces(plan, about):
        _refuse_other_numbers(again, run.record().isel(member=[member]), run)
    return again.assign_coords(member=[member])


def _refuse_other_numbers(again: xr.Dataset, before: xr.Dataset, run: Run) -> None:
    """Check that what both records hold, at the steps that both have, is the same."""
    for name in {*again.data_vars} & {*before.data_vars}:
        new, old = again[name], before[name]
        if new.dims != old.dims or not {*new.dims} - {"member"}:
            continue  # crossings and outcomes depend on how often a network is looked at
        if name == FINAL and again.last_step.item() != before.last_step.item():
            continue  # and so may its end
        axes = [str(dim) for dim in new.dims if str(dim).split("_")[0] == "step"]
        for axis in axes:
            both = np.intersect1d(again[axis], before[axis])
            new, old = new.sel({axis: both}), old.sel({axis: both})
        # In a fleet of several shapes, a smaller value is filled up.
        old = old.isel({dim: slice(size) for dim, size in new.sizes.items()})
        if not np.array_equal(new.values, old.values, equal_nan=new.dtype.kind in "fc"):
            raise ValueError(f"replay: plan must be that of {run.path}; got one that gives another '{name}'.")
