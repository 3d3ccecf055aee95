import itertools

import numpy as np
import pytest

from as_users import errors_of
from nucleate.machine import TooLarge
from nucleate.tasks import Box


@pytest.mark.parametrize("size", [(3.0, 2.0), (1.0, 2.0, 1.5)])
def test_boundary_particles_are_the_lattice_points_on_walls(size):
    spacing = 0.5
    counts = [round(length / spacing) for length in size]
    brute = [
        np.array(tick) * spacing
        for tick in itertools.product(*(range(count + 1) for count in counts))
        if any(t in (0, count) for t, count in zip(tick, counts, strict=True))
    ]
    np.testing.assert_allclose(Box(size).boundary(spacing), brute, atol=1e-6)


def test_the_papers_box_has_168_boundary_particles():
    boundary = Box().boundary()
    assert boundary.shape == (2 * 57 + 2 * 27, 2)
    assert len(np.unique(boundary, axis=0)) == len(boundary)


def test_an_open_side_has_no_boundary_particles_of_its_own():
    boundary = Box((4.0, 4.0), walls=((True, True), (True, False))).boundary(1.0)
    assert sorted(map(tuple, boundary[boundary[:, 1] == 4].tolist())) == [(0.0, 4.0), (4.0, 4.0)]
    assert len(Box((4.0, 4.0), walls=((False, False), (False, False))).boundary()) == 0


def test_neighbours_are_no_farther_apart_than_asked():
    boundary = Box((2.2, 1.0)).boundary(0.5)
    floor = np.sort(boundary[boundary[:, 1] == 0, 0])
    assert np.diff(floor).max() <= 0.5 + 1e-6
    assert floor[-1] == np.float32(2.2)


def test_bad_boxes():
    with pytest.raises(ValueError, match=r"Box\.size must have 2 or 3 numbers; got \(1\.0,\)"):
        Box((1.0,))
    with pytest.raises(ValueError, match=r"Box\.size must be > 0; got -2\.0"):
        Box((1.0, -2.0))
    with pytest.raises(ValueError, match=r"Box\.walls must hold one pair \(low, high\) for each of 2 axes"):
        Box((1.0, 1.0), walls=((True, True),))
    with pytest.raises(ValueError, match=r"Box\.boundary: spacing must be > 0; got 0"):
        Box().boundary(0.0)


def test_a_boundary_that_no_memory_holds():
    with pytest.raises(TooLarge, match=r"Box\(1e\+308, 14\.0\) with a boundary needs about .* of memory; .*smaller"):
        Box((1e308, 14.0)).boundary()


def test_values_of_a_wrong_kind_are_named():
    mistakes = {
        "Box(6.0)": "Box.size must be a tuple of numbers > 0; got 6.0.",
        "Box((1.0, 1.0), walls=(True, False))": "Box.walls must be a tuple of (True or False, True or False), or None; "
        "got (True, False).",
        "ParticleTask(particles=2.5)": "ParticleTask.particles must be a whole number >= 1; got 2.5.",
        "ParticleTask(box=(6.0, 6.0))": "ParticleTask.box must be a Box; got (6.0, 6.0).",
        "ParticleTask(contact=None)": "ParticleTask.contact must be a Contact; got None.",
        "PairStream(None)": "PairStream.task must be a ParticleTask; got None.",
        "AdditionTask('ten')": "AdditionTask.p must be a whole number >= 2; got 'ten'.",
        "AdditionTask(2**16)": "AdditionTask.p must be < 2**16; got 65536.",
        "AdditionTask(True)": "AdditionTask.p must be a whole number >= 2; got True.",
        "AdditionTask(9).split(None, 3)": "AdditionTask.split: key must be an array of numbers; got None.",
        "ModularAdditionTask(7).split(jax.random.key(0), '0.8')": "ModularAdditionTask.split: train_share must be a "
        "number; got '0.8'.",
        "ParticleTask(64).sample(jax.random.key(0), 10**9)": None,
    }
    said = errors_of(mistakes, "import jax; from nucleate.tasks import *")
    *named, memory = said
    assert named == [f"ValueError: {message}" for message in mistakes.values() if message]
    assert memory.startswith("TooLarge: 1,000,000,000 states of 64 particles needs about 66 TB of memory; ")
