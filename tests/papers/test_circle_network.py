"""The circles network: against an independent implementation, and against bad input."""

import dataclasses

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from scipy.special import logsumexp, softmax

from nucleate.fleet import train
from nucleate.fleet.program import Program
from nucleate.fleet.schedule import timeline
from nucleate.observables import signal, survivor_count
from nucleate.papers.circles.experiments import CircleFleet
from nucleate.papers.circles.recipe import CircleNetwork, cross_entropy
from nucleate.papers.circles.starts import GivenStart, RandomStart

SMALL = CircleFleet(p=(11,), dim=(6,), width=8, steps=60, look=10, look_test=20)


class NumPyNetwork:
    """The authors' loop in float64: concatenated inputs, back-propagation by hand, PyTorch's AdamW."""

    def __init__(self, parameters: list[np.ndarray], pairs: np.ndarray, p: int, eta: float, wd: float):
        self.parameters = [np.array(parameter, np.float64) for parameter in parameters]
        self.pairs, self.p, self.eta, self.wd = pairs, p, eta, wd
        self.first = [np.zeros_like(parameter) for parameter in self.parameters]
        self.second = [np.zeros_like(parameter) for parameter in self.parameters]
        self.count = 0

    def gradients(self) -> tuple[float, list[np.ndarray]]:
        E, W1, b1, W2, b2, W3, b3 = self.parameters
        x = np.concatenate([E[self.pairs[:, 0]], E[self.pairs[:, 1]]], axis=1)
        z1 = x @ W1 + b1
        h1, d1 = self.silu(z1)
        z2 = h1 @ W2 + b2
        h2, d2 = self.silu(z2)
        logits = h2 @ W3 + b3
        shifted = np.exp(logits - logits.max(1, keepdims=True))
        chance = shifted / shifted.sum(1, keepdims=True)
        label = self.pairs.sum(1) % self.p
        rows = np.arange(len(label))
        loss = -np.log(chance[rows, label]).mean()
        chance[rows, label] -= 1
        g3 = chance / len(label)
        g2 = (g3 @ W3.T) * d2
        g1 = (g2 @ W2.T) * d1
        gx = g1 @ W1.T
        gE = np.zeros_like(E)
        np.add.at(gE, self.pairs[:, 0], gx[:, : E.shape[1]])
        np.add.at(gE, self.pairs[:, 1], gx[:, E.shape[1] :])
        return loss, [gE, x.T @ g1, g1.sum(0), h1.T @ g2, g2.sum(0), h2.T @ g3, g3.sum(0)]

    @staticmethod
    def silu(z: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        gate = 1 / (1 + np.exp(-z))
        return z * gate, gate * (1 + z * (1 - gate))

    def step(self) -> float:
        loss, gradients = self.gradients()
        self.count += 1
        for i, gradient in enumerate(gradients):
            self.parameters[i] *= 1 - self.eta * self.wd
            self.first[i] = 0.9 * self.first[i] + 0.1 * gradient
            self.second[i] = 0.999 * self.second[i] + 0.001 * gradient**2
            mean = self.first[i] / (1 - 0.9**self.count)
            spread = np.sqrt(self.second[i] / (1 - 0.999**self.count))
            self.parameters[i] -= self.eta * mean / (spread + 1e-8)
        return loss


def flat(model) -> list[np.ndarray]:
    weights, biases = model.decoder.weights, model.decoder.biases
    mixed = [part for pair in zip(weights, biases, strict=True) for part in pair]
    return [np.asarray(part) for part in (model.embedding, *mixed)]


@pytest.mark.parametrize("start", [GivenStart(np.random.default_rng(0).normal(size=(13, 8))), RandomStart()])
def test_200_steps_in_float64_agree_with_numpy(start):
    config = CircleFleet(p=(13,), dim=(8,), width=20, steps=200)
    with jax.enable_x64(True):
        plan = dataclasses.replace(config.plan("x64"), recipe=CircleNetwork(width=20, start=start))
        program = Program(plan.recipe, {"p": 13, "dim": 8}, 1)
        inputs = plan.lanes([0], 1)
        state = program.start(*inputs)
        begin = [leaf[0] for leaf in flat(state.params)]
        assert begin[0].dtype == np.float64
        np.testing.assert_allclose(begin[0], start(plan.members.row(0)), atol=1e-12)
        data = plan.data[0]
        chosen = np.flatnonzero(data["in_train"])
        numpy = NumPyNetwork(begin, np.stack([chosen // 13, chosen % 13], 1), 13, 0.01, 0.5)
        for chunk in timeline(plan.schedules, 200):
            state, _ = program.chunk(state, *inputs, chunk.gap, chunk.looks)
        losses = [numpy.step() for _ in range(200)]
        assert int(state.step[0]) == 200
        for ours, theirs in zip(flat(state.params), numpy.parameters, strict=True):
            np.testing.assert_allclose(ours[0], theirs, rtol=0, atol=1e-10)
        np.testing.assert_allclose(state.loss[0], numpy.gradients()[0], rtol=0, atol=1e-10)
    assert losses[-1] < losses[0] / 2  # it did learn


@pytest.mark.parametrize("scale", [0.0, 1.0, 20.0])
def test_cross_entropy_is_exact_however_small(scale):
    logits = np.random.default_rng(0).normal(size=(40, 7)) * scale
    logits[:20, 2] = scale * 3  # confident, and right where the label is 2
    label = np.where(np.arange(40) < 20, 2, np.arange(40) % 7)
    single = logits.astype(np.float32)
    exact = logsumexp(single.astype(np.float64) - single[np.arange(40), label].astype(np.float64)[:, None], axis=1)
    rest = np.where(np.arange(7) == label[:, None], -np.inf, single.astype(np.float64))
    tiny = np.exp(logsumexp(rest, axis=1) - single[np.arange(40), label])  # where 1 + x loses x, ln(1 + x) is x
    exact = np.where(tiny < 1e-9, tiny, exact)
    np.testing.assert_allclose(cross_entropy(jnp.asarray(single), jnp.asarray(label)), exact, rtol=2e-5)
    gradient = jax.grad(lambda x: cross_entropy(x, jnp.asarray(label)).sum())(jnp.asarray(single))
    expected = softmax(single.astype(np.float64), axis=1) - np.eye(7)[label]
    np.testing.assert_allclose(gradient, expected, atol=1e-6)


def test_a_record_holds_what_the_claims_read(tmp_path):
    record = train(dataclasses.replace(SMALL, snapshots=3, look_ablation=30).plan("small"), tmp_path / "run").record()
    assert record.signal.dims == ("member", "step", "freq")
    assert record.signal.shape == (1, 7, 5)
    embedding = record.embedding.values[0, -1]
    np.testing.assert_allclose(record.signal.values[0, -1], signal(embedding), rtol=1e-5)
    assert record.ablated_loss.shape == (1, 3, 5)
    assert int(survivor_count(embedding)) == int(
        (record.signal.values[0, -1] > 2 * record.mean_signal.values[0, -1]).sum()
    )


def test_fewer_frequencies_than_ablations_leave_a_gap(tmp_path):
    config = dataclasses.replace(SMALL, p=(7,), look_ablation=60)
    losses = train(config.plan("few"), tmp_path / "run").record().ablated_loss.values[0, -1]
    assert np.isfinite(losses).tolist() == [True, True, True, False, False]


def test_moduli_and_dimensions_share_one_record(tmp_path):
    config = dataclasses.replace(SMALL, p=(7, 11), dim=(4, 6))
    record = train(config.plan("mixed"), tmp_path / "run").record()
    assert record.sizes["member"] == 4
    assert np.isfinite(record.signal.values[:, -1]).sum(1).tolist() == [3, 3, 5, 5]


def test_frozen_embeddings_stay(tmp_path):
    record = train(dataclasses.replace(SMALL, frozen=True, snapshots=2).plan("frozen"), tmp_path / "run").record()
    np.testing.assert_array_equal(record.embedding.values[0, 0], record.embedding.values[0, -1])
    assert record.train_loss.values[0, -1] < record.train_loss.values[0, 0]
    assert np.all(record.gradient_spectrum.values == 0)


def test_trials_share_an_embedding_and_nothing_else():
    members = CircleFleet(embeddings=2, trials=3).plan("trials").members
    assert members["seed_embedding"].tolist() == [0, 0, 0, 1, 1, 1]
    assert len(set(members["seed"].tolist())) == len(set(members["seed_split"].tolist())) == 6


def test_factors_scale_the_same_embedding():
    plan = CircleFleet(start="perturbed", factor=(0.5, 1.0, 2.0), embeddings=2).plan("factors")
    assert len(set(plan.members["seed_embedding"].tolist())) == 2
    rows = [plan.members.row(i) for i in range(plan.members.count) if plan.members["seed_embedding"][i] == 0]
    signals = [np.asarray(signal(plan.recipe.start(row))) for row in rows]
    np.testing.assert_allclose(signals[2][24] / signals[0][24], 4, rtol=1e-4)
    np.testing.assert_allclose(np.delete(signals[2], 24), np.delete(signals[0], 24), rtol=1e-4)


@pytest.mark.parametrize("start", ["lines", "circles"])
def test_constructed_frequencies_have_their_signals(start):
    plan = CircleFleet(start=start, ratio=(0.25,), embeddings=5).plan("constructed")
    for i in range(plan.members.count):
        row = plan.members.row(i)
        found = np.asarray(signal(plan.recipe.start(row)))
        np.testing.assert_allclose(found[[row["first"] - 1, row["second"] - 1]], [80, 20], rtol=1e-3)
        assert np.delete(found, [row["first"] - 1, row["second"] - 1]).max() < 1e-3
        assert row["second"] not in {2 * row["first"] % 59, -2 * row["first"] % 59}
        assert row["first"] not in {2 * row["second"] % 59, -2 * row["second"] % 59}


def test_kept_frequencies_come_from_the_source(tmp_path):
    source = train(dataclasses.replace(SMALL, embeddings=2).plan("source"), tmp_path / "source").record()
    sequel = dataclasses.replace(SMALL, start="kept", source="source", embeddings=2)
    assert sequel.awaits == "source"
    with pytest.raises(ValueError, match=r"CircleFleet.kept is read from the record of source"):
        sequel.plan("kept")
    filled = sequel.after(source)
    assert filled.awaits == ""
    plan = filled.plan("kept")
    strongest = np.argsort(-source.signal.values[:, -1], axis=1)[:, :2] + 1
    for i in range(plan.members.count):
        row = plan.members.row(i)
        found = np.flatnonzero(np.asarray(signal(plan.recipe.start(row))) > 1e-3) + 1
        wanted = sorted({row["first"], row["second"]})
        assert found.tolist() == wanted
        if row["variant"] in (0, 1):
            assert wanted == sorted(strongest[row["seed"], : row["variant"] + 1].tolist())
        else:
            assert not set(wanted) & set(strongest[row["seed"]].tolist())


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"p": (2,)}, r"CircleFleet.p must be >= 3; got 2"),
        ({"p": ()}, r"CircleFleet.p needs at least one value"),
        ({"wd": (-0.1,)}, r"CircleFleet.wd must be >= 0; got -0.1"),
        ({"wd": (float("nan"),)}, r"CircleFleet.wd must be >= 0; got nan"),
        ({"dim": (0,)}, r"CircleFleet.dim must be >= 1; got 0"),
        ({"start": "perturbed", "frequency": 30}, r"CircleFleet.frequency must be between 1 and 29 for p=59; got 30"),
        ({"start": "perturbed", "frequency": 0}, r"CircleFleet.frequency must be between 1 and 29 for p=59; got 0"),
        ({"start": "kept", "kept": ((1, 40),)}, r"CircleFleet.kept must be between 1 and 29 for p=59; got 40"),
        ({"start": "kept"}, r"CircleFleet.start kept needs `source` or `kept`"),
        ({"start": "lines", "p": (7,)}, r"CircleFleet.start lines needs p >= 11"),
        ({"steps": 0}, r"CircleFleet.steps must be >= 1; got 0"),
        ({"snapshots": 1}, r"CircleFleet.snapshots must be 0, or at least 2"),
        ({"eta": 0.0}, r"CircleFleet.eta must be > 0; got 0.0"),
        ({"factor": (-1.0,)}, r"CircleFleet.factor and ratio must be >= 0; got -1.0"),
    ],
)
def test_bad_configs_say_what_would_be_right(change, message):
    with pytest.raises(ValueError, match=message):
        CircleFleet(**change)


def test_an_embedding_of_the_wrong_shape_is_refused(tmp_path):
    plan = SMALL.plan("given")
    plan = dataclasses.replace(plan, recipe=dataclasses.replace(plan.recipe, start=GivenStart(np.zeros((10, 6)))))
    with pytest.raises(ValueError, match=r"GivenStart.embedding must have shape \[p, dim\] = \(11, 6\); got \(10, 6\)"):
        train(plan, tmp_path / "run")
