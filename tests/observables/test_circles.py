from cmath import exp, pi
from math import gcd

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import array_shapes, arrays
from sklearn.decomposition import PCA

from nucleate.observables import (
    Above,
    TwiceTheMean,
    circularity,
    mean_signal,
    pca_frequencies,
    roundness,
    separation,
    settle_step,
    signal,
    signal_gradient,
    spacing,
    survivor_count,
    survivors,
)

repeatable = settings(deadline=None, derandomize=True, max_examples=25)
seeds = st.integers(0, 10**6)
# The smallest, even, odd, prime and composite.
MODULI = [3, 4, 7, 9, 12]
moduli = st.sampled_from(MODULI)


def draw(seed, p=7, dim=3):
    return np.random.default_rng(seed).normal(size=(p, dim)).astype(np.float32)


def ellipses(p, axes, phase=0.3):
    """Each k of `axes` on an ellipse with these two half-axes, in two dimensions of its own."""
    columns = []
    for k, (a, b) in axes.items():
        angle = 2 * np.pi * k * np.arange(p) / p + phase
        columns += [a * np.cos(angle), b * np.sin(angle)]
    return np.stack(columns, axis=1).astype(np.float32)


def circularity_by_summing(embedding, k):
    """Eq. 5 of the paper for the two projections of its code, term by term."""
    p = len(embedding)
    coefficients = np.fft.fft(embedding.astype(np.float64), axis=0)[k]
    shares = []
    for part in (coefficients.real, coefficients.imag):
        x = embedding @ (part / np.linalg.norm(part))
        at_k = sum(x[n] * exp(2j * pi * n * k / p) for n in range(p))
        shares.append(2 / (p * sum(value**2 for value in x)) * abs(at_k) ** 2)
    return ((shares[0] ** 2 + shares[1] ** 2) / 2) ** 0.5


# ---- who survives


def test_rules_on_recorded_signals():
    history = np.array([[[30.0, 21.0], [30.0, 5.0]], [[1.0, 20.0], [20.0, 20.0]]])
    mean = np.array([[10.0, 10.0], [10.0, 2.0]])
    assert TwiceTheMean()(history, mean).tolist() == [[[True, True], [True, False]], [[False, False], [True, True]]]
    assert Above()(history, mean).tolist() == [[[True, True], [True, False]], [[False, True], [True, True]]]
    assert Above(25.0)(history, mean).sum() == 2


def test_rules_are_values_with_open_boundaries():
    assert TwiceTheMean() == TwiceTheMean()
    assert hash(Above()) == hash(Above(10.0))
    assert not TwiceTheMean()(np.array([8.0]), np.array(4.0)).item()
    assert not Above(8.0)(np.array([8.0]), np.array(4.0)).item()


@pytest.mark.parametrize("bad", [0.0, -1.0, float("nan")])
def test_above_names_a_bad_threshold(bad):
    with pytest.raises(ValueError, match=rf"Above.threshold must be > 0; got {bad}\."):
        Above(bad)


@pytest.mark.parametrize("p", [11, 12, 15])
@pytest.mark.parametrize("alive", [(1,), (2, 5)])
def test_planted_circles_survive(p, alive):
    planted = ellipses(p, dict.fromkeys(alive, (2.0, 2.0))) + 0.01 * draw(0, p, 2 * len(alive))
    expected = [k in alive for k in range(1, (p - 1) // 2 + 1)]
    assert survivors(planted).tolist() == expected
    assert survivors(planted, Above(5.0)).tolist() == expected
    assert survivor_count(planted) == len(alive)


@pytest.mark.parametrize("p", [7, 9, 12, 59])
@pytest.mark.parametrize("offset", [0.0, 3.0])
def test_count_is_the_halved_count_of_the_authors(p, offset):
    noisy = ellipses(p, {1: (2.0, 2.0), 3: (1.0, 1.0)}) + 0.1 * draw(p, p, 4) + offset
    norm = np.linalg.norm(np.fft.fft(noisy, axis=0), axis=1)
    above = norm > 2 * norm.mean()
    assert survivor_count(noisy) == above.sum() // 2
    assert survivors(noisy).tolist() == above[1 : (p - 1) // 2 + 1].tolist()


def test_authors_count_the_mean_and_the_alternation_as_a_circle():
    alternating = (1 + (-1.0) ** np.arange(12))[:, None]
    norm = np.abs(np.fft.fft(alternating, axis=0))
    assert (norm > 2 * norm.mean()).sum() // 2 == 1
    assert survivor_count(alternating) == 0


def test_none_separated_is_not_all_dead():
    noise = draw(0, 59, 128)
    assert survivor_count(noise) == 0
    assert survivor_count(noise, Above()) == 29
    assert 1 < separation(signal(noise), mean_signal(noise)) < 1.3


def test_separation_of_one_circle_is_half_the_tokens():
    ring = ellipses(59, {7: (1.0, 1.0)})
    assert separation(signal(ring), mean_signal(ring)) == pytest.approx(59 / 2, rel=1e-4)
    zero = np.zeros((5, 2), np.float32)
    assert separation(signal(zero), mean_signal(zero)) == 0


@repeatable
@given(seeds, st.sampled_from([7, 9, 12]), st.floats(0.1, 10))
def test_something_survives_where_separation_exceeds_two(seed, p, noise):
    embedding = ellipses(p, {2: (1.0, 1.0)}) + np.float32(noise) * draw(seed, p, 2)
    apart = separation(signal(embedding), mean_signal(embedding))
    assert bool(survivor_count(embedding) > 0) == bool(apart > 2)


# ---- histories


def settle_by_walking(alive, step):
    """Walk back from the end while the set is that of the end."""
    at = len(step) - 1
    while at > 0 and np.array_equal(alive[at - 1], alive[-1]):
        at -= 1
    return step[at]


@repeatable
@given(arrays(bool, array_shapes(min_dims=3, max_dims=3, max_side=5)), seeds)
def test_settle_step_matches_walking(alive, seed):
    step = np.cumsum(np.random.default_rng(seed).integers(1, 100, alive.shape[1]))
    assert settle_step(alive, step).tolist() == [settle_by_walking(one, step) for one in alive]


def test_settle_step_by_hand():
    alive = np.array([[1, 1], [1, 0], [1, 1], [1, 1]], bool)
    assert settle_step(alive, np.array([0, 10, 30, 70])) == 30
    assert settle_step(alive[:3], np.array([0, 10, 30])) == 30  # still changing when last seen
    assert settle_step(alive[2:], np.array([30, 70])) == 30
    assert settle_step(jnp.asarray(alive[:1]), np.array([5])) == 5
    assert settle_step(alive[:, :0], np.array([0, 10, 30, 70])) == 0


@pytest.mark.parametrize("bad", [[0, 2, 1], [0, 0, 1]])
def test_settle_step_wants_rising_steps(bad):
    with pytest.raises(ValueError, match="settle_step: needs ascending steps, one for each of 3 >= 1 rows; got"):
        settle_step(np.ones((3, 2), bool), np.array(bad))


def test_settle_step_wants_a_record():
    with pytest.raises(ValueError, match="one for each of 0 >= 1 rows"):
        settle_step(np.ones((0, 2), bool), np.array([], int))


def test_signal_gradient_is_the_authors_difference():
    history = np.random.default_rng(0).uniform(80, 90, size=(2, 6, 3))
    step = np.array([0, 1, 2, 3, 4, 100])
    for at in range(1, 5):
        expected = [[(s[at][k] - s[at - 1][k]) / s[0][k] for k in range(3)] for s in history.tolist()]
        np.testing.assert_allclose(signal_gradient(history, step, at), expected)
    assert np.array_equal(signal_gradient(history, step), signal_gradient(history, step, at=4))
    sparse = [0, 3, 4]
    assert np.array_equal(signal_gradient(history[:, sparse], step[sparse]), signal_gradient(history, step))


@pytest.mark.parametrize(("at", "missing"), [(4, [3]), (0, [-1]), (11, [11])])
def test_signal_gradient_names_missing_steps(at, missing):
    message = f"signal_gradient: at={at} needs records of steps 0, {at - 1} and {at}; missing {missing}."
    with pytest.raises(ValueError) as caught:  # noqa: PT011 (the whole message is compared)
        signal_gradient(np.ones((4, 2)), np.array([0, 4, 5, 10]), at)
    assert str(caught.value) == message


# ---- shape


@pytest.mark.parametrize("p", MODULI)
def test_circularity_is_that_of_the_paper(p):
    embedding = draw(p, p) + 0.5
    expected = [circularity_by_summing(embedding, k) for k in range(1, (p - 1) // 2 + 1)]
    np.testing.assert_allclose(circularity(embedding), expected, rtol=1e-4)
    assert all(0.01 < c < 1 for c in expected)


@pytest.mark.parametrize("p", [7, 8, 9])
@pytest.mark.parametrize("axes", [(2.0, 2.0), (2.0, 0.5), (2.0, 0.0)])
@pytest.mark.parametrize("phase", [0.0, 0.3])
def test_circle_ellipse_and_line_all_have_circularity_one(p, axes, phase):
    k = 2
    shape = ellipses(p, {k: axes}, phase)
    expected = np.eye((p - 1) // 2)[k - 1]
    np.testing.assert_allclose(circularity(shape), expected, atol=1e-5)
    np.testing.assert_allclose(roundness(shape), expected * axes[1] / axes[0], atol=1e-5)


def test_circularity_of_a_circle_off_centre():
    # Each projection is a cosine (mean square 1/2) plus its share of the offset.
    off = ellipses(9, {2: (1.0, 1.0)}, phase=0.0) + np.array([0.5, 2.0], np.float32)
    shares = [0.5 / (0.5 + 0.25), 0.5 / (0.5 + 4)]
    assert circularity(off)[1] == pytest.approx(np.sqrt(np.mean(np.square(shares))), rel=1e-5)
    assert roundness(off)[1] == pytest.approx(1, rel=1e-5)


@pytest.mark.parametrize("dim", [16, 128])
def test_circularity_of_noise_grows_with_the_dimension(dim):
    found = np.mean([circularity(draw(seed, 59, dim)).mean() for seed in range(4)])
    assert found == pytest.approx((dim + 1) / (dim + 58), rel=0.1)


@repeatable
@given(seeds, moduli)
def test_shapes_are_shares_that_ignore_rotation(seed, p):
    embedding = draw(seed, p)
    turned = embedding @ np.linalg.qr(draw(seed + 1, 3, 3))[0]
    for measure in (circularity, roundness):
        found = measure(embedding)
        assert np.all((found >= 0) & (found <= 1))
        np.testing.assert_allclose(measure(turned), found, atol=1e-3)


@repeatable
@given(seeds, moduli, st.integers(1, 11))
def test_roundness_ignores_where_counting_starts_and_other_frequencies(seed, p, start):
    embedding = draw(seed, p)
    coefficients = np.fft.fft(embedding, axis=0)[1 : (p - 1) // 2 + 1]
    axes = [np.linalg.svd(np.stack([f.real, f.imag]), compute_uv=False) for f in coefficients]
    expected = [short / long for long, short in axes]
    np.testing.assert_allclose(roundness(embedding), expected, atol=1e-4)
    np.testing.assert_allclose(roundness(np.roll(embedding, start, axis=0) + 1), expected, atol=1e-4)


def test_nothing_has_no_shape():
    constant = np.full((7, 2), 0.1, np.float32)
    assert not np.any(circularity(constant))
    assert not np.any(roundness(constant))


def test_diverged_embedding_stays_visible():
    embedding = draw(0)
    embedding[2, 1] = np.nan
    assert np.isnan(circularity(embedding)).all()
    assert np.isnan(roundness(embedding)).all()
    assert np.isnan(separation(signal(embedding), mean_signal(embedding)))
    assert survivor_count(embedding) == 0


# ---- principal components


@pytest.mark.parametrize("p", [11, 12, 15])
def test_principal_planes_are_those_of_the_circles(p):
    planted = ellipses(p, {2: (1.0, 1.0), 5: (3.0, 3.0), 1: (2.0, 2.0)}) @ np.linalg.qr(draw(0, 8, 6))[0].T + 4
    held, share = pca_frequencies(planted, planes=3)
    assert held.tolist() == [5, 1, 2]
    np.testing.assert_allclose(share, 1, atol=1e-5)
    held, share = pca_frequencies(planted, planes=4)  # the fourth pair has no variance but rounding
    assert held.tolist()[:3] == [5, 1, 2]


@pytest.mark.parametrize(("p", "dim"), [(9, 5), (12, 6), (7, 20)])
def test_shares_match_sklearn(p, dim):
    embedding = draw(p, p, dim)
    scores = PCA(n_components=4).fit_transform(embedding)
    power = np.square(np.abs(np.fft.fft(scores, axis=0))).reshape(p, 2, 2).sum(axis=2)
    shares = 2 * power[1 : (p - 1) // 2 + 1] / power.sum(axis=0)
    held, share = pca_frequencies(embedding, planes=2)
    assert held.tolist() == (shares.argmax(axis=0) + 1).tolist()
    np.testing.assert_allclose(share, shares.max(axis=0), atol=1e-4)


def test_noise_and_nothing_hold_no_frequency():
    assert np.all(pca_frequencies(draw(0, 59, 128), planes=3)[1] < 0.5)
    assert pca_frequencies(np.full((7, 4), 0.1, np.float32), planes=2)[1].tolist() == [0, 0]


@pytest.mark.parametrize("bad", [0, 3])
def test_pca_frequencies_names_a_bad_number_of_planes(bad):
    with pytest.raises(ValueError, match=rf"planes must be between 1 and 2 for \(7, 5\); got {bad}\."):
        pca_frequencies(draw(0, 7, 5), planes=bad)


# ---- spacing


def test_spacing_of_the_figure():
    # Figure 3 prints 30, 22, 8, 18, 20 for p = 59; where it prints p − Δ, it reads the circle the other way.
    found = [spacing(k, 59) for k in (2, 8, 22, 23, 3)]
    assert found == [30, 59 - 22, 59 - 8, 18, 20]


@pytest.mark.parametrize(
    ("p", "k"), [(p, k) for p in (5, 11, 12, 15) for k in range(1, (p - 1) // 2 + 1) if gcd(k, p) == 1]
)
def test_spacing_finds_the_neighbour(p, k):
    angle = 2 * np.pi * k * np.arange(p) / p
    ahead = np.exp(1j * angle) * np.exp(-2j * np.pi / p)
    assert spacing(k, p) == np.argmin(np.abs(ahead - 1))


def test_spacing_names_bad_input():
    with pytest.raises(ValueError, match=r"frequency 4 has no inverse modulo p=12; their common factor is 4\."):
        spacing(4, 12)
    with pytest.raises(ValueError, match=r"spacing: frequency must be between 1 and 5 for p=12; got 6\."):
        spacing(6, 12)
    with pytest.raises(ValueError, match=r"spacing: p must be >= 3; got 2\."):
        spacing(1, 2)


# ---- how they are called


@pytest.mark.parametrize("p", [9, 12])
def test_jitted_and_mapped_equals_a_loop(p):
    embeddings = np.stack([draw(seed, p, 4) for seed in range(3)])

    def measure(embedding):
        held, share = pca_frequencies(embedding, planes=2)
        return {
            "survivors": survivors(embedding, Above(5.0)),
            "count": survivor_count(embedding),
            "separation": separation(signal(embedding), mean_signal(embedding)),
            "circularity": circularity(embedding),
            "roundness": roundness(embedding),
            "held": held,
            "share": share,
        }

    mapped = jax.jit(jax.vmap(measure))(embeddings)
    looped = [measure(jnp.asarray(one)) for one in embeddings]
    for name, values in mapped.items():
        np.testing.assert_allclose(values, np.stack([one[name] for one in looped]), atol=1e-4, err_msg=name)
