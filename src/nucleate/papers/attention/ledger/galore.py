"""Claims 27 and 28: what GaLore saves, and what it costs.

The talk's networks have 60 million to 7 billion parameters. Its gigabytes can be checked by algebra; of the results of
its methods, the one that is not close is judged, on networks that are smaller by far: GaLore against low-rank factors.
How near it comes to Adam, LoRA and ReLoRA is shown.
"""

from collections.abc import Callable
from math import log

import numpy as np

from nucleate.claims import (
    Check,
    Claim,
    Estimate,
    Evidence,
    Findings,
    Reason,
    Region,
    Revision,
    Steps,
    Threshold,
    bootstrap,
)
from nucleate.papers.attention.experiments.galore import BEST, RATES, TextFleet
from nucleate.papers.attention.readings import galore as readings
from nucleate.papers.attention.recipe.galore import METHODS

_FULL = Check("full rank: largest difference between floats counted and 3mn", "0", Region.exactly(0), Threshold.PAPER)
_ADAPTOR = Check(
    "low-rank adaptor: largest difference between floats counted and mn + 3(mr + nr)",
    "0",
    Region.exactly(0),
    Threshold.PAPER,
)
_GALORE = Check(
    "GaLore: largest difference between floats counted and mn + mr + 2nr, with m the shorter side",
    "0",
    Region.exactly(0),
    Threshold.PAPER,
)


def _memory(evidence: Evidence) -> Findings:
    counted = readings.floats()
    worst = lambda pairs: Estimate.exact(np.abs(pairs[:, 0] - pairs[:, 1]).max())
    saved = 1 - counted.galore[:, 0].reshape(-1, len(readings.TALKS_RANKS)) / counted.full[:, :1]
    return Findings(
        {_FULL: worst(counted.full), _ADAPTOR: worst(counted.adaptor), _GALORE: worst(counted.galore)},
        f"Floats of weights and of the real states of optimisers, for {len(readings.TALKS_SHAPES)} matrices of the "
        f"talk's networks and ranks {', '.join(map(str, readings.TALKS_RANKS))}. GaLore saves {saved.min():.0%} to "
        f"{saved.max():.0%} of full rank's. Products W = BA, which keep no W, have 3(mr + nr) (difference "
        f"{np.abs(counted.product[:, 0] - counted.product[:, 1]).max():.0f}). Networks of the talk, in GB at two bytes "
        f"a float, by this algebra with full moments for embedding and output, and as the talk says: {_gigabytes()}. "
        "The talk's networks of 7 billion parameters were measured, and cannot be here.",
    )


def _gigabytes() -> str:
    sizes = []
    for size in readings.TALKS:
        found = readings.gigabytes(size)
        pairs = [f"{readings.NAMES[name]} {found[name]:.2f} ({says:.2f})" for name, says in size.says.items()]
        sizes.append(f"{size.name}: {', '.join(pairs)}")
    return "; ".join(sizes)


_MATURE = Steps(2000, BEST)
_TALKS_RATIO = log(34.88) / log(34.06)
"""The talk's largest loss with GaLore over that with full rank, of its four sizes: perplexities 34.88 and 34.06."""

_BETTER = Check(
    f"mean over seeds of the bits per byte with {readings.NAMES['low-rank']} minus those with GaLore",
    "> 0",
    Region.above(0),
    Threshold.PAPER,
    mature=_MATURE,
)


def _methods(evidence: Evidence) -> Findings:
    found, tried = evidence.once(readings.comparison), evidence.once(readings.sweep)
    edge = ", ".join(readings.NAMES[method] for method in tried.at_the_edge)
    rates = ", ".join(f"{rate:g}" for rate in tried.eta)
    config = TextFleet.from_json(evidence.about(BEST).config)
    ranks = evidence.once(readings.gradient_ranks)
    note = (
        "Bits per held-out byte, floats in the optimiser's state (with the factors, where there are any) and best "
        f"learning rate: {_table(found)}. Networks of {config.blocks} blocks and width {config.width}, rank "
        f"{config.rank}, {config.steps:,} steps of {config.batch} windows of {config.context} bytes; "
        f"{found.bits.shape[1]} seeds, shared by all methods. Learning rates were chosen from {rates} on other seeds; "
        f"{f'at the edge of these: {edge}' if edge else 'none is at the edge'}. The gradients of block matrices have a "
        f"median stable rank of {ranks.start:.1f} at the start, {ranks.middle:.1f} half way and {ranks.end:.1f} at the "
        f"end of training by Adam; {config.width} would be the largest."
    )
    galore = found.of("galore")
    nearness = _mean(lambda a, b: a / b, galore, found.of("adam"))
    note += (
        f" Shown and not judged: the loss with GaLore is {nearness.value:.3f} [{nearness.low:.3f}, "
        f"{nearness.high:.3f}] times that with Adam; in the talk it is at most {_TALKS_RATIO:.4f}, from 60 million "
        "parameters on."
    )
    return Findings({_BETTER: _mean(lambda a, b: b - a, galore, found.of("low-rank"))}, note)


def _mean(compare: Callable[..., np.ndarray], ours: np.ndarray, theirs: np.ndarray) -> Estimate:
    """The mean over seeds of a comparison of two methods; a method that was left out, or diverged, decides nothing."""
    if len(ours) != len(theirs) or not np.isfinite([*ours, *theirs]).all():
        return Estimate.unknown(Reason.UNDEFINED)
    return bootstrap(np.mean, compare(ours, theirs))


def _table(found: readings.Comparison) -> str:
    rows = []
    for method, eta, bits, state in zip(found.method, found.eta, found.bits, found.state, strict=True):
        mean = bootstrap(np.mean, bits)
        rows.append(
            f"{readings.NAMES[METHODS[method]]} {mean.value:.3f} [{mean.low:.3f}, {mean.high:.3f}], {state:,}, {eta:g}"
        )
    return "; ".join(rows)


CLAIMS = (
    Claim(
        "attention/27",
        "Memory Saving with GaLore",
        "Weights and optimiser state of an m × n matrix have 3mn floats at full rank, mn + 3(mr + nr) with a low-rank "
        "adaptor and mn + mr + 2nr with GaLore.",
        (_FULL, _ADAPTOR, _GALORE),
        _memory,
        quote="Full-rank: weight mn, optim states 2mn, projection 0, total 3mn. Low-rank adaptor: mn + mr + nr, "
        "2(mr + nr), 0, mn + 3(mr + nr). GaLore: mn, 2nr, mr, mn + mr + 2nr.",
    ),
    Claim(
        "attention/28",
        "Pre-training Results",
        "On text, GaLore is better than low-rank factors.",
        (_BETTER,),
        _methods,
        (RATES, BEST),
        quote="60M: Full-Rank 34.06 (0.36G), GaLore 34.88 (0.24G), Low-Rank 78.18 (0.26G), LoRA 34.99 (0.36G), ReLoRA "
        "37.04 (0.36G).",
        history=(
            Revision(
                "Besides, a loss with GaLore of at most 1.0067 times that with full-rank Adam, and fewer bits per byte "
                "than with LoRA and ReLoRA.",
                "not run",
                "these are small differences at 60 million parameters, of which networks a thousand times smaller say "
                "nothing: they are shown. One seed had been seen (1.10 times Adam's loss, fewer bits than the others).",
            ),
        ),
    ),
)
