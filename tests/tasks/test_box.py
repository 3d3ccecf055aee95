import itertools
import subprocess
import sys

import numpy as np
import pytest

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
    with pytest.raises(ValueError, match=r"Box\.size must be positive and finite; got \(1\.0, -2\.0\)"):
        Box((1.0, -2.0))
    with pytest.raises(ValueError, match=r"Box\.walls must hold one pair \(low, high\) for each of 2 axes"):
        Box((1.0, 1.0), walls=((True, True),))
    with pytest.raises(ValueError, match=r"Box\.boundary: spacing must be positive; got 0"):
        Box().boundary(0.0)


def test_values_of_a_wrong_kind_are_named():
    """In a process of its own: here a type checker would be faster."""
    code = """
from nucleate.tasks import Box, ParticleTask
for make in (
    lambda: Box(6.0),
    lambda: Box((1.0, 1.0), walls=(True, False)),
    lambda: Box((1.0, 1.0), walls=((True, True), (True,))),
    lambda: ParticleTask(particles=2.5),
    lambda: ParticleTask(box=(6.0, 6.0)),
):
    try:
        make()
    except ValueError as error:
        print(error)
"""
    said = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout
    assert said.splitlines() == [
        "Box.size must have 2 or 3 numbers; got 6.0.",
        "Box.walls must hold one pair (low, high) for each of 2 axes; got (True, False).",
        "Box.walls must hold one pair (low, high) for each of 2 axes; got ((True, True), (True,)).",
        "ParticleTask.particles must be a whole number >= 1; got 2.5.",
        "ParticleTask.box must be a Box, such as Box((6.0, 6.0)); got (6.0, 6.0).",
    ]
