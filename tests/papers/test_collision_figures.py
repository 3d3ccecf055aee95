"""The figures of the collisions paper, drawn from planted records: networks with random weights, heads with planted
histories."""

import dataclasses
import json

import equinox as eqx
import jax
import numpy as np
import pytest
import xarray as xr
from planted import PlantedRun

from nucleate.claims import Evidence
from nucleate.observables import HeadClass
from nucleate.papers.collisions import figures, measures, readings
from nucleate.papers.collisions.experiments import ParticleFleet
from nucleate.papers.collisions.figures import choice, draw, maps
from nucleate.papers.collisions.figures.laws import pages
from nucleate.record import Outcome
from nucleate.theories import PowerLaw

FLEET = ParticleFleet(
    particles=3,
    width=3.0,
    height=3.0,
    blocks=2,
    heads=2,
    embedding=8,
    hidden=8,
    seeds=2,
    batch=4,
    steps=400,
    simulated=32,
    stride=8,
    states=8,
    looks=60,
    checkpoints=4,
)
LAST = ["figure_13", "figure_14", "figure_15", "figure_16", "figure_controls", "traces"]


@pytest.fixture(scope="module")
def networks() -> np.ndarray:
    """Random weights, [member, parameter]."""
    shapes = eqx.filter_eval_shape(FLEET.recipe().model, {}, jax.random.key(0))
    count = sum(leaf.size for leaf in jax.tree.leaves(shapes) if isinstance(leaf, jax.ShapeDtypeStruct))
    return np.random.default_rng(1).normal(scale=0.3, size=(2, count)).astype(np.float32)


def record(networks: np.ndarray, scores: list[list[float]]) -> xr.Dataset:
    """Two networks whose heads end with `scores[block][head]`, the second with a little less."""
    rng, recipe = np.random.default_rng(0), FLEET.recipe()
    step, kept = np.array(recipe.looks), np.array(recipe.checkpoints)
    share = 1 / (1 + np.exp(-(step - 150) / 20))[None, :, None, None]
    end = np.array([scores, 0.98 * np.array(scores)])[:, None]
    frac = 0.15 + (end - 0.15) * share
    late = np.maximum(step, 200)[None, :, None, None] / 200
    heads, states = ("member", "step", "block", "head"), ("state", "particle", "dim")
    return xr.Dataset(
        {
            "raw": (heads, 0.9 * frac),
            "frac": (heads, frac),
            "total": (heads, np.full(frac.shape, 0.9)),
            "correlation": (heads, -frac * late**-0.25 * np.exp(0.01 * rng.normal(size=frac.shape))),
            "weights": (("member", "step_weights", "parameter"), np.repeat(networks[:, None], len(kept), axis=1)),
            "outcome": ("member", np.full(2, Outcome.OK, np.int8)),
            "held_position": (states, rng.uniform(0.5, 2.5, (8, 3, 2)).astype(np.float32)),
            "held_velocity": (states, rng.normal(size=(8, 3, 2)).astype(np.float32)),
            "uniform_score": ((), 0.15),
            "contact_limit": ((), -0.4),
        },
        coords={"member": [0, 1], "step": step, "step_weights": kept},
        attrs={"steps": FLEET.steps, "about": json.dumps({"config": dataclasses.asdict(FLEET)})},
    )


def evidence(small: xr.Dataset, large: xr.Dataset) -> Evidence:
    return Evidence({readings.SMALL: PlantedRun(small), readings.LARGE: PlantedRun(large)}, samples=4)


def laws(evidence: Evidence) -> dict[str, xr.Dataset]:
    return {name: PowerLaw("correlation").fit(record).laws for name, record in choice.fleets(evidence).items()}


def coefficients(evidence: Evidence) -> measures.HeadCoefficients:
    """Of three collision heads and of one that is none; lost at the first checkpoint and doubted at the next."""
    step = evidence.record(readings.LARGE).step_weights.values
    value = np.linspace(1, 5, len(step)) * np.arange(1, 5)[:, None]
    value[:, 0] = np.nan
    doubt = np.zeros(value.shape, int)
    doubt[:, 1] = 1
    return measures.HeadCoefficients(
        readings.LARGE,
        member=np.array([0, 0, 1, 0]),
        block=np.array([1, 1, 1, 0]),
        head=np.array([0, 1, 0, 0]),
        collision=np.array([True, True, True, False]),
        step=step,
        value=value,
        error=np.full(value.shape, 0.1),
        doubt=doubt,
        trace=np.linspace(0, 4, 40).reshape(1, 1, 40) * np.ones((4, 2, 1)),
        burn_in=20,
    )


def energies(evidence: Evidence) -> dict[str, measures.Energies]:
    truth = np.linspace(90, 30, 50) * np.ones((2, 4, 1))
    return {
        readings.SMALL: measures.Energies(truth, truth + 1),
        readings.LARGE: measures.Energies(truth, truth * np.inf),
    }


def test_every_figure_is_drawn(networks, tmp_path, monkeypatch):
    monkeypatch.setattr(measures, "ROLLOUT", 60)  # a film of four frames
    monkeypatch.setattr(measures, "laws", laws)
    monkeypatch.setattr(measures, "coefficients", coefficients)
    monkeypatch.setattr(measures, "energies", energies)
    planted = record(networks, [[0.1, 0.05], [0.95, 0.6]])
    entries = draw(evidence(planted, planted), tmp_path)
    stems = ["figure_1", "figure_2", "figure_3", "film", "figure_5", "figure_6", "figure_7", "figure_8", *LAST]
    assert [entry.path.stem for entry in entries] == stems
    assert all(entry.path.stat().st_size > 5000 for entry in entries)
    assert not any("stand" in entry.caption for entry in entries)
    assert "A collision head: head 1-0 of network 0" in entries[0].caption


def test_without_collision_heads_the_highest_scores_stand_in(networks, tmp_path, monkeypatch):
    monkeypatch.setattr(measures, "laws", laws)
    monkeypatch.setattr(measures, "coefficients", lambda evidence: None)
    monkeypatch.setattr(measures, "energies", lambda evidence: {})
    monkeypatch.setattr(
        figures, "_FIGURES", (figures.figure_1, maps.figure_3, figures.figure_6, figures.figure_7, pages)
    )
    planted = record(networks, [[0.1, 0.05], [0.2, 0.15]])
    entries = {entry.path.stem: entry for entry in draw(evidence(planted, planted), tmp_path)}
    assert [*entries] == ["figure_1", "figure_3", "figure_6"]  # no energies, no coefficients
    assert "No head detects collisions" in entries["figure_1"].caption
    assert "No head of kind: true, partial" in entries["figure_3"].caption
    assert "shown are the highest scores" in entries["figure_6"].caption


def test_examples_are_of_the_fleet_with_more_kinds_and_each_head_is_shown_once(networks):
    few, many = record(networks, [[0.1, 0.05], [0.2, 0.15]]), record(networks, [[0.1, 0.05], [0.95, 0.6]])
    found = choice.examples(evidence(many, few))
    assert [example.head for example in found.values()] == [
        choice.Head(readings.SMALL, 0, 1, 0),
        choice.Head(readings.SMALL, 0, 1, 1),
        choice.Head(readings.SMALL, 0, 0, 0),
    ]
    assert all(example.genuine for example in found.values())
    stand_ins = choice.examples(evidence(few, few))
    assert len({example.head for example in stand_ins.values()}) == 3
    assert stand_ins[HeadClass.TRUE].head == choice.Head(readings.LARGE, 0, 1, 0)


def test_networks_that_diverged_are_left_out(networks, tmp_path):
    planted = record(networks, [[0.1, 0.05], [0.95, 0.6]])
    lost = planted.assign(outcome=("member", np.array([Outcome.DIVERGED, Outcome.OK], np.int8)))
    heads, genuine = choice.collision_heads(evidence(lost, planted), readings.SMALL)
    assert genuine
    assert [head.member for head in heads] == [1, 1]
    seen = choice.attention(choice.fleets(evidence(lost, planted))[readings.SMALL], heads[0], *_held(planted))
    whole = choice.attention(planted, heads[0], *_held(planted))
    assert np.array_equal(seen, whole)
    gone = planted.assign(outcome=("member", np.full(2, Outcome.DIVERGED, np.int8)))
    assert [*choice.fleets(evidence(gone, planted))] == [readings.LARGE]
    assert draw(evidence(gone, gone), tmp_path) == []


def _held(planted: xr.Dataset) -> tuple[np.ndarray, np.ndarray]:
    return planted.held_position.values[:2], planted.held_velocity.values[:2]


def test_a_moved_particle_is_far_then_near_then_in_contact():
    others = np.array([[0.5, 0.5], [1.5, 0.5], [2.5, 0.5], [2.5, 1.5]])
    far, near, contact = maps._places(others, (6.0, 6.0), 1.0).reshape(3, 4, 2)
    assert np.all(far[:, 1] == 4.5)
    closest = np.linalg.norm(contact[:, None] - others, axis=-1).min(1)
    assert closest[:2] == pytest.approx([0.98, 0.98])
    assert contact[3].tolist() == pytest.approx([5.16, 0.5])  # nobody is below: it lies on the floor
    assert near[:, 1] == pytest.approx(contact[:, 1] + 0.5)
