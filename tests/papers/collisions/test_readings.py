"""What claims and figures share: on planted records, readings say what was planted."""

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
import pytest
import xarray as xr
from collision_networks import DETECTING, EFFORT, NOT_YET, ONE_DETECTING, evidence, record
from plants_collisions import falling, mixed

from nucleate.observables import HeadClass
from nucleate.papers.collisions.readings import learning_coefficients, power_laws
from nucleate.papers.collisions.readings.fleets import network, networks, recipe
from nucleate.papers.collisions.readings.heads import final_class, formation_step
from nucleate.papers.collisions.readings.rollouts import Energies, energies, energies_of
from nucleate.record import NEVER, Outcome, RunError
from nucleate.record.tree import pack, unpack


def test_classes_and_when_heads_form():
    frac = np.array([[0.2, 0.2], [0.6, 0.2], [0.4, 0.95], [0.7, 0.99], [0.9, 0.95]])[None, :, None]
    total = np.array([[0.5, 0.5], [0.5, 0.5], [0.5, 0.5], [0.5, 0.05], [0.5, 0.05]])[None, :, None]
    dims = ("member", "step", "block", "head")
    made = xr.Dataset(
        {
            "raw": (dims, frac * total),
            "frac": (dims, frac),
            "total": (dims, total),
            "uniform_score": ((), 0.1),
        },
        coords={"step": [0, 10, 20, 30, 40]},
    )
    assert formation_step(made).tolist() == [[[30, NEVER]]]
    assert final_class(made).tolist() == [[[HeadClass.TRUE, HeadClass.NONE]]]


def test_networks_are_those_that_stayed_finite():
    whole = record(DETECTING)
    lost = whole.assign(outcome=("member", np.array([Outcome.DIVERGED, Outcome.OK], np.int8)))
    gone = whole.assign(outcome=("member", np.full(2, Outcome.DIVERGED, np.int8)))
    assert networks(evidence(lost)).member.values.tolist() == [1]
    assert networks(evidence(gone)).sizes["member"] == 0
    assert energies(evidence(gone)) is None


def test_a_record_that_is_not_of_these_networks():
    made = record(DETECTING)
    with pytest.raises(RunError, match="has no config"):
        recipe(made.assign_attrs(about="{}"))
    with pytest.raises(ValueError, match=r"got \(7,\)"):
        network(made.isel(parameter=slice(0, 7)), 0)
    diverged = made.assign(outcome=("member", np.full(2, Outcome.DIVERGED, np.int8)))
    with pytest.raises(ValueError, match="Member 0 diverged at step 400"):
        network(diverged, 0)


def same(value, other) -> bool:
    """Equal, array by array."""
    return jax.tree.all(jax.tree.map(np.array_equal, vars(value), vars(other)))


def test_rollouts_begin_where_simulations_do():
    found = energies_of(record(DETECTING), starts=2, steps=5)
    assert found.truth.shape == found.network.shape == (2, 2, 6)
    assert np.allclose(found.truth[..., 0], found.network[..., 0], rtol=1e-5)
    assert not np.allclose(found.truth[..., -1], found.network[..., -1], rtol=1e-6)
    kept = unpack(*pack(found))
    assert isinstance(kept, Energies)
    assert np.array_equal(kept.truth, found.truth)


def test_coefficients_are_of_single_heads_and_can_be_kept():
    made = record(ONE_DETECTING)
    found = learning_coefficients.of_heads(evidence(made))
    assert found.collision.tolist() == [True, True, False, False]
    assert found.member.tolist() == [0, 1, 0, 1]
    assert list(zip(found.block, found.head, strict=True)) == [(1, 0), (1, 0), (1, 1), (1, 1)]
    assert found.step.tolist() == [200, 400]
    assert found.value.shape == (4, 2)
    assert found.trace.shape == (4, 2, EFFORT.chains.sampling.burn_in + EFFORT.chains.sampling.draws)
    assert np.isfinite(found.value).all()
    assert (found.error > found.statistical).all()
    assert (found.statistical > 0).all()
    assert same(unpack(*pack(found)), found)


def test_without_collision_heads_there_are_no_coefficients():
    made = record(NOT_YET)
    assert learning_coefficients.of_heads(evidence(made)) is None


@eqx.filter_jit
def attention(model, *state):
    return model.look(*state).attention


def test_a_head_is_its_columns_and_rows():
    model = network(record(DETECTING), 0)
    masks = learning_coefficients.head_mask(model, block=1, head=1).masks(model)
    assert sum(int(mask.sum()) for mask in masks) == 3 * (8 * 4 + 4) + 4 * 8
    # Nothing but that head's attention depends on them: its query, key and value, and what it adds.
    moved = [
        leaf + mask if eqx.is_inexact_array(leaf) else leaf
        for leaf, mask in zip(jax.tree.leaves(model), masks, strict=True)
    ]
    changed = jax.tree.unflatten(jax.tree.structure(model), moved)
    state = np.random.default_rng(0).normal(size=(3, 5, 2)).astype(np.float32)
    before, after = (attention(each, *state) for each in (model, changed))
    same_head = jnp.abs(before - after).max(axis=(2, 3)) < 1e-6
    assert same_head.tolist() == [[True, True], [True, False]]


def test_a_head_at_rest_is_judged_by_what_it_did_before():
    laws = mixed(correlation=resting_late).once(power_laws.of_correlation)
    assert power_laws.closing(laws).exponent.values[0, 2, 1] == pytest.approx(0.1, abs=0.01)


def resting_late(step: np.ndarray) -> np.ndarray:
    return falling(np.minimum(step, 20_000))


def test_laws_can_be_kept():
    made = record(DETECTING)
    laws = power_laws.of_correlation(evidence(made))
    xr.testing.assert_identical(unpack(*pack(laws)), laws)
