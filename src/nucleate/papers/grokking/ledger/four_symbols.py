"""Claim 24: the representations of four symbols that training finds."""

import numpy as np
from scipy.stats import binom

from nucleate.claims import Check, Claim, Estimate, Evidence, Findings, Region, Revision, Steps, bootstrap, words
from nucleate.papers.grokking import readings
from nucleate.papers.grokking.experiments import FOUR_SYMBOLS

_PAPER_SEEDS = 200
"""Networks per setting in Fig. 12; with fewer, an absent representation proves nothing."""

_FORMED = Steps(3000, FOUR_SYMBOLS)
_BETTER = Check("mean RQI at (1e-2, 1e-3) minus at (1e-3, 1e-2)", "higher RQI", words.POSITIVE, mature=_FORMED)
_FOUND = Check("different representations found, of 5", "all possible", Region.exactly(5), mature=_FORMED)


def _descendants(evidence: Evidence) -> Findings:
    seen = evidence.once(readings.four_symbols)
    slow, count = seen.slow_decoder, len(seen.after)
    counts = {
        code: (int(np.sum(seen.before == code)), int(np.sum(seen.after == code))) for code in readings.REPRESENTATIONS
    }

    def occurs(code: int) -> bool:
        """More often than by chance, which is what the untrained networks show (1 % level)."""
        before, after = counts[code]
        return after > 0 and (code == 0 or bool(binom.sf(after - 1, count, (before + 1) / (count + 2)) < 0.01))

    found = sum(occurs(code) for code in counts)
    most = len(counts) if count < 2 * _PAPER_SEEDS else found
    listed = ", ".join(f"{readings.EQUATION_SETS[code]} {a} → {b}" for code, (a, b) in counts.items())
    better = bootstrap(
        lambda slow, fast: slow.mean() - fast.mean(), seen.rqi[slow], seen.rqi[~slow], apart=True, bounds=(0, 1)
    )
    note = (
        f"{count} networks; equations that hold (|d| ≤ 0.01), before → after training: {listed}. A representation "
        "counts as found if it is more frequent than chance, as measured before training. The difference in RQI is "
        f"that between {_mean(seen.rqi[slow]):.2f} and {_mean(seen.rqi[~slow]):.2f}."
    )
    return Findings({_BETTER: better, _FOUND: Estimate(float(found), float(found), float(most))}, note)


def _mean(values: np.ndarray) -> float:
    return float(values.mean()) if len(values) else float("nan")


CLAIMS = (
    Claim(
        "grokking/24",
        "Fig. 12",
        "With p = 4 a slow decoder gives better representations than a fast one, and every descendant of the linear "
        "structure occurs.",
        (_BETTER, _FOUND),
        _descendants,
        (FOUR_SYMBOLS,),
        quote="our algorithms actually generates all possible representations. […] The relatively slow decoder "
        "produces better representations (in the sense of higher RQI) than a fast decoder, agreeing with our "
        "observation in Section 4.",
        history=(
            Revision(
                "The same, with every representation counted that occurs at all.",
                "not published",
                "some occur by chance, before any training.",
            ),
        ),
    ),
)
