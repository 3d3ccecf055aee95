import inspect

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from nucleate.interventions import Circle, Line, construct, keep, remove, scale

repeatable = settings(deadline=None, derandomize=True, max_examples=25)
seeds = st.integers(0, 10**6)
# The smallest, even, odd, prime and composite.
MODULI = [3, 4, 7, 9, 12]
moduli = st.sampled_from(MODULI)


def draw(seed, p=7, dim=3):
    return np.random.default_rng(seed).normal(size=(p, dim)).astype(np.float32)


def choose(seed, p):
    """Some of the frequencies of p, perhaps none."""
    return (np.flatnonzero(np.random.default_rng(seed).random((p - 1) // 2) < 0.5) + 1).tolist()


def edited(embedding, factor):
    """The embedding with the coefficients of frequency f multiplied by factor(f), by the full transform."""
    p = len(embedding)
    spectrum = np.fft.fft(embedding.astype(np.float64), axis=0)
    for f in range(p):
        spectrum[f] *= factor(min(f, p - f))
    restored = np.fft.ifft(spectrum, axis=0)
    assert np.abs(restored.imag).max() < 1e-12
    return restored.real


def norms(embedding):
    return np.linalg.norm(np.fft.fft(np.asarray(embedding, np.float64), axis=0), axis=1)


@repeatable
@given(seeds, moduli, st.floats(-3, 3))
def test_edits_match_the_full_transform(seed, p, factor):
    embedding, ks = draw(seed, p) + 1, choose(seed, p)
    k = seed % ((p - 1) // 2) + 1
    np.testing.assert_allclose(
        scale(embedding, k, factor), edited(embedding, lambda f: factor if f == k else 1), atol=1e-5
    )
    np.testing.assert_allclose(keep(embedding, ks), edited(embedding, lambda f: f == 0 or f in ks), atol=1e-5)
    np.testing.assert_allclose(remove(embedding, ks), edited(embedding, lambda f: f not in ks), atol=1e-5)


@repeatable
@given(seeds, moduli)
def test_what_is_kept_and_what_is_left_make_the_whole(seed, p):
    embedding, ks = draw(seed, p) + 1, choose(seed, p)
    whole = keep(embedding, ks) + remove(embedding, ks) - embedding.mean(axis=0)
    np.testing.assert_allclose(whole, embedding, atol=1e-5)
    np.testing.assert_allclose(keep(keep(embedding, ks), ks), keep(embedding, ks), atol=1e-5)
    np.testing.assert_allclose(keep(remove(embedding, ks), ks) - embedding.mean(axis=0), 0 * embedding, atol=1e-5)


@repeatable
@given(seeds, moduli)
def test_scale_by_one_is_exactly_the_identity_and_by_zero_removes(seed, p):
    embedding, k = draw(seed, p), seed % ((p - 1) // 2) + 1
    assert np.array_equal(scale(embedding, k, 1), embedding)
    assert np.array_equal(scale(embedding, k, 0), remove(embedding, [k]))
    assert np.array_equal(remove(embedding, []), embedding)
    np.testing.assert_allclose(scale(scale(embedding, k, 4.0), k, 0.25), embedding, atol=1e-5)


def test_mean_stays_unless_it_is_taken_out_first():
    embedding = draw(0) + 5
    np.testing.assert_allclose(keep(embedding, [2]).mean(axis=0), embedding.mean(axis=0), rtol=1e-5)
    assert norms(keep(embedding - embedding.mean(axis=0), [2]))[[0, 1, 3]].max() < 1e-4


def test_keeping_nothing_leaves_the_mean_and_keeping_all_leaves_out_the_alternation():
    embedding = draw(0, 8)
    np.testing.assert_allclose(keep(embedding, []), np.tile(embedding.mean(axis=0), (8, 1)), atol=1e-6)
    alternation = np.outer((-1.0) ** np.arange(8), (-1.0) ** np.arange(8) @ embedding / 8)
    np.testing.assert_allclose(keep(embedding, [1, 2, 3]), embedding - alternation, atol=1e-5)
    np.testing.assert_allclose(keep(draw(1, 7), [3, 1, 2, 2]), draw(1, 7), atol=1e-5)


def test_frequencies_may_come_from_arrays():
    embedding, alive = draw(0, 12), np.array([True, False, True, False, True])
    ks = np.flatnonzero(alive) + 1
    assert np.array_equal(keep(embedding, ks), keep(embedding, [1, 3, 5]))
    assert np.array_equal(remove(embedding, jnp.asarray(ks)), remove(embedding, [1, 3, 5]))
    assert np.array_equal(scale(embedding, ks[1], np.float64(2)), scale(embedding, 3, 2.0))


@settings(repeatable, max_examples=10)  # each number of frequencies is compiled
@given(seeds, st.sampled_from([3, 9, 12]), st.booleans())
def test_construction_has_exactly_the_planted_signals(seed, p, line):
    rng = np.random.default_rng(seed)
    planted = {k: float(rng.uniform(0.1, 80)) for k in choose(seed, p)}
    built = construct(p, 4, planted, jax.random.key(seed), Line() if line else Circle())
    expected = [planted.get(min(f, p - f), 0.0) for f in range(p)]
    assert built.shape == (p, 4)
    np.testing.assert_allclose(norms(built), expected, atol=1e-4)


@pytest.mark.parametrize(("p", "k"), [(7, 3), (12, 2), (59, 20)])
def test_line_is_a_line_and_circle_a_circle(p, k):
    line = np.asarray(construct(p, 5, {k: 10.0}, jax.random.key(1), Line()))
    angle = 2 * np.pi * k * np.arange(p) / p
    np.testing.assert_allclose(np.linalg.svd(line, compute_uv=False)[1:], 0, atol=1e-5)
    np.testing.assert_allclose(np.linalg.norm(line, axis=1), 2 * 10 / p * np.abs(np.cos(angle)), atol=1e-5)

    ring = np.asarray(construct(p, 5, {k: 10.0}, jax.random.key(1), Circle()))
    radius = 2**0.5 * 10 / p
    np.testing.assert_allclose(ring @ ring.T, radius**2 * np.cos(angle[:, None] - angle), atol=1e-5)


def test_line_is_the_default_and_what_the_authors_build():
    key = jax.random.key(3)
    built = construct(59, 16, {1: 80.0, 2: 20.0}, key)
    assert np.array_equal(built, construct(59, 16, {1: 80.0, 2: 20.0}, key, Line()))
    rows = np.zeros((59, 16))
    for k, size in ((1, 80.0), (2, 20.0)):
        rows[k] = rows[59 - k] = size * np.asarray(Line()(jax.random.fold_in(key, k), 16)).real
    np.testing.assert_allclose(built, np.fft.ifft(rows, axis=0).real, atol=1e-5)


def test_direction_of_a_frequency_depends_on_nothing_else():
    key = jax.random.key(0)
    alone, joined = construct(11, 6, {3: 5.0}, key), construct(11, 6, {1: 9.0, 3: 5.0}, key)
    np.testing.assert_allclose(joined, alone + construct(11, 6, {1: 9.0}, key), atol=1e-5)
    np.testing.assert_allclose(construct(11, 6, {3: 10}, key), 2 * alone, atol=1e-5)
    assert not np.allclose(construct(11, 6, {3: 5.0}, jax.random.key(1)), alone, atol=0.1)


def test_directions_are_isotropic():
    units = jax.vmap(lambda key: Line()(key, 3))(jax.random.split(jax.random.key(0), 2000)).real
    np.testing.assert_allclose(units.mean(axis=0), 0, atol=0.06)
    np.testing.assert_allclose(units.T @ units / 2000, np.eye(3) / 3, atol=0.03)


def test_the_small_signals_of_the_paper_need_float64():
    planted = {3: 80.0, 20: 1e-6}
    with jax.enable_x64(True):
        built = construct(59, 128, planted, jax.random.key(0))
        assert built.dtype == np.float64
        np.testing.assert_allclose(norms(built)[[3, 20]], [80, 1e-6], rtol=1e-6)
    in_float32 = norms(construct(59, 128, planted, jax.random.key(0)))
    assert in_float32[3] == pytest.approx(80, rel=1e-5)
    assert 1e-7 < in_float32[10] < 1e-5  # nothing was planted there


# ---- bad input


@pytest.mark.parametrize("bad", [0, 30, -1])
def test_bad_frequency_is_named(bad):
    embedding = draw(0, 59)
    calls = {
        "scale": lambda: scale(embedding, bad, 2.0),
        "keep": lambda: keep(embedding, [1, bad]),
        "remove": lambda: remove(embedding, [bad]),
        "construct": lambda: construct(59, 3, {bad: 1.0}, jax.random.key(0)),
    }
    for name, call in calls.items():
        with pytest.raises(ValueError, match=rf"{name}: frequency must be between 1 and 29 for p=59; got {bad}\."):
            call()


@pytest.mark.parametrize("shape", [(2, 5), (59,), (4, 59, 8), (59, 0)])
def test_bad_shape_is_named(shape):
    unchecked = inspect.unwrap(keep)  # for users the shapes are not checked at run time
    with pytest.raises(ValueError, match=r"keep: embedding must have shape \[token >= 3, dim >= 1\]; got \("):
        unchecked(np.zeros(shape, np.float32), [1])


def test_bad_sizes_are_named():
    key = jax.random.key(0)
    with pytest.raises(ValueError, match=r"construct: p must be >= 3; got 2\."):
        construct(2, 3, {}, key)
    with pytest.raises(ValueError, match=r"construct: dim must be >= 1; got 0\."):
        construct(5, 0, {}, key)
    with pytest.raises(ValueError, match=r"Circle needs dim >= 2; got 1\."):
        construct(5, 1, {1: 1.0}, key, Circle())


# ---- how they are called


def test_jitted_and_mapped_equals_a_loop():
    p = 12
    embeddings, factors = np.stack([draw(seed, p) for seed in range(3)]), np.array([0.5, 1.0, 2.0], np.float32)
    keys = jax.random.split(jax.random.key(0), 3)

    def change(embedding, factor, key):
        return {
            "scale": scale(embedding, 2, factor),
            "keep": keep(embedding, [1, 3]),
            "remove": remove(embedding, [1, 3]),
            "line": construct(p, 3, {1: 5.0, 2: 5.0 * factor}, key),
            "circle": construct(p, 3, {1: 5.0, 2: 5.0 * factor}, key, Circle()),
        }

    mapped = jax.jit(jax.vmap(change))(embeddings, factors, keys)
    looped = [change(*member) for member in zip(embeddings, factors, keys, strict=True)]
    for name, values in mapped.items():
        np.testing.assert_allclose(values, np.stack([one[name] for one in looped]), atol=1e-5, err_msg=name)
