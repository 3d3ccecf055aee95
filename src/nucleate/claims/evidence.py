"""What a measurement may look at, and what has been computed from it already."""

import hashlib
import json
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, Generic, Protocol, TypeVar, runtime_checkable

import xarray as xr

from nucleate.record import Keep, load

T = TypeVar("T")
Effort = TypeVar("Effort")

_WORTH_KEEPING = 0.5  # seconds: what is computed faster is not worth a file
_VOLATILE = {"status", "seconds"}  # what changes in run.json without changing the record


@runtime_checkable
class FinishedRun(Protocol):
    """Where a record comes from and what it cost: a `Run`, or anything like it."""

    @property
    def about(self) -> Mapping[str, Any]: ...

    @property
    def record_path(self) -> Path: ...

    def record(self) -> xr.Dataset: ...


class Evidence(Generic[Effort]):
    """Finished runs by experiment name, and the paper's `effort`: how much to compute where nothing is trained.

    `known`: results that `once` need not compute. `keep`: where results are kept between processes.
    """

    def __init__(
        self,
        runs: Mapping[str, FinishedRun],
        effort: Effort,
        *,
        known: Mapping[Callable, Any] | None = None,
        keep: Keep | None = None,
    ):
        self.runs, self.effort = runs, effort
        self._keep = keep
        self._records: dict[str, xr.Dataset] = {}
        self._identities: dict[str, str] = {}
        self._results: dict[Callable, tuple[Any, frozenset[str]]] = {
            compute: (value, frozenset()) for compute, value in (known or {}).items()
        }
        self._used: set[str] = set()

    def record(self, name: str) -> xr.Dataset:
        """The record of an experiment, loaded once."""
        self._used.add(name)
        if name not in self._records:
            run = self.runs[name]
            self._records[name] = load(run.record(), run.record_path)
        return self._records[name]

    def about(self, name: str) -> Mapping[str, Any]:
        """What the run of an experiment says of itself: its config, members, steps and cost."""
        self._used.add(name)
        return self.runs[name].about

    def once(self, compute: Callable[["Evidence[Effort]"], T]) -> T:
        """`compute(evidence)`, computed the first time and kept: a fit that several claims and figures share.

        What takes long is also kept on disk, with the records that it read, if it consists of arrays, datasets and
        dataclasses.
        """
        if compute not in self._results:
            name = f"{compute.__module__}.{compute.__qualname__}"
            self._results[compute] = self._kept(name, lambda: compute(self), _WORTH_KEEPING)
        value, used = self._results[compute]
        self._used |= used
        return value

    def kept(self, name: str, compute: Callable[[], T], valid: Callable[[T], bool] = lambda value: True) -> T:
        """`compute()`, or what it returned in an earlier process from the same records, code and effort, if that is
        still `valid`."""
        value, used = self._kept(name, compute, 0.0, valid)
        self._used |= used
        return value

    def _kept(
        self, name: str, compute: Callable[[], T], worth: float, valid: Callable[[T], bool] = lambda value: True
    ) -> tuple[T, frozenset[str]]:
        found = self._keep.find(name, self._sources(self.runs)) if self._keep else None
        if found is not None and valid(found[0]):
            return found
        outer, self._used = self._used, set()
        try:
            began = time.monotonic()
            value = compute()
            used = frozenset(self._used)
        finally:
            self._used = outer
        if self._keep and time.monotonic() - began >= worth:
            self._keep.store(name, value, self._sources(used))
        return value, used

    def _sources(self, names) -> dict[str, str]:
        """The identity of each run: what its run.json says, but for what changes while the record does not."""
        for name in set(names) - self._identities.keys():
            about = {key: value for key, value in self.runs[name].about.items() if key not in _VOLATILE}
            self._identities[name] = hashlib.sha256(json.dumps(about, sort_keys=True, default=str).encode()).hexdigest()
        return {name: self._identities[name] for name in names}
