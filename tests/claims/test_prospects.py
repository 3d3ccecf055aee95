import math

import numpy as np
import pytest

from nucleate.claims import (
    Check,
    Claim,
    Estimate,
    Evidence,
    Findings,
    Reason,
    Region,
    Steps,
    bootstrap,
    networks_more,
    share,
    times_as_many,
)
from nucleate.record import About


class Planted:
    """A run of a hundred networks that have had ten steps."""

    about = About("complete", "2026-01-31", {}, "unknown", {}, members=100, steps=10)

    def record(self):
        raise AssertionError


def needs(*found: tuple[Region, Estimate], mature=None, trained=True, wider=1.0) -> float | None:
    """How many times as many networks a claim with such checks needs."""
    checks = {Check(f"{i}", "", region, mature=mature if i else None): e for i, (region, e) in enumerate(found)}
    claim = Claim("a/1", "", "", tuple(checks), lambda _: Findings(checks), ("a/b",) if trained else ())
    return times_as_many(claim, claim.judge(Evidence({"a/b": Planted()}, None)), wider)


ABOVE = Region.at_least(0.5)


@pytest.mark.parametrize(
    ("region", "estimate", "times"),
    [
        (ABOVE, Estimate(0.6, 0.4, 0.8, 10), 4.0),
        (ABOVE, Estimate(0.4, 0.2, 0.8, 10), 16.0),  # to be contradicted, the upper end must fall
        (ABOVE, Estimate(0.5, 0.4, 0.6, 10), math.inf),
        (Region.between(0.5, 1), Estimate(0.9, 0.8, 1.1, 10), 4.0),
        (Region.between(0.5, 1), Estimate(0.9, 0.1, 1.1, 10), 4.0),
        (Region.between(0.5, 1), Estimate(1.1, 0.9, 1.2, 10), 4.0),
        (ABOVE, Estimate.open(0.9, Reason.TOO_FEW, 3), 3.0),  # nine have an interval at every look
        (ABOVE, Estimate(math.inf, 0.4, math.inf, 10), math.inf),
    ],
)
def test_half_widths_fall_with_the_root_of_the_units(region, estimate, times):
    assert needs((region, estimate)) == pytest.approx(times)


def test_one_check_is_enough_to_contradict_and_all_must_hold_to_replicate():
    slow, fast = Estimate(0.6, 0.2, 1.0, 10), Estimate(0.6, 0.4, 0.8, 10)
    against = Estimate(0.4, 0.3, 0.6, 10)
    assert needs((ABOVE, slow), (ABOVE, fast)) == pytest.approx(16)
    assert needs((ABOVE, slow), (ABOVE, fast), (ABOVE, against)) == pytest.approx(4)


def test_what_networks_do_not_help_has_no_prospect():
    early = Steps(1000, "a/b")
    undecided, decided = (ABOVE, Estimate(0.6, 0.4, 0.8, 10)), (ABOVE, Estimate.exact(1))
    assert needs(decided) is None
    assert needs((ABOVE, Estimate.exact(0)), undecided) is None  # contradicted
    assert needs(undecided, trained=False) is None
    assert needs((ABOVE, Estimate.unknown())) is None
    assert needs(undecided, undecided, mature=early) is None
    # It may be contradicted, though, by the check that is mature.
    assert needs((ABOVE, Estimate(0.4, 0.3, 0.6, 10)), undecided, mature=early) == pytest.approx(4)


def test_wider_intervals_need_more():
    assert needs((ABOVE, Estimate(0.6, 0.4, 0.8, 10)), wider=1.5) == pytest.approx(9)


@pytest.mark.parametrize("kind", ["share", "mean"])
def test_the_estimate_is_about_what_it_takes(kind):
    values = np.tile(np.arange(10) < 7 if kind == "share" else np.linspace(-0.8, 2.2, 10), 400)
    of = lambda n: share(int(values[:n].sum()), n) if kind == "share" else bootstrap(np.mean, values[:n])
    guess = 30 * (needs((ABOVE, of(30))) or 1)
    needed = next(n for n in range(30, 4000, 10) if of(n).low > 0.5)
    assert guess / 1.5 < needed < 1.5 * guess


def test_many_networks_are_said_to_be_many():
    check = Check("x", "", ABOVE)
    claim = Claim("a/1", "", "", (check,), lambda _: Findings({check: Estimate(0.6, 0.4, 0.8, 10)}), ("a/b",))
    row = claim.judge(Evidence({"a/b": Planted()}, None))
    assert networks_more(row, 2.41) == "about 150 networks more"
    assert networks_more(row, 1.001) == "about 1 network more"
    assert networks_more(row, 13.41) == "about 1,300 networks more"
    assert networks_more(row, math.inf) == "more than 1,000,000 networks more"
