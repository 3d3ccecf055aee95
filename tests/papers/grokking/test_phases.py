"""Phases that may still change, and the claims on batch size, init scale and representation decay."""

from itertools import combinations

import jax
import jax.numpy as jnp
import numpy as np
import pytest
import xarray as xr
from planted import PlantedRun
from plants_grokking import C, G, M, X, evidence, plan
from plants_groups import batches, representation_decays, scales

from nucleate.claims import Reason, Verdict
from nucleate.observables import Phase
from nucleate.papers.grokking import PAPER, readings
from nucleate.papers.grokking.experiments import ToyFleet
from nucleate.record import NEVER, Outcome

CLAIMS = {claim.number: claim for claim in PAPER.claims}

FATES = {
    "comprehends": (100, 200, {C}),
    "has grokked": (100, 5000, {G}),
    "fitted long ago": (100, NEVER, {G, M}),
    "fitted just now": (9500, NEVER, {C, G, M}),
    "not even fitted": (NEVER, NEVER, {C, G, M, X}),
    "right before it is fitted": (NEVER, 300, {C, X}),
}


def record(steps: int, outcome: Outcome = Outcome.OK) -> xr.Dataset:
    train, valid, _ = zip(*FATES.values(), strict=True)
    return xr.Dataset(
        {
            "train90_step": ("member", list(train)),
            "valid90_step": ("member", list(valid)),
            "outcome": ("member", np.full(len(train), outcome)),
        },
        attrs={"steps": steps},
    )


def test_what_may_still_become_of_a_network():
    possible = readings.possible_phases(record(10_000))
    assert [set(np.flatnonzero(row).tolist()) for row in possible] == [
        set(map(int, fate)) for *_, fate in FATES.values()
    ]


def test_generalisation_may_be_another_crossing():
    other = record(10_000).rename(valid90_step="valid60_step")
    assert np.array_equal(readings.possible_phases(other, "valid60"), readings.possible_phases(record(10_000)))
    assert np.array_equal(readings.phase_of(other, "valid60"), readings.phase_of(record(10_000)))
    assert readings.census(other, "valid60") == readings.census(record(10_000))
    gone = record(10_000, Outcome.DIVERGED)
    assert readings.census(gone).endswith("0 confusion; 6 diverged.")


def test_after_the_steps_of_table_1_every_phase_is_final():
    possible = readings.possible_phases(record(100_000))
    assert possible.sum(1).tolist() == [1] * len(FATES)
    assert possible.argmax(1).tolist() == readings.phase_of(record(100_000)).tolist()


def test_a_network_that_diverged_has_no_phase_to_come():
    assert not readings.possible_phases(record(10_000, Outcome.DIVERGED)).any()
    assert len(readings.Hits.of(record(10_000, Outcome.DIVERGED), np.ones(6, bool), C)) == 0


def test_shares_allow_for_what_is_to_come():
    everyone = np.ones(6, bool)
    short, whole = (readings.Hits.of(record(steps), everyone, C) for steps in (10_000, 100_000))
    assert (short.now.sum(), short.surely.sum(), short.perhaps.sum()) == (1, 1, 4)
    assert short.share().pending
    assert not whole.share().pending
    assert short.share().low == whole.share().low
    assert short.share().high > whole.share().high
    both = short + short
    assert len(both) == 12
    assert both.share().value == short.share().value


def test_a_difference_allows_for_the_worst_on_both_sides():
    hits = lambda now, surely, perhaps: readings.Hits(*(np.arange(40) < 4 * count for count in (now, surely, perhaps)))
    certain, open_ = hits(8, 8, 8), hits(2, 2, 9)
    assert _above_zero(certain.minus(hits(1, 1, 1))) == Verdict.REPLICATED
    found = certain.minus(open_)
    assert (_above_zero(found), found.pending) == (Verdict.INCONCLUSIVE, True)
    assert found.value == pytest.approx(0.6)


def _above_zero(estimate):
    from nucleate.claims import Region

    return Region.above(0).judge(estimate)


# --- claims ----------------------------------------------------------------------------------------------------------


def test_small_batches_that_have_not_generalised_yet_may_still_grok():
    """Table 1 allows 10⁵ steps: neither grokking nor its absence is settled before."""
    row = CLAIMS[25].judge(batches(full=C, small=M, steps=10_000))
    assert {check.verdict for check in row.checks if "grok" in check.label} == {"inconclusive"}
    assert {check.reason for check in row.checks if "grok" in check.label} == {Reason.TOO_EARLY}
    # At 10⁵ steps their absence is settled, but not that others would not grok.
    final = CLAIMS[25].judge(batches(full=C, small=M))
    assert {check.reason for check in final.checks if "grok" in check.label} == {Reason.TOO_FEW}


def test_comprehension_is_settled_early():
    row = CLAIMS[26].judge(scales([[M], [M], [M]]))
    assert row.steps == 10_000
    assert row.checks[0].verdict == "contradicted"


def test_networks_that_have_not_fitted_their_data_leave_the_effect_of_decay_open():
    row = CLAIMS[27].judge(representation_decays([[C, C, X, X]]))
    assert (row.verdict, row.reason) == ("inconclusive", Reason.TOO_EARLY)


def test_effects_of_decays_do_not_cancel():
    """A little decay harms and much of it helps: on average nothing happens."""
    cells = [[C, C, M, M, M], [M, M, M, M, M], [C, C, C, C, M], [C, C, C, C, M]]
    assert CLAIMS[27].judge(representation_decays(cells)).verdict == "contradicted"


def test_networks_that_diverged_have_no_part_in_the_effect_of_decay():
    found = representation_decays([[C, C, M, M]])
    names = CLAIMS[27].needs
    gone = {
        name.split("/")[1].replace("-", "_"): PlantedRun(
            found.record(name).assign(
                outcome=("member", np.where(found.record(name).wd_repr == 10, Outcome.DIVERGED, Outcome.OK))
            )
        )
        for name in names
    }
    assert CLAIMS[27].judge(evidence(**gone)).verdict == "inconclusive"  # of that decay nothing is known


def test_fleets_that_are_pooled_or_compared_share_no_networks():
    seeds = {name: set(plan(name).members["seed"].tolist()) for name in (*CLAIMS[25].needs, *CLAIMS[27].needs)}
    for one, other in combinations(seeds, 2):
        assert not seeds[one] & seeds[other], (one, other)


def test_no_effect_at_all_is_undefined_and_not_a_verdict():
    assert CLAIMS[27].judge(representation_decays([[C]])).verdict == "inconclusive"


# --- minibatches as a column -----------------------------------------------------------------------------------------


def test_members_of_one_program_may_differ_in_batch_size():
    fleet = ToyFleet(batch=(5, 0), train_size=(20,), seeds=1)
    recipe, members = fleet.recipe(), fleet.members()
    assert members["batch"].tolist() == [5, 0]
    for row, wanted in ((0, 5), (1, 20)):
        data = recipe.data(members.row(row))
        weights = [
            np.asarray(recipe.batching.draw(data, jax.random.key(seed), jnp.int32(0))["weight"]) for seed in range(20)
        ]
        assert {int(weight.sum()) for weight in weights} == {wanted}
        assert all((weight <= data["train"]["weight"]).all() for weight in weights)
        drawn = np.sum(weights, axis=0)[:20]
        assert (drawn > 0).all()
        assert len({weight.tobytes() for weight in weights}) == (1 if wanted == 20 else 20)


def test_one_phase_is_not_another():
    assert readings.Hits.of(record(100_000), np.ones(6, bool), Phase.GROKKING).now.tolist() == [
        False,
        True,
        *[False] * 4,
    ]
