"""What recording costs: the same fleet, watched as usual and hardly watched."""

import statistics

from benchmarks.fleets import network_steps
from benchmarks.toy import planned


def overhead(members: int, steps: int, rounds: int) -> float:
    """Share of the time that recording every 10 steps adds over recording the first and last step only."""
    ratios = []
    for _ in range(rounds):
        blind, watched = (network_steps(planned(members, look), members, steps) for look in (steps, 10))
        ratios.append(blind / watched - 1)
    return statistics.median(ratios)
