"""A cluster of two processes trains what this process would, to the last bit, whoever dies meanwhile."""

import contextlib
import json
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest

distributed = pytest.importorskip("distributed")

import cluster_faults  # noqa: E402
from cluster_faults import fleet, hold, is_held, train_on  # noqa: E402
from patience import wait_until  # noqa: E402

from nucleate import machine  # noqa: E402
from nucleate.fleet import Interruption, Silent, spread_over, train  # noqa: E402
from nucleate.fleet.clusters import crew, roster  # noqa: E402
from nucleate.fleet.clusters.lease import Lease  # noqa: E402
from nucleate.fleet.clusters.line import Line  # noqa: E402
from nucleate.record import Run, RunError, verify  # noqa: E402

pytestmark = pytest.mark.filterwarnings("default")  # Dask's own


class Listener(Silent):
    """Remembers what it is told."""

    def __init__(self):
        self.told: list[str] = []
        self.steps = 0

    def tell(self, line: str) -> None:
        self.told.append(line)

    def advance(self, count: int) -> None:
        self.steps += count


@pytest.fixture(scope="module")
def client():
    with (
        distributed.LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=None, silence_logs=50) as cluster,
        distributed.Client(cluster, set_as_default=False) as client,
    ):
        yield client


@pytest.fixture(scope="module")
def whole(tmp_path_factory, client):
    """The run that this process trained alone, as many at once as the cluster."""
    return train_on(None, tmp_path_factory.mktemp("whole") / "run")


@pytest.fixture
def gate(client, tmp_path) -> Path:
    """While this file is there, workers wait where they are told to `hold`."""
    (tmp_path / "gate").touch()
    return tmp_path / "gate"


@contextlib.contextmanager
def meanwhile(act) -> Iterator[None]:
    """Call a function from another thread."""
    with ThreadPoolExecutor(1) as pool:
        doing = pool.submit(act)
        yield
        doing.result()


def files(run: Run) -> dict[str, bytes]:
    return {p.relative_to(run.path).as_posix(): p.read_bytes() for p in run.record_path.rglob("*") if p.is_file()}


def assert_same(run: Run, whole: Run) -> None:
    assert run.status == "complete"
    verify(run.record_path)
    assert files(run) == files(whole)
    assert len(list(run.checkpoints.glob("*.done"))) == 8
    assert not list(run.checkpoints.glob("*.checkpoint*"))
    assert not run.lease.exists()


def done(folder: Path) -> list[Path]:
    return [*folder.glob("checkpoints/*.done")]


def test_the_record_is_that_of_one_process(client, whole, tmp_path):
    watch = Listener()
    run = train_on(client, tmp_path / "run", watch)
    assert_same(run, whole)
    assert watch.steps == 8 * 800
    assert any("2 workers, with 2 threads at tcp://" in line for line in watch.told)
    signatures = [json.loads(file.read_text()) for file in done(run.path)]
    assert {each["worker"] for each in signatures} == {*client.nthreads()}  # each was given one at once
    assert {each["place"] for each in signatures} == {0}
    pauses = client.run(lambda dask_worker: dask_worker.memory_manager.memory_pause_fraction)
    assert {*pauses.values()} == {np.inf}


def test_a_worker_that_is_killed_is_replaced(client, whole, tmp_path, gate):
    """Its shards go on elsewhere, and its successor, which joins late, is used. Nobody waits for what it had said."""
    rng, here = np.random.default_rng(1), Line(client, "it can be done again")
    here.patience = 0.5
    address, victim = list(client.run(os.getpid).items())[rng.integers(2)]
    client.run(hold, gate, {6: 200, 7: 600})
    said = here.ask(address, "answer", abs, -3)

    def kill() -> None:
        try:
            wait_until(lambda: said.status == "finished" and done(tmp_path / "run"))
            time.sleep(rng.uniform(0, 0.3))
            os.kill(victim, signal.SIGKILL)
        finally:
            gate.unlink()
        assert here.answers([said]) == {}

    watch = Listener()
    with meanwhile(kill):
        run = train_on(client, tmp_path / "run", watch)
    assert_same(run, whole)
    assert watch.steps == 8 * 800
    assert any("is gone; left: 1 worker" in line for line in watch.told)
    client.wait_for_workers(2)


def test_ctrl_c_is_a_checkpoint_and_the_run_goes_on_here(client, whole, tmp_path, gate):
    client.run(hold, gate, {2: 100, 3: 500})

    def press() -> None:
        wait_until(lambda: is_held(gate, 2) or is_held(gate, 3))
        signal.pthread_kill(threading.main_thread().ident, signal.SIGINT)

    with meanwhile(press), pytest.raises(Interruption, match="resume"):
        train_on(client, tmp_path / "run")
    run = Run.open(tmp_path / "run")
    assert run.status == "interrupted"
    assert not run.lease.exists()
    assert list(run.checkpoints.glob("*.checkpoint"))
    assert_same(train_on(None, run.path), whole)


def test_workers_stop_when_the_client_is_killed(client, whole, tmp_path, gate):
    """Three times, at random moments; then the run goes on here."""
    folder, rng = tmp_path / "run", np.random.default_rng(4)
    command = [sys.executable, cluster_faults.__file__]
    client.run(hold, gate, {7: 400})
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as maker:
        assert maker.stdin
        assert maker.stdout
        for shards in (0, 1, 3):
            maker.stdin.write(json.dumps([client.scheduler.address, str(folder)]) + "\n")
            maker.stdin.flush()
            number = int(maker.stdout.readline())
            wait_until(lambda: Lease.read(folder / "cluster.json"))
            wait_until(lambda shards=shards: len(done(folder)) >= shards)
            time.sleep(rng.uniform(0, 0.5))
            os.kill(number, signal.SIGKILL)
            assert int(maker.stdout.readline()) == -signal.SIGKILL
            assert Run.open(folder).status != "complete"
        maker.communicate()
    wait_until(lambda: all(client.run(_idle).values()))
    before = files(Run.open(folder))
    time.sleep(0.5)
    assert files(Run.open(folder)) == before
    assert_same(train_on(None, folder), whole)


def test_other_work_is_spread_over_the_workers(client):
    def work(item: int) -> tuple[int, int]:
        time.sleep(0.2)
        return os.getpid(), item**2

    with spread_over(client):
        done = machine.map_over_workers(work, range(6))
        assert [square for _, square in done] == [0, 1, 4, 9, 16, 25]
        assert {process for process, _ in done} == {*client.run(os.getpid).values()}
        with pytest.raises(ZeroDivisionError):
            machine.map_over_workers(lambda item: 1 // item, [1, 0])
    assert machine.map_over_workers(work, [3]) == [(os.getpid(), 9)]
    with spread_over(None):
        assert machine.map_over_workers(work, [3]) == [(os.getpid(), 9)]


def _idle() -> bool:
    return not crew._places


def test_what_cannot_train_is_refused_before_anything_is_trained(client, tmp_path, monkeypatch):
    monkeypatch.setattr(roster, "__version__", "99.0")
    with pytest.raises(
        RunError, match=r"the worker tcp://.* has nucleate .*, not 99\.0; `pip install .* where workers run"
    ):
        train(fleet(), tmp_path / "run", on=client)
    with pytest.raises(ValueError, match=r"train: on must be a distributed\.Client"):
        train(fleet(), tmp_path / "run", on="tcp://127.0.0.1:1")
    assert not list(tmp_path.glob("run/checkpoints/*"))


def test_a_folder_that_workers_do_not_see(client, tmp_path, monkeypatch):
    invite = roster.Roster._invite

    def elsewhere(self, address, threads):
        with monkeypatch.context() as patch:
            patch.setattr(type(self._run), "lease", tmp_path / "elsewhere/cluster.json")
            return invite(self, address, threads)

    monkeypatch.setattr(roster.Roster, "_invite", elsewhere)
    with pytest.raises(RunError, match=r"does not see .*run: put the run on a file system that all workers share"):
        train(fleet(), tmp_path / "run", on=client)
