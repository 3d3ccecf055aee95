"""Any training loop as a run: what it logs is streamed into a record that grows."""

import contextlib
import errno
import os
import time
import weakref
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Annotated, Any

import numpy as np
import xarray as xr

from nucleate.checking import AtLeast, Bits, checked, shown, to_numpy
from nucleate.record.disk import telling_full_disk
from nucleate.record.frame import bare_record
from nucleate.record.logbook import Logbook
from nucleate.record.opening import open_record
from nucleate.record.run import Run
from nucleate.record.schema import RunError
from nucleate.record.store import LOGGED, NOTHING, create_store

_DENIED = {errno.EACCES, errno.EPERM, errno.EROFS}
_INHERITED: list[contextlib.ExitStack] = []


class Recorder:
    """Record any training loop into a run directory, which `nucleate show`, `nucleate report` and theories can read.

    `members`: how many networks, or a dict of columns, or a dict for each; left out, there is one, and what is logged
    has no member axis. `dims`: names of the axes of one network's value, where they are not known by the variable's
    name. `facts`: arrays that never change, such as the pairs of the task.

    What was logged is written every `flush_seconds`, when the next step begins. From then on anyone can read it, and it
    survives the process. `Recorder` of the same folder continues after `last_step`. If the loop fails, the step it was
    in is left out, unless every variable of every member was logged at it. A member whose `loss` is not finite has
    diverged.

    Close it, or use it in a `with`. One that is not closed is written, as that of a loop that failed, when nothing
    refers to it any more or Python exits; a process that is killed loses what came after the last flush.

    >>> import tempfile
    >>> with Recorder(f"{tempfile.mkdtemp()}/run", members={"eta": [0.1, 0.2]}) as recorder:
    ...     for step in range(recorder.last_step + 1, 4):
    ...         recorder.log(step, loss=[1 / (1 + step)] * 2, embedding=np.zeros((2, 5, 3)))
    >>> recorder.run.record().embedding.sizes
    Frozen({'member': 2, 'step': 4, 'token': 5, 'dim': 3})
    """

    @checked
    def __init__(
        self,
        path: Path | str,
        members: Any = None,
        *,
        dims: Mapping[str, Any] | None = None,
        facts: Mapping[str, Any] | None = None,
        flush_seconds: Annotated[float, AtLeast(0)] = 20.0,
    ):
        self.run = Run(path)
        self._flush_seconds = flush_seconds
        self._flushed = time.monotonic()
        asked = bare_record(self._known_members() if members is None else members, facts, dims or {})
        with contextlib.ExitStack() as stack, self._telling():
            self._hold(stack)
            record = self._record(asked, any_members=members is None)
            self._alone = members is None and record.sizes["member"] == 1
            self._began = began = self._flushed - self.run.about.seconds
            self._logbook = Logbook(self.run.record_path, record, dims or {})
            self.run.update(status="running")
            self._logbook.take_back()
            self._held: contextlib.ExitStack | None = stack.pop_all()
        self._unless_closed = weakref.finalize(self, _rescue, os.getpid(), self._held, self._logbook, self.run, began)

    @property
    def last_step(self) -> int:
        """The newest step of all members, after which the loop may continue; -1 if nothing was logged."""
        return int(self.last_steps.max())

    @property
    def last_steps(self) -> np.ndarray:
        """The newest step of each member, for members that are trained one after the other."""
        return self._logbook.last_steps

    @checked
    def log(self, step: Annotated[int, AtLeast(0), Bits(31)], /, *, member: int | None = None, **values: Any) -> None:
        """Note what is seen at a step: of all members, along the first axis of each value, or of one `member`.

        Values may be numbers, or arrays and tensors of any library. What is logged at other steps than the rest has an
        axis `step_<name>` of its own in the record.
        """
        self._refuse_closed("log")
        chosen = self._chosen(member)
        if not values:
            raise ValueError("Recorder.log: nothing was given to be logged at this step, such as loss=….")
        arrays = {name: self._array(name, value, chosen, member) for name, value in values.items()}
        self._logbook.refuse_misfits(arrays)
        for name in values:
            self._refuse_backwards(name, step, chosen)
        if self._logbook.now not in (None, step) and self._is_due():
            self.flush()
        for name, array in arrays.items():
            self._logbook.put(name, array, chosen, step)

    def flush(self) -> None:
        """Write everything that was logged. Call it between two steps: a variable that comes later at the same step is
        taken for one with a schedule of its own."""
        self._refuse_closed("flush")
        with self._telling():
            self._commit()

    def close(self) -> None:
        """Write everything and call the run complete, which a `Recorder` of the same folder can still continue."""
        if self._held is None:
            return
        with self._telling():
            self._commit()
            if self._logbook.series:
                self._logbook.complete()
                self.run.update(status="complete")
        self._release()

    def __enter__(self) -> "Recorder":
        return self

    def __exit__(self, kind, error, trace) -> None:
        if kind is None:
            self.close()
            return
        try:  # what the loop failed of is what is to be told
            with self._telling():
                if self._held is not None:
                    _leave_off(self._logbook, self.run, self._began)
        except (RunError, OSError) as problem:
            error.add_note(str(problem))
        self._release()

    def __repr__(self) -> str:
        return f"Recorder({str(self.run.path)!r}, members={self._logbook.count}, last_step={self.last_step})"

    # --- begin and continue ------------------------------------------------------------------------------------------

    def _hold(self, stack: contextlib.ExitStack) -> None:
        if self.run.is_held():
            raise RunError(
                f"{self.run.path} is being written by another process, or by a recorder that was not closed: close() "
                "that one, or choose another folder."
            )
        self.run.refuse_foreign("choose another folder")
        stack.enter_context(self.run.lock())

    def _known_members(self) -> int | None:
        """How many members the record in the folder has, if there is one."""
        return Run.open(self.run.path).about.members if self.run.exists() and self.run.record_path.exists() else None

    def _record(self, asked: xr.Dataset, any_members: bool) -> xr.Dataset:
        """The record in the folder, begun if it is not there."""
        run = self.run
        if run.exists():
            if Run.open(run.path).about.by != "recorder":
                raise RunError(f"{run.path} holds a run of nucleate's own fleets; choose another folder.")
            run.folder.sweep()
        else:
            Run.create(run.path, {"by": "recorder", "members": asked.sizes["member"], "steps": 1})
        if not run.record_path.exists():
            run.update(members=asked.sizes["member"])
            create_store(run.record_path, asked.assign_attrs({LOGGED: NOTHING}), [])
        record = open_record(run.record_path, complete=False)
        if LOGGED not in record.attrs:
            raise RunError(
                f"{run.path} was written as a whole, by from_arrays; record what follows into another folder."
            )
        for name, variable in asked.variables.items():
            if name in ("outcome", "last_step") or (name == "member" and any_members):
                continue
            if name not in record.variables or not record.variables[name].equals(variable):
                raise RunError(
                    f"{run.path} was recorded with other members or facts: '{name}' is not as in its record. Give them "
                    "as before, leave them out, or choose another folder."
                )
        return record

    # --- check -------------------------------------------------------------------------------------------------------

    def _chosen(self, member: int | None) -> slice:
        count = self._logbook.count
        if member is None:
            return slice(0, count)
        if not 0 <= member < count:
            raise ValueError(
                f"Recorder.log: member must be one of 0 to {count - 1}; got {member}. How many there are is said when "
                "the recorder is made: Recorder(path, members=…)."
            )
        return slice(member, member + 1)

    def _array(self, name: str, value: Any, chosen: slice, member: int | None) -> np.ndarray:
        """A value with a leading member axis."""
        array, where = to_numpy(f"Recorder.log: {name}", value), f"Recorder.log: '{name}'"
        if self._alone or member is not None:
            array = array[None]
        elif array.ndim == 0 or len(array) != chosen.stop:
            raise ValueError(
                f"{where} must have the {chosen.stop} members as its first axis; got the shape {array.shape}. "
                f"log(step, member=i, {name}=…) logs one of them."
            )
        if array.size == 0:
            raise ValueError(f"{where} has the shape {array.shape[1:]}, which holds no numbers.")
        if (series := self._logbook.series.get(name)) is None:
            return array
        if array.shape[1:] != series.inner:
            raise ValueError(
                f"{where} had the shape {series.inner} for one network before; got {array.shape[1:]}. Log another "
                "shape under another name."
            )
        both_whole = array.dtype.kind in "biu" and series.array.dtype.kind in "iu"
        if not both_whole and not np.can_cast(array.dtype, series.array.dtype, "same_kind"):
            raise ValueError(
                f"{where} was of {series.array.dtype} before; got {array.dtype}. Convert it from the first step on, or "
                "log it under another name."
            )
        if both_whole and np.any(wrong := array != array.astype(series.array.dtype)):
            raise ValueError(
                f"{where} was of {series.array.dtype} before, which cannot hold {array[wrong][0]}. Convert it to a "
                "larger type from the first step on, or log it under another name."
            )
        return array

    def _refuse_backwards(self, name: str, step: int, chosen: slice) -> None:
        if (series := self._logbook.series.get(name)) is None:
            return
        member = chosen.start + int(np.argmax(series.last[chosen]))
        last = int(series.last[member])
        if step <= last:
            before = "it was logged already" if step == last else f"the last was step {last}"
            raise ValueError(
                f"Recorder.log: '{name}' of member {member} cannot be logged at step {step}: {before}. Go on after "
                f"recorder.last_step ({self.last_step}), skip what a resumed loop repeats, or choose a fresh folder."
            )
        if between := self._logbook.gap(name, step):
            raise ValueError(
                f"Recorder.log: '{name}' cannot be logged at step {step}: for other members it was logged at "
                f"{shown(between)}, not between. Log all members at the same steps, or all at each step in turn."
            )

    def _refuse_closed(self, what: str) -> None:
        if self._held is None:
            raise RunError(
                f"Recorder.{what}: {self.run.path} was closed; Recorder({str(self.run.path)!r}) continues it."
            )

    # --- write -------------------------------------------------------------------------------------------------------

    def _is_due(self) -> bool:
        return time.monotonic() - self._flushed > self._flush_seconds or self._logbook.is_full

    def _commit(self) -> None:
        _commit(self._logbook, self.run, self._began)
        self._flushed = time.monotonic()

    def _release(self) -> None:
        self._unless_closed.detach()
        self._held, held = None, self._held
        if held is not None:
            held.close()

    @contextlib.contextmanager
    def _telling(self) -> Iterator[None]:
        path = self.run.path
        way_on = f"Recorder({str(path)!r}) continues after what was written"
        try:
            with telling_full_disk(path, way_on):
                yield
        except OSError as error:
            if error.errno not in _DENIED:
                raise
            raise RunError(f"{path} cannot be written: {error.strerror}. Choose another folder.") from error


def _commit(logbook: Logbook, run: Run, began: float, **changes: Any) -> None:
    logbook.commit()
    run.update(steps=logbook.newest, seconds=round(time.monotonic() - began, 2), **changes)


def _leave_off(logbook: Logbook, run: Run, began: float) -> None:
    logbook.leave_out_half()
    _commit(logbook, run, began, status="interrupted")


def _rescue(process: int, held: contextlib.ExitStack, logbook: Logbook, run: Run, began: float) -> None:
    """Write what a recorder holds that was never closed, in the process that made it."""
    if process != os.getpid():
        _INHERITED.append(held)  # letting go of the lock here would take it from the process that holds it
        return
    with held:
        if run.exists():
            _leave_off(logbook, run, began)
