from collections import Counter

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import array_shapes, arrays

from nucleate.observables import Phase, phase, sandwiched, vote

repeatable = settings(deadline=None, derandomize=True, max_examples=200)
codes = st.integers(0, 3)
C, G, M, F = Phase.COMPREHENSION, Phase.GROKKING, Phase.MEMORIZATION, Phase.CONFUSION


def sandwiched_by_walking(grid):
    """Walk from each grokking cell in the four directions until the phase changes."""

    def meet(row, col, down, right):
        while True:
            row, col = row + down, col + right
            if not (0 <= row < grid.shape[0] and 0 <= col < grid.shape[1]):
                return None
            if grid[row, col] != G:
                return Phase(grid[row, col])

    found = np.zeros(grid.shape, bool)
    for row, col in np.argwhere(grid == G):
        for down, right in ((0, 1), (1, 0)):
            found[row, col] |= {meet(row, col, down, right), meet(row, col, -down, -right)} == {C, M}
    return found


def test_codes_are_fixed():
    assert [(f.name, f.value) for f in Phase] == [
        ("COMPREHENSION", 0),
        ("GROKKING", 1),
        ("MEMORIZATION", 2),
        ("CONFUSION", 3),
    ]


@pytest.mark.parametrize(
    ("train", "valid", "expected"),
    [
        (100, 100, C),
        (100, 1099, C),
        (100, 1100, G),
        (100, 10**5, G),
        (0, 0, C),
        (500, 20, C),
        (100, -1, M),
        (0, -1, M),
        (-1, -1, F),
        (-1, 50, F),
    ],
)
def test_phase_of_one_run(train, valid, expected):
    found = phase(train, valid)
    assert found == expected
    assert found.dtype == np.int8


def test_phase_takes_any_delay():
    assert phase(100, 150, delay=50) == G
    assert phase(100, 150, delay=51) == C


def test_phase_broadcasts():
    train = np.array([10, -1])[:, None]
    valid = np.array([20, 5000, -1])
    assert phase(train, valid).tolist() == [[C, G, M], [F, F, F]]


@repeatable
@given(arrays(np.int8, array_shapes(min_dims=2, max_dims=3), elements=codes), st.integers(-2, 1))
def test_vote_counts(phases, axis):
    winner, share = vote(phases, axis)
    lines = np.moveaxis(phases, axis, -1)
    assert winner.shape == share.shape == lines.shape[:-1]
    for index in np.ndindex(winner.shape):
        counts = Counter(lines[index].tolist())
        best = max(counts.values())
        majority = [code for code, count in counts.items() if 2 * count > lines.shape[-1]]
        assert winner[index] == (majority[0] if majority else -1)
        assert share[index] == pytest.approx(best / lines.shape[-1])
    assert winner.dtype == np.int8


def test_vote_of_one_cell():
    winner, share = vote(np.array([M, F, M, C, F]), axis=0)
    assert winner == -1  # a plurality is no majority
    assert share == pytest.approx(0.4)
    winner, share = vote(np.array([M, F, M, M, F]), axis=0)
    assert winner == M
    assert share == pytest.approx(0.6)


def test_vote_needs_a_voter():
    with pytest.raises(ValueError, match=r"vote needs >= 1 entry along axis 1; got shape \(3, 0\)\."):
        vote(np.zeros((3, 0), int), axis=1)


def test_sandwiched_by_hand():
    grid = np.array([[C, G, M, G], [F, G, G, M], [M, G, G, C], [G, G, C, F]])
    expected = [[0, 1, 0, 0], [0, 0, 1, 0], [0, 1, 1, 0], [0, 0, 0, 0]]
    assert sandwiched(grid).astype(int).tolist() == expected


@repeatable
@given(arrays(np.int8, array_shapes(min_dims=2, max_dims=2, max_side=7), elements=codes))
def test_sandwiched_matches_walking(grid):
    assert np.array_equal(sandwiched(grid), sandwiched_by_walking(grid))


@repeatable
@given(arrays(np.int8, (5, 6), elements=st.sampled_from([C, G, G, M])))
def test_sandwiched_does_not_depend_on_orientation(grid):
    found = sandwiched(grid)
    assert np.array_equal(sandwiched(grid.T), found.T)
    assert np.array_equal(sandwiched(grid[::-1, ::-1]), found[::-1, ::-1])
    assert not np.any(found & (grid != G))


def test_all_grokking_is_not_sandwiched():
    assert not sandwiched(np.full((3, 4), G)).any()
