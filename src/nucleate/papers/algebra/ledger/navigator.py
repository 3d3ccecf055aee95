"""Claim 29: the spectral line navigator.

The slide gives the algorithm and a number, and leaves open how many eigenvectors there are, whether they are weighted,
what happens in ties and loops, and which random graphs are meant. What it claims is that an algorithm of this form
finds a shortest path nearly always. So the rule: of both weightings and all numbers of eigenvectors the best is chosen
on one set of graphs, all connected ones of 3 to 7 vertices, and judged on another, random connected graphs of 3 to 9
vertices, each number of them and then each graph of named vertices equally likely; ties are broken by chance; all
ordered pairs of different vertices count. The weights are ours. The slide's formula as it is printed, without weights,
is reported beside it.

Some shares on the first set were known when the rule was written, none on the second.
"""

import numpy as np

from nucleate.claims import Check, Claim, Evidence, Findings, Region, Revision, Threshold, bootstrap
from nucleate.observables import Routes
from nucleate.papers.algebra.readings import navigator as readings

_OPTIMAL = Check(
    "mean over random graphs of fewer than 10 vertices of the share of optimal routes, of the variant, with weights of "
    "ours or without, that is best on all graphs of 3 to 7 vertices",
    "> 99 %",
    Region.above(0.99),
    Threshold.PAPER,
)


def _navigator(evidence: Evidence) -> Findings:
    tried, found = evidence.once(readings.sweep), evidence.once(readings.on_random_graphs)
    judged = found.of(next(iter(readings.ENSEMBLES)), 0)
    plain = list(readings.KINDS).index("plain")
    best = readings.in_words("plain", tried.best("plain"))
    note = (
        f"Chosen on all {tried.graphs} connected graphs of 3 to 7 vertices: {found.variants[0]}, "
        f"{_percent(tried.share.max())} of all pairs. As the slide prints it, without weights, the best is {best}, "
        f"{_percent(tried.share[plain].max())} there; with all eigenvectors, whose rows are orthonormal, only an "
        f"edge that ends at the target is told from others: {_percent(tried.share[plain, -1])}. Weights are "
        f"D^(−1/2) U / λ. Random graphs, {_table(found)}. One unit is one graph; the table counts pairs. Ties up to "
        "rounding are broken by chance, in expectation; a route that comes back to a vertex would go round for ever, "
        "and is not optimal."
    )
    return Findings({_OPTIMAL: bootstrap(np.mean, judged.optimal / judged.pairs, bounds=(0, 1))}, note)


def _percent(share: float) -> str:
    return f"{100 * share:.2f} %"


def _table(found: readings.OnRandomGraphs) -> str:
    """Shares of all pairs and of far ones."""
    parts = []
    for ensemble in readings.ENSEMBLES:
        counted = [found.of(ensemble, variant) for variant in range(len(found.variants))]
        shares = (f"{name} {_both(routes)}" for name, routes in zip(found.variants, counted, strict=True))
        parts.append(f"{ensemble} ({len(counted[0].pairs):,} graphs): {', '.join(shares)}")
    return f"all pairs and pairs at distance 2 or more: {'; '.join(parts)}"


def _both(routes: Routes) -> str:
    return f"{_percent(routes.share)} and {_percent(routes.far_share)}"


CLAIMS = (
    Claim(
        "algebra/29",
        "Spectral Line Navigator (SLN)",
        "Walking along the edge that is nearest to the target's, in the spectrum of the line graph, with some weights "
        "finds a shortest path nearly always in small random graphs.",
        (_OPTIMAL,),
        _navigator,
        quote="distance(j, k; i) := ‖v_ij − v_k,target‖₂. Find j = argmin_{j,k} distance(j, k; i). Let i = j. >99% "
        "optimal for small random graph (size < 10).",
        history=(
            Revision(
                "Share of all pairs of all random graphs, pooled.",
                "replicated",
                "a bootstrap over graphs needs a number for each of them; the pooled share was 99.98 %.",
            ),
        ),
    ),
)
