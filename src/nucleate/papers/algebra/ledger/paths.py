"""Claim 30: what a transformer that learns shortest paths makes of edges.

The talk gives two layers and no other size, and does not say what its normalised correlation is. Ours compares as many
principal directions of the embedding as there are eigenvectors, 1 to 4 of them: a linear map of all columns would reach
1 from any random matrix with as many columns as edges. So 0.9 is the talk's number for another quantity, and ours for
this one. Networks count that have learned their task; if most have not, it is too early. When the number was written
down, one network had been tried, which learned its task and had correlations of 0.92 to 0.97.
"""

import numpy as np

from nucleate.claims import Check, Claim, Evidence, Findings, Reason, Region, Revision, When, bootstrap
from nucleate.observables import chance_correlation
from nucleate.papers.algebra.experiments.paths import PATHS, PathFleet
from nucleate.papers.algebra.readings import paths as readings

_LEARNED = When(
    f"most networks answer with a shortest path to {readings.LEARNED:.0%} of queries about held-out graphs",
    PATHS,
    readings.has_learned,
)
_CORRELATION = Check(
    "median over networks of the normalised correlation of edge embeddings with line-graph eigenvectors",
    "> 0.9",
    Region.above(0.9),
    mature=_LEARNED,
)
_GAIN = Check(
    "median over networks of its gain since initialisation", "training makes it", Region.above(0), mature=_LEARNED
)
_CHANCE = Check(
    "median over networks of its excess over that of a random matrix",
    "it is no chance",
    Region.above(0),
    mature=_LEARNED,
)


def _embeddings(evidence: Evidence) -> Findings:
    every = evidence.once(readings.correlations)
    found = every.learned
    if not len(found.trained):
        return Findings.none((_CORRELATION, _GAIN, _CHANCE), "No network has learned its task.", Reason.TOO_EARLY)
    config = PathFleet.from_json(evidence.about(PATHS).config)
    chance = found.chance.mean(-1)
    legal, optimal, far = np.median(found.accuracy, axis=0)
    any_map = chance_correlation(config.edges, config.dim)
    row = lambda values: ", ".join(f"{value:.2f}" for value in np.median(values, axis=0))
    note = (
        f"{len(found.end)} of {len(every.end)} networks have learned their task and count, of {config.blocks} blocks "
        f"and {config.dim} dimensions, on graphs of {config.least} to {config.vertices} "
        f"vertices and up to {config.edges} edges. Median shares of answers about {config.held_out} held-out graphs "
        f"each, by greedy decoding: legal {legal:.1%}, optimal {optimal:.1%}, "
        f"optimal at distance 2 or more {far:.1%}. An edge is the state of its <e> after the first block, the mean "
        f"over {config.orders} orders. Correlations with {', '.join(map(str, readings.DIMENSIONS))} eigenvectors, of "
        f"which the mean is judged: {row(found.trained[:, -1])} after training, {row(found.trained[:, 0])} at "
        f"initialisation, {row(found.chance)} for a random matrix, which would have {any_map:.2f} if any linear map of "
        f"all its columns counted. {int(np.sum(found.end > 0.9))} networks have a mean above 0.9, and they differ: "
        f"{found.end.min():.2f} to {found.end.max():.2f}. An embedding that is the sum of orthonormal vectors for the "
        f"two ends of an edge, and knows nothing else of the graph, has {row(found.ends)}: its products are 2 I + A, "
        "with A the adjacency of the line graph. So a network that only notes the ends of each edge already shows this "
        "spectrum."
    )
    return Findings(
        {
            _CORRELATION: bootstrap(np.median, found.end),
            _GAIN: bootstrap(np.median, found.end - found.start),
            _CHANCE: bootstrap(np.median, found.end - chance),
        },
        note,
    )


CLAIMS = (
    Claim(
        "algebra/30",
        "Edge Embedding",
        "The edge embeddings of a transformer that has learned shortest paths correlate with the spectrum of the line "
        "graph.",
        (_CORRELATION, _GAIN, _CHANCE),
        _embeddings,
        (PATHS,),
        quote="Representation after the first Transformer layer (averaged over random edge order). Graph Edge "
        "Embedding of various dimensions. Computed edge embedding with trained Transformers. Normalized Correlation "
        "> 0.9.",
        history=(
            Revision(
                "All networks count once most have learned their task; above 0.9, as the paper's threshold.",
                "inconclusive",
                "a network that has not learned its task says nothing, and the talk's correlation may be another one.",
            ),
        ),
    ),
)
