"""What a measurement may look at, and what has been computed from it already."""

import contextlib
import sys
import time
from collections.abc import Callable, Collection, Iterator, Mapping
from typing import Any, Generic, Protocol, TypeVar, runtime_checkable

import xarray as xr

from nucleate.claims.looks import ERROR, at_level
from nucleate.record import About, Keep, naming_columns, record_identity

T = TypeVar("T")
Effort = TypeVar("Effort")

_WORTH_KEEPING = 0.5  # seconds: what is computed faster is not worth a file
_LEVEL = "level of intervals"  # beside the names of runs, as what a result was computed from


class NotTrained(LookupError):
    """An experiment is asked for that was not trained at this budget."""


@runtime_checkable
class FinishedRun(Protocol):
    """Where a record comes from and what it cost: a `Run`, or anything like it."""

    @property
    def about(self) -> About: ...

    def record(self) -> xr.Dataset: ...


class Evidence(Generic[Effort]):
    """Finished runs by experiment name, and the paper's `effort`: how much to compute where nothing is trained.

    `level`: that of all intervals measured from it. `known`: results that `once` need not compute. `keep`: where
    results are kept from one process to the next.
    """

    def __init__(
        self,
        runs: Mapping[str, FinishedRun],
        effort: Effort,
        *,
        level: float = 1 - ERROR,
        known: Mapping[Callable, Any] | None = None,
        keep: Keep | None = None,
    ):
        self.effort, self.level = effort, level
        self._runs, self._keep = runs, keep
        self._records: dict[str, xr.Dataset] = {}
        self._identities: dict[str, str] = {}
        self._results: dict[Callable, tuple[Any, frozenset[str]]] = {
            compute: (value, frozenset()) for compute, value in (known or {}).items()
        }
        self._used: set[str] = set()
        self._shown: Collection[str] = runs.keys()

    @contextlib.contextmanager
    def only(self, names: Collection[str]) -> Iterator[None]:
        """Within this block no other run can be read, not even through what was computed from it before."""
        before, self._shown = self._shown, names
        try:
            yield
        finally:
            self._shown = before

    @contextlib.contextmanager
    def reading(self) -> Iterator[set[str]]:
        """After this block, the names of the runs that were read in it, or that results used in it were made of."""
        outer, self._used = self._used, set()
        read: set[str] = set()
        try:
            yield read
        finally:
            read |= self._used - {_LEVEL}
            self._used |= outer

    def measuring(self) -> contextlib.AbstractContextManager[None]:
        """In this block, intervals are of this evidence's level; who makes one has used it."""
        return at_level(self.level, lambda: self._used.add(_LEVEL))

    def _use(self, names: Collection[str]) -> None:
        for name in set(names) - {_LEVEL}:
            if name not in self._runs:
                raise NotTrained(f"there is no run of '{name}'; there are: {', '.join(self._runs) or 'none'}.")
            if name not in self._shown:
                known = ", ".join(self._shown) or "no run"
                raise ValueError(f"'{name}' is read, but not declared: add it to `needs`, which names {known}")
        self._used |= set(names)

    def naming_columns(self) -> contextlib.AbstractContextManager[None]:
        """In this block, a column that a record does not have is an error that names the experiment."""
        return naming_columns(lambda: {name: self._records[name] for name in self._shown if name in self._records})

    def record(self, name: str) -> xr.Dataset:
        """The record of an experiment, loaded once."""
        self._use([name])
        if name not in self._records:
            self._records[name] = self._runs[name].record().load()
        return self._records[name]

    def about(self, name: str) -> About:
        """What the run of an experiment says of itself: its config, members, steps and cost."""
        self._use([name])
        return self._runs[name].about

    def once(self, compute: Callable[["Evidence[Effort]"], T]) -> T:
        """`compute(evidence)`, computed the first time and remembered: a fit that several claims and figures share.

        If `compute` is a module's function and takes long, and its result consists of arrays, datasets and
        dataclasses, that result is also kept on disk.
        """
        if compute not in self._results:
            self._results[compute] = self._kept(_name(compute), lambda: compute(self), _WORTH_KEEPING)
        value, used = self._results[compute]
        self._use(used)
        return value

    def kept(self, name: str, compute: Callable[[], T], valid: Callable[[T], bool] = lambda value: True) -> T:
        """`compute()`, or what it returned in an earlier process from the same records, code and effort, if that is
        still `valid`."""
        return self._kept(name, compute, 0.0, valid)[0]

    def _kept(
        self, name: str, compute: Callable[[], T], worth: float, valid: Callable[[T], bool] = lambda value: True
    ) -> tuple[T, frozenset[str]]:
        """The value and the names of the runs that it was computed from, which count as used from now on."""
        keep = self._keep if name else None
        found = keep.find(name, self._sources([*self._runs, _LEVEL])) if keep else None
        if found is not None and valid(found[0]):
            self._use(found[1])
            return found
        outer, self._used = self._used, set()
        began = time.monotonic()
        try:
            with self.measuring():
                value = compute()
        finally:
            used, self._used = frozenset(self._used), outer | self._used
        if keep and time.monotonic() - began >= worth:
            keep.store(name, value, self._sources(used))
        return value, used

    def _sources(self, names) -> dict[str, str]:
        """The identity of each run, and the level."""
        self._identities[_LEVEL] = repr(self.level)
        for name in set(names) - self._identities.keys():
            self._identities[name] = record_identity(self._runs[name].about)
        return {name: self._identities[name] for name in names}


def _name(compute: Callable) -> str:
    """What a module calls a function; empty for closures and methods, many of which may have the same name."""
    module, name = getattr(compute, "__module__", ""), getattr(compute, "__qualname__", "")
    return f"{module}.{name}" if getattr(sys.modules.get(module), name, None) is compute else ""
