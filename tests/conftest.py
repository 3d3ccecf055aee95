"""For every test: shapes are checked at run time, examples are the same each time, the user's caches stay untouched.

This file is read before any test imports `nucleate`, which is when the first and the last must be settled.
"""

import atexit
import functools
import gc
import os
import shutil
import signal
import sys
import tempfile
import threading
from pathlib import Path

import pytest
from hypothesis import settings

sys.path.insert(0, str(Path(__file__).parent))  # for `as_users` and `runtime_types`

import runtime_types

runtime_types.check()

# Slipcover counts the lines of a module that it sees first.
sys.meta_path.sort(key=lambda finder: type(finder).__name__ != "SlipcoverMetaPathFinder")

# Every test module is in memory, and tracing makes objects by the million: looked through as often as Python does by
# itself, they would take an eighth of the suite's time.
gc.set_threshold(50_000, 20, 10)

settings.register_profile("fixed", derandomize=True, deadline=None)
settings.load_profile("fixed")


def _in_memory() -> str | None:
    """A folder in memory, where there is room: the tests write many small files, and wait for each to be on the disk.

    It is emptied at the end. Set TMPDIR to keep what failed tests have left.
    """
    there = "/dev/shm"
    free = shutil.disk_usage(there).free if os.access(there, os.W_OK) else 0
    return there if free > 4e9 and "TMPDIR" not in os.environ else None


if threading.current_thread() is threading.main_thread():
    # A shell starts its background jobs with Ctrl-C ignored, and children inherit that; the tests press it.
    signal.signal(signal.SIGINT, signal.default_int_handler)

if "PYTEST_XDIST_WORKER" not in os.environ:
    # Workers share the cores: threads of BLAS that wait for each other would take a tenth of the suite's time.
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    # Most of the suite's time goes into compiling programs that run for milliseconds: hardly optimised, and with XLA's
    # older way of writing fused loops, that takes half as long. `make test-cpus` compiles as for users.
    if "xla_backend_optimization_level" not in os.environ.get("XLA_FLAGS", ""):
        quickly = "--xla_backend_optimization_level=1 --xla_cpu_use_fusion_emitters=false"
        os.environ["XLA_FLAGS"] = f"{os.environ.get('XLA_FLAGS', '')} {quickly}".strip()
    # Without bytecode beside the sources, each worker and each process that tests start would compile them again.
    os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
    sys.dont_write_bytecode = False
    # Workers of pytest-xdist, and processes that tests start, inherit these: however small a program is, it is compiled
    # once for all of them.
    caches = tempfile.mkdtemp(prefix="nucleate-tests-", dir=_in_memory())
    os.environ |= {
        "XDG_CACHE_HOME": caches,
        "JAX_COMPILATION_CACHE_DIR": f"{caches}/nucleate/xla",
        "JAX_PERSISTENT_CACHE_MIN_COMPILE_TIME_SECS": "0",
        "JAX_PERSISTENT_CACHE_MIN_ENTRY_SIZE_BYTES": "0",
    }
    atexit.register(shutil.rmtree, caches, ignore_errors=True)


@pytest.hookimpl(tryfirst=True)  # before workers start, which inherit it
def pytest_sessionstart() -> None:
    # All other folders of tests, too, but not Slipcover's, made by now: that one is read after this one is removed.
    if "PYTEST_XDIST_WORKER" not in os.environ and _in_memory():
        tempfile.tempdir = os.environ["TMPDIR"] = os.environ["XDG_CACHE_HOME"]


def pytest_collection_finish() -> None:
    gc.freeze()  # what all tests need lives to the end


@pytest.fixture(scope="session")
def common(tmp_path_factory) -> Path:
    """A folder that all workers share: what one has trained there, the others find."""
    own = tmp_path_factory.getbasetemp()
    folder = (own.parent if "PYTEST_XDIST_WORKER" in os.environ else own) / "common"
    folder.mkdir(exist_ok=True)
    return folder


@pytest.fixture(scope="module")
def compiled_once():
    """Fleets of equal recipes share their programs, for tests that train the same one again and again."""
    from nucleate.fleet import estimate
    from nucleate.fleet.cut import Cut
    from nucleate.fleet.program import Program

    @functools.cache
    def shared(recipe, static: tuple, cut: Cut, keep_weights) -> Program:
        return Program(recipe, dict(static), cut, keep_weights)

    def program(recipe, static: dict, cut: Cut, keep_weights=None) -> Program:
        try:
            return shared(recipe, tuple(static.items()), cut, keep_weights)
        except TypeError:  # there is an array among its fields
            return Program(recipe, static, cut, keep_weights)

    with pytest.MonkeyPatch.context() as patch:
        for home in (estimate, sys.modules["nucleate.fleet.train"]):
            patch.setattr(home, "Program", program)
        yield
