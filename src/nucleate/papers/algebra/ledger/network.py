"""Claims 20, 24 and 25: networks learn to add, weight decay makes them simple, and they meet the conditions."""

import numpy as np

from nucleate.claims import Check, Claim, Evidence, Findings, Region, Steps, Threshold, bootstrap, medians, spearman
from nucleate.papers.algebra.experiments.network import ADAMW, C23, DECAY, OCCAM
from nucleate.papers.algebra.readings import network as readings
from nucleate.papers.algebra.readings import occam, solutions
from nucleate.papers.algebra.readings.solutions import Course
from nucleate.record import at_the_end, stayed_finite

EPOCHS = 10_000
"""The talk's table is of networks after so many epochs, each of which is one step on all training pairs."""

_TRAINED = Steps(EPOCHS, C23)
_LEARNED = Check(
    "median accuracy on held-out pairs at the end", "100 %", Region.at_least(1), Threshold.PAPER, mature=_TRAINED
)


def _accuracy(evidence: Evidence) -> Findings:
    record = stayed_finite(evidence.record(C23))
    accuracy, first = at_the_end(record, "test_accuracy"), record.test_accuracy.values >= 1
    when = record.step.values[first.argmax(1)][first.any(1)]
    losses = [np.median(at_the_end(record, name)) for name in ("train_loss", "test_loss")]
    note = (
        f"{len(accuracy)} networks, {np.mean(accuracy == 1):.0%} of which are right on every held-out pair at the end. "
        f"Median losses there: {losses[0]:.1e} on training pairs, {losses[1]:.1e} on held-out ones."
    )
    if len(when):
        note += f" All held-out pairs are right for the first time at step {np.median(when):,.0f} (median)."
    return Findings({_LEARNED: bootstrap(np.median, accuracy, bounds=(0, 1))}, note)


_ALL_TRAINED = Steps(EPOCHS, (C23, DECAY))
_SIMPLER = Check(
    "rank correlation of weight decay with the mean order of a network's frequencies",
    "< 0: a path leads to simpler solutions",
    Region.below(0),
    Threshold.PAPER,
    mature=_ALL_TRAINED,
)
_TO_FOUR_OR_SIX = Check(
    "rank correlation of weight decay with the share of frequencies of order 4 or 6",
    "> 0",
    Region.above(0),
    mature=_ALL_TRAINED,
)


def _decay(evidence: Evidence) -> Findings:
    parts = [evidence.once(reading) for reading in (solutions.c23, solutions.decays)]
    wd = np.concatenate([part.wd for part in parts])
    order = np.concatenate([part.order[:, -1].mean(-1) for part in parts])
    share = np.concatenate([part.is_four_or_six.mean(-1) for part in parts])
    adamw, from_memory = evidence.once(solutions.decoupled), evidence.once(occam.decayed)
    note = (
        f"{len(wd)} networks; one unit is one network. By weight decay, the mean order is {medians(wd, order, '.1f')}, "
        f"and the share of order 4 or 6 {medians(wd, share, '.0%')}. Shown and not judged: AdamW, whose decay is not "
        f"divided by the scale of the gradient, has mean orders "
        f"{medians(adamw.wd, adamw.order[:, -1].mean(-1), '.1f')}. "
        f"{_memory(from_memory)}"
    )
    return Findings({_SIMPLER: bootstrap(spearman, wd, order), _TO_FOUR_OR_SIX: bootstrap(spearman, wd, share)}, note)


def _memory(found: Course) -> str:
    left = found.norm[:, -1] / found.norm[:, 0]
    return (
        "Networks that start as z_M of d = 7, with a little noise, end with these shares of their squared norm: "
        f"{medians(found.wd, left, '.0%')}, and with mean orders "
        f"{medians(found.wd, found.order[:, -1].mean(-1), '.1f')}."
    )


_SMALL = Region.below(0.1)
"""A tenth of r_kkk = 1."""

_G = Check("R_g: median over networks of the mean |r_kkk − 1|", "0", _SMALL, mature=_TRAINED)
_C = Check("R_c: median over networks of the mean, over k, of the largest |r_{k₁k₂k}|", "0", _SMALL, mature=_TRAINED)
_N = Check("R_n: median over networks of the mean |Σ_p Σ_k' r_{p,k',−k',k}|", "0, in sum", _SMALL, mature=_TRAINED)
_STAR = Check(
    "R_*: median over networks of the mean, over k, of the largest |r_{p,k',m−k',k}|", "0", _SMALL, mature=_TRAINED
)


def _conditions(evidence: Evidence) -> Findings:
    seen = evidence.once(readings.residuals)
    start = ", ".join(f"{np.median(part[:, 0]):.2g}" for part in (seen.g, seen.c, seen.n_sum, seen.star))
    note = (
        f"{len(seen.g)} networks at the last step. Term by term R_n does not hold: the largest |r_{{p,k',−k',k}}| of a "
        f"frequency is {np.median(seen.n[:, -1]):.2f} (median over networks of the mean), as in z_F4/6; the loss needs "
        f"its sum only. At the start of training the four numbers are {start}: other than R_g they are small because "
        f"all r are. The largest |z_p0| is {np.median(seen.mean[:, -1]):.1e}, which the theory takes to be 0."
    )
    ends = {_G: seen.g, _C: seen.c, _N: seen.n_sum, _STAR: seen.star}
    return Findings({check: bootstrap(np.median, part[:, -1]) for check, part in ends.items()}, note)


CLAIMS = (
    Claim(
        "algebra/20",
        "More Statistics on Gradient Descent Solutions",
        "Networks of 512 quadratic nodes learn addition modulo 23, also of pairs that they were not shown.",
        (_LEARNED,),
        _accuracy,
        (C23,),
        quote="Training/test loss/accuracy for d = 23",
    ),
    Claim(
        "algebra/24",
        "More Statistics on Gradient Descent Solutions; Gradient Dynamics",
        "Weight decay drives the order of solutions down, to 4 and 6.",
        (_SIMPLER, _TO_FOUR_OR_SIX),
        _decay,
        (C23, DECAY, ADAMW, OCCAM),
        quote="Distribution of Solution order at 10k epochs. Effect of Weight Decay. […] L2 regularization will push "
        "the solution to e * z' (simpler solutions)",
    ),
    Claim(
        "algebra/25",
        "Structure of Loss Functions",
        "Trained networks meet the conditions of a global optimum: R_g, R_c and R_*, and R_n in sum.",
        (_G, _C, _N, _STAR),
        _conditions,
        (C23,),
        quote="Sufficient conditions of Global Optimizers: R_g r_kkk = 1, R_c r_{k₁k₂k} = 0, R_n r_{pk',−k',k} = 0, "
        "R_* r_{pk',m−k',k} = 0",
    ),
)
