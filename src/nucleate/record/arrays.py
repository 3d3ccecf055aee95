"""Trajectories that are in memory already, as a record."""

import os
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any

import numpy as np
import xarray as xr

from nucleate.checking import AtLeast, Bits, checked, conform, shown, to_numpy
from nucleate.record.axes import STEP
from nucleate.record.descriptions import described
from nucleate.record.disk import telling_full_disk, temporary_name
from nucleate.record.frame import bare_record, dims_of, refuse_misfits
from nucleate.record.logbook import finite
from nucleate.record.opening import open_record
from nucleate.record.run import Run
from nucleate.record.schema import NEVER, Outcome, RunError, fill_value
from nucleate.record.store import LOGGED, create_store


@checked
def from_arrays(
    arrays: Mapping[str, Any],
    steps: Any,
    *,
    members: Any = None,
    dims: Mapping[str, Any] | None = None,
    facts: Mapping[str, Any] | None = None,
    into: Path | str | None = None,
) -> xr.Dataset:
    """The record that a `Recorder` would have made of `arrays`, each [member, step, ...]; written to `into`, if given.

    `steps`: of the rows, or those of each variable by its name. `members`, `dims`, `facts`: as for a `Recorder`; if
    `members` are left out, there is one, and arrays are [step, ...]. The fact `last_step`, if given, is where each
    member ended, -1 if it was not trained; what an array holds after that is left out. A member whose `loss` is not
    finite has diverged.

    >>> losses = [[3.0, 1.0], [2.0, 0.0], [2.0, np.nan]]
    >>> record = from_arrays({"loss": losses}, [0, 10], members=3, facts={"last_step": [10, 0, 10]})
    >>> record.loss.values[1].tolist(), [Outcome(outcome).name for outcome in record.outcome.values]
    ([2.0, nan], ['OK', 'OK', 'DIVERGED'])
    """
    facts = dict(facts or {})
    ended = facts.pop("last_step", None)
    record = bare_record(members, facts, dims or {})
    count = record.sizes["member"]
    rows = {name: _rows(name, steps) for name in arrays}
    values = {name: _of_members(name, array, count, members is None) for name, array in arrays.items()}
    for name, array in values.items():
        if array.ndim < 2 or array.shape[:2] != (count, len(rows[name])) or array.size == 0:
            axes = f"{len(rows[name])} steps" if members is None else f"{count} members and {len(rows[name])} steps"
            raise ValueError(f"from_arrays: the first axes of '{name}' must be {axes}; got {np.shape(arrays[name])}.")
    if not values:
        raise ValueError("from_arrays: arrays must hold at least one variable, such as {'loss': …}.")
    fixed = {str(name): (tuple(map(str, v.dims)), v.shape) for name, v in record.variables.items()}
    refuse_misfits({name: array.shape[2:] for name, array in values.items()}, {}, fixed, dims or {})
    axes = _axes({name: array[0, 0].size for name, array in values.items()}, rows)
    last = _last(ended, rows, count)
    for name, array in values.items():
        inner = dims_of(name, array.shape[2:], dims or {})
        record[name] = (("member", axes[name], *inner), _until(last, rows[name], array))
        record.coords[axes[name]] = (axes[name], rows[name])
    record["last_step"].values[:] = last
    record["outcome"].values[:] = _outcomes(record)
    record.attrs["steps"] = max(1, int(record.last_step.max()))
    record = described(record)
    if into is not None:
        _write(record, Run(into))
    return record


def _rows(name: str, steps: Any) -> np.ndarray:
    if isinstance(steps, Mapping) and name not in steps:
        raise ValueError(f"from_arrays: steps has none for '{name}'; it has {shown([*steps])}.")
    rows = to_numpy("from_arrays: steps", steps[name] if isinstance(steps, Mapping) else steps)
    if rows.ndim != 1 or not len(rows) or rows.dtype.kind not in "iu" or np.any(rows[1:] <= rows[:-1]):
        raise ValueError(f"from_arrays: steps of '{name}' must be whole numbers >= 0 that rise; got {shown(rows)}.")
    for step in (rows[0], rows[-1]):
        conform(f"from_arrays: steps of '{name}'", int(step), Annotated[int, AtLeast(0), Bits(31)])
    return rows.astype(np.int64)


def _of_members(name: str, array: Any, count: int, alone: bool) -> np.ndarray:
    values = to_numpy(f"from_arrays: {name}", array)
    return values[None] if alone else values


def _axes(sizes: Mapping[str, int], rows: Mapping[str, np.ndarray]) -> dict[str, str]:
    """The axis of each variable: `step` for the largest, and for what has the same steps."""
    groups: dict[tuple, list[str]] = {}
    for name in rows:
        groups.setdefault(tuple(rows[name].tolist()), []).append(name)
    firsts = {max(group, key=lambda name: sizes[name]): group for group in groups.values()}
    first = max(firsts, key=lambda name: sizes[name])
    return {name: STEP if own == first else f"{STEP}_{own}" for own, group in firsts.items() for name in group}


def _last(given: Any, rows: Mapping[str, np.ndarray], count: int) -> np.ndarray:
    """The step at which each member ended: that of the last row if nothing is given."""
    newest = max(int(steps[-1]) for steps in rows.values())
    last = to_numpy("from_arrays: last_step", newest if given is None else given)
    if last.dtype.kind not in "iu" or last.shape not in ((), (count,)) or np.any((last < NEVER) | (last > newest)):
        raise ValueError(
            f"from_arrays: last_step must be a whole number from {NEVER} to {newest} for each of {count} members; "
            f"got {shown(given)}."
        )
    return np.broadcast_to(last, count)


def _until(last: np.ndarray, rows: np.ndarray, array: np.ndarray) -> np.ndarray:
    """A copy of an array, of which members hold nothing after their last step."""
    array = array.copy()
    array[rows > last[:, None]] = fill_value(array.dtype)
    return array


def _outcomes(record: xr.Dataset) -> np.ndarray:
    """A member whose loss is not finite, as far as it was trained, has diverged."""
    last = record.last_step.values
    outcomes = np.where(last == NEVER, Outcome.PENDING, Outcome.OK)
    if "loss" in record:
        loss = record.loss
        trained = record[loss.dims[1]].values <= last[:, None]
        bad = ~finite(loss.values.reshape(-1, *loss.shape[2:])).reshape(trained.shape)
        outcomes[(bad & trained).any(1)] = Outcome.DIVERGED
    return outcomes


def _is_half_written(run: Run) -> bool:
    """Whether a process was killed while it wrote a record as a whole."""
    about = run.about
    if (about.by, about.status) != ("recorder", "created"):
        return False
    return not run.record_path.exists() or LOGGED not in open_record(run.record_path, complete=False).attrs


def _write(record: xr.Dataset, run: Run) -> None:
    run.refuse_foreign("choose another folder")
    with telling_full_disk(run.path, "call from_arrays again"), run.lock():
        if run.exists() and not _is_half_written(run):
            raise RunError(f"{run.path} holds a run already; choose another folder, or delete it.")
        if run.record_path.exists():
            os.rename(run.record_path, temporary_name(run.record_path))
        run.folder.sweep()
        Run.create(run.path, {"by": "recorder", "members": record.sizes["member"], "steps": record.attrs["steps"]})
        create_store(run.record_path, record, [])
        run.update(status="complete")
