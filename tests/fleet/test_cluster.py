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
from pathlib import Path

import numpy as np
import pytest

distributed = pytest.importorskip("distributed")

import cluster_faults  # noqa: E402
from cluster_faults import SILENCE, fleet, pause, train_on  # noqa: E402
from patience import wait_until  # noqa: E402

from nucleate import machine  # noqa: E402
from nucleate.fleet import Interruption, Silent, spread_over, train  # noqa: E402
from nucleate.fleet.clusters import crew, roster  # noqa: E402
from nucleate.fleet.clusters.lease import Lease  # noqa: E402
from nucleate.record import Run, RunError, verify  # noqa: E402

pytestmark = pytest.mark.filterwarnings("default")  # Dask's own


class Listener(Silent):
    """Remembers what it is told, and calls a function in the midst of training."""

    def __init__(self, act=None, after: int = 1):
        self.told: list[str] = []
        self.steps = 0
        self._act, self._left = act, after

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


@contextlib.contextmanager
def slowly(client, seconds: float) -> Iterator[None]:
    client.run(pause, seconds)
    yield
    client.run(pause, 0.0)


@contextlib.contextmanager
def meanwhile(act) -> Iterator[None]:
    """Call a function from another thread."""
    thread = threading.Thread(target=act)
    thread.start()
    yield
    thread.join()


def files(run: Run) -> dict[str, bytes]:
    return {p.relative_to(run.path).as_posix(): p.read_bytes() for p in run.record_path.rglob("*") if p.is_file()}


def assert_same(run: Run, whole: Run) -> None:
    assert run.status == "complete"
    verify(run.record_path)
    assert files(run) == files(whole)
    assert len(list(run.checkpoints.glob("*.done"))) == 8
    assert not list(run.checkpoints.glob("*.checkpoint*"))
    assert not run.lease.exists()


def wait_for_progress(folder: Path) -> None:
    wait_until(lambda: [*folder.glob("checkpoints/*.done")])


def test_the_record_is_that_of_one_process(client, whole, tmp_path):
    watch = Listener()
    with slowly(client, 0.02):  # or one could have trained everything before the other is ready
        run = train_on(client, tmp_path / "run", watch)
    assert_same(run, whole)
    assert watch.steps == 8 * 800
    assert any("2 workers, with 2 threads at tcp://" in line for line in watch.told)
    signatures = {file.read_text() for file in run.checkpoints.glob("*.done")}
    assert len(signatures) == 2  # both have trained
    assert all('"place": 0' in each for each in signatures)


def test_a_worker_that_is_killed_is_replaced(client, whole, tmp_path):
    """Its shards go on elsewhere, and its successor, which joins late, is used."""
    victims = client.run(os.getpid)
    rng = np.random.default_rng(1)

    def kill() -> None:
        wait_for_progress(tmp_path / "run")
        time.sleep(rng.uniform(0, 0.3))
        os.kill(rng.choice([*victims.values()]), signal.SIGKILL)

    watch = Listener()
    with slowly(client, 0.05), meanwhile(kill):
        run = train_on(client, tmp_path / "run", watch)
    assert_same(run, whole)
    assert watch.steps == 8 * 800
    assert any("is gone; left: 1 worker" in line for line in watch.told)
    client.wait_for_workers(2)


def test_ctrl_c_is_a_checkpoint_and_the_run_goes_on_here(client, whole, tmp_path):
    def begun() -> bool:
        """Whether one of the shards that are handed out second has just begun: it lasts longer than a stop takes."""
        return any(int(each.stem) >= 2 for each in tmp_path.glob("run/checkpoints/*.checkpoint"))

    def press() -> None:
        wait_until(begun)
        signal.pthread_kill(threading.main_thread().ident, signal.SIGINT)

    with slowly(client, 0.2), meanwhile(press), pytest.raises(Interruption, match="resume"):
        train_on(client, tmp_path / "run")
    run = Run.open(tmp_path / "run")
    assert run.status == "interrupted"
    assert not run.lease.exists()
    assert list(run.checkpoints.glob("*.checkpoint"))
    assert_same(train_on(None, run.path), whole)


def test_workers_stop_when_the_client_is_killed(client, whole, tmp_path):
    """Three times, at random moments; then the run goes on here."""
    folder, rng = tmp_path / "run", np.random.default_rng(4)
    command = [sys.executable, cluster_faults.__file__]
    with (
        slowly(client, 0.05),
        subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as maker,
    ):
        assert maker.stdin
        assert maker.stdout
        for shards in (0, 1, 3):
            maker.stdin.write(json.dumps([client.scheduler.address, str(folder)]) + "\n")
            maker.stdin.flush()
            number = int(maker.stdout.readline())
            wait_until(lambda: Lease.read(folder / "cluster.json"))
            wait_until(lambda shards=shards: len([*folder.glob("checkpoints/*.done")]) >= shards)
            time.sleep(rng.uniform(0, 0.5))
            os.kill(number, signal.SIGKILL)
            assert int(maker.stdout.readline()) == -signal.SIGKILL
            assert Run.open(folder).status != "complete"
        maker.communicate()
        time.sleep(SILENCE + 1.0)
        assert client.run(_idle) == dict.fromkeys(client.nthreads(), True)
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
