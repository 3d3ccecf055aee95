"""What papers say in words, as numbers: one reading for all papers, and ours.

A paper that says "nearly all" has not said nine tenths. These are the numbers by which such words are judged wherever
they are used, so that no claim has a threshold made for it; a check that uses one has `Threshold.OURS`.
"""

from nucleate.claims.region import Region

NONE = Region.at_most(0.1)
"""A share: "none", "never", "no network". Not zero, which no number of networks could show: 36 without one would do."""

RARELY = Region.at_most(0.25)
"""A share: "rarely", "few", "a minority"."""

SOME = Region.at_least(0.01)
"""A share: "some", "can", "in some cases": more than an accident."""

OFTEN = Region.at_least(0.25)
"""A share: "often", "many"."""

MOST = Region.above(0.5)
"""A share: "most", "usually", "typically", "leads to"."""

NEARLY_ALL = Region.at_least(0.9)
"""A share: "nearly all", "almost always", "with high probability", and a law without exceptions ("all", "always"), of
which no number of networks could show that there are none."""

POSITIVE = Region.above(0)
"""A correlation or a difference: "increases with", "correlates", "larger than"."""

NEGATIVE = Region.below(0)
"""A correlation or a difference: "decreases with", "anticorrelates", "smaller than"."""

STRONG = Region.at_least(0.5)
"""A correlation, or its size: "strongly", "highly correlated"."""

COMPARABLE = Region.between(0.5, 2)
"""A ratio: "comparable", "about the same", "coincide", "of the order of": within a factor of two."""

CLOSE = Region.between(0.8, 1.25)
"""A ratio: "close to", "approximately equal", "≈" before a number: within a quarter."""

NEGLIGIBLE = Region.at_most(0.1)
"""A ratio: "negligible", "almost zero", "vanishes", "much smaller than": a tenth at most."""

EXPLAINS = Region.at_least(0.9)
"""An R², or a share of variance: "well described by", "fits well", "accurately predicts"."""

QUALITATIVELY = Region.above(0)
"""A skill (0: no better than the constant answer): "qualitatively", "loosely", "roughly follows"."""


def about(value: float) -> Region:
    """A number that the paper gives after "about" or "≈", and `CLOSE` to it.

    >>> print(about(8))
    in [6.4, 10]
    """
    low, high = sorted((CLOSE.low * value, CLOSE.high * value))
    return Region.between(low, high)
