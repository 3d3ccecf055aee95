"""The claims of the circles paper, on planted evidence. At the sizes of the standard budget: see `test_decidable`."""

import numpy as np
import pytest
import xarray as xr
from circle_records import (
    FREQ,
    blurred,
    constructed,
    early,
    evidence,
    fleet,
    frozen,
    linear_fleet,
    moduli,
    shaken,
    survival_fleet,
    with_ablated_losses,
    with_counts,
    with_gradient,
)

from nucleate.claims import ClaimRow, Reason, Verdict
from nucleate.papers import paper
from nucleate.papers.circles import readings
from nucleate.papers.circles.experiments import (
    ABLATED,
    COMPETITION,
    COMPOSITES,
    DECAY,
    DIMENSIONS,
    DYNAMICS,
    FROZEN,
    LINES,
    LONG,
    NO_DECAY,
    PERTURBED,
    PRIMES,
    ROUND,
    SURVIVAL,
)
from nucleate.papers.circles.ledger.trends import off_line
from nucleate.record import NEVER

CLAIMS = {claim.number: claim for claim in paper("circles").claims}
YES, NO, OPEN = Verdict.REPLICATED, Verdict.CONTRADICTED, Verdict.INCONCLUSIVE


def judge(number: int, records: dict[str, xr.Dataset], **more) -> ClaimRow:
    return CLAIMS[number].judge(evidence(records, **more))


def test_claims_are_numbered_and_quote_the_paper():
    assert list(CLAIMS) == list(range(1, 26))
    assert all(claim.quote for claim in CLAIMS.values())


@pytest.mark.parametrize(("counts", "verdict"), [([4] * 30, YES), ([7] * 30, NO), ([4] * 24 + [6] * 6, OPEN)])
def test_number_of_survivors(counts, verdict):
    assert judge(1, {COMPETITION: fleet(with_counts(counts))}).verdict == verdict


def test_short_runs_are_too_early_to_count():
    row = judge(1, {COMPETITION: fleet(with_counts([7] * 30), steps=800)})
    assert (row.verdict, row.reason) == (OPEN, Reason.TOO_EARLY)


def test_the_early_stop_is_checked_where_nothing_was_stopped():
    record = fleet(with_counts([4] * 10))
    assert "10 of these already had" in judge(1, {COMPETITION: record}).note
    record["clear_step"] = ("member", np.full(10, 20))  # at step 20 nothing has separated yet
    assert "; 0 of these already had" in judge(1, {COMPETITION: record}).note


def test_the_dead_must_decay_and_the_living_stand_apart():
    record, long = fleet(with_counts([4] * 30)), lambda steps, dead: fleet(with_counts([4] * 6), steps=steps, dead=dead)
    assert judge(2, {COMPETITION: record, LONG: long(30_000, 1.0)}).verdict == YES
    assert judge(2, {COMPETITION: record, LONG: long(30_000, 30.0)}).verdict == NO
    assert judge(2, {COMPETITION: record, LONG: long(8000, 30.0)}).reason == Reason.TOO_EARLY


def test_initial_signal_and_survival():
    assert judge(4, {SURVIVAL: survival_fleet(0.03, embeddings=30)}).verdict == YES
    assert judge(4, {SURVIVAL: survival_fleet(0.0)}).verdict == NO
    assert judge(4, {SURVIVAL: survival_fleet(-0.03)}).verdict == NO


def perturbed(embeddings: int) -> xr.Dataset:
    factor, seeds = np.repeat([0.85, 1.0, 1.15], 60), np.tile(np.arange(60), 3) % embeddings
    alive = np.zeros((180, FREQ), bool)
    alive[:, 3] = True
    alive[120:, 24] = True
    return fleet(alive, factor=factor, seed_embedding=seeds)


def test_perturbed_frequency():
    assert judge(5, {PERTURBED: perturbed(20)}, frequency=25).verdict == YES
    assert judge(5, {PERTURBED: perturbed(20)}, frequency=4).verdict == NO  # survives when it is lowered, too
    few = judge(5, {PERTURBED: perturbed(3)}, frequency=25)  # three embeddings say nothing about others
    assert (few.verdict, few.reason) == (OPEN, Reason.TOO_FEW)


def test_constructed_frequencies():
    half, some = np.arange(100) >= 50, np.arange(100) % 4 == 0
    good = constructed(half, some)
    assert judge(6, {LINES: good, ROUND: good}).verdict == YES
    assert judge(6, {LINES: constructed(~half, some), ROUND: good}).verdict == NO
    assert judge(6, {LINES: constructed(half, np.zeros(100, bool)), ROUND: good}).verdict == OPEN


def test_gradients_and_survival():
    record = survival_fleet(0.0, embeddings=8, trials=1)
    alive, rng = readings.final_alive(record), np.random.default_rng(0)
    telling = 1e-3 * (alive + 0.5 * rng.normal(size=alive.shape))
    assert judge(7, {SURVIVAL: early(record, telling)}).verdict == YES
    assert judge(7, {SURVIVAL: early(record, -telling)}).verdict == NO


def test_an_svm_must_beat_the_majority():
    record = survival_fleet(0.0, embeddings=6, trials=4)
    alive, rng = readings.final_alive(record), np.random.default_rng(0)
    telling = record.copy(deep=True)
    telling["signal"][:, 0] = 80 + 12 * alive + 3 * rng.normal(size=alive.shape)
    accuracy, gain = judge(8, {SURVIVAL: early(telling, 0 * alive)}).checks
    assert gain.verdict == YES
    assert accuracy.verdict == NO  # it is right more often than the paper's
    accuracy, gain = judge(8, {SURVIVAL: early(record, 0 * alive)}).checks
    assert gain.measured == pytest.approx(0, abs=0.01)
    assert gain.verdict == OPEN


@pytest.mark.parametrize(
    ("number", "name", "column", "values"),
    [
        (9, PRIMES, "p", (13, 29, 59)),
        (10, DIMENSIONS, "dim", (16, 64, 96)),
        (14, DECAY, "wd", (1.0, 0.3, 0.1)),
    ],
)
def test_a_flat_trend_is_undecided(number, name, column, values):
    flat = fleet(with_counts(np.tile([3, 4], 12)), **{column: np.repeat(values, 8)})
    assert judge(number, {name: flat, COMPETITION: fleet(with_counts([3, 4] * 4))}).verdict == OPEN


def test_frozen_embeddings_of_small_and_medium_dimension():
    assert judge(12, {FROZEN: frozen({16: 3.0, 20: 3.0, 36: 6.0, 48: 6.0})}).verdict == YES
    assert judge(12, {FROZEN: frozen({16: 6.0, 20: 6.0, 36: 3.0, 48: 3.0})}).verdict == NO
    early_on = judge(12, {FROZEN: frozen({16: 6.0, 20: 6.0, 36: 3.0, 48: 3.0}, steps=5000)})
    assert early_on.reason == Reason.TOO_EARLY


def test_no_decay():
    flat = fleet(np.zeros((80, FREQ), bool), dead=87.0, wd=0.0)
    flat["test_accuracy"][:] = 0.1
    assert judge(13, {NO_DECAY: flat}).verdict == YES
    assert judge(13, {NO_DECAY: fleet(with_counts([4] * 8), wd=0.0)}).verdict == NO


@pytest.mark.parametrize("losses", [(0.1, 0.05, 0.01), (3.0, 0.05, 0.01), (3.0, 1.0, 0.7)])
def test_each_number_of_circles_must_have_its_loss(losses):
    record = with_ablated_losses(fleet(with_counts([4] * 10)), [*losses, 0.0, 0.0])
    assert judge(15, {COMPETITION: record}).verdict == NO


def test_equations():
    record = linear_fleet(6)
    linear = judge(16, {DYNAMICS: record})
    assert linear.checks[0].measured > 0.999
    assert "another run" in linear.note
    assert judge(18, {DYNAMICS: blurred(record)}).verdict == YES
    assert judge(17, {DYNAMICS: record}).checks[0].measured > 0.999


def test_equations_do_not_fit_noise():
    record = shaken(linear_fleet(6))
    assert judge(16, {DYNAMICS: record}).verdict == NO
    assert judge(17, {DYNAMICS: record}).verdict == NO


def test_more_terms_than_steps_are_too_early_to_adjust_for():
    short = judge(17, {DYNAMICS: linear_fleet(2, steps=20)}).checks[0]
    assert short.reason == Reason.TOO_EARLY


@pytest.mark.parametrize(("flips", "verdict"), [(0, YES), (1, NO)])
def test_couplings_need_a_sign_that_networks_agree_about(flips, verdict):
    """In seven embeddings with two networks each, whose couplings have random signs, of which the second network may
    flip all."""
    sign = np.random.default_rng(0).choice([-1.0, 1.0], size=(7, 1, FREQ, FREQ))
    matrices = np.concatenate([sign, (1 - 2 * flips) * sign], axis=1).reshape(14, FREQ, FREQ)
    matrices[0, 0, 1] = matrices[1, 0, 1] = 0.0
    matrices[2, 0, 1], matrices[3, 0, 1] = 1.0, -matrices[3, 1, 0]
    record = fleet(with_counts([4] * 14), steps=1000, seed_embedding=np.arange(14) // 2)
    row = judge(19, {SURVIVAL: record}, known={readings.survival_couplings: matrices})
    assert row.verdict == verdict


def test_circularity_of_random_starts_says_nothing_about_random_survival():
    assert judge(20, {SURVIVAL: survival_fleet(0.0, embeddings=6, trials=20)}).verdict == YES


def ablated(networks: int, loss_of_b: float) -> xr.Dataset:
    variant = np.repeat(np.arange(4), networks)
    counts = np.repeat([4, 2, 3, 4], networks)
    record = fleet(with_counts(counts), variant=variant, seed=np.tile(np.arange(networks), 4))
    record["test_loss"][variant == 1] = np.geomspace(4, loss_of_b, record.sizes["step_test"])
    record["test_loss"][variant != 1, 20] = 3.0  # a slingshot
    record["test_loss"][0, 30] = 3.0  # and another in one network
    return record


def test_ablation_before_training():
    original = fleet(with_counts([4] * 8))
    assert judge(21, {ABLATED: ablated(8, 1e-8)}).verdict == YES
    assert judge(22, {ABLATED: ablated(8, 1e-8), COMPETITION: original}).verdict == YES
    assert judge(21, {ABLATED: ablated(8, 1.0)}).verdict == NO
    assert judge(22, {ABLATED: ablated(8, 1.0), COMPETITION: original}).verdict == NO


def test_a_single_circle_counts_only_where_the_task_was_learned():
    names = (COMPETITION, PRIMES, COMPOSITES, DIMENSIONS, DECAY, LINES, ABLATED)
    records = {name: fleet(with_counts([4] * 20)) for name in names}
    unlearned = fleet(with_counts([1] * 20))
    assert judge(23, records | {LINES: unlearned}).verdict == NO
    unlearned["test99_step"][:] = NEVER
    assert judge(23, records | {LINES: unlearned}).verdict == YES


@pytest.mark.parametrize(("peak", "after"), [(2000, 1e-3), (100, 0.5)])
def test_a_gradient_that_peaks_late_or_stays_contradicts(peak, after):
    record = with_gradient(fleet(with_counts([4] * 10)), peak, after)
    assert judge(24, {COMPETITION: record}).verdict == NO


def test_composites_vary_more():
    p = np.arange(16, 60, 4)
    wild = np.where(np.arange(len(p)) % 2, 2.0, -1.0)
    assert judge(25, {PRIMES: moduli(0 * p, p + 1), COMPOSITES: moduli(wild, p)}).verdict == YES
    assert judge(25, {PRIMES: moduli(wild, p + 1), COMPOSITES: moduli(0 * p, p)}).verdict == NO


def test_moduli_exactly_on_a_line_break_nothing():
    """Over a spread of 0 the ratio is infinite or undefined; that no prime is off the line is not known."""
    p = np.arange(12, 144, 12)
    wild = np.where(np.arange(len(p)) % 2, 2.0, -1.0)
    for offset, measured, reason in ((wild, np.inf, Reason.TOO_FEW), (0 * p, None, Reason.UNDEFINED)):
        spread = judge(25, {PRIMES: moduli(0 * p, p), COMPOSITES: moduli(offset, p)}).checks[1]
        assert (spread.measured, spread.verdict, spread.reason) == (measured, OPEN, reason)


@pytest.mark.parametrize("shift", [0.0, 1 / 3, 1e6])
def test_points_on_a_line_have_no_distance_from_it_whatever_the_rounding(shift):
    p = np.array([13.0, 17.0, 19.0, 23.0, 97.0])
    assert off_line(np.stack([p, shift + p / 7], axis=1)) == 0


def test_distance_from_the_line():
    assert off_line(np.array([(1.0, 4.0), (2.0, 7.0), (3.0, 4.0)])) == pytest.approx(np.sqrt(2))  # the line is at 5
    assert np.isnan(off_line(np.array([(1.0, 4.0), (2.0, 7.0), (2.0, 4.0)])))
