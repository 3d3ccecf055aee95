"""Whether replications of a paper come to the same verdicts: of use if their networks differ."""

from collections.abc import Sequence
from dataclasses import dataclass

from nucleate.claims.scorecard import ClaimRow

_DECIDED = ("replicated", "contradicted")


@dataclass(frozen=True)
class Agreement:
    """The claims, by name, that two replications both decided (alike, or one the opposite of the other), and those that
    one of them left open."""

    alike: tuple[str, ...] = ()
    opposed: tuple[str, ...] = ()
    in_one: tuple[str, ...] = ()

    @property
    def decided(self) -> int:
        """How many claims are decided in both."""
        return len(self.alike) + len(self.opposed)


def agreement(first: Sequence[ClaimRow], other: Sequence[ClaimRow]) -> Agreement:
    """Of the claims that both replications judged by networks: where nothing is trained, verdicts are alike anyway.

    >>> from nucleate.claims import CheckRow
    >>> row = lambda verdict: ClaimRow("a/1", "a", "", "", 7, 9, 1.0, "", (CheckRow("x", "", verdict, 1.0, None),))
    >>> agreement([row("replicated")], [row("contradicted")])
    Agreement(alike=(), opposed=('a/1',), in_one=())
    """
    verdicts = {row.claim: row.verdict for row in other}
    pairs = {row.claim: (row.verdict, verdicts[row.claim]) for row in first if row.claim in verdicts and row.members}
    decided = {claim: [verdict in _DECIDED for verdict in pair] for claim, pair in pairs.items()}
    both = [claim for claim in pairs if all(decided[claim])]
    return Agreement(
        alike=tuple(claim for claim in both if len(set(pairs[claim])) == 1),
        opposed=tuple(claim for claim in both if len(set(pairs[claim])) == 2),
        in_one=tuple(claim for claim in pairs if any(decided[claim]) and not all(decided[claim])),
    )
