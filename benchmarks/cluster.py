"""What a cluster costs: `python -m benchmarks.cluster scaling | sorting | client | scheduler | store`.

scaling    processor time of a fleet by threads and by one and two worker processes, in turn
sorting    the client's time and memory to make the data of all networks and to describe them, before it trains any
client     its time a shard, with made-up workers that answer at once, and the bytes that it sends; who is there
scheduler  that of a scheduler, a worker and a client together, a call
store      laying out, opening, listing and checking a record of up to a million members
"""

import contextlib
import os
import queue
import sys
import tempfile
import threading
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np


def scaling(steps: int = 6000, members: int = 8, rounds: int = 2) -> None:
    from distributed import Client, LocalCluster

    from nucleate.fleet import Plan, train
    from nucleate.papers import paper

    experiment = paper("grokking").experiments["grokking/phase-rates"].paper
    recipe, table = experiment.recipe(), experiment.members()

    def plan(steps: int) -> Plan:
        return Plan(recipe, table.only(range(members)), steps, block=1)

    def spent(client: Any) -> float:
        workers = client.run(time.process_time).values() if client else ()
        return time.process_time() + sum(workers)

    def clusters(stack: contextlib.ExitStack):
        yield "threads", None
        for count in (1, 2):
            made = LocalCluster(n_workers=count, threads_per_worker=1, dashboard_address=None, silence_logs=50)
            yield f"{count} workers", stack.enter_context(Client(stack.enter_context(made), set_as_default=False))

    with contextlib.ExitStack() as stack, tempfile.TemporaryDirectory() as folder:
        places = list(clusters(stack))
        for name, client in places:
            train(plan(60), Path(folder) / f"warm {name}", on=client)
        for number in range(rounds):
            for name, client in places:
                before, began = spent(client), time.monotonic()
                train(plan(steps), Path(folder) / f"{name} {number}", on=client)
                took = spent(client) - before
                print(f"{name:10} {took:6.1f} s of processors, {took / members:.2f} s a shard, "
                      f"{time.monotonic() - began:.1f} s by the clock", flush=True)  # fmt: skip


@dataclass(eq=False)
class _Answered:
    """The answer of a made-up worker."""

    answer: Any
    status: str = "finished"

    def add_done_callback(self, call) -> None:
        call(self)

    def cancel(self) -> None: ...


@dataclass
class _Line:
    """A cluster of made-up workers, each of which trains a shard in no time."""

    workers: int
    dashboard: str = ""
    address: str = "nowhere"
    asked: int = 0
    sent: int = 0

    def threads(self) -> dict[str, int]:
        return {f"tcp://10.0.{n // 250}.{n % 250}:40000": 1 for n in range(self.workers)}

    def ask(self, address: str, what: str, function: Any, *args: Any) -> _Answered:
        from nucleate.fleet.clusters.parcel import packed

        self.sent += len(packed((function, args)))
        self.asked += 1
        return _Answered("trained")

    def answers(self, futures: list) -> dict:
        return {future: future.answer for future in futures}

    def listen(self, topic: str, hear: Any) -> None: ...
    def deafen(self, topic: str) -> None: ...

    def answering(self):
        return contextlib.nullcontext()


def sorting() -> None:
    """In a process for each size, since memory that was used once stays."""
    import subprocess

    code = "import sys; from benchmarks.cluster import _sorted; _sorted(int(sys.argv[1]))"
    for members in (1_000, 10_000, 100_000):
        subprocess.run([sys.executable, "-c", code, str(members)], check=True)


def _sorted(members: int) -> None:
    import resource

    from nucleate.fleet import Members, Plan, Silent
    from nucleate.fleet import estimate as rules
    from nucleate.fleet.layout import Layout, largest_shapes
    from nucleate.papers import paper

    grouped = sys.modules["nucleate.fleet.train"]._grouped
    rules._KEPT = 0  # as for the largest fleets
    experiment = paper("grokking").experiments["grokking/phase-rates"].paper
    row = experiment.members().only([0])
    table = Members({name: np.repeat(column, members) for name, column in row.items()})
    plan = Plan(experiment.recipe(), table, 100, block=1)
    needs = rules.Needs(plan, Path(), 1000, here=False)
    before, began = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss, time.process_time()
    grouped(plan, Silent(), needs, begun=False)
    took, began = time.process_time() - began, time.process_time()
    Layout(plan, 64, largest_shapes(plan, needs.shapes)).described  # noqa: B018
    described, after = time.process_time() - began, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    print(f"{members:9,} members: sorted in {took:.2f} s, described in {described:.2f} s, "
          f"{(after - before) / 1e3:.0f} MB more", flush=True)  # fmt: skip


def client() -> None:
    """The client's loop: shards handed out, answers seen to, workers counted."""
    from nucleate.fleet import Plan, Silent
    from nucleate.fleet.clusters.cluster import Cluster
    from nucleate.fleet.clusters.lease import Landlord
    from nucleate.fleet.clusters.roster import Hand, Roster
    from nucleate.fleet.layout import Layout
    from nucleate.fleet.shard import Work
    from nucleate.papers import paper
    from nucleate.record import Run

    experiment = paper("grokking").experiments["grokking/phase-rates"].paper
    row = experiment.members().only([0])
    from nucleate.fleet import Members

    for members, workers in ((10_000, 10), (100_000, 100), (1_000_000, 10), (1_000_000, 1000)):
        table = Members({name: np.repeat(column, members) for name, column in row.items()})
        plan = Plan(experiment.recipe(), table, 100, block=1)
        with tempfile.TemporaryDirectory() as folder:
            run = Run.create(folder, {"members": members, "steps": 100, "block": 1, "shard_size": 64})
            shapes = {probe.name: ((2,) * len(probe.dims), np.dtype("float32")) for probe in plan.recipe.probes}
            layout = Layout(plan, 64, shapes)
            work = Work(layout, {}, [], None, run.checkpoints, 20.0, threading.Event(), lambda n: None,
                        print, False, contextlib.nullcontext())  # type: ignore[arg-type]  # fmt: skip
            line = _Line(workers)
            cluster = object.__new__(Cluster)
            landlord = Landlord(run.lease)
            cluster.__dict__.update(_run=run, _line=line, _landlord=landlord, _flying={}, _ended=queue.SimpleQueue(),
                                    _topic="t", _watch=Silent(), workers=workers)  # fmt: skip
            roster = Roster(line, run, plan.recipe, landlord.session, Silent())  # type: ignore[arg-type]
            roster.hands = {address: Hand(1, 0) for address in line.threads()}
            cluster.__dict__["_roster"] = roster
            began = time.process_time()
            cluster.work_through(work, range(len(layout.shards)), lambda: None)
            took = time.process_time() - began
            cluster.finish()
        shards = len(layout.shards)
        print(f"{members:9,} members, {shards:6,} shards, {workers:5,} workers: {took:.2f} s, "
              f"{took / shards * 1e3:.2f} ms and {line.sent / shards / 1e3:.1f} kB a shard", flush=True)  # fmt: skip
    _crew(10), _crew(1000)


def _crew(workers: int) -> None:
    """Who is there: what workers say of themselves, compared."""
    from nucleate.fleet import Allow, Silent
    from nucleate.fleet.sessions import begin_crew, environment
    from nucleate.record import Run

    with tempfile.TemporaryDirectory() as folder:
        run = Run.create(Path(folder), {"members": 1, "steps": 1})
        each = environment()
        began = time.process_time()
        begin_crew(run, Silent(), [each] * workers, Allow.NOTHING)
        print(f"{workers:5,} workers compared in {time.process_time() - began:.3f} s", flush=True)


def scheduler(calls: int = 1000) -> None:
    from distributed import Client, LocalCluster

    from nucleate.fleet.clusters.line import Line

    with (
        LocalCluster(n_workers=1, threads_per_worker=1, processes=False, dashboard_address=None) as made,
        Client(made, set_as_default=False) as connected,
    ):
        line = Line(connected, "nothing")
        ((address, _),) = line.threads().items()
        for count in (100, calls):
            ended: queue.SimpleQueue = queue.SimpleQueue()
            began = time.process_time()
            futures = [line.ask(address, "call", len, "abc") for _ in range(count)]
            for future in futures:
                future.add_done_callback(ended.put)
            for _ in futures:
                ended.get()
            assert set(line.answers(futures).values()) == {3}
            print(f"{count:6,} calls: {(time.process_time() - began) / count * 1e3:.2f} ms a call", flush=True)
            del futures, future


def store() -> None:
    from nucleate.fleet import Members, Plan
    from nucleate.fleet.layout import Layout
    from nucleate.papers import paper
    from nucleate.record import Store, create_store, open_record
    from nucleate.record.opening import missing_chunks

    experiment = paper("grokking").experiments["grokking/phase-rates"].paper
    row, recipe = experiment.members().only([0]), experiment.recipe()
    for members in (10_000, 100_000, 1_000_000):
        table = Members({name: np.repeat(column, members) for name, column in row.items()})
        plan = Plan(recipe, table, 100, block=1)
        shapes = {probe.name: ((1,) * len(probe.dims), np.dtype("float32")) for probe in recipe.probes}
        layout = Layout(plan, 64, shapes)
        layout.__dict__["described"] = {}
        times = {}
        with tempfile.TemporaryDirectory(dir="/dev/shm") as folder:
            path = Path(folder) / "record.zarr"
            with _timed(times, "lay out"):
                create_store(path, layout.frame(), layout.variables())
            with _timed(times, "fill"):
                _fill(Store(path), layout)
            with _timed(times, "open complete"):
                record = open_record(path)
            with _timed(times, "check all chunks"):
                assert not missing_chunks(path)
            with _timed(times, "read outcomes"):
                record.outcome.load()
            objects = sum(len(files) for _, _, files in os.walk(path))
        told = ", ".join(f"{name} {took:.2f}" for name, took in times.items())
        print(f"{members:9,} members, {objects:7,} objects; s of processor: {told}", flush=True)


def _fill(store: Any, layout: Any) -> None:
    """One shard as training would write it, and copies of its files for all others, which costs less time."""
    import shutil

    first = layout.shards[0]
    for variable in layout.variables():
        region = (slice(0, len(first)), *(slice(0, size) for size in variable.shape[1:]))
        store.write(variable.name, region, np.zeros((len(first), *variable.shape[1:]), variable.dtype))
        chunks = store._path / variable.name / "c"
        for number in range(1, len(layout.shards)):
            source, target = chunks / "0", chunks / str(number)
            if source.is_dir():
                shutil.copytree(source, target, copy_function=os.link)
            else:
                os.link(source, target)


@contextlib.contextmanager
def _timed(times: dict[str, float], name: str):
    began = time.process_time()
    yield
    times[name] = time.process_time() - began


if __name__ == "__main__":
    {"scaling": scaling, "sorting": sorting, "client": client, "scheduler": scheduler, "store": store}[sys.argv[1]]()
