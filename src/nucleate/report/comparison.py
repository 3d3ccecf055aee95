"""Runs side by side, of any recipes and recorders: what was set differently, and where that led."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import xarray as xr

from nucleate.checking import shown
from nucleate.claims import Estimate, bootstrap, share
from nucleate.record import NEVER, Cell, Outcome, Run, cells, ends, histories, hyperparameters, swept
from nucleate.record.document import fields
from nucleate.report.settings import exact, flat

_MOST = 24  # values of a hyperparameter, beyond which it is taken for a continuous one
_EACH = ("created", "fingerprint", "status", "seconds", "block", "shard_size", "groups", "sessions", "platform.cores")
"""What every run has of its own, whatever was set."""

Place = tuple[tuple[str, float], ...]
"""Hyperparameters with their values: none for all members of a run."""


def in_words(place: Place) -> str:
    """A place as it is written.

    >>> in_words((("eta", 0.1), ("p", 59.0)))
    'eta = 0.1, p = 59'
    """
    return ", ".join(f"{name} = {value:.6g}" for name, value in place)


@dataclass(frozen=True)
class Setting:
    """A setting in which runs differ, as it is in each."""

    name: str
    values: tuple[str, ...]


@dataclass(frozen=True)
class Ending:
    """What members came to in each run: a quantity, at one place among the hyperparameters; None where a run has no
    member there."""

    quantity: str
    place: Place
    estimates: tuple[Estimate | None, ...]

    @property
    def where(self) -> str:
        """The place in words."""
        return in_words(self.place)


@dataclass(frozen=True)
class Comparison:
    """Runs side by side.

    `places`: the members of each run at each combination of what some run swept. `settings`: those that differ,
    `alike`: how many do not; `endings`: medians, with intervals of 95 %, of the last values up to the last step that
    all runs have; `apart`: what they do not share, in words.
    """

    records: Mapping[str, xr.Dataset] = field(repr=False)
    places: Mapping[str, Mapping[Place, Cell]] = field(repr=False)
    settings: tuple[Setting, ...]
    alike: int
    endings: tuple[Ending, ...]
    apart: tuple[str, ...]

    @property
    def names(self) -> tuple[str, ...]:
        return tuple(self.records)

    @property
    def curves(self) -> tuple[str, ...]:
        """The scalars that all have."""
        every = [histories(record) for record in self.records.values()]
        return tuple(name for name in every[0] if all(name in each for each in every[1:]))


def compare(runs: Sequence[Run]) -> Comparison:
    """Compare runs in what they share, and say what they do not share.

    Runs need not be of one recipe, nor complete. Members that differ in seeds alone are taken together, and no others:
    networks of several learning rates are compared at each rate. Members that diverged are counted, and left out of
    medians.
    """
    if len(runs) < 2:
        raise ValueError(f"compare: runs must be two or more; got {shown([str(run.path) for run in runs])}.")
    records = {name: run.record() for name, run in zip(_names(runs), runs, strict=True)}
    every = [_settings(run, record) for run, record in zip(runs, records.values(), strict=True)]
    rows = [Setting(name, tuple(each.get(name, "–") for each in every)) for name in _united(every)]
    differ = tuple(row for row in rows if len(set(row.values)) > 1)
    places, apart = _places(records)
    endings = tuple(_endings(records, places, apart))
    return Comparison(records, places, differ, len(rows) - len(differ), endings, tuple(apart))


def _names(runs: Sequence[Run]) -> list[str]:
    """The names of the folders or, where two have one name, their paths."""
    short = [run.path.resolve().name for run in runs]
    names = [name if short.count(name) == 1 else str(run.path) for name, run in zip(short, runs, strict=True)]
    return [name if names.count(name) == 1 else f"{name} ({number + 1})" for number, name in enumerate(names)]


def _settings(run: Run, record: xr.Dataset) -> dict[str, str]:
    """Everything that was set, by name: in the words of run.json, and the columns of members that it does not have."""
    told = {name: value for name, value in flat(fields(run.about)) if value != {} and not name.startswith(_EACH)}
    told = {name.removeprefix("config."): value for name, value in told.items()}
    columns = {name: np.unique(record[name].values).tolist() for name in hyperparameters(record)}
    return {name: exact(value) for name, value in (columns | told).items()}


def _united(tables: Iterable[Iterable[Any]]) -> list[Any]:
    """Every key, in the order in which they are first met."""
    return list(dict.fromkeys(name for each in tables for name in each))


def _endings(
    records: Mapping[str, xr.Dataset], places: Mapping[str, Mapping[Place, Cell]], apart: list[str]
) -> list[Ending]:
    """Where members ended. What cannot be compared, `apart` is told."""
    found: list[Ending] = []
    every = {name: histories(record) for name, record in records.items()}
    for quantity in _shared(every, apart):
        last = {name: _last_step(record, every[name][quantity]) for name, record in records.items()}
        step = _earliest(last, f"{quantity} is compared at", apart)
        values = {name: ends(record, every[name][quantity], step) for name, record in records.items()}
        found += _side_by_side(quantity, places, values, _median)
    trained = {name: int(record.last_step.max()) for name, record in records.items()}
    for crossing in _shared({name: _crossings(record) for name, record in records.items()}, apart):
        what = crossing.removesuffix("_step")
        until = _earliest(trained, f"The share with {what} is counted up to", apart)
        first = {name: record[crossing].values for name, record in records.items()}
        hits = {name: (steps != NEVER) & (steps <= until) for name, steps in first.items()}
        found += _side_by_side(f"share with {what}", places, hits, _share)
    lost = {name: record.outcome.values == Outcome.DIVERGED for name, record in records.items()}
    if any(each.any() for each in lost.values()):
        found += _side_by_side("share that diverged", places, lost, _share)
    held = {name: _over_steps(record) for name, record in records.items()}
    if arrays := [name for name in _united(held.values()) if not any(name in each for each in every.values())]:
        apart.append(f"Arrays are not compared: {', '.join(sorted(arrays))}.")
    return found


def _earliest(last: Mapping[str, int], what: str, apart: list[str]) -> int:
    """The last step that all runs have. Which have more, `apart` is told."""
    step = min(last.values())
    if longer := [name for name in last if last[name] > step]:
        apart.append(f"{what} step {step:,}; {' and '.join(longer)} went on.")
    return step


def _shared(tables: Mapping[str, Iterable[str]], apart: list[str]) -> list[str]:
    """The keys that all have. Of the others, `apart` is told who has them."""
    having = {key: [name for name, each in tables.items() if key in each] for key in sorted(_united(tables.values()))}
    for names in map(list, dict.fromkeys(map(tuple, having.values()))):
        if len(names) < len(tables):
            only = ", ".join(key for key, others in having.items() if others == names)
            apart.append(f"Recorded in {' and '.join(names)} only: {only}.")
    return [key for key, names in having.items() if len(names) == len(tables)]


def _places(records: Mapping[str, xr.Dataset]) -> tuple[dict[str, dict[Place, Cell]], list[str]]:
    """The members of each run at each combination of what some run swept; and what was not told apart."""
    found, apart = {}, []
    axes = sorted({axis for record in records.values() for axis in swept(record)})
    for name, record in records.items():
        own = [axis for axis in axes if axis in hyperparameters(record)]
        many = [axis for axis in own if len(np.unique(record[axis].values)) > _MOST]
        apart += [f"{axis} has more than {_MOST} values in {name}: their networks are taken together." for axis in many]
        own = [axis for axis in own if axis not in many]
        found[name] = {tuple(zip(own, cell.values, strict=True)): cell for cell in cells(record, own)}
    return found, apart


def _side_by_side(
    quantity: str,
    places: Mapping[str, Mapping[Place, Cell]],
    values: Mapping[str, np.ndarray],
    estimate: Callable[[np.ndarray], Estimate],
) -> list[Ending]:
    def at(name: str, place: Place) -> Estimate | None:
        return estimate(values[name][places[name][place].members]) if place in places[name] else None

    every = sorted(_united(places.values()))
    return [Ending(quantity, place, tuple(at(name, place) for name in places)) for place in every]


def _median(values: np.ndarray) -> Estimate:
    return bootstrap(np.median, values[np.isfinite(values)])


def _share(hits: np.ndarray) -> Estimate:
    return share(int(hits.sum()), len(hits))


def _last_step(record: xr.Dataset, history: xr.DataArray) -> int:
    """The last step at which some member was seen."""
    steps = record[history.dims[1]].values
    return int(min(steps[-1], record.last_step.max())) if "last_step" in record else int(steps[-1])


def _over_steps(record: xr.Dataset) -> list[str]:
    return [str(name) for name, v in record.data_vars.items() if any(str(dim).startswith("step") for dim in v.dims)]


def _crossings(record: xr.Dataset) -> list[str]:
    given = (str(name) for name, value in record.data_vars.items() if value.dims == ("member",))
    return [name for name in given if name.endswith("_step") and name != "last_step"]
