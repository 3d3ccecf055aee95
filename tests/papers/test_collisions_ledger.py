"""What the collisions claims are judged by: on planted records the rules see what is there, and nothing else."""

import dataclasses
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
from nucleate.papers.collisions.ledger import CLAIMS, exact, geometry, heads, laws, simulator

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
    for name, members in NETWORKS.items():
        result._records[name] = record(np.stack([score] * members), correlation, **more)
        one._records[name] = record([[[TRUE]]], correlation, **more)
    blocks, heads = np.shape(score)
    for fit in (measures.laws, measures.laws_to_limit):
        result._results[fit] = {
            name: found.isel(member=0, block=0, head=0, drop=True)
            .expand_dims(member=NETWORKS[name], block=blocks, head=heads)
            .assign_coords(member=np.arange(NETWORKS[name]))
            for name, found in fit(one).items()
        }
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
        (3, MIXED, Verdict.REPLICATED),
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
    rest = lambda step: -0.45 + noise
    assert verdict(4, evidence(MIXED, rest)) == Verdict.CONTRADICTED
    assert verdict(5, evidence(MIXED, rest)) == Verdict.REPLICATED
    assert verdict(6, evidence(MIXED, rest)) == Verdict.INCONCLUSIVE
    assert verdict(12, evidence(MIXED, rest, limit=-0.2)) == Verdict.CONTRADICTED


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


def test_growth_and_plateaus():
    step = np.geomspace(100, 51_200, 19)
    assert geometry.growth(step, np.full(19, 3.0)) == pytest.approx(0)
    assert geometry.growth(step, 2 + np.log2(step / 100)) > 0.1
    assert np.isnan(geometry.growth(step, np.full(19, np.nan)))
    flat_once = np.where(step < 400, 1.0, np.log2(step / 100))
    assert geometry.plateaus(step, flat_once, until=51_200) == 1
    assert geometry.plateaus(step, 1 + np.log2(step / 100) ** 2, until=51_200) == 0


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


def test_no_collision_head_leaves_the_geometry_unknown(monkeypatch):
    monkeypatch.setattr(measures, "coefficients", lambda evidence: None)
    for number in (7, 8):
        assert verdict(number, evidence([[NOBODY] * 4] * 2)) == Verdict.INCONCLUSIVE


def test_coefficients_that_rest_within_the_law_replicate_and_ones_that_rise_do_not(monkeypatch):
    step = np.geomspace(200, 40_000, 20).astype(int)
    planted = evidence(MIXED)
    units = np.array([(member, 2, head) for member in range(4) for head in (1, 3)])

    def found(value):
        every = np.broadcast_to(value, (len(units), len(step)))
        zeros = np.zeros(every.shape)
        kinds = np.ones(len(units), bool)
        return measures.HeadCoefficients(readings.LARGE, *units.T, kinds, step, every, zeros, zeros.astype(int))

    label = geometry._PLATEAU[0].label
    doubtful = dataclasses.replace(found(np.full(20, 5.0)), doubt=np.full((len(units), len(step)), int(Doubt.UNMIXED)))
    monkeypatch.setattr(measures, "coefficients", lambda evidence: doubtful)
    assert np.isnan(BY_NUMBER[7].measure(planted).estimates[label].value)
    for value, expected in ((np.full(20, 5.0), True), (np.log2(step) - 6, False)):
        monkeypatch.setattr(measures, "coefficients", lambda evidence, value=value: found(value))
        estimate = BY_NUMBER[7].measure(planted).estimates[label]
        assert (geometry._PLATEAU[0].region.judge(estimate) == Verdict.REPLICATED) is expected


def test_every_claim_is_there_once():
    assert [int(claim.id.split("/")[1]) for claim in CLAIMS] == list(range(1, 17))
    assert len(heads.CLAIMS) + len(laws.CLAIMS) + len(geometry.CLAIMS) == 10
