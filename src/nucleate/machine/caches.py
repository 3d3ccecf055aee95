"""Caches kept between runs."""

import contextlib
import os
import tempfile
from pathlib import Path


def cache_folder() -> Path:
    """Where compiled programs and measured speeds are kept between runs.

    `$XDG_CACHE_HOME`, unless it is empty or relative, which the XDG specification says to ignore, or `~/.cache`; for a
    user without a home directory, as in some containers, a folder of that user's own among the temporary ones.
    """
    chosen = Path(os.environ.get("XDG_CACHE_HOME", ""))
    if chosen.is_absolute():
        return chosen / "nucleate"
    try:
        return Path.home() / ".cache" / "nucleate"
    except RuntimeError:  # pathlib: "Could not determine home directory."
        return Path(tempfile.gettempdir()) / f"nucleate-{_user()}"


def use_compile_cache() -> None:
    """Cache compiled programs on disk, so that the next run starts at once, unless the user has chosen a cache or there
    is no place for one."""
    import jax

    if jax.config.values["jax_compilation_cache_dir"] is None and (folder := _own(cache_folder() / "xla")):
        jax.config.update("jax_compilation_cache_dir", str(folder))
        jax.config.update("jax_persistent_cache_min_compile_time_secs", 0.2)
        jax.config.update("jax_persistent_cache_min_entry_size_bytes", 0)


def _own(folder: Path) -> Path | None:
    """The folder, made if need be; None if it cannot be written, or is someone else's: programs in it will be run."""
    with contextlib.suppress(OSError):
        folder.mkdir(parents=True, exist_ok=True)
        owners = {folder.stat().st_uid, folder.parent.stat().st_uid}
        if os.access(folder, os.W_OK | os.X_OK) and owners <= {_user()}:
            return folder
    return None


def _user() -> int:
    return os.getuid() if hasattr(os, "getuid") else 0  # Windows says 0 of every file
