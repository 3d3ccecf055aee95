"""Claims on evidence that their planted cases (`plants_grokking`) do not cover: exact claims, and what cannot be
judged."""

from collections.abc import Callable

import numpy as np
import pytest
from planted import PlantedRun
from plants_grokking import (
    DECAYS,
    RATES,
    ROW,
    C,
    G,
    M,
    X,
    corners_of_decays,
    decays,
    evidence,
    phased,
    plan,
    rates,
    run,
)

from nucleate.claims import Evidence, Reason, Verdict
from nucleate.papers import Budget
from nucleate.papers.grokking import PAPER, readings
from nucleate.papers.grokking.experiments import (
    CORNERS,
    EXPERIMENTS,
    NO_DECAY,
    PHASE_DECAY,
    PHASE_RATES,
    TRANSITION,
    Effort,
    transformer,
)
from nucleate.record import NEVER, Outcome

CLAIMS = {claim.number: claim for claim in PAPER.claims}
TRAINED = [claim.number for claim in PAPER.claims if claim.needs]
TOY = [number for number in TRAINED if number <= 24]


def effort(count: int) -> Effort:
    return Effort(training_sets=count, embeddings=count, decoders=count, representations=count)


@pytest.mark.parametrize(
    ("number", "verdict"),
    {
        2: Verdict.REPLICATED,
        5: Verdict.SHOWN,
        6: Verdict.CONTRADICTED,
        7: Verdict.REPLICATED,
        10: Verdict.REPLICATED,
        11: Verdict.REPLICATED,
        12: Verdict.REPLICATED,
        13: Verdict.REPLICATED,
        40: Verdict.CONTRADICTED,
    }.items(),
)
def test_what_is_exact(number, verdict):
    assert CLAIMS[number].judge(Evidence({}, effort(1))).verdict == verdict


@pytest.mark.parametrize(
    ("number", "verdict"),
    {
        1: Verdict.REPLICATED,
        3: Verdict.REPLICATED,
        8: Verdict.REPLICATED,
        9: Verdict.REPLICATED,
    }.items(),
)
def test_what_is_drawn_at_random_does_not_depend_on_luck(number, verdict):
    assert {CLAIMS[number].judge(Evidence({}, effort(count))).verdict for count in (200, 300)} == {verdict}


def test_the_trend_of_the_grokking_rate_could_be_otherwise():
    """A rate that falls with every pair more contradicts, whatever it does without Eq. 5's factor."""
    sizes = np.arange(1, 56)
    rate = np.where(sizes < 22, 0.0, sizes)[:, None] * np.ones(20)
    survey = readings.Survey(sizes / 55, rate > 0, rate, sizes[:, None] ** 2 * np.ones(20, int))
    row = CLAIMS[4].judge(Evidence({}, effort(1), known={readings.survey: survey}))
    assert [check.verdict for check in row.checks[1:]] == ["contradicted", "shown"]
    assert row.checks[2].measured == 1


def test_propositions_are_judged_as_proven_and_shown_as_printed():
    checks = {check.label: check for check in CLAIMS[1].judge(Evidence({}, effort(300))).checks}
    (printed,) = (check for label, check in checks.items() if "printed" in label)
    assert (printed.verdict, printed.measured > 0) == ("shown", True)


@pytest.mark.parametrize("number", TRAINED)
def test_every_claim_reads_what_the_recipe_records(number, tiny):
    row = CLAIMS[number].judge(tiny)
    assert row.members > 0
    assert row.verdict != "contradicted" or number > 24  # by 40 steps of training
    assert all(check.reason for check in row.checks if check.verdict == "inconclusive")


# --- the transition --------------------------------------------------------------------------------------------------


def arrivals(arrive: Callable[[np.ndarray, np.ndarray], np.ndarray], budget: Budget = Budget.STANDARD) -> Evidence:
    """Networks that form the line at once if their fraction of the data and learning rate make them `arrive`."""
    members = plan(TRANSITION, budget).members
    sets = np.arange(55) < members["train_size"][:, None]
    steps = np.where(arrive(sets.mean(1), members["eta_repr"]), 100, NEVER)
    variables = {
        "in_train": (("member", "pair"), sets),
        "rqi95_step": ("member", steps),
        "embedding": (("member", "token", "dim"), np.zeros((len(sets), 10, 1))),
    }
    return evidence(transition=run(TRANSITION, budget, **variables))


def test_one_choice_of_learning_rates_that_fits_is_enough():
    early = arrivals(lambda fraction, rate: fraction > np.where(rate == 1e-3, 0.4, 0.7))
    assert CLAIMS[16].judge(early).verdict == Verdict.REPLICATED
    late = arrivals(lambda fraction, rate: fraction > np.where(rate == 1e-3, 0.6, 0.7))
    assert CLAIMS[16].judge(late).verdict == Verdict.CONTRADICTED
    on_both_sides = arrivals(lambda fraction, rate: fraction > np.where(rate == 1e-3, 0.3, 0.7))
    assert CLAIMS[16].judge(on_both_sides).checks[0].verdict == Verdict.INCONCLUSIVE


def test_a_handful_of_networks_that_are_all_late_contradicts_nothing():
    row = CLAIMS[16].judge(arrivals(lambda fraction, rate: fraction > 0.7, Budget.QUICK))
    assert (row.checks[0].verdict, row.checks[0].reason) == ("inconclusive", Reason.TOO_FEW)


def test_steps_are_those_of_networks_with_the_captions_rate():
    row = CLAIMS[18].judge(arrivals(lambda fraction, rate: rate > 2e-3))
    assert row.checks[0].measured is None  # none of the others has arrived


# --- phases ----------------------------------------------------------------------------------------------------------


def reasons(number: int, found: Evidence) -> set[str]:
    return {check.reason for check in CLAIMS[number].judge(found).checks}


def test_before_table_1_ends_not_yet_is_not_never():
    short = decays(DECAYS, [C, M, M], [[M], [X]], steps=10_000)
    for number in (20, 21, 22):
        assert CLAIMS[number].judge(short).verdict == Verdict.INCONCLUSIVE
        assert reasons(number, short) - {""} == {Reason.TOO_EARLY}
    assert Reason.TOO_EARLY in reasons(19, rates(M, M, steps=10_000))


def test_one_network_shows_a_phase():
    """As in the paper, whose cells have one each: a majority is shown beside it."""
    found = decays(DECAYS, ROW, [[M], [X]])
    record = found.record(NO_DECAY)
    lonely = np.arange(record.sizes["member"]) == 7
    arrives = ("member", np.where(lonely, 5000, NEVER))
    one = PlantedRun(record.assign(train90_step=("member", np.full(len(lonely), 100)), valid90_step=arrives))
    without = [[M if cell == G else cell for cell in row] for row in DECAYS]
    runs = {name.split("/")[1].replace("-", "_"): phased(name, without, "wd_dec") for name in (PHASE_DECAY,)}
    others = {name.split("/")[1].replace("-", "_"): PlantedRun(found.record(name)) for name in CLAIMS[20].needs}
    row = CLAIMS[20].judge(evidence(**others | runs | {"no_decay": one}))
    regression = [check for check in row.checks if check.label.startswith("regression")]
    assert [(check.verdict, check.measured) for check in regression] == [("replicated", 4), ("shown", 3)]


def test_a_coarse_map_proves_no_absence():
    """Without grokking in regression alone, of fewer networks than the paper's map has cells; and in all tasks."""
    without = [[M if cell == G else cell for cell in row] for row in DECAYS]
    everywhere = decays(without, [C, C, M, M], [[M], [X]], steps=100_000)
    assert CLAIMS[20].judge(everywhere).verdict == Verdict.CONTRADICTED
    others = decays(DECAYS, ROW, [[M], [X]], steps=100_000)
    mixed = {
        name.split("/")[1].replace("-", "_"): PlantedRun(
            (everywhere if name in (PHASE_DECAY, NO_DECAY) else others).record(name)
        )
        for name in CLAIMS[20].needs
    }
    row = CLAIMS[20].judge(evidence(**mixed))
    assert (row.verdict, row.reason) == (Verdict.INCONCLUSIVE, Reason.TOO_FEW)


def test_grokking_without_comprehension_is_between_nothing():
    row = CLAIMS[22].judge(decays(DECAYS, [G, G, M, M], [[M], [X]]))
    assert (row.verdict, row.decisive.measured) == (Verdict.CONTRADICTED, 0)


def test_a_corner_that_generalises_early_has_done_so_for_good():
    corners = evidence(**corners_of_decays([[C], [C]], steps=10_000))
    assert CLAIMS[21].judge(corners).verdict == Verdict.CONTRADICTED
    assert CLAIMS[19].judge(rates(C, C, steps=10_000)).verdict == Verdict.CONTRADICTED


def test_one_exception_does_not_leave_a_corner_open():
    found = corners_of_decays([[M], [X]])
    record = found["groups_corners"].dataset
    escaped = np.where(np.arange(record.sizes["member"]) == 0, 200, record.valid90_step)
    found["groups_corners"] = PlantedRun(record.assign(valid90_step=("member", escaped)))
    assert CLAIMS[21].judge(evidence(**found)).verdict == Verdict.REPLICATED


def test_networks_that_may_still_comprehend_leave_the_lead_open():
    """A map in which more networks have not even fitted their data than comprehend, with a slower representation."""
    cells = [[X, X, X, X], [X, X, X, X], [X, X, X, X], [M, C, C, M]]
    found = evidence(phase_rates=phased(PHASE_RATES, cells, "eta_repr"), corners=rates(M, G)._runs[CORNERS])
    lead = CLAIMS[19].judge(found).checks[3]
    assert (lead.verdict, lead.reason) == ("inconclusive", Reason.TOO_EARLY)


def test_the_competition_reads_the_right_corners():
    assert CLAIMS[19].judge(rates(M, G)).verdict == Verdict.REPLICATED
    assert CLAIMS[19].judge(rates(G, M)).verdict == Verdict.CONTRADICTED


def test_comprehension_where_the_decoder_is_faster_contradicts():
    corners = phased(CORNERS, [[G, M], [G, M]], "eta_repr")
    transposed = [list(column) for column in zip(*RATES, strict=True)]
    found = evidence(phase_rates=phased(PHASE_RATES, transposed, "eta_repr"), corners=corners)
    assert [check.verdict for check in CLAIMS[19].judge(found).checks] == [*["replicated"] * 3, "contradicted"]


# --- what cannot be judged -------------------------------------------------------------------------------------------


def everything(outcome: Outcome, value: float) -> Evidence:
    """Runs in which all networks ended with this outcome and all that was recorded is this number."""

    def digits(name: str):
        count = plan(name).members.count
        scalars = ("train_accuracy", "valid_accuracy", "weight_norm")
        return run(
            name,
            outcome=("member", np.full(count, outcome)),
            **{name: (("member", "step"), np.full((count, 2), value)) for name in scalars},
            **{f"{name}_step": ("member", np.full(count, NEVER)) for name in ("train90", "valid60")},
        )

    def whole(name: str):
        if "/digits" in name:
            return digits(name)
        recipe, count = plan(name).recipe, plan(name).members.count
        task, shape = recipe.task, (6, 3, 3) if "groups" in name else (recipe.p, 1)
        scalars = ("accuracy", "train_accuracy", "rqi")
        return run(
            name,
            outcome=("member", np.full(count, outcome)),
            in_train=(("member", "pair"), np.ones((count, len(task.pairs)), bool)),
            left=("pair", task.pairs[:, 0]),
            right=("pair", task.pairs[:, 1]),
            label=("pair", task.label),
            embedding=(("member", "step", *recipe.axes), np.full((count, 2, *shape), value)),
            **{name: (("member", "step"), np.full((count, 2), value)) for name in scalars},
            **{f"{name}_step": ("member", np.full(count, NEVER)) for name in ("train90", "valid90", "rqi95")},
        )

    return evidence(
        **{
            name.split("/")[1].replace("-", "_"): whole(name)
            for name in EXPERIMENTS.keys() - transformer.EXPERIMENTS.keys()
        }
    )


@pytest.fixture(scope="module")
def diverged():
    return everything(Outcome.DIVERGED, np.nan)


@pytest.fixture(scope="module")
def alike():
    return everything(Outcome.OK, 1.0)


@pytest.mark.parametrize("number", TOY)
def test_networks_that_all_diverged_decide_nothing(number, diverged):
    row = CLAIMS[number].judge(diverged)
    assert row.verdict == Verdict.INCONCLUSIVE
    assert all(check.reason for check in row.checks if check.verdict != "shown")


@pytest.mark.parametrize("number", TOY)
def test_networks_that_are_all_alike_raise_nothing(number, alike):
    row = CLAIMS[number].judge(alike)
    assert all(check.reason for check in row.checks if check.verdict == "inconclusive")
