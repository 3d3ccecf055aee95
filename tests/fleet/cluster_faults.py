"""For tests of clusters: a fleet with several shards, slow workers, and a client to be killed.

As a process, it makes clients, as `train_all_sorts` does; the options are the address of a cluster and a folder.
"""

import time

from small_fleets import Sums, members, small_chunks
from train_all_sorts import copied

from nucleate.fleet import Every, Plan, Silent, train
from nucleate.fleet.clusters.cluster import Cluster
from nucleate.fleet.clusters.crew import Workplace

_ADVANCE = Workplace._advance
SILENCE = 1.5


def fleet() -> Plan:
    """Eight shards of a member each, in twenty chunks of the timeline, and five rows of chunks in the store."""
    return Plan(Sums(look=Every(5)), members(8), steps=800, block=1, about={"experiment": "fleet"})


def pause(seconds: float) -> None:
    """Let the workers of this process sleep after every chunk."""

    def advance(self: Workplace, shard: int, count: int) -> None:
        _ADVANCE(self, shard, count)
        time.sleep(seconds)

    Workplace._advance = advance


def train_on(client, folder, watch=None):
    """Into many small files, looked at and saved all the time."""
    usual = Sums.max_gap, Cluster.silence
    try:
        Sums.max_gap, Cluster.silence = 10, SILENCE
        with small_chunks():
            return train(fleet(), folder, on=client, watch=watch or Silent(), checkpoint_seconds=0.05)
    finally:
        Sums.max_gap, Cluster.silence = usual


if __name__ == "__main__":
    address, folder = copied()
    from distributed import Client

    with Client(address, set_as_default=False) as connected:
        train_on(connected, folder)
