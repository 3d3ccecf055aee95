"""Results on disk, each with what it was computed from: when it is asked for again, it is read, not computed."""

import hashlib
import io
import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from nucleate.record.disk import write_atomically
from nucleate.record.tree import pack, unpack


@dataclass(frozen=True)
class Keep:
    """A folder of results by name. A result counts only as long as everything it was computed from is unchanged.

    `code`: the identity of the code, and of whatever else all results depend on. `trusted`: see `pack`.
    """

    folder: Path
    code: str
    trusted: tuple[str, ...] = ()

    def find(self, name: str, sources: Mapping[str, str]) -> tuple[Any, frozenset[str]] | None:
        """The result and the names of its sources, whose identities now are in `sources`; None if there is no result.

        Files that are damaged, or that come from other code or other sources, count as no result.
        """
        file = self._file(name)
        try:
            held = json.loads(file.read_text(encoding="utf-8"))
            used = held["sources"]
            if held["name"] != name or held["code"] != self.code or used != {key: sources.get(key) for key in used}:
                return None
            content = file.with_suffix(".npz").read_bytes()
            if _digest(held["value"], content) != held["digest"]:
                return None
            with np.load(io.BytesIO(content), allow_pickle=False) as stored:
                arrays = [stored[f"arr_{number}"] for number in range(len(stored.files))]
            return unpack(held["value"], arrays, self.trusted), frozenset(used)
        except Exception:  # computing again is always right
            return None

    def store(self, name: str, value: Any, sources: Mapping[str, str]) -> bool:
        """Keep a result; returns whether that was possible. A result that cannot be packed, or a full disk, is not an
        error: the result is computed again next time."""
        try:
            tree, arrays = pack(value, self.trusted)
            buffer = io.BytesIO()
            np.savez(buffer, *arrays)
            held = {
                "name": name,
                "code": self.code,
                "sources": dict(sources),
                "digest": _digest(tree, buffer.getvalue()),
                "value": tree,
            }
            file = self._file(name)
            # Arrays first: the JSON, which has the digest of both, makes them count.
            write_atomically(file.with_suffix(".npz"), buffer.getvalue())
            write_atomically(file, (json.dumps(held) + "\n").encode())
        except Exception:
            return False
        return True

    def _file(self, name: str) -> Path:
        slug = re.sub(r"[^A-Za-z0-9.]+", "-", name).strip("-.")[-80:]
        return self.folder / f"{slug}-{hashlib.sha256(name.encode()).hexdigest()[:8]}.json"


def _digest(tree: Any, arrays: bytes) -> str:
    return hashlib.sha256(json.dumps(tree).encode() + arrays).hexdigest()
