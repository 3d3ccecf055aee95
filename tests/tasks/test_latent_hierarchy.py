"""The generator of class sequences: what it promises of every draw."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from nucleate.tasks import LatentHierarchy


@settings(max_examples=20, deadline=None)
@given(st.integers(0, 1000), st.sampled_from([(20, 2, (10, 20)), (50, 3, (20, 30)), (5, 2, (4,))]))
def test_every_class_is_made_of_its_latents(seed, sizes):
    classes, parts, latents = sizes
    task = LatentHierarchy(classes, parts, latents)
    drawn = task.draw(seed)
    assert len({tuple(row) for row in drawn.latents[-1]}) == classes  # no two classes are the same set
    assert np.all(drawn.latents[-1].sum(1) == parts)
    for tokens, lowest in zip(drawn.tokens, drawn.latents[0], strict=True):
        chosen = tokens[tokens != task.tokens - 1]
        assert np.all(np.diff(chosen) > 0)  # ascending, each once
        assert np.all(tokens[: task.length - len(chosen)] == task.tokens - 1)  # padding comes first
        assert parts <= len(chosen) <= parts * lowest.sum()


def test_a_latent_brings_its_tokens_wherever_it_occurs():
    drawn = LatentHierarchy(30, 2, (10, 20)).draw(seed=3)
    present = np.zeros((30, 100))
    present[np.arange(30)[:, None], drawn.tokens] = 1
    for latent in drawn.latents[0].T:
        if latent.any():
            shared = present[latent == 1, :99].all(0)
            assert shared.sum() >= 2


def test_draws_are_reproducible_and_differ_by_seed():
    task = LatentHierarchy()
    assert np.array_equal(task.draw(1).tokens, task.draw(1).tokens)
    assert not np.array_equal(task.draw(1).tokens, task.draw(2).tokens)


@pytest.mark.parametrize(
    ("sizes", "why"),
    [
        ({"latents": ()}, "latents needs at least one value; got none"),
        ({"latents": (4, 20)}, "latents must be at most the 6 sets of parts = 2 of 4; got 20"),
        ({"latents": (10, 4)}, "classes must be at most the 6 sets of parts = 2 of 4; got 20"),
        ({"length": 5}, "length must hold the 8 tokens that a class can have; got 5"),
    ],
)
def test_impossible_sizes_are_refused(sizes, why):
    with pytest.raises(ValueError, match=why):
        LatentHierarchy(**sizes)
