"""What the paper says in words, as numbers, which are ours unless it gives them."""

from nucleate.claims import Region

CRITICAL = 0.4
"""r_c, the critical fraction of the data: the paper's number."""

TOLERANCE = 0.05
"""Around 0.4: 0.4 to the printed decimal."""

AROUND_CRITICAL = Region.around(CRITICAL, TOLERANCE)

ABOUT_THREE = Region.between(1.5, 6)
"""About 3 n_h: 3 within a factor of two."""

MOST = Region.at_least(0.5)
"""A setting "leads to" a phase: at least half of its networks are in it."""

NEARLY_ALL = Region.at_least(0.9)
"""A bound: at least nine of ten networks respect it."""

COINCIDES = Region.between(0.5, 2)
"""Two times coincide: one within a factor of two of the other."""
