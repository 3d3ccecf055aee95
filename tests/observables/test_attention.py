"""Observables of attention against loops in NumPy and closed forms."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from nucleate.observables import (
    CollisionScore,
    HeadClass,
    attention_distance_correlation,
    attention_entropy,
    collision_score,
    contact_attention,
    contact_limit,
    contact_share,
    distances,
    head_class,
    relative_gain,
)

STATES, PARTICLES = 40, 5


def random_states(seed=0, dim=2):
    rng = np.random.default_rng(seed)
    position = rng.uniform(0, 3, (STATES, PARTICLES, dim))
    attention = rng.dirichlet(np.ones(PARTICLES + 1), (STATES, PARTICLES))[..., 1:]
    attention[:, np.arange(PARTICLES), np.arange(PARTICLES)] = 0
    return attention, position


@pytest.mark.parametrize("dim", [2, 3])
def test_distances_are_those_of_a_loop(dim):
    _, position = random_states(dim=dim)
    brute = [[[np.linalg.norm(p - q) for q in state] for p in state] for state in position]
    np.testing.assert_allclose(distances(position), brute, atol=1e-5)


@pytest.mark.parametrize("radius", [0.3, 1.25, 9.0])
def test_scores_are_those_of_a_loop(radius):
    attention, position = random_states()
    near = everything = count = 0
    for weights, state in zip(attention, position, strict=True):
        for i in range(PARTICLES):
            for j in range(PARTICLES):
                if i != j:
                    within = np.linalg.norm(state[i] - state[j]) < radius
                    near, everything, count = near + within * weights[i, j], everything + weights[i, j], count + within
    queries = STATES * PARTICLES
    expected = near / queries, near / everything, everything / queries, count / (queries * (PARTICLES - 1))
    np.testing.assert_allclose(collision_score(attention, distances(position), radius), expected, rtol=1e-4)


def test_uniform_attention_has_the_baselines_score():
    _, position = random_states()
    uniform = np.broadcast_to((1 - np.eye(PARTICLES)) / PARTICLES, (STATES, PARTICLES, PARTICLES))
    score = collision_score(uniform, distances(position))
    np.testing.assert_allclose(score.frac, score.baseline, rtol=1e-5)
    np.testing.assert_allclose(score.corrected, 0, atol=1e-5)
    np.testing.assert_allclose(score.total, (PARTICLES - 1) / PARTICLES, rtol=1e-5)


def test_the_ideal_head_scores_one_and_its_raw_score_is_the_share_in_contact():
    _, position = random_states()
    distance = distances(position)
    score = collision_score(contact_attention(distance, 1.0), distance, 1.0)
    np.testing.assert_allclose([score.frac, score.corrected], 1, atol=1e-5)
    np.testing.assert_allclose(score.raw, contact_share(distance, 1.0), rtol=1e-5)
    alone = [all(np.linalg.norm(np.delete(s, i, 0) - s[i], axis=1) >= 1) for s in position for i in range(PARTICLES)]
    np.testing.assert_allclose(score.raw, 1 - np.mean(alone), rtol=1e-5)


def test_a_head_that_looks_at_hardly_anyone_is_a_false_positive_only_of_frac():
    _, position = random_states()
    distance = distances(position)
    score = collision_score(0.01 * contact_attention(distance, 1.25), distance)
    assert score.frac > 0.99
    assert score.raw < 0.01
    assert score.gated() == 0
    assert CollisionScore(0.9, 0.9, 1.0, 0.1).gated() == np.float32(0.9)


def test_a_head_without_attention_scores_zero():
    _, position = random_states()
    score = collision_score(np.zeros((STATES, PARTICLES, PARTICLES)), distances(position))
    assert score.raw == score.frac == score.total == 0


def test_a_box_in_which_everyone_is_near_corrects_to_zero():
    assert CollisionScore(1.0, 1.0, 1.0, 1.0).corrected == 0


def test_correlation_is_the_mean_of_numpys():
    attention, position = random_states()
    distance = np.asarray(distances(position))
    brute = [
        np.corrcoef(distance[:, i, j], attention[:, i, j])[0, 1]
        for i in range(PARTICLES)
        for j in range(PARTICLES)
        if i != j
    ]
    np.testing.assert_allclose(attention_distance_correlation(attention, distance), np.mean(brute), atol=1e-5)


def test_attention_linear_in_distance_has_correlation_plus_or_minus_one():
    _, position = random_states()
    distance = distances(position)
    others = 1 - np.eye(PARTICLES)
    for sign in (1, -1):
        found = attention_distance_correlation(others * (0.5 + sign * 0.05 * distance), distance)
        np.testing.assert_allclose(found, sign, atol=1e-4)


def test_pairs_without_a_correlation_are_left_out():
    attention, position = random_states()
    distance = np.asarray(distances(position))
    still = np.broadcast_to(attention[0], attention.shape).copy()
    assert attention_distance_correlation(still, distance) == 0
    still[:, 0, 1] = distance[:, 0, 1]
    np.testing.assert_allclose(attention_distance_correlation(still, distance), 1, atol=1e-4)


def test_the_contact_limit_of_two_particles_has_a_closed_form():
    """Particles in contact with probability q: a is 1 or 0, so corr = −√(q(1−q)) (E[d|far] − E[d|near]) / σ_d."""
    rng = np.random.default_rng(0)
    d = rng.uniform(0.5, 3.0, 400)
    distance = d[:, None, None] * (1 - np.eye(2))
    near = d < 1
    q = near.mean()
    expected = -np.sqrt(q * (1 - q)) * (d[~near].mean() - d[near].mean()) / d.std()
    np.testing.assert_allclose(contact_limit(distance), expected, rtol=1e-4)


def test_entropy_is_that_of_a_loop_and_of_uniform_attention():
    attention, _ = random_states()
    rows = np.concatenate([attention, 1 - attention.sum(-1, keepdims=True)], axis=-1).reshape(-1, PARTICLES + 1)
    brute = np.mean([-sum(a * np.log(a) for a in row if a > 0) for row in rows])
    np.testing.assert_allclose(attention_entropy(attention), brute, rtol=1e-4)
    one_hot = np.eye(PARTICLES)[[1, 0, 0, 0, 0]][None]
    assert attention_entropy(one_hot) == 0
    assert attention_entropy(np.zeros((1, 3, 3))) == 0  # all of it on nobody


def test_heads_are_classified_by_thresholds():
    codes = head_class(np.array([[0.0, 0.299, 0.3], [0.874, 0.875, np.nan]]))
    assert codes.tolist() == [[0, 0, 1], [1, 2, -1]]
    assert head_class(0.95) == HeadClass.TRUE
    with pytest.raises(ValueError, match=r"partial must be below true; got 0\.9 and 0\.5"):
        head_class(0.5, partial=0.9, true=0.5)


def test_all_can_be_compiled_and_mapped_over_heads():
    attention, position = random_states()
    heads = jnp.stack([jnp.asarray(attention), jnp.asarray(attention) / 2], axis=1)
    distance = distances(position)

    @jax.jit
    def measure(heads):
        def one(attention):
            score = collision_score(attention, distance)
            return score.raw, attention_distance_correlation(attention, distance), attention_entropy(attention)

        return jax.vmap(one, in_axes=1)(heads)

    raw, correlation, entropy = measure(heads)
    np.testing.assert_allclose(raw[1], raw[0] / 2, rtol=1e-5)
    np.testing.assert_allclose(correlation[1], correlation[0], atol=1e-5)
    assert entropy.shape == (2,)


def test_bad_input():
    with pytest.raises(ValueError, match=r"radius must be > 0; got 0"):
        contact_share(np.zeros((1, 2, 2)), 0.0)
    with pytest.raises(ValueError, match=r"needs at least two particles; got 1"):
        collision_score(np.zeros((1, 1, 1)), np.zeros((1, 1, 1)))


def test_entropy_among_some_tokens_is_that_of_a_loop():
    rng = np.random.default_rng(4)
    attention, among = rng.dirichlet(np.ones(6), 5), rng.random((5, 6)) < 0.5
    among[0] = False  # a row with none of them has no entropy
    brute = []
    for row, chosen in zip(attention, among, strict=True):
        kept = row[chosen] / row[chosen].sum()
        brute.append(-np.sum(kept * np.log(kept)))
    np.testing.assert_allclose(attention_entropy(attention, among), np.mean(brute), rtol=1e-5)


def test_relative_gain_is_that_of_a_loop():
    weight = np.array([0.5, 1.0, 2.0])
    brute = [[(a / b) ** 2 - 1 for b in weight] for a in weight]
    np.testing.assert_allclose(relative_gain(weight[:, None], weight[None]), brute, rtol=1e-6)
