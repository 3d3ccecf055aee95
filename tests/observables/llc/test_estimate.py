import re
from dataclasses import replace

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
import pytest

from nucleate.observables import (
    MALA,
    Doubt,
    Fresh,
    LearningCoefficient,
    Mask,
    Matching,
    Minibatches,
    Sampling,
    Setting,
    Whole,
    learning_coefficient,
)
from nucleate.observables.llc.blocks import CellGrid
from nucleate.observables.llc.chains import ChainProgram, Skeleton, _run
from nucleate.observables.llc.estimate import PLAIN, _check
from nucleate.observables.llc.subsets import lay_out

# Tests that can share a program do: the same loss, sizes and shapes.
SHORT = Sampling(burn_in=200, draws=400)
SOFT = Setting(step=1e-3, nbeta=100.0)


def quadratic(w, scale):
    return scale * jnp.sum(w**2) / 2


# ---- label noise: what pairing is for


def regression(w, batch):
    x, y = batch
    return jnp.mean((y - x @ w) ** 2)


def test_pairing_removes_the_noise_of_labels():
    rng = np.random.default_rng(0)
    x = rng.normal(size=(4096, 8)).astype(np.float32)
    y = (x @ np.ones(8) + rng.normal(size=4096)).astype(np.float32)
    best = jnp.asarray(np.linalg.lstsq(x, y)[0])
    setting = Setting(step=2e-5, nbeta=4096 / np.log(4096))
    paired, unpaired = [], []
    for seed in range(12):
        sampling = Sampling(burn_in=500, draws=500, seed=seed)
        found = learning_coefficient(regression, Minibatches((x, y), 64), [best], [setting], sampling)
        paired.append(found.extrapolated.item())
        # As without pairing: the mean loss of all draws, less the loss of w₀ on the first batch.
        loss = found.loss[0, 0, 0]
        unpaired.append(setting.nbeta * (loss[:, found.burn_in :].mean() - loss[0, 0]))
    assert np.std(paired) < np.std(unpaired) / 20
    assert np.mean(paired) == pytest.approx(4, abs=0.5)


# ---- a part of the parameters, a part of the data


def heads(params, _):
    """Head 0 is quadratic, head 1 quartic, in the columns of one matrix."""
    quadratic, quartic = params["heads"].T
    return jnp.sum(quadratic**2) + jnp.sum(quartic**4) + jnp.sum(params["other"] ** 2)


def test_heads_of_one_matrix_and_parts_of_other_sizes_have_their_own_coefficients():
    params = {"heads": jnp.zeros((4, 2)), "other": jnp.zeros(3)}
    first, second = (Mask({"heads": np.arange(2) == head, "other": False}) for head in range(2))
    setting = Setting(step=2e-3, nbeta=300.0, gamma=0.1)
    sampling = Sampling(MALA(), chains=64, burn_in=2000, draws=2000)
    found = learning_coefficient(heads, Whole(()), [params], [setting], sampling, [first, Matching("other"), second])
    assert found.free.tolist() == [4, 3, 4]
    assert found.value.shape == (1, 3, 1)
    assert found.value.ravel() == pytest.approx([2, 1.5, 1], rel=0.05)
    assert found.equilibrium.ravel() == pytest.approx(1, abs=0.05)


def test_data_that_do_not_show_a_direction_make_it_flat():
    x = np.random.default_rng(0).normal(size=(512, 6)).astype(np.float32)
    hidden = x * (np.arange(6) < 2)
    setting = Setting(step=2e-3, nbeta=300.0)
    sampling = Sampling(MALA(), chains=64, burn_in=500, draws=1000)
    for data, directions in ((x, 6), (hidden, 2)):
        source = Whole((data, np.zeros(512, np.float32)))
        found = learning_coefficient(regression, source, [jnp.zeros(6)], [setting], sampling)
        assert found.value.item() == pytest.approx(directions / 2, rel=0.05)


def test_what_is_frozen_is_computed_once_for_all_chains_and_lanes():
    def network(params, batch):
        return jnp.mean((jnp.tanh(jnp.sin(batch @ params["prefix"]) @ params["head"])) ** 2)

    params = {"prefix": jnp.ones((3, 5)), "head": jnp.ones((5, 2))}
    (group,) = lay_out([Matching("head")], params)
    values, skeleton = Skeleton.split(params)
    source, data = Skeleton.split(Fresh(lambda key: jax.random.normal(key, (7, 3))))
    program = ChainProgram(network, PLAIN, 4, 1, 3, group.placement, skeleton, data)
    grid = CellGrid([values], group, [SOFT, SOFT], source, 0)
    jaxpr = str(
        jax.make_jaxpr(lambda block: _run(program, block))(grid.block(program.times, np.array([0]), np.array([0, 1])))
    )
    sizes = {np.prod([int(n) for n in shape.split(",")]) for shape in re.findall(r"f32\[([\d,]+)\] = sin", jaxpr)}
    assert sizes == {7 * 5}  # one checkpoint, and no axis of lanes or chains


# ---- shapes, seeds, programs


def test_cells_do_not_depend_on_their_neighbours():
    points = [jnp.full(3, value) for value in (0.0, 1.0, 2.0)]
    settings = [SOFT, Setting(2e-3, 100.0), Setting(1e-3, 50.0)]
    whole = learning_coefficient(quadratic, Whole(1.0), points, settings, SHORT)
    assert whole.value.shape == (3, 1, 3)
    assert whole.excess.shape == (3, 1, 3, 4, 600)
    cut = learning_coefficient(quadratic, Whole(1.0), points, settings, replace(SHORT, at_once=2))
    assert cut.excess == pytest.approx(whole.excess, rel=1e-3, abs=1e-3)
    fewer = learning_coefficient(quadratic, Whole(1.0), points[:1], settings[:2], SHORT)
    assert np.array_equal(fewer.excess, cut.excess[:1, :, :2])


def test_the_same_seed_gives_the_same_numbers_and_another_does_not():
    first, again, other = (
        learning_coefficient(quadratic, Whole(1.0), [jnp.zeros(3)], [SOFT], replace(SHORT, seed=seed))
        for seed in (0, 0, 1)
    )
    assert np.array_equal(first.excess, again.excess)
    assert not np.any(first.excess[..., 1:] == other.excess[..., 1:])
    assert len(np.unique(first.excess[..., 5])) == 4
    assert np.abs(first.excess[..., 0]).max() < 1e-4  # the first step stands still


def test_a_program_is_compiled_once_for_all_values():
    compiled = []

    def loss(w, scale):
        compiled.append(1)
        return scale * jnp.sum(w**2)

    traced = []
    for value in (1.0, 2.0):
        settings = [Setting(1e-3 * value, 10.0)]
        learning_coefficient(loss, Whole(jnp.array(value)), [jnp.full(3, value)], settings, SHORT)
        traced.append(len(compiled))
    assert traced[0] == traced[1] > 0


def test_modules_and_streams_will_do():
    model = eqx.nn.MLP(2, 1, 4, 1, key=jax.random.key(0))
    stream = Fresh(lambda key: jax.random.normal(key, (16, 2)))

    def loss(model, x):
        return jnp.mean(jnp.square(jax.vmap(model)(x)))

    found = learning_coefficient(loss, stream, [model, model], [SOFT], SHORT, [Matching("layers/1")])
    assert found.free.tolist() == [5]
    assert np.all(np.isfinite(found.excess))
    assert found.noise_bias.min() > 0


# ---- what goes wrong


def test_a_chain_that_diverges_is_no_number_and_harms_no_other():
    settings = [Setting(10.0, 100.0), SOFT]
    found = learning_coefficient(quadratic, Whole(1.0), [jnp.zeros(3)], settings, SHORT)
    diverged, fine = found.doubt.ravel()
    assert Doubt(diverged) == Doubt.DIVERGED
    assert not fine & Doubt.DIVERGED
    assert (
        sum(
            line.endswith("λ̂ = nan ± nan (statistical nan, shift nan, discretisation nan), DIVERGED")
            for line in str(found).splitlines()
        )
        == 1
    )
    for measure in (found.value, found.error, found.r_hat, found.ess, found.step_bias, found.equilibrium):
        assert np.isnan(measure.ravel()).tolist() == [True, False]


def test_a_start_that_is_no_minimum_gives_a_negative_coefficient_and_says_so():
    found = learning_coefficient(quadratic, Whole(1.0), [jnp.ones(3)], [SOFT], SHORT)
    assert found.value.item() < 0
    assert found.doubt.item() & Doubt.NEGATIVE


def test_a_chain_that_never_moves_is_doubted():
    sampling = Sampling(MALA(), chains=2, burn_in=20, draws=40)
    found = learning_coefficient(quadratic, Whole(1.0), [jnp.ones(3)], [Setting(1e6, 100.0)], sampling)
    assert found.acceptance.item() == 0
    assert found.doubt.item() & Doubt.UNMIXED


def test_chains_that_drift_or_step_too_far_are_doubted():
    settings = [Setting(step, 1000.0) for step in (1e-7, 1e-4, 1e-3)]
    sampling = Sampling(chains=32, burn_in=500, draws=2000)
    found = learning_coefficient(quadratic, Whole(1.0), [jnp.zeros(4)], settings, sampling)
    drifting, good, far = (Doubt(int(doubt)) for doubt in found.doubt.ravel())
    assert Doubt.UNMIXED in drifting
    assert good == Doubt(0)  # off by a fortieth, which is more than the standard error, and which the error includes
    assert far == Doubt.BIASED | Doubt.IMPRECISE
    assert found.equilibrium.ravel() == pytest.approx([0, 1, 1], abs=0.2)


def coefficient(**numbers):
    """A made-up coefficient that nothing speaks against but `numbers`."""
    cell = np.zeros((1, 1, 1))
    trace = np.zeros((1, 1, 1, 2, 8))
    good = {"value": 2.0, "r_hat": 1.09, "ess": 500.0, "statistical": 0.05, "step_bias": 0.07, "noise_bias": 0.0}
    good |= {"equilibrium": 0.97, "balance": 0.96, "acceptance": 1.0}
    return LearningCoefficient(
        (SOFT,),
        np.array([4]),
        0,
        **{name: cell + number for name, number in (good | numbers).items()},
        excess=trace,
        loss=trace,
    )


@pytest.mark.parametrize(
    ("name", "value", "doubt"),
    [
        ("value", np.nan, Doubt.DIVERGED),
        ("value", -2.0, Doubt.NEGATIVE),
        ("r_hat", 1.11, Doubt.UNMIXED),
        ("r_hat", np.nan, Doubt.UNMIXED),
        ("step_bias", 0.21, Doubt.BIASED | Doubt.IMPRECISE),
        ("noise_bias", 0.21, Doubt.NOISY),  # as measured; it is part of the step's bias, which is small here
        ("step_bias", 0.15, Doubt.IMPRECISE),
        ("step_bias", 0.08, Doubt(0)),
        ("statistical", 0.11, Doubt.IMPRECISE),
        ("statistical", 0.055, Doubt(0)),
        ("equilibrium", 0.93, Doubt.UNSETTLED | Doubt.IMPRECISE),
        ("equilibrium", 1.06, Doubt(0)),  # which the balance contradicts
        ("balance", 0.91, Doubt.UNSETTLED | Doubt.IMPRECISE),
        ("balance", np.nan, Doubt(0)),
    ],
)
def test_every_doubt_has_its_limit(name, value, doubt):
    found = coefficient(**{name: value})
    assert found.doubt.item() == doubt
    assert found.trusted.item() == (doubt == 0)


def test_an_error_is_made_of_three_parts():
    """λ̂ = 10; 1 − equilibrium = .04 and 1 − balance = .09 shift it by .06 of that; a bias of 1 is anything up to 1."""
    found = coefficient(value=10.0, statistical=0.3, equilibrium=0.96, balance=0.91, step_bias=1.0)
    parts = found.statistical.item(), found.shift.item(), found.discretisation.item()
    assert parts == pytest.approx((0.3, 0.6, 1 / np.sqrt(3)))
    assert found.error.item() == pytest.approx(np.sqrt(0.09 + 0.36 + 1 / 3))
    assert "λ̂ = 10 ± 0.89 (statistical 0.3, shift 0.6, discretisation 0.58), IMPRECISE|UNSETTLED" in str(found)


def test_the_shift_needs_both_identities_and_one_where_batches_differ():
    of = lambda equilibrium, balance: coefficient(value=-1.0, equilibrium=equilibrium, balance=balance).shift.item()
    assert (of(0.9, 1.1), of(1.1, 0.9)) == (0, 0)
    assert of(1.1, 1.4) == pytest.approx(0.2)
    assert (of(1.1, np.nan), of(0.9, np.nan)) == (pytest.approx(0.1), pytest.approx(0.1))


def test_data_must_say_how_they_are_drawn():
    with pytest.raises(ValueError, match=r"data must be Whole\(data\), .* got ndarray\."):
        _check(np.ones(3), [jnp.zeros(3)], [SOFT], SHORT)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"checkpoints": []}, r"checkpoints must be a list with at least one entry; got \[\]"),
        ({"settings": []}, r"settings must be a list with at least one entry; got \[\]"),
        ({"checkpoints": [jnp.zeros(3), jnp.zeros(4)]}, "of equal structure and shapes; checkpoint 1 differs"),
        ({"checkpoints": [jnp.zeros(3), [jnp.zeros(3)]]}, "checkpoint 1 differs from 0"),
        ({"subsets": [Matching("head")]}, "matches no parameter"),
        ({"loss": lambda w, _: w}, r"loss must return one number, the mean over the batch; got shape \(3,\)"),
        (
            {"data": Minibatches(np.ones(8), 2), "sampling": Sampling(MALA())},
            r"compares losses, so every batch must be the same: use Whole\(data\), not Minibatches\(",
        ),
    ],
)
def test_what_cannot_be_estimated_is_named(arguments, message):
    usual = {
        "loss": quadratic,
        "data": Whole(1.0),
        "checkpoints": [jnp.zeros(3)],
        "settings": [SOFT],
        "sampling": SHORT,
    }
    with pytest.raises(ValueError, match=message):
        learning_coefficient(**{**usual, **arguments})
