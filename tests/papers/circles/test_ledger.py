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
    STRONGEST,
    SURVIVAL,
)
from nucleate.papers.circles.ledger.trends import wandering
from nucleate.record import NEVER

CLAIMS = {claim.number: claim for claim in paper("circles").claims}
YES, NO, OPEN = Verdict.REPLICATED, Verdict.CONTRADICTED, Verdict.INCONCLUSIVE


def judge(number: int, records: dict[str, xr.Dataset], **more) -> ClaimRow:
    return CLAIMS[number].judge(evidence(records, **more))


def test_claims_are_numbered_and_quote_the_paper():
    assert list(CLAIMS) == list(range(1, 26))
    assert all(claim.quote for claim in CLAIMS.values())


@pytest.mark.parametrize(("counts", "verdict"), [([4] * 36, YES), ([7] * 36, NO), ([4] * 33 + [6] * 3, OPEN)])
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
    long = lambda steps, dead: fleet(with_counts([4] * 6), steps=steps, look=1000, dead=dead)
    assert judge(2, {LONG: long(30_000, 1.0)}).verdict == YES
    assert judge(2, {LONG: long(30_000, 30.0)}).verdict == NO
    assert judge(2, {LONG: long(8000, 30.0)}).reason == Reason.TOO_EARLY
    crowded = long(30_000, 1.0)
    crowded["signal"][:, -1, 4] = 42  # the strongest of the dead; the weakest survivor has 80
    crowded["mean_signal"][:] = 22.5
    assert [check.verdict for check in judge(2, {LONG: crowded}).checks] == [NO, YES]


def test_initial_signal_and_survival():
    assert judge(4, {SURVIVAL: survival_fleet(-0.03)}).verdict == NO
    one_each = judge(4, {SURVIVAL: survival_fleet(0.03, trials=1)})
    assert (one_each.verdict, one_each.reason) == (OPEN, Reason.TOO_FEW)


@pytest.mark.parametrize("trials", [5, 20, 50])
def test_the_correlation_is_that_of_fifty_trials_however_many_there_are(trials):
    record = survival_fleet(0.05, embeddings=40, trials=trials, own=0.4)
    assert judge(4, {SURVIVAL: record}).checks[0].measured == pytest.approx(0.86, abs=0.04)


def perturbed(embeddings: int, factor: float = 1.25) -> xr.Dataset:
    """Frequency 25 survives where it was raised, frequency 4 everywhere."""
    raised, seeds = np.repeat([False, True], 60), np.tile(np.arange(60), 2) % embeddings
    start = 87 + 4 * np.random.default_rng(0).normal(size=(120, FREQ))
    start[:, 24] = 87 * np.where(raised, factor, 2 - factor)
    start[:, 3] = start[:, 24]
    alive = np.zeros((120, FREQ), bool)
    alive[:, 3], alive[:, 24] = True, raised
    return fleet(alive, steps=2000, start=start, factor=np.where(raised, factor, 2 - factor), seed_embedding=seeds)


def test_perturbed_frequency():
    assert judge(5, {PERTURBED: perturbed(60)}, frequency=25).verdict == YES
    assert judge(5, {PERTURBED: perturbed(60)}, frequency=4).verdict == NO  # survives when it is lowered, too
    few = judge(5, {PERTURBED: perturbed(3)}, frequency=25)  # three embeddings say nothing about others
    assert (few.verdict, few.reason) == (OPEN, Reason.TOO_FEW)
    near = judge(5, {PERTURBED: perturbed(60, factor=1.02)}, frequency=25)  # no signal is far from the others
    assert (near.verdict, near.reason) == (OPEN, Reason.TOO_FEW)


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


def test_the_accuracy_of_an_svm_is_judged_and_its_gain_shown():
    record = survival_fleet(0.0, embeddings=6, trials=4)
    alive, rng = readings.final_alive(record), np.random.default_rng(0)
    telling = record.copy(deep=True)
    telling["signal"][:, 0] = 80 + 12 * alive + 3 * rng.normal(size=alive.shape)
    accuracy, gain = judge(8, {SURVIVAL: early(telling, 0 * alive)}).checks
    assert accuracy.verdict == NO  # it is right more often than the paper's
    assert gain.measured > 0.1
    accuracy, gain = judge(8, {SURVIVAL: early(record, 0 * alive)}).checks
    assert gain.measured == pytest.approx(0, abs=0.01)
    assert gain.verdict == Verdict.SHOWN


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
    flat = fleet(np.zeros((40, FREQ), bool), steps=30_000, look=1000, dead=87.0, wd=0.0)
    flat["test99_step"][:] = NEVER
    assert judge(13, {NO_DECAY: flat}).verdict == YES
    assert judge(13, {NO_DECAY: fleet(with_counts([4] * 8), steps=30_000, look=1000, wd=0.0)}).verdict == NO
    assert judge(13, {NO_DECAY: fleet(with_counts([4] * 8), wd=0.0)}).reason == Reason.TOO_EARLY


@pytest.mark.parametrize("losses", [(0.1, 0.05, 0.01), (3.0, 0.05, 0.01), (3.0, 1.0, 0.7)])
def test_each_number_of_circles_must_have_its_loss(losses):
    record = with_ablated_losses(fleet(with_counts([4] * 10), steps=30_000, look=1000), [*losses, 0.0, 0.0])
    assert judge(15, {LONG: record}).verdict == NO


def test_equations():
    record = linear_fleet(6).assign_attrs(steps=1000)  # as if it had been trained for long enough
    linear = judge(16, {DYNAMICS: record})
    assert linear.checks[0].measured > 0.999
    assert "another run" in linear.note
    assert judge(18, {DYNAMICS: blurred(record)}).verdict == YES
    assert judge(17, {DYNAMICS: record}).checks[0].measured > 0.999


def test_equations_do_not_fit_noise():
    record = shaken(linear_fleet(6).assign_attrs(steps=1000))
    assert judge(16, {DYNAMICS: record}).verdict == NO
    assert judge(17, {DYNAMICS: record}).verdict == NO


def test_more_terms_than_steps_are_too_early_to_adjust_for():
    short = judge(17, {DYNAMICS: linear_fleet(2, steps=20)})
    assert short.reason == Reason.TOO_EARLY
    assert short.checks[1].measured is None


@pytest.mark.parametrize("flips", [0, 1])
def test_how_far_networks_agree_about_couplings_is_shown(flips):
    """In seven embeddings with two networks each, whose couplings have random signs, of which the second network may
    flip all."""
    sign = np.random.default_rng(0).choice([-1.0, 1.0], size=(7, 1, FREQ, FREQ))
    matrices = np.concatenate([sign, (1 - 2 * flips) * sign], axis=1).reshape(14, FREQ, FREQ)
    matrices[0, 0, 1] = matrices[1, 0, 1] = 0.0
    record = fleet(with_counts([4] * 14), steps=1000, seed_embedding=np.arange(14) // 2)
    row = judge(19, {SURVIVAL: record}, known={readings.survival_couplings: matrices})
    assert row.verdict == YES
    assert row.checks[2].measured == 1 - flips
    one_sign = judge(19, {SURVIVAL: record}, known={readings.survival_couplings: np.abs(matrices)})
    assert one_sign.verdict == OPEN  # seven embeddings without a competitor could have missed one in a hundred


def test_circularity_of_random_starts_says_nothing_about_random_survival():
    row = judge(20, {SURVIVAL: survival_fleet(0.0, embeddings=6, trials=20)})
    assert [check.verdict for check in row.checks] == [YES, Verdict.SHOWN]
    assert abs(row.checks[1].measured) < 0.2


def ablated(loss_of_b: float, **columns) -> xr.Dataset:
    """Eight networks, each started again in four ways, with slingshots in all but B."""
    variant = np.repeat(np.arange(4), 8)
    record = fleet(with_counts(np.repeat([4, 2, 3, 4], 8)), variant=variant, seed=np.tile(np.arange(8), 4), **columns)
    record["test_loss"][variant == 1] = np.geomspace(4, loss_of_b, record.sizes["step_test"])
    for row in (10, 20):
        record["test_loss"][variant != 1, row] = 30.0
    record["test_loss"][::2, 25] = 30.0
    return record


def test_ablation_before_training():
    whole = {"steps": 30_000, "look": 1000}
    assert judge(21, {ABLATED: ablated(1e-8, **whole)}).verdict == YES
    assert judge(21, {ABLATED: ablated(1.0, **whole)}).verdict == NO
    assert judge(21, {ABLATED: ablated(1.0)}).reason == Reason.TOO_EARLY


def test_two_circles_are_first():
    original = fleet(with_counts([4] * 8))
    assert judge(22, {STRONGEST: ablated(1e-8), COMPETITION: original}).verdict == YES
    assert judge(22, {STRONGEST: ablated(1.0), COMPETITION: original}).verdict == NO


def test_a_single_circle_counts_only_where_the_task_was_learned():
    names = (COMPETITION, DIMENSIONS, DECAY, LINES, STRONGEST)
    records = {name: fleet(with_counts([4] * 20)) for name in names}
    unlearned = fleet(with_counts([1] * 20))
    assert judge(23, records | {LINES: unlearned}).verdict == NO
    unlearned["test99_step"][:] = NEVER
    assert judge(23, records | {LINES: unlearned}).verdict == YES


@pytest.mark.parametrize(("peak", "after"), [(2000, 1e-3), (100, 0.5)])
def test_a_gradient_that_peaks_late_or_stays_contradicts(peak, after):
    record = with_gradient(fleet(with_counts([4] * 10)), peak, after)
    assert judge(24, {SURVIVAL: record}).verdict == NO


def test_composites_vary_more():
    p = np.arange(16, 60, 4)
    wild = np.where(np.arange(len(p)) % 2, 2.0, -1.0)
    assert judge(25, {PRIMES: moduli(0 * p, p + 1), COMPOSITES: moduli(wild, p)}).verdict == YES
    assert judge(25, {PRIMES: moduli(wild, p + 1), COMPOSITES: moduli(0 * p, p)}).verdict == NO


def test_moduli_exactly_on_a_line_break_nothing():
    p = np.arange(12, 144, 12)
    spread = judge(25, {PRIMES: moduli(0 * p, p), COMPOSITES: moduli(0 * p, p)}).checks[1]
    assert (spread.measured, spread.verdict) == (0, OPEN)


@pytest.mark.parametrize("shift", [0.0, 1 / 3, 1e6])
def test_means_on_a_parabola_do_not_wander_whatever_the_rounding(shift):
    p = np.repeat([13.0, 17.0, 19.0, 23.0, 97.0], 2)
    assert wandering(p, shift + p / 7 - p**2 / 300).tolist() == [0] * 5


def test_means_of_noise_do_not_wander_but_for_their_sampling():
    p = np.repeat(np.arange(400), 6)
    count = 4 + p / 100 + np.random.default_rng(0).normal(size=len(p))
    assert wandering(p, count).mean() == pytest.approx(0, abs=0.03)
    assert wandering(p, count + np.where(p % 2, 1, -1)).mean() == pytest.approx(1, abs=0.1)
    assert len(wandering(np.array([1, 2, 3, 4, 4]), np.arange(5))) == 0
