"""The circles network: against an independent implementation, and against bad input."""

import dataclasses

import jax
import numpy as np
import pytest

from nucleate.fleet import train
from nucleate.fleet.cut import Cut
from nucleate.fleet.program import Program
from nucleate.fleet.schedule import timeline
from nucleate.observables import signal, survivor_count
from nucleate.papers.circles.experiments import CircleFleet
from nucleate.papers.circles.recipe import CircleNetwork, GivenStart, RandomStart

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


def test_200_steps_in_float64_agree_with_numpy():
    config, start = CircleFleet(p=(13,), dim=(8,), width=20, steps=200), RandomStart()
    with jax.enable_x64(True):
        plan = dataclasses.replace(config.plan("x64"), recipe=CircleNetwork(width=20, start=start))
        program = Program(plan.recipe, {"p": 13, "dim": 8}, Cut(1, 1))
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


@pytest.fixture(scope="module")
def record(tmp_path_factory):
    """Two networks that differ in modulus and dimension, with everything recorded."""
    config = dataclasses.replace(SMALL, p=(7, 11), dim=(4, 6), snapshots=3, look_ablation=30)
    plan = config.plan("mixed")
    plan = dataclasses.replace(plan, members=plan.members.only([0, 3]))
    return train(plan, tmp_path_factory.mktemp("mixed") / "run").record().load()


def test_a_record_holds_what_the_claims_read(record):
    assert record.signal.dims == ("member", "step", "freq")
    assert record.signal.shape == (2, 7, 5)
    embedding = record.embedding.values[1, -1]
    np.testing.assert_allclose(record.signal.values[1, -1], signal(embedding), rtol=1e-5)
    assert record.ablated_loss.shape == (2, 3, 5)
    assert int(survivor_count(embedding)) == int(
        (record.signal.values[1, -1] > 2 * record.mean_signal.values[1, -1]).sum()
    )


def test_fewer_frequencies_than_ablations_leave_a_gap(record):
    assert np.isfinite(record.ablated_loss.values[:, -1]).sum(1).tolist() == [3, 5]


def test_moduli_and_dimensions_share_one_record(record):
    assert np.isfinite(record.signal.values[:, -1]).sum(1).tolist() == [3, 5]
    assert np.isfinite(record.embedding.values[0, -1]).sum() == 7 * 4


def test_frozen_embeddings_stay(tmp_path):
    record = train(dataclasses.replace(SMALL, frozen=True, snapshots=2).plan("frozen"), tmp_path / "run").record()
    np.testing.assert_array_equal(record.embedding.values[0, 0], record.embedding.values[0, -1])
    assert record.train_loss.values[0, -1] < record.train_loss.values[0, 0]
    assert np.all(record.gradient_spectrum.values == 0)


def test_an_embedding_of_the_wrong_shape_is_refused(tmp_path):
    plan = SMALL.plan("given")
    plan = dataclasses.replace(plan, recipe=dataclasses.replace(plan.recipe, start=GivenStart(np.zeros((10, 6)))))
    with pytest.raises(ValueError, match=r"GivenStart.embedding must have shape \[p, dim\] = \(11, 6\); got \(10, 6\)"):
        train(plan, tmp_path / "run")
