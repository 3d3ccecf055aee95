"""How one-layer attention forms: tokens that are distinct of a class win over common ones (Scan & Snap [tian2023scan]).

`ScanSnap` is the theory. `ScanFlow` is the gradient flow that it simplifies, `ClockFlow` what it becomes if the decoder
is much faster than attention; `two_regimes` finds scanning and snapping in the history of a clock.
"""

from nucleate.theories.scanning.clock import TwoRegimes, clock_law, gain_bounds, snapping_time, two_regimes
from nucleate.theories.scanning.flow import ClockFlow, ScanFlow, ScanState, normalized_attention
from nucleate.theories.scanning.record import Scans
from nucleate.theories.scanning.theory import ScanSnap, ScanSnapFit

__all__ = [
    "ClockFlow",
    "ScanFlow",
    "ScanSnap",
    "ScanSnapFit",
    "ScanState",
    "Scans",
    "TwoRegimes",
    "clock_law",
    "gain_bounds",
    "normalized_attention",
    "snapping_time",
    "two_regimes",
]
