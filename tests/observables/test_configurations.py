import numpy as np
import pytest

from nucleate.observables import (
    displacement_clusters,
    displacement_purity,
    equations,
    in_well_fraction,
    is_canonical,
    is_line,
    lattice_regularity,
    line_angle,
    parallelograms,
)

LEFT, RIGHT = np.triu_indices(10)
PAIRS = np.stack([LEFT, RIGHT], axis=1)
SAME = equations(PAIRS, parallelograms(LEFT + RIGHT), tokens=10)
DIFFERENT = equations(PAIRS, np.argwhere(np.triu((LEFT + RIGHT)[:, None] != LEFT + RIGHT)), tokens=10)
LINE = np.arange(10.0)[:, None]


def test_canonical_is_in_order_or_reversed_and_nothing_else():
    swapped = LINE[[1, 0, *range(2, 10)]]
    uneven = np.cumsum(np.random.default_rng(0).uniform(0.1, 1, size=10))[:, None]
    hole = np.where(LINE == 4, np.nan, LINE)
    tied = np.where(LINE == 4, 3, LINE)
    found = is_canonical(np.stack([LINE, -LINE, uneven, swapped, hole, tied]))
    assert found.tolist() == [True, True, True, False, False, False]


def test_every_same_label_pair_of_an_even_line_is_in_the_well():
    rng = np.random.default_rng(0)
    assert in_well_fraction(LINE, SAME, radius=1e-9) == 1
    wide = in_well_fraction(5 * rng.normal(size=(4, 10, 1)), SAME, radius=0.5)
    assert wide.shape == (4,)
    assert np.all(wide < 0.3)


def test_in_well_fraction_counts_what_is_within_the_radius():
    embedding = np.random.default_rng(1).normal(size=(10, 2))
    length = [np.hypot(*(row @ embedding)) for row in SAME]
    assert in_well_fraction(embedding, SAME, radius=1.0) == np.mean(np.array(length) <= 1.0)


@pytest.mark.parametrize("scale", [1e-3, 1.0, 40.0])
def test_canonical_configurations_have_eighteen_clusters_and_random_ones_do_not(scale):
    rng = np.random.default_rng(0)
    jitter = LINE + 0.02 * rng.normal(size=(5, 10, 1))
    assert displacement_clusters(scale * jitter, DIFFERENT).tolist() == [18] * 5
    assert np.all(displacement_clusters(scale * rng.normal(size=(20, 10, 1)), DIFFERENT) != 18)


def test_clusters_are_label_differences_in_even_order_only():
    rng = np.random.default_rng(0)
    jitter = LINE + 0.02 * rng.normal(size=(5, 10, 1))
    assert np.all(displacement_purity(-40 * jitter, DIFFERENT) == 1)
    assert displacement_purity(LINE[[1, 0, *range(2, 10)]], DIFFERENT) < 0.9
    # By chance a displacement has the label difference of its cluster as often as two of them agree: in 10 % of cases.
    assert displacement_purity(rng.permuted(np.tile(LINE, (200, 1, 1)), axis=1), DIFFERENT).mean() < 0.2


@pytest.mark.parametrize("angle", [0.0, 0.3, np.pi / 2, 3.0])
def test_lines_are_found_at_their_angle(angle):
    line = LINE * [np.cos(angle), np.sin(angle)] + [3.0, -1.0]
    assert is_line(line)
    assert line_angle(line) == pytest.approx(angle, abs=1e-8)
    assert line_angle(line[::-1]) == pytest.approx(angle, abs=1e-8)


def test_clouds_shuffled_lines_and_points_are_no_lines():
    rng = np.random.default_rng(0)
    shuffled = rng.permutation(LINE) * [1.0, 1.0]
    cases = np.stack([rng.normal(size=(10, 2)), shuffled, np.zeros((10, 2)), np.full((10, 2), np.nan)])
    assert not is_line(cases).any()
    assert np.isnan(line_angle(cases)[2:]).all()


def test_lattices_are_regular_and_clouds_are_not():
    x, y = (grid.ravel() for grid in np.meshgrid(np.arange(4.0), np.arange(4.0)))
    square, triangle = np.stack([x, y], axis=1), np.stack([x + y / 2, y * np.sqrt(3) / 2], axis=1)
    rng = np.random.default_rng(0)
    assert lattice_regularity(np.stack([square, triangle])) == pytest.approx(1)
    blurred = [lattice_regularity(square + s * rng.normal(size=(200, 16, 2))).mean() for s in (0.02, 0.1, 0.3)]
    assert blurred[0] > blurred[1] > blurred[2]
    assert lattice_regularity(rng.normal(size=(200, 16, 2))).mean() < 0.55
    assert np.isnan(lattice_regularity(np.zeros((3, 2))))
