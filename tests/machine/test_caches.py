import os
from pathlib import Path

import jax
import pytest

from nucleate.machine import cache_folder, use_compile_cache


def test_caches_are_where_the_user_wants_them(monkeypatch, tmp_path):
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    assert cache_folder() == tmp_path / "nucleate"


@pytest.mark.parametrize("unset", [None, "", "here", "./here", "~/here"])
def test_caches_are_in_the_home_directory_otherwise(monkeypatch, unset):
    monkeypatch.delenv("XDG_CACHE_HOME")
    if unset is not None:
        monkeypatch.setenv("XDG_CACHE_HOME", unset)  # empty or relative counts as unset, says the XDG specification
    assert cache_folder() == Path.home() / ".cache/nucleate"


def test_a_user_without_a_home_directory_has_caches_too(monkeypatch, tmp_path):
    def homeless():
        raise RuntimeError("Could not determine home directory.")

    monkeypatch.delenv("XDG_CACHE_HOME")
    monkeypatch.setattr(Path, "home", homeless)
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    assert cache_folder() == tmp_path / f"nucleate-{os.getuid()}"


@pytest.fixture
def no_cache():
    """JAX as it is before a cache is chosen."""
    names = [
        name for name in jax.config.values if name.startswith(("jax_compilation_cache_dir", "jax_persistent_cache"))
    ]
    before = {name: jax.config.values[name] for name in names}
    jax.config.update("jax_compilation_cache_dir", None)
    yield
    for name, value in before.items():
        jax.config.update(name, value)


@pytest.mark.parametrize("place", ["file", "file/below"])
def test_where_no_folder_can_be_made_nothing_is_cached(monkeypatch, tmp_path, no_cache, place):
    (tmp_path / "file").touch()
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / place))
    use_compile_cache()
    assert jax.config.jax_compilation_cache_dir is None


def test_where_nothing_can_be_written_nothing_is_cached(monkeypatch, tmp_path, no_cache):
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    monkeypatch.setattr(os, "access", lambda path, mode: False)  # root may write anywhere
    use_compile_cache()
    assert jax.config.jax_compilation_cache_dir is None


def test_programs_of_another_user_are_not_run(monkeypatch, tmp_path, no_cache):
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    use_compile_cache()
    assert jax.config.jax_compilation_cache_dir == str(tmp_path / "nucleate/xla")
    jax.config.update("jax_compilation_cache_dir", None)
    monkeypatch.setattr(os, "getuid", lambda: -1)
    use_compile_cache()
    assert jax.config.jax_compilation_cache_dir is None


def test_programs_are_kept_between_runs(no_cache):
    use_compile_cache()
    folder = Path(jax.config.jax_compilation_cache_dir)
    assert folder.is_relative_to(cache_folder())  # that of the tests, see tests/conftest.py


def test_a_compile_cache_that_the_user_has_chosen_stays(tmp_path, no_cache):
    jax.config.update("jax_compilation_cache_dir", str(tmp_path))
    use_compile_cache()
    assert jax.config.jax_compilation_cache_dir == str(tmp_path)
