"""The numbers that a fleet computes, against NumPy, against JAX, and against themselves."""

import dataclasses
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, final

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
import optax
import pytest
from jaxtyping import Array, Float, PyTree
from small_fleets import OUTPUTS, Sums, chosen, embedding_grads, first_weight, members, noise

from nucleate.fleet import Every, First, LogSpaced, Plan, Probe, Recipe, Stream, grid, table, train
from nucleate.fleet.gradient import differentiate
from nucleate.models import MLP, SumDecoder
from nucleate.tasks import AdditionTask

STEPS = 50


def weights(layer: int):
    return lambda view: view.model.decoder.weights[layer]


def biases(layer: int):
    return lambda view: view.model.decoder.biases[layer]


START = tuple(
    Probe(f"{kind.__name__}{layer}", kind(layer), First(1), dims, axis="step_start")
    for layer in range(3)
    for kind, dims in [(weights, (f"in{layer}", f"out{layer}")), (biases, (f"out{layer}",))]
)
GRID = grid(eta_repr=[3e-3, 1e-2], eta_dec=1e-2, wd_repr=[0.0, 0.3], wd_dec=0.1, train_size=8, seed=range(2))


# --- against NumPy ----------------------------------------------------------------------------------------------


class AdamW:
    """Adam with decoupled weight decay [loshchilov2019decoupled]: θ ← θ − η (m̂ / (√v̂ + ε) + λ θ)."""

    def __init__(self, rate: float, decay: float):
        self.rate, self.decay, self.steps, self.m, self.v = rate, decay, 0, 0.0, 0.0

    def update(self, parameter: np.ndarray, grad: np.ndarray) -> np.ndarray:
        self.steps += 1
        self.m = 0.9 * self.m + 0.1 * grad
        self.v = 0.999 * self.v + 0.001 * grad**2
        m, v = self.m / (1 - 0.9**self.steps), self.v / (1 - 0.999**self.steps)
        return parameter - self.rate * (m / (np.sqrt(v) + 1e-8) + self.decay * parameter)


def loss_and_grads(parameters: list[np.ndarray], pairs: np.ndarray, target: np.ndarray):
    """Dec(E_a + E_b) with tanh between its layers, mean squared error; `parameters`: E, W1, b1, W2, b2, ..."""
    embedding, layers = parameters[0], list(zip(parameters[1::2], parameters[2::2], strict=True))
    hidden = [embedding[pairs[:, 0]] + embedding[pairs[:, 1]]]
    for number, (weight, bias) in enumerate(layers, 1):
        linear = hidden[-1] @ weight + bias
        hidden.append(linear if number == len(layers) else np.tanh(linear))
    error = hidden[-1] - target
    back, grads = 2 * error / error.size, []
    for number, (weight, _) in reversed(list(enumerate(layers))):
        grads = [hidden[number].T @ back, back.sum(axis=0), *grads]
        back = back @ weight.T
        if number:
            back *= 1 - hidden[number] ** 2
    grad = np.zeros_like(embedding)
    np.add.at(grad, pairs[:, 0], back)
    np.add.at(grad, pairs[:, 1], back)
    return np.mean(error**2), [grad, *grads]


def by_numpy(recipe: Sums, member: Mapping[str, Any], start: list[np.ndarray]):
    """Loss and embedding before each update and after the last."""
    train = recipe.data(member)["train"]
    real = train["weight"] > 0
    parameters = [np.asarray(value, float) for value in start]
    rules = [AdamW(member["eta_repr"], member["wd_repr"])]
    rules += [AdamW(member["eta_dec"], member["wd_dec"]) for _ in start[1:]]
    losses, embeddings = [], []
    for _ in range(STEPS + 1):
        loss, grads = loss_and_grads(parameters, train["pair"][real], train["target"][real])
        losses.append(loss)
        embeddings.append(parameters[0])
        parameters = [rule.update(*each) for rule, *each in zip(rules, parameters, grads, strict=True)]
    return np.asarray(losses), np.asarray(embeddings)


def check_against_numpy(plan: Plan, record, tolerance: float) -> None:
    for member in range(plan.members.count):
        one = record.isel(member=member)
        start = [one.embedding.values[0], *(one[probe.name].values[0] for probe in START)]
        losses, embeddings = by_numpy(plan.recipe, plan.members.row(member), start)
        assert losses[-1] < 0.9 * losses[0]
        np.testing.assert_allclose(one.loss, losses, rtol=tolerance)
        np.testing.assert_allclose(one.embedding, embeddings, rtol=tolerance, atol=tolerance)


@pytest.fixture(scope="module")
def toy():
    return Plan(Sums(hidden=2, look=Every(1), extra=START), GRID, STEPS, block=1)


@pytest.fixture(scope="module")
def toy_record(toy, trained):
    return trained(toy)


def test_training_follows_numpy(toy, toy_record):
    check_against_numpy(toy, toy_record, 1e-4)


def test_training_follows_numpy_in_double_precision(toy, trained):
    jax.config.update("jax_enable_x64", True)  # for all threads, unlike the context manager
    try:
        plan = dataclasses.replace(toy, members=toy.members.only([0, 7]))
        record = trained(plan)
        assert record.loss.dtype == np.float64
        check_against_numpy(plan, record, 1e-10)
    finally:
        jax.config.update("jax_enable_x64", False)


# --- one program ------------------------------------------------------------------------------------------------


def test_a_grid_of_hyperparameters_is_one_program(toy, tmp_path):
    assert train(toy, tmp_path / "run").about.groups == 1


def test_hyperparameters_matter_and_seeds_differ(toy_record):
    last = toy_record.loss.values[:, -1]
    assert len(np.unique(last)) == GRID.count


@pytest.mark.parametrize("member", [0, 5])
def test_a_member_of_a_grid_is_the_member_trained_alone(toy, toy_record, trained, member):
    alone = trained(toy.only(member))
    for name in toy_record.data_vars:
        assert np.array_equal(alone[name].values[0], toy_record[name].values[member]), name


def test_static_differences_are_grouped_and_padded(trained, tmp_path):
    extra = (Probe("first_weight", first_weight, LogSpaced(4), ("input", "unit"), axis="step_weight"),)
    recipe = Sums(static=("width",), extra=extra)
    mixed = Plan(recipe, members(width=[3, 5, 3, 5], seed=range(4)), 30, block=1)
    run = train(mixed, tmp_path / "run")
    record = run.record().load()
    assert run.about.groups == 2
    assert record.sizes["unit"] == 5
    weight = record.first_weight.values
    assert np.isnan(weight[::2, ..., 3:]).all()
    assert np.isfinite(weight[::2, ..., :3]).all()
    assert np.isfinite(weight[1::2]).all()
    for member, width in [(1, 5), (2, 3)]:
        alone = trained(mixed.only(member))
        assert alone.sizes["unit"] == width
        assert np.array_equal(alone.loss.values[0], record.loss.values[member])
        assert np.array_equal(alone.first_weight.values[0], weight[member, ..., :width])


# --- randomness -------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def noisy():
    """Minibatches and noise, everything looked at in every step."""
    extra = (
        Probe("chosen", chosen, Every(1), ("sample",)),
        Probe("noise", noise, Every(1), ("output",)),
        Probe("grads", embedding_grads, Every(1), ("token", "dim")),
        Probe("target", lambda view: view.batch["target"], Every(1), ("sample", "output")),
        *(dataclasses.replace(probe, schedule=Every(1), axis="step") for probe in START[:4]),
    )
    return Plan(Sums(batch=4, noise=0.3, look=Every(1), extra=extra), members(3), STEPS, block=1)


@pytest.fixture(scope="module")
def noisy_record(noisy, trained):
    return trained(noisy)


def test_a_minibatch_is_drawn_afresh_from_the_training_set(noisy, noisy_record):
    record = noisy_record
    for member in range(3):
        batches = record.chosen.values[member]
        in_train = np.flatnonzero(record.in_train.values[member])
        assert all(len(set(batch)) == 4 for batch in batches.tolist())
        assert set(batches.ravel()) == set(in_train)
        assert len({frozenset(batch) for batch in batches.tolist()}) > STEPS / 2  # 70 are possible
    assert not np.array_equal(*np.sort(record.chosen.values[:2]))


def test_noise_differs_by_step_and_member(noisy_record):
    drawn = noisy_record.noise.values
    assert len(np.unique(drawn)) == drawn.size
    assert drawn.std() == pytest.approx(0.3, rel=0.2)


def test_randomness_is_reproducible(noisy, noisy_record, trained):
    again = trained(noisy)
    assert all(np.array_equal(again[name], noisy_record[name]) for name in again.data_vars)


def test_a_probe_sees_model_grads_batch_and_step_of_one_moment(noisy, noisy_record):
    """The recorded gradient is JAX's at the recorded parameters, batch and noise."""
    task = AdditionTask(noisy.recipe.p)

    def loss(model, pairs, target):
        return jnp.mean((jax.vmap(model)(pairs) - target) ** 2)

    gradient = jax.jit(jax.value_and_grad(loss))
    for member in range(3):
        for row in (0, 1, 17, STEPS):
            one = noisy_record.isel(member=member, step=row)
            blank = MLP((2, 5, OUTPUTS), key=jax.random.key(0))
            values = [(jnp.asarray(one[f"weights{i}"]), jnp.asarray(one[f"biases{i}"])) for i in range(2)]
            decoder = eqx.tree_at(lambda mlp: (mlp.weights, mlp.biases), blank, tuple(zip(*values, strict=True)))
            model = SumDecoder(jnp.asarray(one.embedding), decoder)
            target = jnp.asarray(one.target) + jnp.asarray(one.noise)
            value, grads = gradient(model, jnp.asarray(task.pairs[one.chosen.values]), target)
            np.testing.assert_allclose(one.loss, value, rtol=1e-5)
            np.testing.assert_allclose(one.grads, grads.embedding, rtol=1e-4, atol=1e-6)


@final
@dataclass(frozen=True)
class Regression(Recipe):
    """w ← w − η ∂ (w·x − y)² on samples that are made on the fly and never come again."""

    batching = Stream(lambda data, key, step: {"x": data["scale"] * jax.random.normal(key, (4, 2))})

    def data(self, member: Mapping[str, Any]) -> PyTree[np.ndarray]:
        return {"scale": np.float32(2.0)}

    def model(self, member: Mapping[str, Any], key: Array) -> eqx.Module:
        return eqx.nn.Linear(2, "scalar", use_bias=False, key=key)

    def optimizer(self, member: Mapping[str, Any]) -> optax.GradientTransformation:
        return optax.sgd(member["eta"])

    def loss(self, model: eqx.Module, batch: PyTree, key: Array) -> tuple[Float[Array, ""], PyTree]:
        return jnp.mean((jax.vmap(model)(batch["x"]) - batch["x"].sum(axis=1)) ** 2), None

    @property
    def probes(self) -> tuple[Probe, ...]:
        return (
            Probe("x", lambda view: view.batch["x"], Every(1), ("sample", "input")),
            Probe("weight", lambda view: view.model.weight[0], Every(1), ("input",)),
        )

    def describe(self, data: Sequence[PyTree]) -> dict[str, tuple[tuple[str, ...], np.ndarray]]:
        return {}


@pytest.mark.parametrize("block", [1, 4])
def test_streamed_samples_are_fresh_and_are_what_is_learned_from(trained, block):
    record = trained(Plan(Regression(), table(seed=range(3), eta=[0.05, 0.05, 0.01]), STEPS, block=block))
    x, weight = record.x.values, record.weight.values
    assert len(np.unique(x)) == x.size
    assert x.std() == pytest.approx(2.0, rel=0.1)
    error = np.einsum("mtsi,mti->mts", x, weight) - x.sum(axis=-1)
    grads = 2 * np.einsum("mts,mtsi->mti", error, x) / 4
    expected = weight - np.array([0.05, 0.05, 0.01])[:, None, None] * grads
    np.testing.assert_allclose(weight[:, 1:], expected[:, :-1], rtol=1e-4, atol=1e-5)
    assert np.abs(weight[0, -1] - 1).max() < 1e-3  # and it has learned the sum


# --- looking changes nothing ------------------------------------------------------------------------------------


@pytest.mark.parametrize(("block", "microbatches"), [(1, 1), (4, 1), (1, 2), (4, 2)])
def test_looking_more_often_and_at_more_changes_no_number(trained, block, microbatches):
    sparse = Sums(batch=4, look=Every(10), microbatches=microbatches)
    extra = (
        Probe("grads", embedding_grads, Every(1), ("token", "dim")),
        Probe("first_weight", first_weight, LogSpaced(7), ("input", "unit"), axis="step_weight"),
    )
    dense = dataclasses.replace(sparse, look=Every(1), extra=extra)
    few, many = (trained(Plan(recipe, members(3), 100, block=block)) for recipe in (sparse, dense))
    assert many.sizes["step"] == 101
    for name in ("loss", "embedding"):
        assert np.array_equal(few[name], many[name].sel(step=few.step)), name


def test_a_gradient_by_pieces_is_that_of_the_whole_batch():
    def loss(weight, batch, key):
        outputs = batch["x"] @ weight
        return jnp.mean(jnp.square(outputs - batch["y"])), {"outputs": outputs}

    batch = {"x": jax.random.normal(jax.random.key(0), (12, 3)), "y": jnp.arange(12.0)}
    run = lambda microbatches: differentiate(loss, jnp.arange(3.0), batch, jax.random.key(1), microbatches)
    (value, outputs), gradient = run(1)
    for microbatches in (2, 12):
        (part_value, part_outputs), part_gradient = run(microbatches)
        np.testing.assert_allclose(part_value, value, rtol=1e-6)
        np.testing.assert_allclose(part_gradient, gradient, rtol=1e-5)
        np.testing.assert_allclose(part_outputs["outputs"], outputs["outputs"], rtol=1e-6)


def test_pieces_of_a_batch_have_noise_of_their_own():
    def loss(weight, batch, key):
        return jnp.mean(batch) * jax.random.normal(key), None

    values = [
        differentiate(loss, jnp.ones(()), jnp.ones(4), jax.random.key(0), microbatches)[0][0] for microbatches in (1, 2)
    ]
    first, second = jax.vmap(jax.random.normal)(jax.random.split(jax.random.key(0)))
    np.testing.assert_allclose(values[1], (first + second) / 2, rtol=1e-6)
    assert values[0] != values[1]


def test_pieces_that_a_batch_cannot_be_cut_into_are_refused():
    with pytest.raises(ValueError, match=r"Recipe\.microbatches must divide the 4 samples of a batch; got 3\."):
        differentiate(lambda weight, batch, key: (weight, None), jnp.ones(()), jnp.ones(4), jax.random.key(0), 3)


def test_numbers_without_axes_belong_to_every_piece():
    def loss(weight, batch, key):
        return jnp.mean(batch["rate"] * weight * batch["x"]), None

    batch = {"rate": jnp.float32(3), "x": jnp.arange(4.0)}
    (value, _), gradient = differentiate(loss, jnp.float32(2), batch, jax.random.key(0), 2)
    assert (value, gradient) == (9.0, 4.5)
