"""Every claim can come out either way: from planted evidence at the sizes of the standard budget."""

import importlib

import pytest

from nucleate.claims import Estimate, Evidence, Verdict
from nucleate.papers import PAPERS, paper

CLAIMS = {claim.id: claim for name in PAPERS for claim in paper(name).claims}
TRAINED = {name: claim for name, claim in CLAIMS.items() if claim.needs}
PLANTS = {
    claim: plants for name in PAPERS for claim, plants in importlib.import_module(f"plants_{name}").PLANTS.items()
}


def ids(paper: str, *numbers: int) -> set[str]:
    return {f"{paper}/{number}" for number in numbers}


# Claims that no outcome could replicate, or contradict, at the sizes of the standard budget: most have fewer than six
# independent units there, others ask for a share that their units cannot show. The plants say why, claim by claim.
# These lists may only shrink.
NOT_REPLICABLE = (
    ids("grokking", 16, 22, 23)
    | ids("circles", 1, 2, 4, 5, 6, 7, 8, 12, 13, 19, 20, 21, 22, 25)
    | ids("collisions", 4, 5, 6, 7, 8)
)
NOT_CONTRADICTABLE = (
    ids("grokking", 20, 22) | ids("circles", 4, 7, 8, 12, 13, 19, 21, 22) | ids("collisions", 4, 5, 6, 7, 8)
)


def planted(claim: str, side: int) -> Evidence | None:
    make = PLANTS[claim][side]
    return None if make is None else make()


def test_every_trained_claim_has_plants():
    assert set(PLANTS) == set(TRAINED)
    assert {claim for claim, (yes, _) in PLANTS.items() if yes is None} == NOT_REPLICABLE
    assert {claim for claim, (_, no) in PLANTS.items() if no is None} == NOT_CONTRADICTABLE


@pytest.mark.parametrize("claim", [claim for claim in TRAINED if claim not in NOT_REPLICABLE])
def test_a_claim_can_be_replicated(claim):
    row = TRAINED[claim].judge(planted(claim, 0))
    assert row.verdict == Verdict.REPLICATED, [(check.label, check.found, check.reason) for check in row.checks]


@pytest.mark.parametrize("claim", [claim for claim in TRAINED if claim not in NOT_CONTRADICTABLE])
def test_a_claim_can_be_contradicted(claim):
    row = TRAINED[claim].judge(planted(claim, 1))
    assert row.verdict == Verdict.CONTRADICTED, [(check.label, check.found, check.reason) for check in row.checks]


@pytest.mark.parametrize("claim", TRAINED)
def test_plants_have_the_sizes_of_the_standard_budget(claim):
    sizes = paper(claim.split("/")[0]).experiments
    for evidence in filter(None, (planted(claim, side) for side in (0, 1))):
        for name in TRAINED[claim].needs:
            about, standard = evidence.about(name), sizes[name].standard
            assert about["steps"] == standard.steps
            assert about["members"] == members(name, standard)


def members(name, experiment) -> int:
    """How many networks an experiment trains; of a sequel, those that its source lets it have."""
    if getattr(experiment, "awaits", ""):
        return experiment.embeddings * 4  # four variants of each network of the source
    return experiment.members().count


@pytest.mark.parametrize("claim", [claim for claim in CLAIMS if claim not in TRAINED])
def test_rules_of_untrained_claims_accept_some_numbers_and_refuse_others(claim):
    """Their numbers are exact, or drawn in any number that is wanted."""
    for check in CLAIMS[claim].checks:
        region = check.region
        inside = region.low if region.high == region.low else max(region.low, -1e6) / 2 + min(region.high, 1e6) / 2
        assert region.judge(Estimate.exact(inside)) == Verdict.REPLICATED
        outside = region.high + 1 if region.high < float("inf") else region.low - 1
        assert region.judge(Estimate.exact(outside)) == Verdict.CONTRADICTED
