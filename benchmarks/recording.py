"""What recording costs: the same fleet, watched as usual and hardly watched."""

import statistics

from benchmarks.toy import nucleate_fleet


def overhead(members: int, steps: int, rounds: int) -> float:
    """Share of the time that recording every 10 steps adds over recording the first and last step only."""
    ratios = []
    for _ in range(rounds):
        blind = nucleate_fleet(members, steps, look=steps)
        ratios.append(blind / nucleate_fleet(members, steps, look=10) - 1)
    return statistics.median(ratios)
