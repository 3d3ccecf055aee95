"""A Dask cluster as the executor of a run.

The client hands out shards one by one, a thread of a worker at a time, and is the only one that does: a worker that is
gone is seen in the list of workers, and its shards are given to others under a new epoch (see `lease`). The scheduler
passes on some eight short messages for each shard, with the rows of its networks in one of them; numbers go from the
workers to the disk.
"""

import contextlib
import queue
import time
from collections import Counter, deque
from collections.abc import Callable, Sequence
from typing import Any, final

from nucleate import machine
from nucleate.fleet.allow import Allow
from nucleate.fleet.clusters.crew import Brief, Task
from nucleate.fleet.clusters.lease import BEATS, SILENCE, Landlord
from nucleate.fleet.clusters.line import Line, labour
from nucleate.fleet.clusters.roster import Roster
from nucleate.fleet.cut import cut_of, first_cut
from nucleate.fleet.executor import Executor
from nucleate.fleet.plan import Plan
from nucleate.fleet.progress import Watcher
from nucleate.fleet.shard import StopRequested, Work
from nucleate.record import Run, RunError

_MUSTER = 1.0  # seconds between two looks at who is there
_TELL_SECONDS = 20.0  # how often the cost so far is saved
_REPORT, _REPORTS = 2.0, 100  # seconds between two reports of a process, and reports a second of all of them
_LAST_WORDS = 60.0  # seconds that workers have to save what they train, when they are to stop
_DEATHS = 3  # of workers, before a shard is thought to be their cause


@final
class Cluster(Executor):
    """All workers of a Dask cluster, those that join later among them; `silence`: see `lease`."""

    here = False
    silence = SILENCE

    def __init__(self, client: Any, run: Run):
        self._run, self._line = run, Line(client, f"{run.way_on} continues the run")
        self._landlord: Landlord | None = None
        self._flying: dict[Any, tuple[str, int]] = {}
        self._ended: queue.SimpleQueue[Any] = queue.SimpleQueue()

    def prepare(self, plan: Plan, run: Run, watch: Watcher, allow: Allow) -> None:
        machine.use_compile_cache()
        machine.workers()
        self._watch, self._landlord = watch, (landlord := Landlord(run.lease, self.silence / BEATS))
        self._topic = f"nucleate-{landlord.session}"
        self._roster = Roster(self._line, run, plan.recipe, landlord.session, watch)
        with self._line.answering():
            self._roster.open(allow)
        self.workers = self._roster.threads
        dashboard = f"; dashboard: {self._line.dashboard}" if self._line.dashboard else ""
        watch.tell(f"{self._roster} at {self._line.address}{dashboard}")

    def work_through(self, work: Work, shards: Sequence[int], tick: Callable[[], None]) -> None:
        assert self._landlord
        self._work, self._todo, self._deaths = work, deque(shards), Counter[int]()
        self._brief = _brief(self._run, work, self._landlord.session, self.silence, self.workers)
        self._credited: dict[int, int] = {}
        self._had: dict[int, dict[str, int]] = {}
        self._failure: BaseException | None = None
        self._stopped = float("inf")
        self._line.listen(self._topic, lambda reports: [self._credit(*report) for report in reports])
        self._watch.say(str(self._roster))
        told = mustered = time.monotonic()
        with machine.undisturbed(), self._line.answering():
            while self._flying or (self._todo and not work.stop.is_set()):
                if machine.asked_to_stop() and not work.stop.is_set():
                    self._stop()
                now = time.monotonic()
                if now - self._stopped > _LAST_WORDS:
                    break
                if now - mustered > _MUSTER:
                    mustered = now
                    before, gone = self._roster.threads, self._roster.muster()
                    self._miss(gone)
                    if before != self._roster.threads:
                        self._watch.say(str(self._roster))
                self._hand_out(self._landlord)
                self._settle(timeout=0.1)
                if now - told > _TELL_SECONDS:
                    told = now
                    with contextlib.suppress(OSError, RunError):  # a full disk is reported by the workers
                        tick()
        if self._failure:
            raise self._failure
        if self._todo or self._flying:
            raise StopRequested

    def finish(self) -> None:
        if self._landlord is None:
            return
        self._landlord.close()
        self._line.deafen(self._topic)
        self._roster.close()
        for future in self._flying:
            future.cancel()

    def _hand_out(self, landlord: Landlord) -> None:
        """Give a shard to every idle thread, as long as there are some."""
        if self._work.stop.is_set():
            return
        for address, hand in self._roster.hands.items():
            slots = 1 if self._work.alone else hand.threads
            while self._todo and len(hand.busy) < slots:
                shard = self._todo.popleft()
                brief, hand.briefed = (None if hand.briefed else self._brief), True
                task = self._task(shard, landlord.grant(shard), self._signature(shard, address, hand.place))
                what = f"nucleate-shard-{shard}"
                future = self._line.ask(address, what, labour, self._topic, landlord.session, brief, task)
                hand.busy.add(shard)
                self._flying[future] = (address, shard)
                future.add_done_callback(self._ended.put)

    def _task(self, shard: int, epoch: int, signature: dict) -> Task:
        members = self._work.layout.shards[shard]
        table = self._work.layout.plan.members
        rows = {name: column[members.start : members.stop] for name, column in table.items()}
        return Task(shard, rows, epoch, signature)

    def _signature(self, shard: int, address: str, place: int) -> dict:
        """Who is given a shard, after which others that may have trained a part of it."""
        had = self._had.setdefault(shard, {})
        after = {other: where for other, where in had.items() if other != address}
        had[address] = place
        return {"worker": address, "place": place} | ({"after": after} if after else {})

    def _settle(self, timeout: float) -> None:
        """See to the shards that have ended since, waiting a little for the first."""
        ended = []
        with contextlib.suppress(queue.Empty):
            ended.append(self._ended.get(timeout=timeout))
            while True:
                ended.append(self._ended.get_nowait())
        ended = [future for future in ended if future in self._flying]  # not of a worker that was missed before
        endings = self._line.answers(ended)
        for future in ended:
            self._see_to(future, endings.get(future), *self._flying.pop(future))

    def _see_to(self, future: Any, ending: str | None, address: str, shard: int) -> None:
        """`ending`: what the worker said; nothing if it failed or died."""
        hand = self._roster.hands.get(address)
        if hand:
            hand.busy.discard(shard)
        if ending == "trained":
            assert self._landlord
            self._landlord.settle(shard)
            del self._had[shard]
            self._credit(shard, len(self._work.layout.shards[shard]) * self._work.layout.plan.steps)
        elif future.status == "error":
            self._fail(future.exception())
        elif ending is None:
            self._bereave(address, shard)
        else:
            self._todo.appendleft(shard)
            if ending == "unbriefed":  # another process at that address, or one that heard nothing for a while
                self._roster.ask_again(address)

    def _miss(self, addresses: list[str]) -> None:
        """What workers that are gone were training goes on elsewhere."""
        for future, (address, shard) in [*self._flying.items()]:
            if address in addresses:
                del self._flying[future]
                future.cancel()
                self._bereave(address, shard)

    def _bereave(self, address: str, shard: int) -> None:
        """A worker died with a shard, which goes on from its checkpoint, unless it seems to be the cause."""
        self._todo.appendleft(shard)
        self._deaths[shard] += 1
        if self._deaths[shard] >= _DEATHS:
            members = self._work.layout.shards[shard]
            self._fail(
                RunError(
                    f"{_DEATHS} workers died while they trained members {members.start} to {members.stop - 1} of "
                    f"{self._run.path}, the last at {address}. Their logs, and their limits of memory, may say why; "
                    f"then {self._run.way_on} continues it."
                )
            )

    def _fail(self, failure: BaseException) -> None:
        self._failure = self._failure or failure
        self._stop()

    def _stop(self) -> None:
        assert self._landlord
        if not self._work.stop.is_set():
            self._stopped = time.monotonic()
        self._work.stop.set()
        self._landlord.stop()

    def _credit(self, shard: int, steps: int) -> None:
        """Tell of progress, but not again of steps that another worker had taken before."""
        before = self._credited.get(shard, 0)
        if steps > before:
            self._credited[shard] = steps
            self._work.advance(steps - before)


def _brief(run: Run, work: Work, session: str, silence: float, workers: int) -> Brief:
    plan, layout = work.layout.plan, work.layout
    return Brief(
        session,
        run.lease.absolute(),
        run.record_path.absolute(),
        run.checkpoints.absolute(),
        plan.recipe,
        plan.keep_weights,
        plan.steps,
        {name: column.dtype for name, column in plan.members.items()},
        plan.members.count,
        cut_of(plan, run.about) or first_cut(plan),
        layout.shard_size,
        layout.shapes,
        layout.rows_per_chunk,
        list(work.chunks),
        work.checkpoint_seconds,
        not isinstance(work.starting, contextlib.nullcontext),
        silence,
        max(_REPORT, workers / _REPORTS),
    )
