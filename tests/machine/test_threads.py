import os
import threading

import jax
import pytest

from nucleate.machine import (
    PlatformError,
    compute_with,
    cores,
    map_over_workers,
    mapped_by,
    one_thread_each,
    threads,
    workers,
)


@pytest.mark.skipif(not hasattr(os, "sched_getaffinity"), reason="this platform binds no process to cores")
def test_cores_are_those_the_process_is_bound_to():
    assert cores() == len(os.sched_getaffinity(0))


@pytest.mark.parametrize(("counted", "expected"), [(7, 7), (None, 1)])
@pytest.mark.parametrize("counter", ["process_cpu_count", "cpu_count"])
def test_where_no_process_is_bound_all_cores_count_and_one_at_least(monkeypatch, counter, counted, expected):
    monkeypatch.delattr(os, "sched_getaffinity", raising=False)
    monkeypatch.delattr(os, "process_cpu_count", raising=False)
    monkeypatch.setattr(os, counter, lambda: counted, raising=False)
    assert cores() == expected


@pytest.mark.skipif(jax.default_backend() != "cpu", reason="an accelerator has no cores to share")
def test_every_core_works():
    assert len(workers()) == cores()
    assert set(workers()) == {jax.local_devices()[0]}


@pytest.mark.parametrize(
    ("problem", "reason"),
    [
        (
            RuntimeError("Unable to initialize backend 'no' (set JAX_PLATFORMS='' …)"),
            "Unable to initialize backend 'no'",
        ),
        (AssertionError(), "there is no such device"),
    ],
)
def test_a_platform_that_is_not_there_is_named(monkeypatch, problem, reason):
    def missing():
        raise problem

    monkeypatch.setattr(jax, "local_devices", missing)
    with pytest.raises(PlatformError, match=rf"JAX cannot run on JAX_PLATFORMS=.*: {reason}\. Set JAX_PLATFORMS=cpu\."):
        workers()


@pytest.mark.parametrize("count", [0, 1, 5])
def test_results_come_in_order(count):
    assert map_over_workers(lambda item: -item, range(count)) == [-item for item in range(count)]


def test_the_first_item_is_done_alone_and_the_others_side_by_side(monkeypatch):
    monkeypatch.setattr(threads, "workers", lambda: jax.local_devices()[:1] * 2)
    together = threading.Barrier(2, timeout=10)
    done = []

    def work(item):
        if item:
            assert done[:1] == [0]
            together.wait()  # passes only if another item is at work
        done.append(item)

    map_over_workers(work, [0, 1, 2])
    assert sorted(done) == [0, 1, 2]


def test_someone_else_can_do_it():
    with mapped_by(lambda work, items: [work(item) + 100 for item in items]):
        assert map_over_workers(lambda item: -item, [1, 2]) == [99, 98]
    assert map_over_workers(lambda item: -item, [1, 2]) == [-1, -2]


def test_the_first_failure_is_raised():
    with pytest.raises(ZeroDivisionError):
        map_over_workers(lambda item: 1 // item, [1, 0, 2])


def test_lapack_has_one_thread_while_workers_fill_the_cores():
    from threadpoolctl import threadpool_info

    counts = lambda: [library["num_threads"] for library in threadpool_info() if library["user_api"] == "blas"]
    with one_thread_each():
        assert set(counts()) == {1}
        inside = len(counts())
    assert inside == len(counts())


def test_as_many_threads_as_a_worker_has_unless_the_user_says_otherwise(monkeypatch):
    monkeypatch.setenv("PJRT_NPROC", "")  # so that it is put back
    del os.environ["PJRT_NPROC"]
    compute_with(3)
    assert os.environ["PJRT_NPROC"] == "3"
    compute_with(4)
    assert os.environ["PJRT_NPROC"] == "3"
