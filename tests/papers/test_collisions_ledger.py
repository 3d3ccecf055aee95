"""What the collisions claims are judged by: on planted records the rules see what is there, and nothing else."""

from functools import cache

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
import pytest
import xarray as xr

from nucleate.claims import Evidence, Verdict
from nucleate.models import Frame, ParticleTransformer, TransformerSize
from nucleate.observables import Doubt
from nucleate.papers.collisions import measures, readings
from nucleate.papers.collisions.ledger import CLAIMS, exact, geometry, laws, simulator

BY_NUMBER = {int(claim.id.split("/")[1]): claim for claim in CLAIMS}
STEP = np.unique(np.geomspace(1, 40_000, 80).astype(int))
TRUE, PARTIAL, NOBODY = 0.95, 0.6, 0.0


def record(score, correlation, limit=-0.4):
    """Networks [member, block, head] that have `score` from step 5,000 on, and a correlation(step) each."""
    score = np.asarray(score, float)
    shape = (score.shape[0], len(STEP), *score.shape[1:])
    late = np.where(STEP[None, :, None, None] >= 5000, score[:, None], 0.0)
    c = np.broadcast_to(correlation(STEP)[None, :, None, None], shape)
    axes = ("member", "step", "block", "head")
    return xr.Dataset(
        {
            "frac": (axes, late),
            "raw": (axes, late),
            "total": (axes, np.ones(shape)),
            "correlation": (axes, c),
            "uniform_score": ((), 0.0),
            "contact_limit": ((), limit),
            "outcome": ("member", np.zeros(len(score), int)),
        },
        coords={"step": STEP, "member": np.arange(len(score))},
    )


def falling(step):
    return -0.9 * np.maximum(step, 1.0) ** -0.1


NETWORKS = {readings.LARGE: 4, readings.SMALL: 1}


def evidence(score, correlation=falling, **more):
    """Four such networks in the large box, one in the small. All heads have one history; its laws are found once."""
    result, one = Evidence({}, samples=20), Evidence({}, samples=20)
    one._records[readings.LARGE] = record([[[TRUE]]], correlation, **more)
    one._records[readings.SMALL] = one._records[readings.LARGE].isel(member=[])
    blocks, heads = np.shape(score)
    for fit in (measures.laws, measures.laws_to_limit, measures.laws_of_score):
        found = fit(one)[readings.LARGE].isel(member=0, block=0, head=0, drop=True)
        result._results[fit] = {
            name: found.expand_dims(member=members, block=blocks, head=heads).assign_coords(member=np.arange(members))
            for name, members in NETWORKS.items()
        }
    for name, members in NETWORKS.items():
        result._records[name] = record(np.stack([score] * members), correlation, **more)
    return result


MIXED = [[NOBODY] * 4, [NOBODY] * 4, [NOBODY, TRUE, PARTIAL, TRUE]]


def verdict(number, found):
    claim = BY_NUMBER[number]
    estimates = claim.measure(found).estimates
    verdicts = [check.region.judge(estimates[check.label]) for check in claim.checks]
    if Verdict.CONTRADICTED in verdicts:
        return Verdict.CONTRADICTED
    return Verdict.INCONCLUSIVE if Verdict.INCONCLUSIVE in verdicts else Verdict.REPLICATED


@cache
def steadily_falling(score):
    """Every correlation falls as t^-0.1 to -0.31: a power law in heads of whatever kind, and near the limit given."""
    return evidence(score, limit=-0.31)


@pytest.mark.parametrize(
    ("number", "score", "expected"),
    [
        (1, MIXED, Verdict.REPLICATED),
        (1, [[PARTIAL] * 4] * 2, Verdict.CONTRADICTED),
        (2, MIXED, Verdict.REPLICATED),
        (2, [[NOBODY] * 4, [TRUE] * 4], Verdict.CONTRADICTED),
        (3, MIXED, Verdict.CONTRADICTED),  # none in the second block
        (3, [[NOBODY] * 4, [TRUE] * 4], Verdict.REPLICATED),
        (3, [[PARTIAL, NOBODY, NOBODY, NOBODY], [TRUE] * 4], Verdict.CONTRADICTED),
        (1, [[NOBODY] * 4] * 2, Verdict.INCONCLUSIVE),
        (2, [[NOBODY] * 4] * 2, Verdict.INCONCLUSIVE),
        (3, [[NOBODY] * 4] * 2, Verdict.INCONCLUSIVE),
        (5, MIXED, Verdict.CONTRADICTED),
        (6, MIXED, Verdict.REPLICATED),
        (12, MIXED, Verdict.REPLICATED),
    ],
)
def test_a_verdict_follows_what_is_planted(number, score, expected):
    assert verdict(number, steadily_falling(tuple(map(tuple, score)))) == expected


def test_a_correlation_that_has_come_to_rest_is_no_power_law():
    noise = np.random.default_rng(0).normal(0, 0.003, len(STEP))
    resting = evidence(MIXED, lambda step: -0.45 + noise, limit=-0.2)
    assert verdict(4, resting) == Verdict.CONTRADICTED
    assert verdict(5, resting) == Verdict.REPLICATED
    assert verdict(6, resting) == Verdict.INCONCLUSIVE
    assert verdict(12, resting) == Verdict.CONTRADICTED


def test_a_power_law_is_told_from_an_exponential():
    noise = np.random.default_rng(0).normal(0, 0.002, len(STEP))
    power = lambda step: falling(step) * np.exp(noise)
    assert verdict(4, evidence(MIXED, power)) == Verdict.REPLICATED
    late = lambda step: -0.2 - 0.7 * np.exp(-np.asarray(step) / 15_000) * np.exp(noise)
    found = BY_NUMBER[4].measure(evidence(MIXED, late)).estimates
    assert found["share of these in which it beats an exponential and a stretched one"].value < 0.5


def test_a_head_at_rest_is_judged_by_what_it_did_before():
    resting = lambda step: falling(np.minimum(step, 20_000))
    laws_of = evidence(MIXED, resting).once(measures.laws)[readings.LARGE].isel(member=0, block=2, head=1)
    assert measures.closing(laws_of).exponent == pytest.approx(0.1, abs=0.01)


def test_a_head_that_turns_from_partial_to_true_is_found_with_its_change_of_exponent():
    planted = evidence(MIXED)
    for name in measures.EXPERIMENTS:
        one = planted._records[name].copy(deep=True)
        one.frac[:, :, 2, 1] = np.select([STEP < 2000, STEP < 10_000], [0.1, 0.6], 0.95)
        slow, fast = np.maximum(STEP, 1.0) ** -0.05, (np.maximum(STEP, 1) / 1e4) ** -0.6 * 1e4**-0.05
        one.correlation[:, :, 2, 1] = -0.9 * np.where(STEP < 10_000, slow, fast)
        planted._records[name] = one.isel(block=[0, 2], head=[0, 1], member=[0])
    del planted._results[measures.laws]
    found = laws.moves(planted)
    assert {(block, head) for _, _, block, head, _, _ in found} == {(1, 1)}
    assert all(abs(true - 10_000) < 1500 for *_, true in found)
    estimates = BY_NUMBER[9].measure(planted).estimates
    assert estimates["share of networks in which all such heads change their exponent then"].value == 1


def test_changes_and_plateaus():
    step, sure = np.geomspace(100, 51_200, 19), np.full(19, 0.01)
    assert geometry.change(step, np.full(19, 3.0), sure).value == pytest.approx(0)
    assert geometry.change(step, np.full(19, 3.0), sure).flat
    assert geometry.change(step, 0.1 + step, sure).rises
    assert geometry.change(step, 0.1 + step, sure).flat is False
    assert geometry.change(step, np.full(19, 3.0), np.full(19, 30.0)).flat is None
    assert geometry.change(step, np.full(19, 3.0), np.full(19, 30.0)).rises is None
    assert np.isnan(geometry.change(step, np.full(19, np.nan), sure).value)
    flat_once = np.where(step < 400, 1.0, (step / 400) ** 1.5)
    assert geometry.plateaus(step, flat_once, sure, until=51_200) == 1
    assert geometry.plateaus(step, step, sure, until=51_200) == 0
    assert geometry.plateaus(step, flat_once, sure, until=130) is None  # nothing could have been seen


def test_the_error_of_a_change_is_that_of_repeated_noise():
    step, rng = np.geomspace(1000, 4000, 6), np.random.default_rng(0)
    noise = rng.normal(0, 0.3, (4000, 6))
    found = [geometry.change(step, 5 + each, np.full(6, 0.3)) for each in noise]
    assert np.std([each.value for each in found]) == pytest.approx(found[0].error, rel=0.05)


def test_a_share_of_heads_of_one_network_says_nothing_of_networks():
    alone = laws.share_of_heads(np.array([10.0, 0, 0, 0]), np.array([10.0, 0, 0, 0]))
    assert (alone.value, alone.low, alone.high) == (1.0, -np.inf, np.inf)
    unlike = laws.share_of_heads(np.array([10.0, 0, 10, 0]), np.array([10.0] * 4))
    assert unlike.low < 0.2
    assert unlike.high > 0.8


def test_energies_of_rollouts():
    time = np.linspace(0, 1, 50)
    truth = np.broadcast_to(10 - 5 * time, (2, 4, 50))
    network = truth * np.array([1.1, 1.0])[:, None, None]
    found = measures.Energies(truth, network)
    assert simulator.energy_error(found) == pytest.approx([0.1, 0.0], abs=1e-9)
    broken = network.copy()
    broken[0, 0, -1] = np.inf
    broken[0, 1, -1] = np.nan
    assert simulator.stable(measures.Energies(truth, broken)).tolist() == [0.5, 1.0]


@eqx.filter_jit
def look(model, *state):
    return model.look(*state)


def test_a_head_is_its_columns_and_rows():
    frame = Frame(centre=(1.0, 1.0))
    shapes = eqx.filter_eval_shape(ParticleTransformer, TransformerSize(2, 2, 8, 8), frame, key=jax.random.key(0))
    rng = np.random.default_rng(0)
    fill = lambda leaf: jnp.asarray(rng.normal(size=leaf.shape), jnp.float32)
    model = jax.tree.map(lambda leaf: fill(leaf) if isinstance(leaf, jax.ShapeDtypeStruct) else leaf, shapes)
    masks = measures.head_mask(model, block=1, head=1).masks(model)
    assert sum(int(mask.sum()) for mask in masks) == 3 * (8 * 4 + 4) + 4 * 8
    # Nothing but that head's attention depends on them: its query, key and value, and what it adds.
    moved = [
        leaf + mask if eqx.is_inexact_array(leaf) else leaf
        for leaf, mask in zip(jax.tree.leaves(model), masks, strict=True)
    ]
    changed = jax.tree.unflatten(jax.tree.structure(model), moved)
    p, v, b = rng.normal(size=(3, 5, 2)).astype(np.float32)
    before, after = (look(each, p, v, b).attention for each in (model, changed))
    same = jnp.abs(before - after).max(axis=(2, 3)) < 1e-6
    assert same.tolist() == [[True, True], [True, False]]


def test_exact_claims_hold():
    found = Evidence({}, samples=20)
    for number in (13, 14, 15, 16):
        assert BY_NUMBER[number].judge(found).verdict == Verdict.REPLICATED
    assert exact.magnetisation(-0.5) == pytest.approx(0.9575, abs=1e-4)
    quadratic = np.zeros((3, 3))
    quadratic[1, 0] = quadratic[0, 1] = 1.0
    assert exact.finite_truth(quadratic, 1000.0) == pytest.approx(2000 / 2001, rel=1e-4)


def test_no_collision_head_leaves_the_geometry_unknown():
    nobody = Evidence({}, samples=20)
    nobody._results[measures.coefficients] = None
    for number in (7, 8):
        assert verdict(number, nobody) == Verdict.INCONCLUSIVE


LATE = np.geomspace(200, 40_000, 20).astype(int)
UNITS = np.array([(member, 2, head) for member in range(4) for head in (1, 3)])


def with_coefficients(planted, value, error=0.01, doubt=0):
    """Two collision heads of each network with coefficients [head, checkpoint], and no others."""
    every = np.broadcast_to(np.asarray(value, float), (len(UNITS), len(LATE)))
    planted._results[measures.coefficients] = measures.HeadCoefficients(
        readings.LARGE,
        *UNITS.T,
        collision=np.ones(len(UNITS), bool),
        step=LATE,
        value=every,
        error=np.full(every.shape, error),
        doubt=np.full(every.shape, int(doubt)),
        trace=np.zeros((len(UNITS), 2, 4)),
        burn_in=2,
    )
    return planted


@pytest.mark.parametrize(
    ("value", "more", "expected"),
    [
        (np.full(20, 5.0), {}, Verdict.REPLICATED),
        (LATE / 1000, {}, Verdict.CONTRADICTED),
        (np.full(20, 5.0), {"error": 50.0}, Verdict.INCONCLUSIVE),
        (np.full(20, 5.0), {"doubt": Doubt.UNMIXED}, Verdict.INCONCLUSIVE),
        (np.full(20, -1.0), {}, Verdict.INCONCLUSIVE),
    ],
)
def test_coefficients_that_rest_within_the_law_replicate_and_ones_that_rise_do_not(value, more, expected):
    planted = with_coefficients(evidence(MIXED), value, **more)
    estimates = BY_NUMBER[7].measure(planted).estimates
    assert geometry._PLATEAU[0].region.judge(estimates[geometry._PLATEAU[0].label]) == expected


def test_an_earlier_plateau_is_looked_for_in_heads_with_two_laws_and_in_heads_with_one():
    falls_twice = lambda step: -0.9 * np.where(step < 4000, (step / 4000) ** -0.1, (step / 4000) ** -0.5)
    once = falling(np.maximum(STEP, 1))
    planted = evidence(MIXED, lambda step: falls_twice(np.maximum(step, 1.0)))
    one_law = evidence(MIXED, lambda step: np.where(step < 4000, -0.4 * (np.maximum(step, 1) / 4000) ** 0.3, once))
    rests_early = np.where(LATE < 4000, 1.0, LATE / 4000)
    shares = [BY_NUMBER[8].measure(with_coefficients(each, rests_early)).estimates for each in (planted, one_law)]
    two, one = (check.label for check in geometry._EARLIER)
    assert (shares[0][two].value, shares[1][one].value) == (1.0, 1.0)
    assert np.isnan(shares[0][one].value)
    rising = BY_NUMBER[8].measure(with_coefficients(planted, LATE / 1000)).estimates
    assert rising[two].value == 0


def test_networks_that_are_no_simulators_yet_are_not_judged_as_simulators():
    truth = np.broadcast_to(10 - 5 * np.linspace(0, 1, 50), (4, 6, 50))
    wild = (
        truth * np.array([1, 1, 1, 1e6])[:, None, None] * (1 + 9 * np.linspace(0, 1, 50) * [[[0]], [[0]], [[0]], [[1]]])
    )
    planted = Evidence({}, samples=20)
    one = record(np.zeros((4, 1, 1)), falling)
    for name in measures.EXPERIMENTS:
        planted._records[name] = one.assign(fvu=(("member", "step"), np.tile([[0.1], [0.1], [0.1], [0.9]], len(STEP))))
    planted._results[measures.energies] = dict.fromkeys(measures.EXPERIMENTS, measures.Energies(truth, wild))
    assert verdict(10, planted) == Verdict.REPLICATED
    trained = {name: each.assign(fvu=0 * each.fvu) for name, each in planted._records.items()}
    planted._records.update(trained)
    assert verdict(10, planted) != Verdict.REPLICATED


def test_every_claim_is_there_once():
    assert [int(claim.id.split("/")[1]) for claim in CLAIMS] == list(range(1, 17))
