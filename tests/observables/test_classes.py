"""Classes of points: their means, spreads, and how well they are told apart."""

import jax
import numpy as np
import pytest

from nucleate.observables import class_means, nearest_mean_accuracy, spread_between, spread_within

POINTS = np.random.default_rng(0).normal(size=(60, 2)).astype(np.float32)
LABEL = np.arange(60) % 4


def test_spreads_add_up_to_the_variance_of_equal_classes():
    """|f − mean|² = |f − m_c|² + |m_c − mean|² on average, where all classes are equally large."""
    total = ((POINTS - POINTS.mean(0)) ** 2).sum(1).mean()
    within, between = (spread(POINTS, LABEL, 4) for spread in (spread_within, spread_between))
    assert within**2 + between**2 == pytest.approx(total, rel=1e-5)


def test_collapsed_classes_have_no_spread_within_and_are_told_apart():
    means = np.asarray(class_means(POINTS, LABEL, 4))
    collapsed = means[LABEL]
    assert spread_within(collapsed, LABEL, 4) == pytest.approx(0, abs=1e-6)
    assert spread_between(collapsed, LABEL, 4) == pytest.approx(float(spread_between(POINTS, LABEL, 4)), rel=1e-5)
    assert nearest_mean_accuracy(collapsed, LABEL, 4) == 1


def test_a_class_without_points_is_left_out():
    for look in (spread_within, spread_between, nearest_mean_accuracy):
        assert float(look(POINTS, LABEL, 9)) == pytest.approx(float(look(POINTS, LABEL, 4)))


def test_many_snapshots_at_once():
    path = np.stack([POINTS, 2 * POINTS])
    spread = jax.jit(jax.vmap(lambda f: spread_within(f, LABEL, 4)))(path)
    assert spread[1] == pytest.approx(2 * float(spread[0]))
