"""For tests of clusters: a fleet with several shards, workers that wait in the midst of one, and a client to be killed.

As a process, it makes clients, as `train_all_sorts` does; the options are the address of a cluster and a folder.
"""

import time
from collections.abc import Mapping
from pathlib import Path

from small_fleets import Sums, members, small_chunks
from train_all_sorts import copied

from nucleate.fleet import Every, Plan, Silent, train
from nucleate.fleet.clusters.cluster import Cluster
from nucleate.fleet.clusters.crew import Workplace
from nucleate.fleet.clusters.lease import SILENCE

_ADVANCE = Workplace._advance
SHORT = 1.5  # seconds of silence


def fleet() -> Plan:
    """Eight shards of a member each, in eighty chunks of the timeline, and five rows of chunks in the store."""
    return Plan(Sums(look=Every(5)), members(8), steps=800, block=1, about={"experiment": "fleet"})


def hold(gate: Path, shards: Mapping[int, int]) -> None:
    """Let the workers of this process wait in these shards, each after so many steps, until the file `gate` is gone or
    they are to stop. They leave a file beside it when they come there: see `is_held`."""

    def advance(self: Workplace, shard: int, count: int) -> None:
        _ADVANCE(self, shard, count)
        if self._steps[shard] < shards.get(shard, 10**9):
            return
        while gate.exists() and not self._stop.is_set():
            _mark(gate, shard).touch()
            time.sleep(0.01)

    Workplace._advance = advance


def is_held(gate: Path, shard: int) -> bool:
    return _mark(gate, shard).exists()


def _mark(gate: Path, shard: int) -> Path:
    return gate.with_name(f"{gate.name}-{shard}")


def train_on(client, folder, watch=None, silence=SILENCE):
    """Into many small files, looked at and saved all the time."""
    usual = Sums.max_gap, Cluster.silence
    try:
        Sums.max_gap, Cluster.silence = 10, silence
        with small_chunks():
            return train(fleet(), folder, on=client, watch=watch or Silent(), checkpoint_seconds=0.05)
    finally:
        Sums.max_gap, Cluster.silence = usual


if __name__ == "__main__":
    address, folder = copied()
    from distributed import Client

    with Client(address, set_as_default=False) as connected:
        train_on(connected, folder, silence=SHORT)
