"""Claims 20, 24 and 25: networks learn to add, weight decay makes them simple, and they meet the conditions."""

import numpy as np

from nucleate.claims import (
    Check,
    Claim,
    Evidence,
    Findings,
    Region,
    Revision,
    Steps,
    Threshold,
    bootstrap,
    medians,
    spearman,
)
from nucleate.papers.algebra.experiments.network import ADAMW, C23, DECAY, EPOCHS, OCCAM
from nucleate.papers.algebra.readings import network as readings
from nucleate.papers.algebra.readings import occam, solutions
from nucleate.papers.algebra.readings.solutions import Course
from nucleate.record import at_the_end, stayed_finite

_TRAINED = Steps(EPOCHS, C23)
_LEARNED = Check(
    "median accuracy on held-out pairs at the end", "about 1, read off a curve", Region.at_least(0.99), mature=_TRAINED
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
    "rank correlation of weight decay with the mean order of a network's solutions",
    "< 0: a path leads to simpler solutions",
    Region.below(0),
    Threshold.PAPER,
    mature=_ALL_TRAINED,
)
_TO_FOUR_OR_SIX = Check(
    "rank correlation of weight decay with the share of solutions of order 4 or 6",
    "> 0",
    Region.above(0),
    mature=_ALL_TRAINED,
)


def _decay(evidence: Evidence) -> Findings:
    parts = [evidence.once(reading) for reading in (solutions.c23, solutions.decays)]
    wd, order = (np.concatenate(columns) for columns in zip(*map(_mean_orders, parts), strict=True))
    share = np.concatenate([solutions.per_network(part.is_four_or_six, part.is_solution) for part in parts])
    all_wd = np.concatenate([part.wd for part in parts])
    empty = np.concatenate([1 - part.is_solution.mean(1) for part in parts])
    adamw, from_memory = evidence.once(solutions.decoupled), evidence.once(occam.decayed)
    note = (
        f"{len(wd)} networks; one unit is one network. By weight decay, the mean order is {medians(wd, order, '.1f')}, "
        f"and the share of order 4 or 6 {medians(wd, share, '.0%')}. Frequencies without nodes count in neither: they "
        f"are {medians(all_wd, empty, '.0%')} of a network's. Shown and not judged: AdamW, whose decay is not "
        f"divided by the scale of the gradient, has mean orders {medians(*_mean_orders(adamw), '.1f')}. "
        f"{_memory(from_memory)}"
    )
    return Findings({_SIMPLER: bootstrap(spearman, wd, order), _TO_FOUR_OR_SIX: bootstrap(spearman, wd, share)}, note)


def _mean_orders(found: Course) -> tuple[np.ndarray, np.ndarray]:
    """Weight decay and mean order of the networks that have any solution."""
    some = found.is_solution.any(1)
    return found.wd[some], found.mean_order[some]


def _memory(found: Course) -> str:
    left = found.norm[:, -1] / found.norm[:, 0]
    return (
        "Networks that start as z_M of d = 7, with a little noise, end with these shares of their squared norm: "
        f"{medians(found.wd, left, '.0%')}, and with mean orders {medians(*_mean_orders(found), '.1f')}."
    )


_SMALL = Region.below(0.1)
"""A tenth of r_kkk = 1."""

_G = Check("R_g: median over networks of the mean |r_kkk − 1|", "0", _SMALL, mature=_TRAINED)
_C = Check("R_c: median over networks of the mean, over k, of the largest |r_{k₁k₂k}|", "0", _SMALL, mature=_TRAINED)
_N = Check("R_n: median over networks of the mean |Σ_p Σ_k' r_{p,k',−k',k}|", "0, in sum", _SMALL, mature=_TRAINED)
_STAR = Check(
    "R_*: median over networks of the mean, over k, of the largest |Σ_k' r_{p,k',m−k',k}|",
    "0, in sum",
    _SMALL,
    mature=_TRAINED,
)


def _conditions(evidence: Evidence) -> Findings:
    seen = evidence.once(readings.residuals)
    ends = {_G: seen.g, _C: seen.c, _N: seen.n_sum, _STAR: seen.star_sum}
    start = ", ".join(f"{np.median(part[:, 0]):.2g}" for part in ends.values())
    note = (
        f"{len(seen.g)} networks at the last step. The talk calls the conditions sufficient, not necessary: of R_n and "
        f"R_* the loss needs the sums only, which are judged. Term by term, the largest |r_{{p,k',−k',k}}| of a "
        f"frequency is {np.median(seen.n[:, -1]):.2f} (median over networks of the mean; in z_F4/6 it is not 0), and "
        f"the largest |r_{{p,k',m−k',k}}| {np.median(seen.star[:, -1]):.2f}. At the start of training the four numbers "
        f"are {start}: other than R_g they are small because all r are. The largest |z_p0| is "
        f"{np.median(seen.mean[:, -1]):.1e}, which the theory takes to be 0."
    )
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
        history=(
            Revision(
                "The median accuracy is 1, as the paper's number.",
                "not run",
                "the talk shows a curve without a number: the threshold is ours, 0.99.",
            ),
        ),
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
        history=(
            Revision(
                "A frequency without nodes counts as a solution of order 0.",
                "not run",
                "the authors count such frequencies apart.",
            ),
        ),
    ),
    Claim(
        "algebra/25",
        "Structure of Loss Functions",
        "Trained networks meet conditions of a global optimum: R_g and R_c, and R_n and R_* in sum.",
        (_G, _C, _N, _STAR),
        _conditions,
        (C23,),
        quote="Sufficient conditions of Global Optimizers: R_g r_kkk = 1, R_c r_{k₁k₂k} = 0, R_n r_{pk',−k',k} = 0, "
        "R_* r_{pk',m−k',k} = 0",
        history=(
            Revision(
                "R_*: the mean, over k, of the largest |r_{p,k',m−k',k}| is below 0.1, term by term.",
                "not run",
                "the conditions are sufficient, and the loss needs only the sum over k' to be 0.",
            ),
        ),
    ),
)
