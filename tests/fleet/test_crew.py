"""Who trains a run: workers that come, go, and are not what they should be, in a cluster made up in this process."""

import contextlib
import json
import threading
from concurrent.futures import Future
from dataclasses import replace

import pytest
import xarray as xr
from small_fleets import Sums, members

pytest.importorskip("distributed")

from nucleate import machine
from nucleate.fleet import Allow, Interruption, Plan, Silent, estimate, train
from nucleate.fleet.clusters import cluster as cluster_module
from nucleate.fleet.clusters import crew, line, roster
from nucleate.record import RunError

pytestmark = pytest.mark.usefixtures("compiled_once")

PLAN = Plan(Sums(), members(6), steps=20, block=1)
OLD = {"instructions": "avx"}


class Answer(Future):
    """As Dask has them."""

    @property
    def status(self) -> str:
        return "pending" if not self.done() else "error" if self.cancelled() or self.exception() else "finished"


class MadeUp(line.Line):
    """A cluster whose workers are threads of this process, each with the `platform` that it says it has.

    `at_work`: called before a shard is trained, with the worker's address and the number of shards before.
    """

    address, dashboard = "tcp://made-up:8786", "http://made-up:8787/status"

    def __init__(self, at_work=lambda worker, number: None, **platforms):
        self.platforms = platforms
        self.asked: list[tuple[str, str]] = []
        self.at_work, self._shards, self._one_at_a_time = at_work, 0, threading.Lock()

    def threads(self):
        return dict.fromkeys(self.platforms, 1)

    def nucleates(self):
        return dict.fromkeys(self.platforms, roster.__version__)

    def ask(self, address, what, function, *args):
        self.asked.append((address, what))
        answer = Answer()
        threading.Thread(target=self._work, args=(answer, address, function, args), daemon=True).start()
        return answer

    def _work(self, answer, address, function, args):
        answer.set_running_or_notify_cancel()
        try:
            with self._one_at_a_time:
                answer.set_result(
                    self._arrive(address, *args) if function is line.arrive else self._train(address, *args)
                )
        except BaseException as failure:
            answer.set_exception(failure)

    def _arrive(self, address, *args):
        if isinstance(platform := self.platforms[address], Exception):
            raise platform
        if callable(platform):
            platform()
        arrival = crew.arrive(*args)
        environment = replace(arrival.environment, platform={**arrival.environment.platform, **platform})
        return replace(arrival, environment=environment)

    def _train(self, address, topic, *task):
        self.at_work(address, self._shards)
        self._shards += 1
        return crew.labour(*task, report=lambda steps: None)

    def answers(self, futures):
        return {future: future.result() for future in futures if future.status == "finished"}

    def listen(self, topic, hear): ...
    def deafen(self, topic): ...

    def answering(self):
        return contextlib.nullcontext()


@pytest.fixture(autouse=True)
def any_line(monkeypatch):
    """Workers are looked for all the time."""
    monkeypatch.setattr(cluster_module, "Line", lambda made_up, way_on: made_up)
    monkeypatch.setattr(cluster_module, "_MUSTER", 0.0)


class Listener(Silent):
    def __init__(self):
        self.told, self.said = [], []

    def tell(self, line: str) -> None:
        self.told.append(line)

    def say(self, message: str) -> None:
        self.said.append(message)


def trained_by(run) -> set[str]:
    return {json.loads(file.read_text())["worker"] for file in run.checkpoints.glob("*.done")}


def test_who_is_there_is_told_with_the_page_of_the_cluster(tmp_path):
    watch = Listener()
    train(PLAN, tmp_path / "run", on=MadeUp(a={}, b={}), watch=watch)
    assert f"2 workers, with 2 threads at {MadeUp.address}; dashboard: {MadeUp.dashboard}" in watch.told
    assert watch.said[-1] == "2 workers, with 2 threads"  # beside the bar


def test_a_worker_that_joins_late_is_used(tmp_path):
    joined = threading.Event()

    class Joined(Listener):
        def tell(self, line: str) -> None:
            super().tell(line)
            if "has joined" in line:
                joined.set()

    def at_work(worker: str, number: int) -> None:
        made_up.platforms["late"] = {}
        if number > 0:
            assert joined.wait(60)

    made_up, watch = MadeUp(at_work, early={}), Joined()
    made_up._one_at_a_time = contextlib.nullcontext()
    run = train(PLAN, tmp_path / "run", on=made_up, watch=watch)
    assert trained_by(run) == {"early", "late"}
    assert "a worker has joined, late; now: 2 workers, with 2 threads" in watch.told


def test_one_that_joins_after_a_stop_does_nothing(tmp_path, monkeypatch):
    stopping = threading.Event()

    def at_work(worker: str, number: int) -> None:
        stopping.set()
        made_up.platforms["late"] = {}
        while ("late", "nucleate-arrive") not in made_up.asked:  # the client sees it
            pass

    made_up = MadeUp(at_work, early={})
    made_up._one_at_a_time = contextlib.nullcontext()
    monkeypatch.setattr(machine, "asked_to_stop", stopping.is_set)
    with pytest.raises(Interruption):
        train(PLAN, tmp_path / "run", on=made_up)
    assert [what for worker, what in made_up.asked if worker == "late"] == ["nucleate-arrive"]


def test_workers_that_differ_are_told_before_the_start_and_noted(tmp_path):
    watch, first = Listener(), []
    made_up = MadeUp(lambda worker, number: first.append([*watch.told]), a={}, b={}, old=OLD)
    run = train(PLAN, tmp_path / "run", on=made_up, watch=watch)
    (warning,) = [line for line in first[0] if "workers differ: some have instructions" in line]
    assert "last bits depend on who trains what" in warning
    (session,) = run.about.sessions
    assert run.about.platform["instructions"] != session.platform["instructions"] == "avx"  # most have the former
    signatures = [json.loads(file.read_text()) for file in run.checkpoints.glob("*.done")]
    assert {each["worker"]: each["place"] for each in signatures}.items() <= {"a": 0, "b": 0, "old": 1}.items()
    assert len(signatures) == 6


def test_bits_of_a_run_that_has_begun_change_only_if_that_is_allowed(tmp_path):
    def failing(worker: str, number: int) -> None:
        if number == 2:
            raise RuntimeError("on purpose")

    with pytest.raises(RuntimeError, match="on purpose"):
        train(PLAN, tmp_path / "run", on=MadeUp(failing, a={}))
    with pytest.raises(RunError, match=r"was begun with instructions .*bits would differ"):
        train(PLAN, tmp_path / "run", on=MadeUp(old=OLD))
    run = train(PLAN, tmp_path / "run", on=MadeUp(old=OLD), allow=Allow.OTHER_VERSIONS)
    assert run.status == "complete"
    assert trained_by(run) == {"a", "old"}


@pytest.mark.parametrize(
    ("platform", "why"),
    [
        (OLD, "has other versions or instructions"),
        (ImportError("no JAX"), "cannot train this run: ImportError: no JAX"),
    ],
)
def test_a_worker_that_joins_late_and_cannot_train_is_left_out(tmp_path, platform, why):
    left_out = threading.Event()

    class LeftOut(Listener):
        def tell(self, line: str) -> None:
            super().tell(line)
            if "it is left out" in line:
                left_out.set()

    def at_work(worker: str, number: int) -> None:
        made_up.platforms["late"] = platform
        if number > 0:
            assert left_out.wait(60)

    made_up, watch = MadeUp(at_work, early={}), LeftOut()
    made_up._one_at_a_time = contextlib.nullcontext()
    assert trained_by(train(PLAN, tmp_path / "run", on=made_up, watch=watch)) == {"early"}
    assert any(why in line for line in watch.told)
    assert made_up.asked.count(("late", "nucleate-arrive")) == 1  # and never again


@pytest.fixture
def released():
    """What a worker waits for that answers no more."""
    released = threading.Event()
    yield released
    released.set()


def test_who_leaves_while_it_is_asked_is_not_waited_for(tmp_path, monkeypatch, released):
    def leave():
        del made_up.platforms["leaves"]
        released.wait(60)

    monkeypatch.setattr(roster, "_LOOK", 0.0)
    made_up = MadeUp(leaves=leave, stays={})
    made_up._one_at_a_time = contextlib.nullcontext()
    assert trained_by(train(PLAN, tmp_path / "run", on=made_up)) == {"stays"}


def test_a_shard_says_who_had_it_before(tmp_path, released):
    def at_work(worker: str, number: int) -> None:
        if worker == "lost":
            made_up.platforms.pop("lost", None)
            released.wait(60)

    made_up = MadeUp(at_work, lost={}, stays={})
    made_up._one_at_a_time = contextlib.nullcontext()
    run = train(PLAN, tmp_path / "run", on=made_up)
    signatures = [json.loads(file.read_text()) for file in run.checkpoints.glob("*.done")]
    assert [each["after"] for each in signatures if "after" in each] == [{"lost": 0}]
    assert {each["worker"] for each in signatures} == {"stays"}


def test_a_process_that_knows_nothing_of_the_run_is_asked_again(tmp_path):
    """At the address of one that did: its nanny may have started it anew."""

    def at_work(worker: str, number: int) -> None:
        if number == 2:
            crew._places.clear()

    made_up = MadeUp(at_work, a={})
    assert train(PLAN, tmp_path / "run", on=made_up).status == "complete"
    assert made_up.asked.count(("a", "nucleate-arrive")) == 2


def test_a_stop_does_not_wait_for_ever(tmp_path, monkeypatch, released):
    stopping = threading.Event()

    def at_work(worker: str, number: int) -> None:
        stopping.set()
        released.wait(60)

    monkeypatch.setattr(cluster_module, "_LAST_WORDS", 0.1)
    monkeypatch.setattr(machine, "asked_to_stop", stopping.is_set)
    with pytest.raises(Interruption):
        train(PLAN, tmp_path / "run", on=MadeUp(at_work, a={}))
    assert not released.is_set()


def test_of_many_data_the_client_keeps_none(tmp_path, monkeypatch):
    plan, again = (Plan(Sums(), members(6), steps=20, block=1) for _ in range(2))
    monkeypatch.setattr(estimate, "_KEPT", 0)
    there = train(plan, tmp_path / "there", on=MadeUp(a={})).record().load()
    assert set(plan._made) == {0}  # with which all others are compared
    here = train(again, tmp_path / "here").record().load()
    assert set(again._made) == set(range(6))
    xr.testing.assert_identical(there, here)


def test_workers_cut_up_the_work_as_the_client_says(tmp_path):
    plan = Plan(Sums(batch=4, microbatches=(2, 4)), members(2), steps=20, microbatches=4)
    here = train(plan, tmp_path / "here").record().load()
    xr.testing.assert_identical(train(plan, tmp_path / "there", on=MadeUp(a={})).record().load(), here)


def test_a_cluster_without_workers_is_refused(tmp_path):
    with pytest.raises(RunError, match=r"the cluster at tcp://made-up:8786 has no workers; start some"):
        train(PLAN, tmp_path / "run", on=MadeUp())
