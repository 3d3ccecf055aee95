"""Claims 13-16: Scan & Snap, one layer of attention on mixtures of common and distinct tokens.

The theory is of sequences without end, of steps without size and of a decoder much faster than attention (η_Y ≫ η_Z).
It is judged where networks come near to that: long sequences, and a decoder at least ten times as fast. How far it
carries beyond is shown in the validity maps and told in the notes, and not judged.
"""

import numpy as np
import xarray as xr

from nucleate.claims import Check, Claim, Evidence, Findings, Region, Steps, Threshold, bootstrap, medians, spearman
from nucleate.papers.attention.experiments.scanning import ENTROPY, LENGTHS, RATIOS, STEP_SIZES, TOKENS
from nucleate.papers.attention.readings import scanning as readings
from nucleate.theories.scanning import snapping_time

_NEARLY_ALL = Region.at_least(0.9)

_SEEN = Steps(1000, TOKENS)
_COMMON = Check(
    "median share of common tokens whose logit falls, in the first tenth of training and after it (the smaller)",
    "all; nearly all",
    _NEARLY_ALL,
    mature=_SEEN,
)
_DISTINCT = Check(
    "median share of distinct tokens whose logit rises, alike", "all; nearly all", _NEARLY_ALL, mature=_SEEN
)
_ORDER = Check(
    "median rank correlation of the logits of a class's distinct tokens with P(l|n)",
    "grows faster with larger P: nearly 1",
    _NEARLY_ALL,
    mature=_SEEN,
)


def _tokens(evidence: Evidence) -> Findings:
    found = evidence.once(readings.token_dynamics)
    plain = found.momentum == found.momentum.min()
    columns = (found.common_fell, found.distinct_rose, found.order)
    note = f"{plain.sum()} networks, gradient descent without momentum; one unit is one network. The most frequent "
    note += f"distinct token has the largest logit in {found.won[plain].mean():.0%} of classes."
    if not plain.all():
        fell, rose, order = (np.median(column[~plain]) for column in columns)
        note += f" With the momentum of the authors' code ({found.momentum.max():.2g}) the medians are {fell:.2f}, "
        note += f"{rose:.2f} and {order:.2f}."
    checks = (_COMMON, _DISTINCT, _ORDER)
    return Findings({c: bootstrap(np.median, column[plain]) for c, column in zip(checks, columns, strict=True)}, note)


FAST = 0.1
"""η_Y ≫ η_Z: the decoder's learning rate is ten times attention's, or more."""

_FORMED = Steps(10_000, RATIOS)
_CLOSED = Check(
    "median error of ln r(t)/r(0) = ln χ(t) at the end, as a share of ln χ, for η_Z/η_Y ≤ 0.1",
    "exact; within a tenth",
    Region.below(0.1),
    mature=_FORMED,
)
_BOUNDS = Check(
    "median share of relative gains within e^{2f²(0)B} ≤ χ ≤ e^{2B} at the end, for η_Z/η_Y ≤ 0.1",
    "all; nearly all",
    _NEARLY_ALL,
    mature=_FORMED,
)
_ASSUMED = Check(
    "rank correlation of that error with η_Z/η_Y, over all networks",
    "> 0: the theory assumes η_Y ≫ η_Z",
    Region.above(0),
    Threshold.PAPER,
    mature=_FORMED,
)


def _closed_form(evidence: Evidence) -> Findings:
    scores = evidence.once(readings.ratio_scores)
    ratio, error = scores.ratio.values, scores.closed_form_error.values[:, -1]
    inside, fast = scores.within_bounds.values[:, -1], scores.ratio.values <= FAST * (1 + 1e-9)
    note = (
        f"{len(ratio)} networks, sequences of {int(scores.length[0])} tokens, {int(scores.step[-1]):,} steps at η_Y = "
        f"{float(scores.eta_y[0]):.3g}. By η_Z/η_Y, the median error is {medians(ratio, error, '.0%')}, at ln χ = "
        f"{medians(ratio, scores.ln_chi.values[:, -1], '.2f')}; within the bounds: {medians(ratio, inside, '.0%')}. "
        f"{_at_equal_gain(scores)}{_beyond(evidence)}"
    )
    return Findings(
        {
            _CLOSED: bootstrap(np.median, error[fast]),
            _BOUNDS: bootstrap(np.median, inside[fast]),
            _ASSUMED: bootstrap(spearman, ratio, error),
        },
        note,
    )


def _at_equal_gain(scores: xr.Dataset) -> str:
    """What the error is once attention has formed as far in all networks as in the slowest."""
    gain = np.nan_to_num(scores.ln_chi.values)
    reached = float(np.min([np.median(gain[scores.ratio.values == r, -1]) for r in np.unique(scores.ratio.values)]))
    error = np.array(
        [
            np.interp(reached, np.maximum.accumulate(g), e)
            for g, e in zip(gain, scores.closed_form_error.values, strict=True)
        ]
    )
    return (
        f"Compared at equal gains rather than at the end, at ln χ = {reached:.2f}, the error is "
        f"{medians(scores.ratio.values, error, '.0%')}."
    )


def _beyond(evidence: Evidence) -> str:
    """How the error depends on what the theory takes to its limit."""
    lengths, sizes = evidence.once(readings.length_scores), evidence.once(readings.step_size_scores)
    slow = lengths.ratio.values <= FAST * (1 + 1e-9)
    by_length = medians(lengths.length.values[slow], lengths.closed_form_error.values[slow, -1], ".0%")
    time = readings.shared_time(sizes)
    gentle = sizes.ratio.values <= FAST * (1 + 1e-9)
    by_size = medians(sizes.eta_y.values[gentle], readings.at_time(sizes, "closed_form_error", time)[gentle], ".0%")
    return (
        f" For η_Z/η_Y ≤ {FAST}: by length of the sequences (0: without end), {by_length}; by step size η_Y, at "
        f"η_Y t = {time:.3g}, {by_size}."
    )


_LATE = 0.1
_SLOWS = Check(
    "median of dB/d ln t in the last octave of time over its largest, for η_Z/η_Y ≥ 0.1",
    "falls: below half",
    Region.below(0.5),
    mature=_FORMED,
)
_LOGLOG = Check(
    "after its turn, median distance of B(t) from a line in ln ln t over that from a line in ln t, for η_Z/η_Y ≥ 0.1",
    "< 1: B = O(ln ln t)",
    Region.below(1),
    Threshold.PAPER,
    mature=_FORMED,
)
_SOONER = Check(
    "rank correlation of the time of the turn with η_Z, at equal η_Y",
    "< 0: larger η_Z, faster transition",
    Region.below(0),
    Threshold.PAPER,
    mature=_FORMED,
)


def _regimes(evidence: Evidence) -> Findings:
    found, scores = evidence.once(readings.regimes), evidence.once(readings.ratio_scores)
    snapped = found.ratio >= _LATE * (1 - 1e-9)
    expected = snapping_time(float(scores.eta_y[0]), int(scores.attrs["classes"]), int(scores.attrs["tokens"]))
    edge = "" if scores.attrs["identified"] else " (the edge of what was searched)"
    note = (
        f"Median step of the turn by η_Z/η_Y: {medians(found.ratio, found.turn / float(scores.eta_y[0]), ',.0f')}; the "
        f"talk's t₀ = 2K ln M/η_Y = {expected:.0f} does not depend on η_Z. dB/d ln ln t after it: "
        f"{medians(found.ratio[snapped], found.rate[snapped], '.1f')}, where ln(C₀ + 2K (η_Z/η_Y) ln²(Mη_Y t/K)) tends "
        f"to 2. With C₀ = {scores.attrs['C0_fixed']:.2g} fitted{edge} that formula misses B by "
        f"{medians(found.ratio, _missed(scores, 'clock_fixed'), '.0%')} at the end; times "
        f"{scores.attrs['amplitude']:.2f}, also fitted, by "
        f"{medians(found.ratio, _missed(scores, 'clock_predicted'), '.0%')}."
    )
    return Findings(
        {
            _SLOWS: bootstrap(np.median, found.slowing[snapped]),
            _LOGLOG: bootstrap(np.median, found.straighter[snapped]),
            _SOONER: bootstrap(spearman, found.ratio, found.turn),
        },
        note,
    )


def _missed(scores: xr.Dataset, name: str) -> np.ndarray:
    return np.abs(scores[name].values[:, -1] / scores.clock.values[:, -1] - 1)


_TRAINED = Steps(1000, ENTROPY)
_FALLS = Check(
    "mean rank correlation of the entropy over distinct tokens with η_Z, at equal η_Y/η_Z",
    "< 0",
    Region.below(0),
    Threshold.PAPER,
    mature=_TRAINED,
)
_RISES = Check(
    "mean rank correlation of the entropy over distinct tokens with η_Y/η_Z, at equal η_Z",
    "> 0",
    Region.above(0),
    Threshold.PAPER,
    mature=_TRAINED,
)


def _entropy(evidence: Evidence) -> Findings:
    found = evidence.once(readings.entropies)
    by_z, by_mult = found.trend_eta_z, found.trend_mult
    middle = np.nanmedian(found.value, axis=-1)
    reversed_z, reversed_mult = np.nanmean(by_z, -1) > 0, np.nanmean(by_mult, -1) < 0
    note = (
        f"One unit is one replica of the whole map: every η_Z, η_Y/η_Z and number of last tokens once. Entropy ends "
        f"between {np.nanmin(middle):.2f} and {np.nanmax(middle):.2f} nats (ln 10 = 2.30 if even). It rises with η_Z, "
        f"against the claim, in {reversed_z.sum()} of {reversed_z.size} rows of the map"
        f"{_where(reversed_z, found.lasts, found.mult, 'η_Y/η_Z')}; it falls with η_Y/η_Z, against the claim, in "
        f"{reversed_mult.sum()} of {reversed_mult.size} columns"
        f"{_where(reversed_mult, found.lasts, found.eta_z, 'η_Z')}."
    )
    replicas = [np.nanmean(trend, axis=(0, 1)) for trend in (by_z, by_mult)]
    return Findings(
        {c: bootstrap(np.mean, r, bounds=(-1, 1)) for c, r in zip((_FALLS, _RISES), replicas, strict=True)}, note
    )


def _where(chosen: np.ndarray, lasts: np.ndarray, other: np.ndarray, name: str) -> str:
    places = [
        f"{lasts[i]:.0f} last token{'s' if lasts[i] > 1 else ''} at {name} = {other[j]:.3g}"
        for i, j in np.argwhere(chosen)
    ]
    return f" ({', '.join(places)})" if places else ""


CLAIMS = (
    Claim(
        "attention/13",
        "Overall Picture of the Training Dynamics",
        "Attention to common tokens falls; to distinct tokens it rises, faster for those that are more frequent.",
        (_COMMON, _DISTINCT, _ORDER),
        _tokens,
        (TOKENS,),
        quote="(a) ż_ml < 0, for common token l (b) ż_ml > 0, for distinct token l (c) z_ml(t) grows faster with "
        "larger P(l|m, n). Attention looks for discriminative tokens that frequently co-occur with the query.",
    ),
    Claim(
        "attention/14",
        "Theorem 3",
        "The relative gain of the dominant token has a closed form, between bounds, if the decoder is fast.",
        (_CLOSED, _BOUNDS, _ASSUMED),
        _closed_form,
        (RATIOS, LENGTHS, STEP_SIZES),
        quote="Relative gain r_{l/l'|n}(t) := c̃²_{l|n}(t)/c̃²_{l'|n}(t) − 1 has a close form: r_{l/l'|n}(t) = "
        "r_{l/l'|n}(0)χ_l(t). If l_0 is the dominant token: r_{l_0/l|n}(0) > 0 for all l ≠ l_0 then "
        "e^{2f²_{nl_0}(0)B_n(t)} ≤ χ_{l_0}(t) ≤ e^{2B_n(t)}. […] Learning rate of decoder Y larger than self-attention "
        "layer Z (η_Y ≫ η_Z)",
    ),
    Claim(
        "attention/15",
        "Theorem 4",
        "Attention scans, its clock growing with ln t, then snaps: the clock slows down to ln ln t.",
        (_SLOWS, _LOGLOG, _SOONER),
        _regimes,
        (RATIOS,),
        quote="Attention scanning: When training starts, B_n(t) = O(ln t). Attention snapping: When t ≥ t_0 = "
        "O(2K ln M/η_Y), B_n(t) = O(ln ln t). […] Larger learning rate η_Z leads to faster phase transition",
    ),
    Claim(
        "attention/16",
        "Theorem 4",
        "A larger η_Z makes attention sparser; at equal η_Z, a larger η_Y makes it denser.",
        (_FALLS, _RISES),
        _entropy,
        (ENTROPY,),
        quote="(1) η_z and η_Y are large, B_n(t) is large and attention is sparse (2) Fixing η_z, large η_Y leads to "
        "slightly small B_n(t) and denser attention",
    ),
)
