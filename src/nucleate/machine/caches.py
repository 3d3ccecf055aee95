"""Caches kept between runs."""

import os
import tempfile
from pathlib import Path


def cache_folder() -> Path:
    """Where compiled programs and measured block sizes are kept between runs.

    `$XDG_CACHE_HOME`, or `~/.cache`; for a user without a home directory, as in some containers, the temporary folder.
    """
    chosen = os.environ.get("XDG_CACHE_HOME")
    try:
        root = Path(chosen) if chosen else Path.home() / ".cache"
    except RuntimeError:  # pathlib: "Could not determine home directory."
        root = Path(tempfile.gettempdir())
    return root / "nucleate"


def use_compile_cache() -> None:
    """Cache compiled programs on disk, so that the next run starts at once, unless the user has chosen a cache."""
    import jax

    if jax.config.values["jax_compilation_cache_dir"] is None:
        jax.config.update("jax_compilation_cache_dir", str(cache_folder() / "xla"))
        jax.config.update("jax_persistent_cache_min_compile_time_secs", 0.2)
        jax.config.update("jax_persistent_cache_min_entry_size_bytes", 0)
