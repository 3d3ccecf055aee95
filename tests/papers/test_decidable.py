"""Every claim can come out either way: from planted evidence at the sizes of the standard budget, or of the paper's
where that leaves an experiment out."""

import importlib
from functools import cache
from pathlib import Path

import pytest

from nucleate.claims import Estimate, Verdict
from nucleate.papers import PAPERS, paper
from nucleate.papers.circles.experiments import CircleFleet

CLAIMS = {claim.id: claim for name in PAPERS for claim in paper(name).claims}
SHOWN = {name for name, claim in CLAIMS.items() if not any(check.region for check in claim.checks)}
TRAINED = {name: claim for name, claim in CLAIMS.items() if claim.needs and name not in SHOWN}
PLANTS = {
    claim: plants
    for file in sorted(Path(__file__).parent.glob("plants_*.py"))
    for claim, plants in importlib.import_module(file.stem).PLANTS.items()
}


def test_every_trained_claim_has_plants():
    assert set(PLANTS) == set(TRAINED)


SIDES = (Verdict.REPLICATED, Verdict.CONTRADICTED)


@pytest.mark.parametrize(("verdict", "claim"), [(side, claim) for claim in TRAINED for side in SIDES])
def test_a_claim_can_come_out_either_way(verdict, claim):
    evidence = PLANTS[claim][SIDES.index(verdict)]()
    sizes = paper(claim.split("/")[0]).experiments
    for name in TRAINED[claim].needs:
        about, sized = evidence.about(name), sizes[name].standard or sizes[name].paper
        assert (about.members, about.steps) == (members(sized), sized.steps)
    row = TRAINED[claim].judge(evidence)
    assert row.verdict == verdict, [(check.label, check.found, check.reason) for check in row.checks]


@cache
def members(experiment) -> int:
    """How many networks an experiment trains; of a sequel, those that its source lets it have."""
    if isinstance(experiment, CircleFleet) and experiment.awaits:
        return experiment.embeddings * len(experiment.variants)
    return experiment.members().count


@pytest.mark.parametrize("claim", [claim for claim in CLAIMS if claim not in TRAINED and claim not in SHOWN])
def test_rules_of_untrained_claims_accept_some_numbers_and_refuse_others(claim):
    """Their numbers are exact, or drawn in any number that is wanted."""
    for region in filter(None, (check.region for check in CLAIMS[claim].checks)):
        inside = region.low if region.high == region.low else max(region.low, -1e6) / 2 + min(region.high, 1e6) / 2
        assert region.judge(Estimate.exact(inside)) == Verdict.REPLICATED
        outside = region.high + 1 if region.high < float("inf") else region.low - 1
        assert region.judge(Estimate.exact(outside)) == Verdict.CONTRADICTED
