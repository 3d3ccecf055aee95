"""The critical fraction of the data, around which the paper finds its transitions."""

from nucleate.claims.words import about

CRITICAL = 0.4
"""r_c: the paper's number."""

AROUND_CRITICAL = about(CRITICAL)
"""Which fractions are around it: ours."""
