"""What users pass in is checked where it enters, by its annotation: types and bounds, in one way for all rooms.

A dataclass inherits `Checked`, a function is decorated with `checked`, and anything else calls `conform`.
"""

from nucleate.checking.bounds import Above, AtLeast, AtMost, Below, Bits, Bound, Count, Infinite, Seed
from nucleate.checking.checked import Checked, checked
from nucleate.checking.conform import conform
from nucleate.checking.graphs import refuse_unless_connected
from nucleate.checking.tensors import detached, to_numpy
from nucleate.checking.words import shown

__all__ = [
    "Above",
    "AtLeast",
    "AtMost",
    "Below",
    "Bits",
    "Bound",
    "Checked",
    "Count",
    "Infinite",
    "Seed",
    "checked",
    "conform",
    "detached",
    "refuse_unless_connected",
    "shown",
    "to_numpy",
]
