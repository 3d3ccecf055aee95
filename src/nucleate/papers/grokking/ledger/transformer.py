"""Claims 31-34: transformers that learn modular addition.

The paper's networks have 256 dimensions and are trained for up to 10⁵ steps; the smaller budgets have smaller networks.
What is judged is therefore the order of events in networks that have generalised, and the ratio of two times; the one
absolute time, claim 33's 10³ steps, cannot be contradicted by a network that is smaller than the paper's.
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
    ratio,
)
from nucleate.observables import Phase
from nucleate.papers.grokking import readings
from nucleate.papers.grokking.experiments import DECAY, DROPOUT, PHASE_TRANSFORMER, TRANSFORMER
from nucleate.papers.grokking.ledger.words import COINCIDES
from nucleate.record import at_the_end, stayed_finite

_MATURE = When(
    "most networks have generalised, and have trained for as long again since", TRANSFORMER, readings.is_mature
)

_CIRCLE = Check(
    "at the end: median share of one frequency in the variance of the first two principal components",
    "a circle",
    Region.at_least(readings.CIRCLE),
    mature=_MATURE,
)
_EMERGED = Check(
    "its median gain since the training set was fitted", "> 0", Region.above(0), Threshold.PAPER, mature=_MATURE
)
_TOGETHER = Check(
    "median step at which a circle appears over that of generalisation", "coincides", COINCIDES, mature=_MATURE
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
        f"components is {_median(fitted):.2f} when the training set is fitted (99 %), "
        f"{_median(readings.at_crossing(record, 'frequency_share', 'valid99')):.2f} at generalisation and "
        f"{_median(end):.2f} at the end (medians); it is k = {', '.join(map(str, frequency)) or '–'} in these networks."
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
    "> 1",
    Region.above(1),
    Threshold.PAPER,
    mature=_MATURE,
)
_PEAK = Check("median step of its maximum over that of generalisation", "coincides", COINCIDES, mature=_MATURE)
_FALL = Check(
    "median effective dimension at the end over that at initialisation",
    "falls drastically: below where it began",
    Region.below(1),
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
        f"{_median(start):.1f} at the start, {_median(dimension.max(1, initial=0)):.1f} at its maximum, at "
        f"{_steps(readings.peak_step(record))}, {_median(then):.1f} at generalisation, {_median(end):.1f} at the end. "
        f"{int(min(fleet.p[0] - 1, fleet.dim[0]))} is the largest there can be."
    )
    peak = readings.peak_step(record) / readings.steps_to(record, "valid99")
    return Findings(
        {
            _RISE: bootstrap(np.median, then / start),
            _PEAK: bootstrap(np.median, peak),
            _FALL: bootstrap(np.median, end / start),
        },
        note,
    )


_PAPERS_SIZE = {"p": 53, "dim": 256}
_SIGNIFICANT = 0.2
"""A "significant dropout rate": the one nearest to this, of those that were tried."""

_SOON = Check(
    "median steps to 99 % validation accuracy with a dropout rate near 0.2",
    "< 1,000",
    Region.below(1000),
    Threshold.PAPER,
    mature=Steps(1000, DROPOUT),
)
_DROPPED = Check(
    "median steps without dropout over those with it",
    "> 1",
    Region.above(1),
    Threshold.PAPER,
    mature=Steps(1000, DROPOUT),
)


def _dropout(evidence: Evidence) -> Findings:
    fleet = evidence.record(DROPOUT)
    record, rate = stayed_finite(fleet), readings.nearest(fleet.dropout.values, _SIGNIFICANT)
    steps, rates = readings.steps_to(record, "valid99"), record.dropout.values
    without, some = steps[rates == 0], steps[rates == rate]
    soon = bootstrap(np.median, some)
    if soon.value >= 1000 and any(fleet[name].values[0] < size for name, size in _PAPERS_SIZE.items()):
        soon = soon.too_early()  # a larger network might be faster
    return Findings(
        {_SOON: soon, _DROPPED: _times(without, some)},
        f"{_size(fleet)} Median time to 99 % validation accuracy within {int(fleet.steps):,} steps, by dropout rate: "
        f"{_by_value(rates, steps)}. At rate {rate:.3g} the training set is fitted (99 %) at "
        f"{_steps(readings.steps_to(record, 'train99')[rates == rate])}; Table 1 calls it grokking if validation "
        "follows 1,000 steps later, or more.",
    )


_DECAYED = Check(
    "median steps to 99 % validation accuracy without weight decay over those with it",
    "> 1",
    Region.above(1),
    Threshold.PAPER,
    mature=Steps(1000, (DECAY, DROPOUT)),
)
_BENEFICIAL = 3.0
"""A "certain amount of weight decay": the one nearest to this, of those that were tried."""


def _decay(evidence: Evidence) -> Findings:
    fleet, plain = evidence.record(DECAY), stayed_finite(evidence.record(DROPOUT))
    record, decay = stayed_finite(fleet), readings.nearest(fleet.wd_dec.values, _BENEFICIAL)
    steps, decays = readings.steps_to(record, "valid99"), record.wd_dec.values
    without = readings.steps_to(plain, "valid99")[plain.dropout.values == 0]
    return Findings(
        {_DECAYED: _times(without, steps[decays == decay])},
        f"{_size(fleet)} Median time to 99 % validation accuracy within {int(fleet.steps):,} steps, by weight decay: "
        f"{_by_value(decays, steps)}; without weight decay (the networks without dropout of claim 33): "
        f"{_steps(without)}. The map over decoder weight decay and learning rate, with one network in each cell, is "
        f"shown and not judged: {_census(evidence.record(PHASE_TRANSFORMER))}",
    )


def _times(slow: np.ndarray, fast: np.ndarray) -> Estimate:
    """The ratio of two median times; too early if neither has arrived."""
    found = bootstrap(lambda a, b: ratio(np.median(a), np.median(b)), slow, fast, apart=True)
    waiting = not np.isfinite(np.append(slow, fast)).all()
    return Estimate.unknown(Reason.TOO_EARLY) if found.reason is Reason.UNDEFINED and waiting else found


def _size(record: xr.Dataset) -> str:
    return f"{record.sizes['member']} networks of {int(record.dim[0])} dimensions, p = {int(record.p[0])}."


def _median(values: np.ndarray) -> float:
    return float(np.median(values)) if len(values) else float("nan")


def _steps(values: np.ndarray) -> str:
    """A median number of steps in words."""
    middle = _median(values)
    return f"{middle:,.0f} steps" if np.isfinite(middle) else "–" if np.isnan(middle) else "never so far"


def _by_value(column: np.ndarray, steps: np.ndarray) -> str:
    return ", ".join(f"{value:.3g}: {_steps(steps[column == value])}" for value in np.unique(column))


def _census(record: xr.Dataset) -> str:
    codes = readings.phase_of(record)
    counts = ", ".join(f"{int(np.sum(codes == phase))} {phase.name.lower()}" for phase in Phase)
    return f"within {int(record.steps):,} steps {counts}."


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
        "With dropout, transformers generalise sooner, in less than 1,000 steps.",
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
