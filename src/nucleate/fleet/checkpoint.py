"""Checkpoints of a shard: its members' state and the rows not yet stored, in one atomically replaced file."""

import hashlib
import io
from pathlib import Path
from typing import Any

import jax
import numpy as np

from nucleate.record import write_atomically

_DIGEST = hashlib.sha256


def save(path: Path, position: int, states: list[Any], pending: dict[str, np.ndarray]) -> None:
    """Write the state before chunk `position`: a digest, then an npz archive. A crash leaves the old file intact."""
    arrays = {"position": np.asarray(position)}
    arrays |= {f"state/{i}": np.asarray(leaf) for i, leaf in enumerate(jax.tree.leaves(states))}
    arrays |= {f"pending/{name}": rows for name, rows in pending.items()}
    buffer = io.BytesIO()
    np.savez(buffer, **arrays)  # type: ignore[arg-type]
    write_atomically(path, _DIGEST(buffer.getvalue()).digest() + buffer.getvalue())


def restore(path: Path, like: list[Any]) -> tuple[int, list[Any], dict[str, np.ndarray]] | None:
    """Read what `save` wrote, in the structure of `like`; None if the file is missing, damaged or of another program.

    A shard without a checkpoint starts again from step 0 and arrives at the same numbers, so damage only costs time.
    """
    try:
        content = path.read_bytes()
        digest, archive = content[: _DIGEST().digest_size], content[_DIGEST().digest_size :]
        return _unpacked(archive, like) if _DIGEST(archive).digest() == digest else None
    except Exception:  # it can be made to hold anything
        return None


def _unpacked(archive: bytes, like: list[Any]) -> tuple[int, list[Any], dict[str, np.ndarray]] | None:
    expected = jax.tree.leaves(like)
    with np.load(io.BytesIO(archive), allow_pickle=False) as arrays:
        leaves = [arrays[name] for name in sorted(arrays.files, key=_number) if name.startswith("state/")]
        if [(leaf.shape, leaf.dtype) for leaf in leaves] != [(leaf.shape, leaf.dtype) for leaf in expected]:
            return None
        pending = {k.removeprefix("pending/"): arrays[k] for k in arrays.files if k.startswith("pending/")}
        position = int(arrays["position"])
    return position, jax.tree.unflatten(jax.tree.structure(like), leaves), pending


def _number(name: str) -> int:
    last = name.rsplit("/", 1)[-1]
    return int(last) if last.isdigit() else -1
