"""Claims 17, 18 and 32: attention on real text, and the assumption of orthogonal embeddings.

The talk's networks read words of WikiText with 200 dimensions; these read bytes, at smaller budgets with fewer
dimensions and steps. What is judged is how a network's attention changes relative to its own start.
"""

import numpy as np
import xarray as xr

from nucleate.claims import Check, Claim, Evidence, Findings, Region, Revision, Steps, Threshold, When, bootstrap
from nucleate.observables import random_cosine
from nucleate.papers.attention.experiments.text import ADAM, SGD
from nucleate.papers.attention.experiments.trees import TREES
from nucleate.papers.attention.readings import text as readings
from nucleate.record import at_the_end

_TRAINED = Steps(3000, SGD)
_DEPTHS = (1, 3)
_SPARSER = {
    depth: Check(
        f"{readings.blocks_in_words(depth)}, lowest: median of the tokens attended to (e^entropy), end over start",
        "becomes sparse: < 1",
        Region.below(1),
        Threshold.PAPER,
        mature=_TRAINED,
    )
    for depth in _DEPTHS
}
_SPARSE = {
    depth: Check(
        f"{readings.blocks_in_words(depth)}, lowest: the same, for attention that is sparse rather than only sparser",
        "at most half",
        Region.at_most(0.5),
        mature=_TRAINED,
    )
    for depth in _DEPTHS
}


def _sparse(evidence: Evidence) -> Findings:
    fleet = evidence.record(SGD)
    found = {depth: readings.attended(readings.of_depth(fleet, depth)) for depth in _DEPTHS}
    estimates = {depth: bootstrap(np.median, ratio) for depth, ratio in found.items()}
    entropy = {depth: readings.of_depth(fleet, depth) for depth in _DEPTHS}
    spoken = "; ".join(
        f"{readings.blocks_in_words(depth)}: {_attended(record, 0)} tokens at the start, {_attended(record, -1)} at "
        f"the end, {_loss(record)} bits per byte"
        for depth, record in entropy.items()
    )
    return Findings(
        {check[depth]: estimates[depth] for depth in _DEPTHS for check in (_SPARSER, _SPARSE)},
        f"{_size(fleet)} SGD at a learning rate of {float(fleet.eta[0]):g}, gradients clipped at a norm of 0.5, as in "
        f"the authors' code. Medians of e^entropy of the lowest block: {spoken}. Of uniform attention it would be "
        f"{np.exp(np.mean(np.log(np.arange(1, int(fleet.context[0]) + 1)))):.1f} tokens.",
    )


_MATURE = When(
    "the held-out loss of most shallow networks falls by less than 2 % in the last quarter of 3,000 steps or more",
    ADAM,
    readings.has_settled,
)
_DIP = Check(
    "1 or 2 blocks, lowest: median of the tokens attended to (e^entropy) at their fewest over the start",
    "dips by a tenth or more",
    Region.at_most(0.9),
    mature=_MATURE,
)
_BOUNCE = Check(
    "median share of the dip that is made up for by the end",
    "bounces back, by a tenth of the dip or more",
    Region.at_least(0.1),
    mature=_MATURE,
)


def _bounce(evidence: Evidence) -> Findings:
    fleet = evidence.record(ADAM)
    found = readings.dips(readings.shallow(fleet))
    fell = np.isfinite(found.bounce)
    spoken = "; ".join(
        f"{readings.blocks_in_words(depth)}: {_dipped(readings.dips(readings.of_depth(fleet, depth)))}"
        for depth in np.unique(fleet.blocks.values).tolist()
    )
    return Findings(
        {_DIP: bootstrap(np.median, found.depth), _BOUNCE: bootstrap(np.median, found.bounce[fell])},
        f"{_size(fleet)} Adam at a learning rate of {float(fleet.eta[0]):g}. Entropies in nats of the lowest block, "
        f"medians at the start, at their lowest and at the end: {spoken}. An entropy is smoothed over "
        f"{readings.SMOOTHED} records before its lowest value is looked for, so that noise is no bounce.",
    )


_TWICE = Region.at_most(2)
_ALL = Steps(1000, (ADAM, SGD, TREES))
_COSINES = {
    (kind, layer): Check(
        f"{kind}, {layer}: median |cosine| over that of random vectors",
        "nearly orthogonal: at most twice that of random ones",
        _TWICE,
        mature=_ALL,
    )
    for kind in ("text", "trees")
    for layer in ("embedding", "the layer where it is largest")
}


_TALKS_WIDTH = {"text": 200, "trees": 1024}
"""Dimensions of the talk's networks: layers of narrower ones are shown, and not judged."""


def _orthogonal(evidence: Evidence) -> Findings:
    found = evidence.once(readings.orthogonality)
    dims = {"text": int(evidence.record(ADAM).dim[0]), "trees": int(evidence.record(TREES).dim[0])}
    estimates, spoken = {}, []
    for kind, ratios in (("text", found.text), ("trees", found.trees)):
        rows = ratios[np.isfinite(ratios[:, 0])]
        estimates[_COSINES[kind, "embedding"]] = bootstrap(np.median, rows[:, 0])
        worst = np.nanmax(rows[:, 1:], axis=1) if len(rows) else rows[:, 0]
        worst = np.maximum(worst, rows[:, 0])
        as_wide = dims[kind] >= _TALKS_WIDTH[kind]
        estimates[_COSINES[kind, "the layer where it is largest"]] = bootstrap(np.median, worst) if as_wide else None
        middle = [f"{np.nanmedian(column):.1f}" for column in rows.T if np.isfinite(column).any()]
        spoken.append(f"{kind}: {', '.join(middle)}")
    random = ", ".join(f"{random_cosine(dim):.3f} in {dim} dimensions" for dim in sorted({*dims.values()}))
    return Findings(
        estimates,
        "Median |cosine| between vectors of different tokens at the end, as a multiple of that of random vectors "
        f"({random}), for the embedding and after each block: {'; '.join(spoken)} (medians over networks). After a "
        "block, vectors are those of different tokens of one sequence; layers are judged in networks as wide as the "
        "talk's, of 200 dimensions on text and 1,024 on trees. Embeddings of grokking's transformers are in "
        "the records of that paper, where `median_cosine` can read them.",
    )


def _size(record: xr.Dataset) -> str:
    return (
        f"{record.sizes['member']} networks of {int(record.dim[0])} dimensions on windows of {int(record.context[0])} "
        f"bytes, {int(record.steps):,} steps."
    )


def _attended(record: xr.Dataset, row: int) -> str:
    values = record.entropy.values[:, 0, 0] if row == 0 else at_the_end(record, "entropy")[:, 0]
    return f"{np.exp(np.median(values)):.1f}" if len(values) else "–"


def _loss(record: xr.Dataset) -> str:
    values = at_the_end(record, "valid_loss") / np.log(2) if record.sizes["member"] else []
    return f"{np.median(values):.2f}" if len(values) else "–"


def _dipped(found: readings.Dips) -> str:
    if not len(found.start):
        return "–"
    start, lowest, end, step = map(np.median, (found.start, found.lowest, found.end, found.step))
    return f"{start:.2f}, {lowest:.2f} (step {step:,.0f}), {end:.2f}"


CLAIMS = (
    Claim(
        "attention/17",
        "Figure 7 of Scan & Snap",
        "Attention on real text becomes sparse over training.",
        tuple(check[depth] for depth in _DEPTHS for check in (_SPARSER, _SPARSE)),
        _sparse,
        (SGD,),
        quote="Attention patterns in the lowest self-attention layer for 1-layer (top) and 3-layer (bottom) "
        "Transformer trained on WikiText2 using SGD (learning rate is 5). Attention becomes sparse over training.",
    ),
    Claim(
        "attention/18",
        "Real-world experiments, JoMA",
        "In shallow networks the entropy of attention dips, then bounces back.",
        (_DIP, _BOUNCE),
        _bounce,
        (ADAM,),
        quote="Most salient feature grows, and others catch up (Attention becomes sparser and denser). Why is this "
        "“bouncing back” property useful?",
        history=(
            Revision(
                "Judged after 3,000 of 4,000 steps, wherever the entropy was by then.",
                "not run",
                "of one network of each depth, that with two blocks was still at its sparsest at the end, which is too "
                "early to say that it does not bounce; Adam's networks now have 8,000 steps, and are judged when their "
                "loss has settled.",
            ),
        ),
    ),
    Claim(
        "attention/32",
        "Assumption of orthogonal embeddings, JoMA",
        "Vectors of different tokens are nearly orthogonal at every layer.",
        tuple(_COSINES.values()),
        _orthogonal,
        (ADAM, SGD, TREES),
        quote="Assumption (Orthogonal Embeddings [U_C, u_q]). Cosine similarity between embedding vectors at different "
        "layers.",
        history=(
            Revision(
                "The layer with the largest cosines is judged in networks of any width, too.",
                "contradicted",
                "after the last block of networks of 64 dimensions on trees the median was 3.0 times that of random "
                "vectors; the talk's networks are wider.",
            ),
        ),
    ),
)
