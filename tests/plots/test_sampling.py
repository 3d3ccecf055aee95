import numpy as np
import pytest

from nucleate.plots import chain_traces, plateau_curves


@pytest.fixture
def trace():
    rise = 1 - np.exp(-np.arange(200) / 20)
    return 5 * rise + np.random.default_rng(0).normal(size=(4, 200)) * rise


def legend(ax):
    return [text.get_text() for text in ax.get_legend().get_texts()]


def test_every_chain_and_their_mean_are_drawn(ax, trace):
    chain_traces(ax, trace, burn_in=100, value=5.0, error=0.04)
    assert legend(ax) == ["4 chains", "mean", "5 ± 0.04"]
    mean = ax.lines[4]
    assert mean.get_ydata()[-1] == pytest.approx(trace[:, -4:].mean(), abs=1e-9)
    ax.figure.draw_without_rendering()


def test_one_chain_without_burn_in_or_value_will_do(ax):
    chain_traces(ax, [[0.0, 1.0]])
    assert legend(ax) == ["1 chain", "mean"]
    ax.figure.draw_without_rendering()


def test_a_chain_that_is_lost_is_crossed_out(ax, trace):
    trace[1, 50:] = np.nan
    trace[2, :] = np.inf
    chain_traces(ax, trace, burn_in=100, value=np.nan, error=np.nan)
    assert len(ax.collections) == 2
    assert ax.collections[0].get_offsets()[0].tolist() == pytest.approx([49, trace[1, 49]])
    ax.figure.draw_without_rendering()


@pytest.mark.parametrize(
    ("bad", "burn_in", "message"),
    [(np.zeros(3), 0, r"\[chain, step\]; got \(3,\)"), (np.zeros((2, 3)), 3, "between 0 and 2; got 3")],
)
def test_traces_that_cannot_be_drawn_are_named(ax, bad, burn_in, message):
    with pytest.raises(ValueError, match=message):
        chain_traces(ax, bad, burn_in=burn_in)


def test_doubtful_values_are_hollow_and_lost_ones_crosses(ax):
    value = np.array([[2.0, 2.1, np.nan], [1.0, 1.5, 2.0]])
    trusted = np.array([[True, True, False], [False, True, True]])
    plateau_curves(ax, [1e-5, 1e-4, 1e-3], value, 0.1 * value, trusted, labels=["a", "b"], truth=2.0)
    assert legend(ax) == ["a", "b"]
    assert ax.get_xscale() == "log"
    ax.figure.draw_without_rendering()


@pytest.mark.parametrize(
    ("value", "labels", "message"),
    [
        (np.zeros((2, 4)), (), r"value must be \[curve, step=3\]; got \(2, 4\)"),
        (np.zeros((2, 3)), ("a",), "one entry per curve, 2; got 1"),
    ],
)
def test_curves_that_cannot_be_drawn_are_named(ax, value, labels, message):
    with pytest.raises(ValueError, match=message):
        plateau_curves(ax, [1, 2, 3], value, value, value > 0, labels=labels)
