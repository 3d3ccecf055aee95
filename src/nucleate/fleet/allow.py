"""What a user may allow a run."""

import enum


class Allow(enum.Flag):
    """What a run is refused unless it is allowed, one by one or together: `Allow.LONG | Allow.OTHER_VERSIONS`."""

    NOTHING = 0
    LONG = enum.auto()
    """It may take longer than a week."""
    OTHER_VERSIONS = enum.auto()
    """A run may be continued by another JAX or on another kind of processor than it was begun with, so that last bits
    differ."""
