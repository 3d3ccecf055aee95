"""Who may write a run that a cluster trains: one small file on its disk, which the run's client alone writes.

`cluster.json` in the run's folder names the session and counts the client's beats, and says which shards were taken
from a worker that is presumed dead. Workers read it before they write anything:

- Another session, or no file: someone else has the run now, and nothing more is written.
- A later epoch of a shard, or its done file: another worker has it, or has trained it, and this one, which may have
  been thought dead, writes no more of it. Epochs of shards that are done are forgotten some minutes later, when no
  network file system can still hide a done file: the file is no longer than a list of the threads that train and of
  those that were lost lately.
- `stop`, or no beat within `silence` seconds by the worker's own clock: what is in training is saved, and no more of it
  is trained. So workers stop by themselves when the client has died, however it died.

Clocks of two machines are never compared. What remains is a write that was permitted and is carried out late, by a
process that was suspended just then. Chunks are whole files that are replaced atomically, and all workers whose
processors are of one kind write the same bytes into them, so it changes nothing.
"""

import contextlib
import json
import secrets
import threading
import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from nucleate.record import RunError, document, write_atomically

SILENCE = 30.0
"""Seconds without a beat after which workers stop by themselves."""
BEATS = 15
"""Of a client, in that time."""
_HIDDEN = 300.0  # seconds; a client of NFS may be unaware of a new file for one minute
_STALE = (0.05, 0.2, 1.0)  # seconds; another machine may replace a file of NFS between its opening and its reading


class Superseded(Exception):
    """Another worker, or another session, has what this one was about to write."""


@dataclass(frozen=True)
class Lease:
    """What the file says. `epochs`: of shards that were given to several workers, the last one's number."""

    session: str
    beat: int
    stop: bool = False
    epochs: Mapping[str, int] = field(default_factory=dict)

    @classmethod
    def read(cls, file: Path) -> "Lease | None":
        """The lease in force, if there is one."""
        for seconds in _STALE:
            with contextlib.suppress(RunError):
                return document.read(cls, file)
            if not file.exists():
                return None
            time.sleep(seconds)
        return document.read(cls, file)

    def require(self, session: str, shard: int, epoch: int) -> None:
        """Refuse a write that is not that worker's any more."""
        if self.session != session or self.epochs.get(str(shard), 1) != epoch:
            raise Superseded


def require_lease(file: Path, session: str, shard: int, epoch: int) -> None:
    """Return if a worker that was given a shard may write it."""
    lease = Lease.read(file)
    if lease is None:
        raise Superseded
    lease.require(session, shard, epoch)


class Landlord:
    """Writes the lease of a run while it is trained, beat by beat, from a thread of its own."""

    def __init__(self, file: Path, beat: float = SILENCE / BEATS):
        self.file, self.session = file, secrets.token_hex(8)
        self._seconds, self._beats, self._stop = beat, 0, False
        self._epochs: dict[int, int] = {}
        self._done: dict[int, float] = {}
        self._lock, self._over = threading.Lock(), threading.Event()
        self._write()
        self._thread = threading.Thread(target=self._beat, name="lease", daemon=True)
        self._thread.start()

    def grant(self, shard: int) -> int:
        """The epoch in which a shard is now given to a worker; whoever had it before may write no more of it."""
        with self._lock:
            self._epochs[shard] = self._epochs.get(shard, 0) + 1
        if self._epochs[shard] > 1:
            self._write()
        return self._epochs[shard]

    def settle(self, shard: int) -> None:
        """A shard is done: forget it, at once or, if several workers had it, later."""
        with self._lock:
            if self._epochs[shard] > 1:
                self._done[shard] = time.monotonic()
            else:
                del self._epochs[shard]

    def stop(self) -> None:
        """Let workers save what they are training, and train no more."""
        self._stop = True
        self._write()

    def close(self) -> None:
        """The end of the session: no worker writes from here on."""
        self._over.set()
        self._thread.join()
        self.file.unlink(missing_ok=True)

    def _beat(self) -> None:
        while not self._over.wait(self._seconds):
            with contextlib.suppress(OSError):  # a full disk is reported by the workers
                self._write()

    def _write(self) -> None:
        with self._lock:
            self._beats += 1
            for shard in [shard for shard, when in self._done.items() if time.monotonic() - when > _HIDDEN]:
                del self._epochs[shard], self._done[shard]
            epochs = {str(shard): epoch for shard, epoch in self._epochs.items() if epoch > 1}
            said = {"session": self.session, "beat": self._beats, "stop": self._stop, "epochs": epochs}
            write_atomically(self.file, json.dumps(said).encode())
