"""Looks at a replication: claims are judged, more networks are trained for those that are open, and so on."""

import dataclasses
import math
import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field

from nucleate.claims import Claim, ClaimRow, Evidence, Looks, write_json
from nucleate.claims.formats import duration
from nucleate.claims.looks import percent
from nucleate.claims.prospects import networks_more, times_as_many
from nucleate.papers.training import Trainer

Measure = Callable[[Iterable[Claim], Evidence, int], list[ClaimRow]]
"""Judges claims at a look."""


@dataclass
class Sequence:
    """The looks of a replication. A claim that is decided is not judged again: its row stays that of its look.

    `evidence_at`: all that was trained for a look and before, at its level.
    """

    trainer: Trainer
    claims: tuple[Claim, ...]
    looks: Looks
    evidence_at: Callable[[int], Evidence]
    measure: Measure
    rows: dict[Claim, ClaimRow] = field(default_factory=dict)

    def carry_out(self) -> Evidence:
        """All looks that are needed and that there is time for; the evidence of the last."""
        self._judge(self.claims, 1)
        last = 1
        for look in range(2, self.looks.count + 1):
            waiting = self._waiting()
            if waiting:
                self._tell(f"Look {look} of {self.looks.count}, at {percent(self.looks.level(look))}.", waiting)
            for claim in waiting:
                if self.rows[claim].look < look:
                    self._decide(claim, waiting, look)
            if all(self.rows[claim].look < look for claim in waiting):  # no time is left, or nothing to do
                break
            last = look
        if self.looks.count > 1:
            self._tell("", self._waiting())
        return self.evidence_at(last)

    def _waiting(self) -> list[Claim]:
        """The claims that more networks could decide, those first that need the least time."""
        needs = {claim: self._needs(claim) for claim in self.claims}
        waiting = {claim: times for claim, times in needs.items() if times is not None}
        return sorted(waiting, key=lambda claim: (waiting[claim] - 1) * (self.rows[claim].seconds + 0.01))

    def _needs(self, claim: Claim) -> float | None:
        """How many times as many networks a claim needs at its next look."""
        row = self.rows[claim]
        following = min(row.look + 1, self.looks.count)
        return times_as_many(claim, row, _z(self.looks.level(following)) / _z(self.looks.level(row.look)))

    def _decide(self, claim: Claim, waiting: list[Claim], look: int) -> None:
        """Train what a claim needs for a look, if there is time; judge every claim that then has what it needs."""
        needed = lambda claim: self.trainer.paper.needed([claim], self.trainer.replication.about.budget)
        cost, left = sum(self.trainer.seconds(name, look) for name in needed(claim)), self._left()
        if cost > left:
            more = f"would take about {duration(cost)}, and {duration(max(left, 0))} are left"
            self.trainer.watch.tell(f"{claim.id}: the networks of this look {more}.")
            return
        for name in needed(claim):
            self.trainer.train(name, look)
            complete = [c for c in waiting if self.rows[c].look < look and self.trainer.has(needed(c), look)]
            if complete:
                self._judge(complete, look)
            for each in complete:
                row = self._with_outlook(each)
                self.trainer.watch.tell(f"{each.id}: {row.verdict}" + (f", {row.why}" if row.why else ""))

    def _judge(self, claims: Iterable[Claim], look: int) -> None:
        """Judge claims at a look, and write down what is known by now."""
        began, replication = time.monotonic(), self.trainer.replication
        rows = self.measure(claims, self.evidence_at(look), look)
        for claim, row in zip(claims, rows, strict=True):
            self.rows[claim] = dataclasses.replace(row, look=look, level=self.looks.level(look))
        write_json([self._with_outlook(claim) for claim in self.claims], replication.scorecard)
        replication.update(measured=round(replication.about.measured + time.monotonic() - began, 2))

    def _with_outlook(self, claim: Claim) -> ClaimRow:
        row, times = self.rows[claim], self._needs(claim)
        return row if times is None else dataclasses.replace(row, outlook=networks_more(row, times))

    def _left(self) -> float:
        """Seconds that may still be spent."""
        about = self.trainer.replication.about
        return math.inf if about.within is None else about.within - about.measured - self.trainer.spent()

    def _tell(self, when: str, waiting: list[Claim]) -> None:
        """What is open, and what it would need."""
        open_ = "; ".join(f"{claim.id}, {self._with_outlook(claim).outlook}" for claim in waiting)
        said = f"Open for too few networks: {open_}." if waiting else "No claim is open for too few networks."
        self.trainer.watch.tell(f"{when} {said}".strip())


def _z(level: float) -> float:
    from scipy.special import ndtri

    return float(ndtri((1 + level) / 2))
