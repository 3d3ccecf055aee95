"""Claim 20: networks learn to add."""

import numpy as np

from nucleate.claims import Check, Claim, Evidence, Findings, Region, Steps, Threshold, bootstrap
from nucleate.papers.algebra.experiments.network import C23
from nucleate.record import at_the_end, stayed_finite

_LEARNED = Check(
    "median accuracy on held-out pairs at the end",
    "100 %",
    Region.at_least(1),
    Threshold.PAPER,
    mature=Steps(10_000, C23),
)


def _accuracy(evidence: Evidence) -> Findings:
    accuracy = at_the_end(stayed_finite(evidence.record(C23)), "test_accuracy")
    return Findings({_LEARNED: bootstrap(np.median, accuracy, bounds=(0, 1))})


CLAIMS = (
    Claim(
        "algebra/20",
        "More Statistics on Gradient Descent Solutions",
        "Networks of 512 quadratic nodes learn addition modulo 23, also of pairs that they were not shown.",
        (_LEARNED,),
        _accuracy,
        (C23,),
        quote="Training/test loss/accuracy for d = 23",
    ),
)
