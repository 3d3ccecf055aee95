"""Towards Understanding Grokking: An Effective Theory of Representation Learning [liu2022grokking]."""

from dataclasses import replace

import numpy as np

from nucleate.papers.grokking import figures, readings
from nucleate.papers.grokking.experiments import ToyFleet
from nucleate.papers.grokking.ledger import CLAIMS
from nucleate.papers.paper import Budget, Effort, Paper


def _logspace(low: float, high: float, count: int) -> tuple[float, ...]:
    return tuple(float(f"{value:.6g}") for value in np.logspace(low, high, count))


def _linspace(high: float, count: int) -> tuple[float, ...]:
    return tuple(np.linspace(0, high, count).tolist())


# The training set of Eq. 21, from which an ideal network finds the line.
_EQUATION_21 = ((0, 2), (1, 1), (0, 3), (1, 2), (1, 3), (2, 2))
_PHASES = ToyFleet(feasible=True, stop=("train90", "valid90"), look=50)

_PAPER = {
    readings.DATA_SIZE: ToyFleet(train_size=(*range(5, 51, 5), 54), seeds=3, steps=5000, look=50),
    # The step counts of Fig. 4b are those of these learning rates, which Fig. 12 names, and not of the defaults.
    readings.TRANSITION: ToyFleet(
        train_size=(6, 9, 12, 15, 18, 20, 22, 24, 26, 28, 30, 33, 36, 39, 42, 45, 48, 50, 52, 54),
        seeds=3,
        eta_repr=(1e-2,),
        eta_dec=(1e-3,),
        steps=10_000,
        stop=("rqi95",),
    ),
    readings.TRAJECTORIES: ToyFleet(seeds=40, steps=5000, look=25),
    readings.PHASE_RATES: replace(
        _PHASES, eta_repr=_logspace(-5, -2, 13), eta_dec=_logspace(-5, -2, 13), seeds=3, steps=readings.TABLE_1_STEPS
    ),
    readings.PHASE_DECAY: replace(
        _PHASES, eta_dec=_logspace(-5, -2, 16), wd_dec=_linspace(10, 11), seeds=3, steps=readings.TABLE_1_STEPS
    ),
    readings.PHASE_DECAY_CLASSES: replace(
        _PHASES,
        readout="classification",
        eta_dec=_logspace(-5, -2, 16),
        wd_dec=_linspace(20, 11),
        seeds=3,
        steps=readings.TABLE_1_STEPS,
    ),
    # Corners of the three maps: (slow repr., fast decoder), (fast repr., slow decoder); no decay and high decay.
    readings.CORNERS: replace(
        _PHASES, eta_repr=(1e-5, 1e-2), eta_dec=(1e-2, 1e-5), paired=True, seeds=6, steps=readings.TABLE_1_STEPS
    ),
    readings.CORNERS_DECAY: replace(
        _PHASES, eta_dec=(1e-2,), wd_dec=(0.0, 10.0), seeds=6, steps=readings.TABLE_1_STEPS
    ),
    readings.CORNERS_DECAY_CLASSES: replace(
        _PHASES,
        readout="classification",
        eta_dec=(1e-2,),
        wd_dec=(0.0, 20.0),
        seeds=6,
        steps=readings.TABLE_1_STEPS,
    ),
    readings.FOUR_SYMBOLS: ToyFleet(
        p=4,
        train_size=(6,),
        training_set=_EQUATION_21,
        seeds=200,
        eta_repr=(1e-2, 1e-3),
        eta_dec=(1e-3, 1e-2),
        paired=True,
        steps=3000,
        look=100,
    ),
}

_STANDARD = {
    readings.DATA_SIZE: replace(_PAPER[readings.DATA_SIZE], seeds=6),
    readings.TRANSITION: replace(_PAPER[readings.TRANSITION], seeds=6),
    readings.TRAJECTORIES: _PAPER[readings.TRAJECTORIES],
    readings.PHASE_RATES: replace(
        _PAPER[readings.PHASE_RATES], eta_repr=_logspace(-5, -2, 7), eta_dec=_logspace(-5, -2, 7), steps=10_000
    ),
    readings.PHASE_DECAY: replace(
        _PAPER[readings.PHASE_DECAY], eta_dec=_logspace(-5, -2, 7), wd_dec=_linspace(10, 6), steps=10_000
    ),
    readings.PHASE_DECAY_CLASSES: replace(
        _PAPER[readings.PHASE_DECAY_CLASSES],
        eta_dec=_logspace(-5, -2, 7),
        wd_dec=_linspace(20, 6),
        steps=10_000,
    ),
    readings.CORNERS: _PAPER[readings.CORNERS],
    readings.CORNERS_DECAY: _PAPER[readings.CORNERS_DECAY],
    readings.CORNERS_DECAY_CLASSES: _PAPER[readings.CORNERS_DECAY_CLASSES],
    readings.FOUR_SYMBOLS: _PAPER[readings.FOUR_SYMBOLS],
}

_QUICK = {
    readings.DATA_SIZE: replace(_PAPER[readings.DATA_SIZE], train_size=(5, 15, 25, 35, 45, 54), seeds=2),
    readings.TRANSITION: replace(
        _PAPER[readings.TRANSITION], train_size=(10, 15, 20, 25, 30, 35, 40, 45), seeds=4, steps=2000
    ),
    readings.TRAJECTORIES: replace(_PAPER[readings.TRAJECTORIES], seeds=10, steps=3000),
    readings.PHASE_RATES: replace(
        _STANDARD[readings.PHASE_RATES],
        eta_repr=_logspace(-5, -2, 4),
        eta_dec=_logspace(-5, -2, 4),
        seeds=2,
        steps=3000,
    ),
    readings.PHASE_DECAY: replace(
        _STANDARD[readings.PHASE_DECAY],
        eta_dec=_logspace(-5, -2, 4),
        wd_dec=_linspace(10, 3),
        seeds=2,
        steps=3000,
    ),
    readings.PHASE_DECAY_CLASSES: replace(
        _STANDARD[readings.PHASE_DECAY_CLASSES],
        eta_dec=_logspace(-5, -2, 4),
        wd_dec=_linspace(20, 3),
        seeds=2,
        steps=3000,
    ),
    readings.CORNERS: replace(_PAPER[readings.CORNERS], seeds=2, steps=3000),
    readings.CORNERS_DECAY: replace(_PAPER[readings.CORNERS_DECAY], seeds=2, steps=3000),
    readings.CORNERS_DECAY_CLASSES: replace(_PAPER[readings.CORNERS_DECAY_CLASSES], seeds=2, steps=3000),
    readings.FOUR_SYMBOLS: replace(_PAPER[readings.FOUR_SYMBOLS], seeds=20, steps=1500),
}

PAPER = Paper(
    name="grokking",
    title="Grokking: an effective theory of representation learning",
    reference="Liu, Kitouni, Nolte, Michaud, Tegmark, Williams (2022)",
    claims=CLAIMS,
    efforts={
        Budget.QUICK: Effort(_QUICK, samples=500),
        Budget.STANDARD: Effort(_STANDARD, samples=10_000),
        Budget.PAPER: Effort(_PAPER, samples=10_000),
    },
    draw=figures.draw,
)
