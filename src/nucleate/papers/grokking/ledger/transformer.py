"""Claims 31-34: transformers that learn modular addition.

The paper's networks have 256 dimensions and are trained for up to 10⁵ steps; the smaller budgets have smaller networks.
What is judged is therefore the order of events in networks that have generalised, and the ratio of two times; the one
absolute time, claim 33's 10³ steps, is asked only of networks of the paper's size.
"""

import numpy as np
import xarray as xr

from nucleate.claims import (
    Check,
    Claim,
    Estimate,
    Evidence,
    Findings,
    Reason,
    Region,
    Steps,
    Threshold,
    When,
    bootstrap,
    median,
    ratio,
)
from nucleate.claims.words import COMPARABLE
from nucleate.papers.grokking import readings
from nucleate.papers.grokking.experiments import DECAY, DROPOUT, PHASE_TRANSFORMER, TRANSFORMER
from nucleate.record import at_the_end, column, stayed_finite

_MATURE = When(
    "most networks have generalised, and have trained for as long again since", TRANSFORMER, readings.is_mature
)

_CIRCLE = Check(
    "at the end: median share of one frequency in the variance of the first two principal components",
    "a circle in 2D",
    Region.at_least(readings.CIRCLE),
    mature=_MATURE,
)
_EMERGED = Check(
    "its median gain since the training set was fitted",
    "early on … neither PCA … nor t-SNE … reveal any structure",
    Region.above(0),
    Threshold.PAPER,
    mature=_MATURE,
)
_TOGETHER = Check(
    "median step at which a circle appears over that of generalisation", "coincides", COMPARABLE, mature=_MATURE
)


def _circles(evidence: Evidence) -> Findings:
    fleet = evidence.record(TRANSFORMER)
    record = readings.generalised(fleet)
    end = at_the_end(record, "frequency_share").astype(float)
    fitted = readings.at_crossing(record, "frequency_share", "train99")
    frequency = at_the_end(record, "frequency").astype(int)
    note = _size(fleet) + (
        f" {record.sizes['member']} of {fleet.sizes['member']} reach 99 % validation accuracy, at "
        f"{_steps(readings.steps_to(record, 'valid99'))}. The share of the strongest frequency in the first two "
        f"components is {median(fitted):.2f} when the training set is fitted (99 %), "
        f"{median(readings.at_crossing(record, 'frequency_share', 'valid99')):.2f} at generalisation and "
        f"{median(end):.2f} at the end (medians); it is k = {', '.join(map(str, frequency)) or '–'} in these networks."
    )
    together = readings.circle_step(record) / readings.steps_to(record, "valid99")
    return Findings(
        {
            _CIRCLE: bootstrap(np.median, end),
            _EMERGED: bootstrap(np.median, end - fitted),
            _TOGETHER: bootstrap(np.median, together),
        },
        note,
    )


_RISE = Check(
    "median effective dimension at generalisation over that at initialisation",
    "increases",
    Region.above(1),
    Threshold.PAPER,
    mature=_MATURE,
)
_PEAK = Check(
    "median step of its maximum over that of generalisation", "up to generalization time", COMPARABLE, mature=_MATURE
)
_FALL = Check(
    "median effective dimension at the end over that at generalisation",
    "decreases drastically afterwards",
    Region.at_most(0.75),
    mature=_MATURE,
)


def _dimensions(evidence: Evidence) -> Findings:
    fleet = evidence.record(TRANSFORMER)
    record = readings.generalised(fleet)
    dimension = record.effective_dimension.values
    start, end = dimension[:, 0], at_the_end(record, "effective_dimension")
    then = readings.at_crossing(record, "effective_dimension", "valid99")
    note = _size(fleet) + (
        f" Medians of the {record.sizes['member']} that generalise, at {_steps(readings.steps_to(record, 'valid99'))}: "
        f"{median(start):.1f} at the start, {median(dimension.max(1, initial=0)):.1f} at its maximum, at "
        f"{_steps(readings.peak_step(record))}, {median(then):.1f} at generalisation, {median(end):.1f} at the end. "
        f"{int(min(fleet.p[0] - 1, column(fleet, 'dim')[0]))} is the largest there can be."
    )
    peak = readings.peak_step(record) / readings.steps_to(record, "valid99")
    return Findings(
        {
            _RISE: bootstrap(np.median, then / start),
            _PEAK: bootstrap(np.median, peak),
            _FALL: bootstrap(np.median, end / then),
        },
        note,
    )


_PAPERS_SIZE = {"p": 53, "dim": 256}

_SOON = Check(
    "networks of the paper's size: median steps to 99 % validation accuracy at the best dropout rate of those tried",
    "under 10³",
    Region.below(1000),
    Threshold.PAPER,
    mature=Steps(1000, DROPOUT),
)
_DROPPED = Check(
    "median steps to 99 % validation accuracy without dropout over those at the best rate of those tried",
    "generalization time can be brought down",
    Region.above(1),
    Threshold.PAPER,
    mature=Steps(1000, DROPOUT),
)
_CHOICE = (
    "The paper does not say how much is meant. Which amounts are tried is our choice, except at the paper's sizes; the "
    "best of them is chosen, for each network, by those of all other repeats, so that none is judged by its own choice."
)


def _dropout(evidence: Evidence) -> Findings:
    fleet = evidence.record(DROPOUT)
    record = stayed_finite(fleet)
    steps, rates = readings.steps_to(record, "valid99"), record.dropout.values
    without, some = steps[rates == 0], rates > 0
    best = readings.at_best(steps[some], rates[some], record.repeat.values[some])
    whole = all((fleet[name].values >= size).all() for name, size in _PAPERS_SIZE.items())
    return Findings(
        {_SOON: bootstrap(np.median, best) if whole else None, _DROPPED: _times(without, best)},
        f"{_size(fleet)} Median time to 99 % validation accuracy within {int(fleet.steps):,} steps, by dropout rate: "
        f"{_by_value(rates, steps)}. {_CHOICE} With dropout the training set is fitted (99 %) at "
        f"{_steps(readings.steps_to(record, 'train99')[some])}; Table 1 calls it grokking if validation follows 1,000 "
        "steps later, or more."
        + ("" if whole else " Networks smaller than the paper's are not judged by its 1,000 steps, either way."),
    )


_DECAYED = Check(
    "median steps to 99 % validation accuracy without weight decay over those at the best decay of those tried",
    "beneficial to generalization and speeds it up",
    Region.above(1),
    Threshold.PAPER,
    mature=Steps(1000, (DECAY, DROPOUT)),
)


def _decay(evidence: Evidence) -> Findings:
    fleet, plain = evidence.record(DECAY), stayed_finite(evidence.record(DROPOUT))
    record = stayed_finite(fleet)
    steps, decays = readings.steps_to(record, "valid99"), record.wd_dec.values
    without = readings.steps_to(plain, "valid99")[plain.dropout.values == 0]
    return Findings(
        {_DECAYED: _times(without, readings.at_best(steps, decays, record.repeat.values))},
        f"{_size(fleet)} Median time to 99 % validation accuracy within {int(fleet.steps):,} steps, by weight decay: "
        f"{_by_value(decays, steps)}; without weight decay (the networks without dropout of claim 33): "
        f"{_steps(without)}. {_CHOICE} The map over the decoder's weight decay and learning rate is drawn (Fig. 7) and "
        "not judged: the paper has one network in each cell and says of it that it is comparable to Fig. 6. It has "
        f"{readings.census(evidence.record(PHASE_TRANSFORMER))}",
    )


def _times(slow: np.ndarray, fast: np.ndarray) -> Estimate:
    """The ratio of two median times; too early if neither has arrived."""
    found = bootstrap(lambda a, b: ratio(np.median(a), np.median(b)), slow, fast, apart=True)
    waiting = not np.isfinite(np.append(slow, fast)).all()
    return Estimate.unknown(Reason.TOO_EARLY) if found.reason is Reason.UNDEFINED and waiting else found


def _size(record: xr.Dataset) -> str:
    return f"{record.sizes['member']} networks of {int(column(record, 'dim')[0])} dimensions, p = {int(record.p[0])}."


def _steps(values: np.ndarray) -> str:
    """A median number of steps in words."""
    middle = median(values)
    return f"{middle:,.0f} steps" if np.isfinite(middle) else "–" if np.isnan(middle) else "never so far"


def _by_value(values: np.ndarray, steps: np.ndarray) -> str:
    return ", ".join(f"{value:.3g}: {_steps(steps[values == value])}" for value in np.unique(values))


CLAIMS = (
    Claim(
        "grokking/31",
        "Fig. 1, Section 4.2",
        "Generalisation coincides with the emergence of a circle in the first two principal components.",
        (_CIRCLE, _EMERGED, _TOGETHER),
        _circles,
        (TRANSFORMER,),
        quote="Early on, the model is able to perfectly fit the training set while having no generalization. We study "
        "the embeddings at different training times and find that neither PCA (shown in Figure 1) nor t-SNE (not shown "
        "here) reveal any structure. Eventually, validation accuracy starts to increase, and perfect generalization "
        "coincides with the PCA projecting the embeddings into a circle in 2D.",
    ),
    Claim(
        "grokking/32",
        "Fig. 7 left",
        "The effective dimension of the embedding rises until generalisation, then falls drastically.",
        (_RISE, _PEAK, _FALL),
        _dimensions,
        (TRANSFORMER,),
        quote="As seen in Figure 7, the entropy increases up to generalization time then decreases drastically "
        "afterwards which would be consistent with the conjecture that generalization occurs when a low-dimensional "
        "structure is discovered.",
    ),
    Claim(
        "grokking/33",
        "Fig. 7 centre",
        "With dropout, transformers generalise sooner; those of the paper's size in less than 1,000 steps.",
        (_SOON, _DROPPED),
        _dropout,
        (DROPOUT,),
        quote="With a significant dropout rate, the generalization time can be brought down to under 10^3 steps and "
        "the grokking phenomenon vanishes completely.",
    ),
    Claim(
        "grokking/34",
        "Fig. 7 right",
        "Some weight decay of the decoder speeds generalisation up.",
        (_DECAYED,),
        _decay,
        (DECAY, DROPOUT, PHASE_TRANSFORMER),
        quote="Contrary to the toy model, a certain amount of weight decay proves beneficial to generalization and "
        "speeds it up significantly.",
    ),
)
