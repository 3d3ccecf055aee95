"""Claims on evidence that their planted cases (`plants_grokking`) do not cover: exact claims, and what cannot be
judged."""

import numpy as np
import pytest
from plants_grokking import (
    DECAYS,
    RATES,
    C,
    G,
    M,
    X,
    decays,
    evidence,
    phased,
    plan,
    rates,
    run,
)

from nucleate.claims import Evidence, Reason, Verdict
from nucleate.papers import Budget
from nucleate.papers.grokking import PAPER
from nucleate.papers.grokking.experiments import CORNERS, EXPERIMENTS, PHASE_RATES, Effort, transformer
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
        5: Verdict.REPLICATED,
        6: Verdict.CONTRADICTED,
        7: Verdict.CONTRADICTED,
        10: Verdict.REPLICATED,
        11: Verdict.REPLICATED,
        12: Verdict.CONTRADICTED,
        13: Verdict.REPLICATED,
    }.items(),
)
def test_what_is_exact(number, verdict):
    assert CLAIMS[number].judge(Evidence({}, effort(1))).verdict == verdict


@pytest.mark.parametrize(
    ("number", "verdict"),
    {
        1: Verdict.CONTRADICTED,
        3: Verdict.REPLICATED,
        8: Verdict.REPLICATED,
        9: Verdict.CONTRADICTED,
    }.items(),
)
def test_what_is_drawn_at_random_does_not_depend_on_luck(number, verdict):
    assert {CLAIMS[number].judge(Evidence({}, effort(count))).verdict for count in (200, 300)} == {verdict}


def test_the_grokking_rate_rises_for_certain_in_a_large_survey():
    """Where no resample changes the order of sizes, unseen training sets are still allowed for."""
    row = CLAIMS[4].judge(Evidence({}, effort(400)))
    assert row.checks[1].verdict == "replicated"
    assert row.checks[1].interval is not None


@pytest.mark.parametrize("number", TRAINED)
def test_every_claim_reads_what_the_recipe_records(number, tiny):
    row = CLAIMS[number].judge(tiny)
    assert row.members > 0
    assert all(check.reason for check in row.checks if check.verdict == "inconclusive")


# --- phases ----------------------------------------------------------------------------------------------------------


def reasons(number: int, found: Evidence) -> set[str]:
    return {check.reason for check in CLAIMS[number].judge(found).checks}


def test_a_map_of_the_papers_size_decides():
    paperlike = decays(DECAYS, [[M], [X]], budget=Budget.PAPER)
    lonely = decays([[M], [G], [M]], [[M], [M]], budget=Budget.PAPER)
    for number in (20, 22):
        assert CLAIMS[number].judge(paperlike).verdict == Verdict.REPLICATED
        assert CLAIMS[number].judge(lonely).verdict == Verdict.CONTRADICTED


def test_before_table_1_ends_not_yet_is_not_never():
    short = decays(DECAYS, [[M], [X]], steps=10_000)
    for number in (20, 21, 22):
        assert CLAIMS[number].judge(short).verdict == Verdict.INCONCLUSIVE
        assert reasons(number, short) == {Reason.TOO_EARLY}
    assert Reason.TOO_EARLY in reasons(19, rates(M, M, steps=10_000))


def test_a_coarse_map_proves_no_absence():
    without = [[M if cell == G else cell for cell in row] for row in DECAYS]
    coarse = decays(without, [[M], [X]], steps=100_000)
    assert CLAIMS[20].judge(coarse).verdict == Verdict.INCONCLUSIVE
    assert reasons(20, coarse) == {Reason.TOO_FEW}


def test_a_corner_that_generalises_early_has_done_so_for_good():
    assert CLAIMS[21].judge(decays(DECAYS, [[C], [C]], steps=10_000)).verdict == Verdict.CONTRADICTED
    assert CLAIMS[19].judge(rates(C, C, steps=10_000)).verdict == Verdict.CONTRADICTED


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
    assert all(check.reason for check in row.checks)


@pytest.mark.parametrize("number", TOY)
def test_networks_that_are_all_alike_raise_nothing(number, alike):
    row = CLAIMS[number].judge(alike)
    assert all(check.reason for check in row.checks if check.verdict == "inconclusive")
