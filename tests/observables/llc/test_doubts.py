"""Coefficients that are wrong must say so, and those that are right must not."""

import numpy as np
import pytest
from benchmarks.doubts import CASES, NBETA, Tally, estimates, tables
from scipy.stats import binom

from nucleate.observables import MALA, SGLD, Doubt, Sampling

NAMED = {case.name: case for case in CASES}


@pytest.mark.parametrize(
    ("name", "nbeta", "steps", "truth"),
    [("x²y²", 10_000.0, (1e-3, 5e-3), 0.4123), ("x²y⁴", 1000.0, (2e-2,), 0.22485)],
)
def test_chains_that_miss_narrow_arms_and_agree_about_the_rest_are_doubted(name, nbeta, steps, truth):
    """R̂ hardly sees it, or not at all, but moves into the arms, or up their walls, are rejected."""
    sampling = Sampling(chains=128, burn_in=1000, draws=10_000)
    seen = list(estimates([NAMED[name]], [(MALA(), steps)], (nbeta,), sampling))
    assert seen[-1].truth == pytest.approx(truth, abs=1e-4)
    assert all(one.wrong and Doubt.UNSETTLED in one.doubt for one in seen)
    assert Doubt.UNMIXED not in seen[0].doubt


def test_few_wrong_coefficients_are_missed_and_few_right_ones_are_doubted():
    """Of fresh cases; the whole table is in docs/doubts.md."""
    names = ["x²y⁶", "x⁴ + y⁴", "x²y² + x⁴"]
    samplers = ((MALA(), (5e-3, 2e-2)), (SGLD(), (5e-4, 2e-3)))
    sampling = Sampling(chains=32, burn_in=2000, draws=8000, seed=1)
    seen = list(estimates([NAMED[name] for name in names], samplers, NBETA, sampling))
    tally = Tally.of(seen)
    assert len(tally.wrong) > 5
    # A few coefficients cannot tell shares apart that are near each other: what must fail is what chance hardly makes.
    assert binom.sf(len(tally.missed) - 1, len(tally.trusted), 0.05) > 0.01
    assert not any(one.large for one in tally.missed)
    # The share of the whole table, more than the tenth that is wished for: at least it must not grow.
    assert binom.sf(len(tally.alarms) - 1, len(tally.right), 0.24) > 0.01
    assert tables(seen).count("\n") > len(names)


def test_a_tally_counts_the_wrong_without_doubt_and_the_doubted_right():
    (seen,) = estimates([NAMED["x⁴ + y⁴"]], [(MALA(), (1e-2,))], (100.0,), Sampling(chains=2, burn_in=5, draws=20))
    made = [
        seen._replace(value=seen.truth + off * seen.error, doubt=doubt)
        for off in (0.0, 2.5, np.nan)
        for doubt in (Doubt(0), Doubt.IMPRECISE, Doubt.UNMIXED)
    ]
    tally = Tally.of(made)
    assert (len(tally.wrong), len(tally.right)) == (6, 3)
    assert (len(tally.missed), len(tally.alarms), len(tally.trusted)) == (2, 1, 3)
