"""Power laws in the history of any observable, compared with exponentials (Section 3.2 of [hitchcock2025emergence]).

`PowerLaw` is the theory; a `Limit` says where a history ends, `Windows` where its laws begin and end. `fit_decay` fits
a single curve to a single history.
"""

from nucleate.theories.power_laws.decays import Curve, Decay, Exponential, Power, Stretched, fit_decay
from nucleate.theories.power_laws.limits import FreeLimit, KnownLimit, Limit, RecordedLimit
from nucleate.theories.power_laws.regimes import Regimes, Window, Windows
from nucleate.theories.power_laws.theory import PowerLaw, PowerLawFit, lojasiewicz

__all__ = [
    "Curve",
    "Decay",
    "Exponential",
    "FreeLimit",
    "KnownLimit",
    "Limit",
    "Power",
    "PowerLaw",
    "PowerLawFit",
    "RecordedLimit",
    "Regimes",
    "Stretched",
    "Window",
    "Windows",
    "fit_decay",
    "lojasiewicz",
]
