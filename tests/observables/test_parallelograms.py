from itertools import combinations, combinations_with_replacement

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from nucleate.observables import (
    Distance,
    MeanSquare,
    covered,
    equations,
    formed,
    known,
    linear_residual,
    normalized,
    parallelograms,
    predicted_accuracy,
    rqi,
)

repeatable = settings(deadline=None, derandomize=True, max_examples=50)
seeds = st.integers(0, 10**6)


def draw(seed, tokens=10, dim=1):
    return np.random.default_rng(seed).normal(size=(tokens, dim)).astype(np.float32)


def residual_in_float64(embedding, rows):
    embedding = embedding.astype(np.float64)
    return rows @ ((embedding - embedding.mean(axis=0)) / embedding.std(axis=0, ddof=1))


def covered_by_sets(is_formed, quads, in_train):
    """D̄(D, P) as the paper writes it, with Python sets."""
    train = set(np.flatnonzero(in_train).tolist())
    parallelogram_set = [set(quad) for quad, yes in zip(quads.tolist(), is_formed.tolist(), strict=True) if yes]
    every = range(len(in_train))
    return np.array([a in train or any({a, b} in parallelogram_set for b in train - {a}) for a in every])


# ---- the set of parallelograms


@pytest.mark.parametrize(("p", "count"), [(2, 0), (3, 1), (4, 3), (6, 13), (10, 70)])
def test_parallelograms_are_those_found_by_enumeration(addition, p, count):
    task = addition(p)
    found = {
        frozenset([first, second])
        for first, second in combinations(combinations_with_replacement(range(p), 2), 2)
        if sum(first) == sum(second)
    }
    ours = {frozenset(map(tuple, task.pairs[quad].tolist())) for quad in task.quads}
    assert ours == found
    assert len(task.quads) == len(found) == count


@repeatable
@given(st.lists(st.integers(-2, 3), max_size=12))
def test_parallelograms_of_any_labels(labels):
    expected = [[a, b] for a, b in combinations(range(len(labels)), 2) if labels[a] == labels[b]]
    assert parallelograms(np.array(labels, int)).tolist() == expected


def test_equations_of_four_tokens_are_those_of_the_paper(addition):
    # Eq. 20: E0 + E2 = 2 E1, E0 + E3 = E1 + E2, E1 + E3 = 2 E2.
    assert {tuple(row) for row in addition(4).equations} == {(1, -2, 1, 0), (1, -1, -1, 1), (0, 1, -2, 1)}


def test_equations_match_a_loop(addition):
    task = addition(10)
    for row, (first, second) in zip(task.equations, task.quads, strict=True):
        expected = [0.0] * 10
        for token in task.pairs[first]:
            expected[token] += 1
        for token in task.pairs[second]:
            expected[token] -= 1
        assert row.tolist() == expected
    assert task.equations.dtype == np.float64


def test_equations_need_every_token(addition):
    task = addition(4)
    with pytest.raises(IndexError):
        equations(task.pairs, task.quads, tokens=3)


def test_known_needs_both_pairs_and_broadcasts(addition):
    task = addition(10)
    in_train = task.training_sets(30, count=6, seed=0).reshape(2, 3, -1)
    found = known(task.quads, in_train)
    assert found.shape == (2, 3, 70)
    for index in np.ndindex(2, 3):
        train = in_train[index].tolist()
        assert found[index].tolist() == [train[a] and train[b] for a, b in task.quads.tolist()]
    assert 0 < found.sum() < found.size


# ---- the representation


def test_normalized_is_the_z_score():
    embedding = draw(0, dim=3) * [1, 10, 0.1] + [5, -2, 0]
    expected = (embedding - embedding.mean(axis=0)) / embedding.std(axis=0, ddof=1)
    np.testing.assert_allclose(normalized(embedding), expected, atol=1e-5)


def test_normalized_constant_dimension_is_zero():
    embedding = np.concatenate([draw(0), np.full((10, 1), 0.1, np.float32)], axis=1)
    assert not np.any(normalized(embedding)[:, 1])
    assert np.all(np.isfinite(normalized(embedding)))
    assert not np.any(normalized(np.array([[3.0, 4.0]])))


def test_normalized_survives_the_collapse_of_one_dimension():
    embedding = draw(0, dim=2)
    collapsed = embedding * np.array([1, 1e-25], np.float32)
    np.testing.assert_allclose(normalized(collapsed), normalized(embedding), rtol=1e-5)


@pytest.mark.parametrize("dim", [1, 3])
def test_formed_matches_float64(addition, dim):
    task = addition(10)
    total = 0
    for seed in range(20):
        embedding = draw(seed, dim=dim)
        distance = residual_in_float64(embedding, task.equations)
        expected = (distance**2).mean(axis=1) < 0.3
        assert np.array_equal(formed(embedding, task.equations, MeanSquare(0.3)), expected)
        expected = np.linalg.norm(distance, axis=1) <= 0.9
        assert np.array_equal(formed(embedding, task.equations, Distance(0.9)), expected)
        total += expected.sum()
    assert 0 < total < 20 * 70


def test_linear_representation_has_rqi_one(addition):
    line = np.array([3.0, -1.0]) + np.outer(np.arange(10), [0.2, -5.0])
    assert rqi(line, addition(10).equations) == 1
    assert rqi(line, addition(10).equations, Distance()) == 1


def test_random_representation_has_rqi_near_zero(addition):
    embeddings = np.stack([draw(seed) for seed in range(300)])
    mean = lambda rule: jax.vmap(lambda e: rqi(e, addition(10).equations, rule))(embeddings).mean()
    assert mean(Distance()) < 0.01
    assert 0.02 < mean(MeanSquare()) < 0.06


def test_one_misplaced_token_breaks_its_own_parallelograms(addition):
    task = addition(10)
    bent = np.arange(10.0)[:, None]
    bent[4] += 2
    assert np.array_equal(formed(bent, task.equations), task.equations[:, 4] == 0)
    assert rqi(bent, task.equations) == pytest.approx(np.mean(task.equations[:, 4] == 0))


def test_diverged_embedding_forms_nothing(addition):
    embedding = draw(0)
    embedding[3] = np.nan
    assert rqi(embedding, addition(10).equations, MeanSquare(1e6)) == 0


@repeatable
@given(seeds, st.floats(0.1, 10), st.booleans(), st.floats(-5, 5), st.integers(1, 3))
def test_formed_is_invariant_under_affine_maps(addition, seed, scale, mirrored, shift, dim):
    rows, embedding = addition(10).equations, draw(seed, dim=dim)
    loose = MeanSquare(0.3)
    margin = np.abs((residual_in_float64(embedding, rows) ** 2).mean(axis=1) - loose.threshold)
    assume(margin.min() > 1e-4)  # a tie may fall either way in float32
    moved = embedding * (-scale if mirrored else scale) + shift
    assert np.array_equal(formed(moved, rows, loose), formed(embedding, rows, loose))
    assert rqi(moved, rows, loose) == rqi(embedding, rows, loose)


@repeatable
@given(seeds, st.floats(0.001, 1), st.floats(1, 100))
def test_looser_rule_forms_a_superset(addition, seed, threshold, factor):
    rows, embedding = addition(10).equations, draw(seed, dim=2)
    for rule in MeanSquare, Distance:
        tight, loose = (formed(embedding, rows, rule(value)) for value in (threshold, threshold * factor))
        assert not np.any(tight & ~loose)


# ---- what it predicts


@repeatable
@given(seeds, st.integers(1, 55), st.floats(0, 1))
def test_covered_matches_the_definition(addition, seed, size, share):
    task = addition(10)
    in_train = task.training_sets(size, count=1, seed=seed)[0]
    is_formed = np.random.default_rng(seed).random(70) < share
    expected = covered_by_sets(is_formed, task.quads, in_train)
    assert np.array_equal(covered(is_formed, task.quads, in_train), expected)
    assert predicted_accuracy(is_formed, task.quads, in_train) == pytest.approx(expected.mean())


@repeatable
@given(seeds, st.integers(0, 55))
def test_covered_grows_with_parallelograms_and_with_data(addition, seed, size):
    task, rng = addition(10), np.random.default_rng(seed)
    in_train = task.training_sets(size, count=1, seed=seed)[0]
    few, more_pairs = rng.random(70) < 0.3, in_train | (rng.random(55) < 0.2)
    many = few | (rng.random(70) < 0.3)
    base = covered(few, task.quads, in_train)
    assert not np.any(in_train & ~base)
    assert not np.any(base & ~covered(many, task.quads, in_train))
    assert not np.any(base & ~covered(few, task.quads, more_pairs))


def test_predicted_accuracy_without_and_with_all_parallelograms(addition):
    task = addition(10)
    in_train = task.training_sets(30, count=1, seed=1)[0]
    nothing, everything = np.zeros(70, bool), np.ones(70, bool)
    assert predicted_accuracy(nothing, task.quads, in_train) == pytest.approx(30 / 55)
    answered = np.isin(task.label, task.label[in_train]).mean()
    assert predicted_accuracy(everything, task.quads, in_train) == pytest.approx(answered)


def test_covered_without_parallelograms_is_the_training_set():
    in_train = np.array([True, False])
    assert covered(np.zeros(0, bool), np.zeros((0, 2), int), in_train).tolist() == [True, False]


@pytest.mark.parametrize("dim", [1, 4])
def test_linear_residual_matches_least_squares(dim):
    embedding = draw(2, dim=dim) + np.arange(10)[:, None]
    fit = np.polyval(np.polyfit(np.arange(10), embedding, 1), np.arange(10)[:, None])
    expected = ((embedding - fit) ** 2).sum() / ((embedding - embedding.mean(axis=0)) ** 2).sum()
    assert 0.01 < expected < 0.99
    assert linear_residual(embedding) == pytest.approx(expected, abs=1e-6)


def test_linear_residual_of_a_line_a_parabola_and_a_point():
    k = np.arange(9.0)[:, None]
    assert linear_residual(7 - 0.3 * k) < 1e-10
    assert linear_residual((k - 4) ** 2) == pytest.approx(1)
    assert linear_residual(np.full((9, 2), 0.1, np.float32)) == 0
    assert linear_residual(np.ones((1, 2))) == 0
    assert np.isnan(linear_residual(np.where(k == 2, np.nan, k)))


@repeatable
@given(seeds, st.sampled_from([(2, 1), (3, 1), (10, 2)]))
def test_linear_residual_is_a_share(seed, shape):
    assert 0 <= linear_residual(draw(seed, *shape)) <= 1


# ---- how they are called


def test_jitted_and_mapped_equals_a_loop(addition):
    task = addition(10)
    embeddings = np.stack([draw(seed, dim=2) for seed in range(4)])
    in_train = task.training_sets(30, count=4, seed=0)
    loose = MeanSquare(0.5)

    def measure(embedding, train):
        is_formed = formed(embedding, task.equations, loose)
        return {
            "normalized": normalized(embedding),
            "formed": is_formed,
            "rqi": rqi(embedding, task.equations, loose),
            "covered": covered(is_formed, task.quads, train),
            "predicted_accuracy": predicted_accuracy(is_formed, task.quads, train),
            "linear_residual": linear_residual(embedding),
        }

    mapped = jax.jit(jax.vmap(measure))(embeddings, in_train)
    looped = [measure(*member) for member in zip(embeddings, in_train, strict=True)]
    for name, values in mapped.items():
        np.testing.assert_allclose(values, np.stack([one[name] for one in looped]), atol=1e-6, err_msg=name)


def test_covered_broadcasts_like_a_loop(addition):
    task = addition(10)
    in_train = task.training_sets(20, count=5, seed=0)
    is_formed = np.random.default_rng(0).random((5, 70)) < 0.3
    looped = [covered(*one) for one in zip(is_formed, [task.quads] * 5, in_train, strict=True)]
    assert np.array_equal(covered(is_formed, task.quads, in_train), np.stack(looped))


def test_numpy_and_jax_arrays_give_the_same(addition):
    task, embedding = addition(10), draw(5)
    in_train = task.training_sets(30, count=1, seed=0)[0]
    rows, quads, train = jnp.asarray(task.equations), jnp.asarray(task.quads), jnp.asarray(in_train)
    assert rqi(embedding, task.equations) == rqi(jnp.asarray(embedding), rows)
    assert linear_residual(embedding) == linear_residual(jnp.asarray(embedding))
    assert np.array_equal(known(quads, train), known(task.quads, in_train))
    is_formed = formed(embedding, task.equations, MeanSquare(1.0))
    assert predicted_accuracy(is_formed, quads, train) == predicted_accuracy(
        np.asarray(is_formed), task.quads, in_train
    )
    assert np.array_equal(parallelograms(jnp.asarray(task.label)), task.quads)
    assert np.array_equal(equations(jnp.asarray(task.pairs), quads, 10), task.equations)
