"""Every figure of the collisions paper, drawn from planted records."""

import numpy as np
import pytest
import xarray as xr
from collision_networks import DETECTING, NOT_YET, evidence, record

from nucleate.claims import Evidence
from nucleate.observables import HeadClass
from nucleate.papers.collisions.figures import FIGURES, choice, figure_1, figure_3, figure_6, figure_7, maps
from nucleate.papers.collisions.figures import power_laws as law_figures
from nucleate.papers.collisions.readings import power_laws, rollouts
from nucleate.papers.collisions.readings.fleets import networks
from nucleate.papers.collisions.readings.learning_coefficients import HeadCoefficients, of_heads
from nucleate.papers.collisions.readings.rollouts import Energies
from nucleate.plots import Picture, style
from nucleate.record import Outcome

NAMES = ["figure_1", "figure_2", "figure_3", "film", "figure_5", "figure_6", "figure_7", "figure_8"]
NAMES += ["figure_13", "figure_14", "figure_15", "figure_16", "figure_controls", "traces"]


def coefficients(step: np.ndarray) -> HeadCoefficients:
    """Of three collision heads and one other; lost at the first checkpoint and doubted at the next."""
    value = np.linspace(1, 5, len(step)) * np.arange(1, 5)[:, None]
    value[:, 0] = np.nan
    doubt = np.zeros(value.shape, int)
    doubt[:, 1] = 1
    return HeadCoefficients(
        member=np.array([0, 0, 1, 0]),
        block=np.array([1, 1, 1, 0]),
        head=np.array([0, 1, 0, 0]),
        collision=np.array([True, True, True, False]),
        step=step,
        value=value,
        error=np.full(value.shape, 0.1),
        statistical=np.full(value.shape, 0.05),
        doubt=doubt,
        trace=np.linspace(0, 4, 40).reshape(1, 1, 40) * np.ones((4, 2, 1)),
        burn_in=20,
    )


def energies() -> Energies:
    truth = np.linspace(90, 30, 50) * np.ones((2, 4, 1))
    return Energies(truth, truth * np.array([1.1, np.inf])[:, None, None])


def drawn(found: Evidence, folder, figures=FIGURES) -> list[Picture]:
    with style():
        made = [figure(found, folder) for figure in figures]
    return [picture for each in made if each for picture in (each if isinstance(each, list) else [each])]


def test_every_figure_is_drawn(tmp_path, monkeypatch):
    monkeypatch.setattr(rollouts, "ROLLOUT", 60)  # a film of four frames
    planted = record(DETECTING)
    known = {of_heads: coefficients(planted.step_weights.values), rollouts.energies: energies()}
    pictures = drawn(evidence(planted, known=known), tmp_path)
    assert [picture.path.stem for picture in pictures] == NAMES
    assert all(picture.path.stat().st_size > 5000 for picture in pictures)
    assert not any("stand" in picture.caption for picture in pictures)
    assert "A collision head: head 1-0 of network 0" in pictures[0].caption


def test_without_collision_heads_the_highest_scores_stand_in(tmp_path):
    planted = record(NOT_YET)
    found = evidence(planted, known={of_heads: None, rollouts.energies: None})
    pictures = drawn(found, tmp_path, (figure_1, figure_3, figure_6, figure_7, *FIGURES[-2:]))
    captions = {picture.path.stem: picture.caption for picture in pictures}
    assert [*captions] == ["figure_1", "figure_3", "figure_6"]  # no energies, no coefficients
    assert "No head detects collisions" in captions["figure_1"]
    assert "No head of kind: true, partial" in captions["figure_3"]
    assert "shown are the highest scores" in captions["figure_6"]


def test_there_is_an_example_of_each_kind_and_each_head_is_shown_once():
    found = choice.examples(record(DETECTING))
    assert [example.head for example in found.values()] == [
        choice.Head(0, 1, 0),
        choice.Head(0, 1, 1),
        choice.Head(0, 0, 0),
    ]
    assert all(example.genuine for example in found.values())
    stand_ins = choice.examples(record(NOT_YET))
    assert len({example.head for example in stand_ins.values()}) == 3
    assert stand_ins[HeadClass.TRUE].head == choice.Head(0, 1, 0)


def test_networks_that_diverged_are_left_out():
    planted = record(DETECTING)
    lost = planted.assign(outcome=("member", np.array([Outcome.DIVERGED, Outcome.OK], np.int8)))
    heads, genuine = choice.collision_heads(networks(evidence(lost)))
    assert genuine
    assert [head.member for head in heads] == [1, 1]
    seen = choice.attention(lost.isel(member=[1]), heads[0], *held(planted))
    assert np.array_equal(seen, choice.attention(planted, heads[0], *held(planted)))


def test_where_all_networks_diverged_nothing_is_drawn(tmp_path):
    planted = record(DETECTING)
    gone = planted.assign(outcome=("member", np.full(2, Outcome.DIVERGED, np.int8)))
    assert drawn(evidence(gone), tmp_path) == []


def held(planted: xr.Dataset) -> tuple[np.ndarray, np.ndarray]:
    return planted.held_position.values[:2], planted.held_velocity.values[:2]


def test_a_moved_particle_is_far_then_near_then_in_contact():
    others = np.array([[0.5, 0.5], [1.5, 0.5], [2.5, 0.5], [2.5, 1.5]])
    far, near, contact = maps._places(others, (6.0, 6.0), 1.0).reshape(3, 4, 2)
    assert np.all(far[:, 1] == 4.5)
    closest = np.linalg.norm(contact[:, None] - others, axis=-1).min(1)
    assert closest[:2] == pytest.approx([0.98, 0.98])
    assert contact[3].tolist() == pytest.approx([5.16, 0.5])  # nothing is below: it lies on the floor
    assert near[:, 1] == pytest.approx(contact[:, 1] + 0.5)


def test_rest_and_noise_are_drawn_as_no_power_law():
    found = evidence(record(DETECTING))
    table = found.once(power_laws.of_correlation)
    assert (np.abs(table.exponent.values) < power_laws.SLOWEST).any()  # before heads form
    for head in choice.collision_heads(networks(found))[0]:
        drawn_laws = law_figures._laws(found, head)
        assert drawn_laws
        assert all(abs(exponent) >= power_laws.SLOWEST for _, _, exponent, _ in drawn_laws)
