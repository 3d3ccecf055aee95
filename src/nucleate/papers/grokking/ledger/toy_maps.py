"""Claims 25-27: batch size, init scale and representation weight decay.

Comprehension, unlike memorisation, is settled long before the 10⁵ steps of Table 1: 1,000 steps after a network has
fitted its training set. These claims are judged by it, and by grokking where the fleet is trained for 10⁵ steps. The
paper does not give the values of the vertical axes, so what is judged are directions.
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
    Revision,
    Threshold,
    bootstrap,
    ratio,
)
from nucleate.claims.words import MOST
from nucleate.observables import Phase
from nucleate.papers.grokking import readings
from nucleate.papers.grokking.experiments import (
    BATCH,
    BATCH_CLASSES,
    CORNERS_BATCH,
    CORNERS_BATCH_CLASSES,
    INIT,
    INIT_CLASSES,
    REPR_DECAY,
    REPR_DECAY_CLASSES,
)

_BATCH = {"regression": BATCH, "classification": BATCH_CLASSES}
_BATCH_CORNERS = {"regression": CORNERS_BATCH, "classification": CORNERS_BATCH_CLASSES}
_INIT = {"regression": INIT, "classification": INIT_CLASSES}
_REPR_DECAY = {"regression": REPR_DECAY, "classification": REPR_DECAY_CLASSES}
_SLOW = 1e-4
"""The slowest decoder of Figs. 13-15."""


def _slow(record: xr.Dataset) -> np.ndarray:
    return np.isclose(record.eta_dec.values, _SLOW)


# --- batch size ------------------------------------------------------------------------------------------------------

_FULL = {
    k: Check(f"{k}: slow decoder, full batch: share that comprehend", "leads to comprehension", MOST) for k in _BATCH
}
_GROKS = {
    k: Check(
        f"{k}: slow decoder: share that grok, small batch minus full",
        "the grokking region … small batch size",
        Region.above(0),
        Threshold.PAPER,
    )
    for k in _BATCH
}
_HARM = {
    k: Check(
        f"{k}: slow decoder: share that comprehend, full batch minus small",
        "smaller batch size seems harmful",
        Region.above(0),
        Threshold.PAPER,
    )
    for k in _BATCH
}


def _batch_size(evidence: Evidence) -> Findings:
    estimates, notes = {}, []
    for kind, corners_name in _BATCH_CORNERS.items():
        corners = evidence.record(corners_name)
        whole = corners.batch.values == 0
        full = readings.Hits.of(corners, whole, Phase.COMPREHENSION)
        # Other networks of the same setting are part of all three maps, each of which has seeds of its own.
        for name, is_default in _defaults(kind):
            record = evidence.record(name)
            full += readings.Hits.of(record, is_default(record) & _slow(record), Phase.COMPREHENSION)
        small = {phase: readings.Hits.of(corners, ~whole, phase) for phase in (Phase.COMPREHENSION, Phase.GROKKING)}
        estimates[_FULL[kind]] = full.share()
        estimates[_HARM[kind]] = full.minus(small[Phase.COMPREHENSION])
        estimates[_GROKS[kind]] = small[Phase.GROKKING].minus(readings.Hits.of(corners, whole, Phase.GROKKING))
        sizes = ", ".join(f"{size:g}" for size in np.unique(corners.batch.values[~whole]))
        notes.append(
            f"{kind.capitalize()}, η decoder {_SLOW:g}, by batch: {_by(corners, 'batch', {0: 'full'})} ({len(full)} "
            f"with the full batch in all fleets; small: {sizes}). Map: {readings.census(evidence.record(_BATCH[kind]))}"
        )
    return Findings(estimates, " ".join(notes))


def _defaults(kind: str):
    """Fleets with networks of the default setting (full batch, init scale 1, no representation decay), and which."""
    return (
        (_BATCH[kind], lambda record: record.batch.values == 0),
        (_INIT[kind], lambda record: np.isclose(record.init_scale.values, 1)),
        (_REPR_DECAY[kind], lambda record: record.wd_repr.values == 0),
    )


def _by(record: xr.Dataset, column: str, names: dict[float, str] | None = None) -> str:
    """The census of each value of a column: "5: 3 comprehension, 1 grokking"."""
    codes, values = readings.phase_of(record), record[column].values
    lines = []
    for value in np.unique(values).tolist():
        counts = {phase.name.lower(): int(np.sum(codes[values == value] == phase)) for phase in Phase}
        counted = ", ".join(f"{count} {name}" for name, count in counts.items() if count)
        lines.append(f"{(names or {}).get(value, f'{value:g}')}: {counted or 'all diverged'}")
    return "; ".join(lines)


# --- init scale ------------------------------------------------------------------------------------------------------

_SMALL = {k: Check(f"{k}: smallest init scale: share that comprehend", "leads to comprehension", MOST) for k in _INIT}
_BENEFIT = {
    k: Check(
        f"{k}: share that comprehend, smallest init scale minus largest",
        "beneficial",
        Region.above(0),
        Threshold.PAPER,
    )
    for k in _INIT
}


def _init_scale(evidence: Evidence) -> Findings:
    estimates, notes = {}, []
    for kind, name in _INIT.items():
        record = evidence.record(name)
        scale = record.init_scale.values
        small, large = (
            readings.Hits.of(record, scale == end, Phase.COMPREHENSION) for end in (scale.min(), scale.max())
        )
        estimates[_SMALL[kind]], estimates[_BENEFIT[kind]] = small.share(), small.minus(large)
        notes.append(
            f"{kind.capitalize()}, by init scale: {_by(record, 'init_scale')} within {int(record.steps):,} steps."
        )
    return Findings(estimates, " ".join(notes) + " Over all decoder rates; the scales are ours.")


# --- representation weight decay -------------------------------------------------------------------------------------

_LITTLE = {
    k: Check(
        f"{k}: largest effect of a decay on the share that comprehend, over the effect of the decoder's rate",
        "does not affect … much",
        Region.at_most(0.5),
    )
    for k in _REPR_DECAY
}


def _representation_decay(evidence: Evidence) -> Findings:
    estimates, notes = {}, []
    for kind, name in _REPR_DECAY.items():
        record = evidence.record(name)
        estimates[_LITTLE[kind]] = _relative_effect(record)
        notes.append(f"{kind.capitalize()}, by decay: {_by(record, 'wd_repr')} within {int(record.steps):,} steps.")
    return Findings(
        estimates,
        " ".join(notes) + " The effect of a decay: share with it minus share without any, the largest of all decays, "
        "whatever its sign; that of the decoder's rate, the other axis of the figure: share at the slowest minus share "
        "at the fastest. The decays are ours.",
    )


def _relative_effect(record: xr.Dataset) -> Estimate:
    """max |change by a decay| / |change by decoder rate| in the share that comprehend, of networks that did not
    diverge. A unit is one network of every cell, so that resampling keeps the map balanced."""
    codes, rates, decays = readings.phase_map(record, "eta_dec", "wd_repr")
    if min(len(rates), len(decays)) < 2:
        return Estimate.unknown(Reason.TOO_FEW)
    comprehends = np.moveaxis(np.where(codes < 0, np.nan, codes == Phase.COMPREHENSION), -1, 0)  # repeat, decay, rate

    def share(cells: np.ndarray) -> float:
        return ratio(float(np.nansum(cells)), float(np.isfinite(cells).sum()))

    def relative(cells: np.ndarray) -> float:
        without, *others = (share(cells[:, i]) for i in range(len(decays)))
        by_rate = share(cells[:, :, 0]) - share(cells[:, :, -1])
        return ratio(float(np.max([abs(other - without) for other in others])), abs(by_rate))

    found = bootstrap(relative, comprehends, bounds=(0, 1))
    hits = readings.Hits.of(record, np.ones(record.sizes["member"], bool), Phase.COMPREHENSION)
    return found if np.array_equal(hits.surely, hits.perhaps) else found.too_early()


_MORE_THAN_HALF = "“leads to” now means the same for all papers: more than half."

CLAIMS = (
    Claim(
        "grokking/25",
        "Fig. 13",
        "With a slow decoder, small batches lead to grokking and the full batch to comprehension.",
        (*_FULL.values(), *_GROKS.values(), *_HARM.values()),
        _batch_size,
        (*_BATCH.values(), *_BATCH_CORNERS.values(), *_INIT.values(), *_REPR_DECAY.values()),
        quote="the grokking region appears at the top left of the phase diagram (small decoder learning rate and small "
        "batch size). However, large batch size (with small learning rate) leads to comprehension, implying that "
        "smaller batch size seems harmful.",
        history=(Revision("The same, with a share ≥ 0.5.", "inconclusive", _MORE_THAN_HALF),),
    ),
    Claim(
        "grokking/26",
        "Fig. 14",
        "A smaller init scale of the embedding is better; a small one leads to comprehension.",
        (*_SMALL.values(), *_BENEFIT.values()),
        _init_scale,
        tuple(_INIT.values()),
        quote="it is beneficial to use a smaller initialization scale. […] Small initialization scale (top) leads to "
        "comprehension.",
        history=(Revision("The same, with a share ≥ 0.5.", "replicated", _MORE_THAN_HALF),),
    ),
    Claim(
        "grokking/27",
        "Fig. 15",
        "Weight decay of the representation does not matter much.",
        tuple(_LITTLE.values()),
        _representation_decay,
        tuple(_REPR_DECAY.values()),
        quote="we see the representation weight decay in general does not affect model performance much.",
    ),
)
