"""Every experiment of every paper can be trained with other networks, and with more of them."""

from dataclasses import replace

import numpy as np
import pytest

from nucleate.papers import PAPERS, Budget, awaited, paper
from nucleate.papers.circles.experiments import CircleFleet
from nucleate.papers.stages import APART, staged

EXPERIMENTS = {
    name: (sizes.quick or sizes.standard or sizes.paper)
    for each in PAPERS
    for name, sizes in paper(each).experiments.items()
}


def filled(experiment):
    """With what a sequel would be told."""
    if isinstance(experiment, CircleFleet) and awaited(experiment):
        return replace(experiment, kept=((3, 5),) * experiment.embeddings)
    return replace(experiment, best=(0.01,) * len(experiment.methods)) if awaited(experiment) else experiment


@pytest.mark.parametrize("name", EXPERIMENTS)
def test_a_stage_has_the_same_kinds_of_networks_from_other_seeds(name):
    first, second = (filled(staged(EXPERIMENTS[name], look)).members() for look in (1, 2))
    assert second.count == first.count
    third = filled(staged(EXPERIMENTS[name], 3)).members()
    assert third.count == 2 * first.count
    assert first.columns.keys() == second.columns.keys() == third.columns.keys()
    for column in first:
        values = [set(np.unique(members[column]).tolist()) for members in (first, second, third)]
        if column.startswith("seed"):
            assert not values[0] & values[1]
            assert not (values[0] | values[1]) & values[2]
        elif column in ("eta", "wd", "p", "dim", "train_size", "wd_dec", "eta_dec", "variant", "method"):
            assert values[0] == values[1] == values[2]


@pytest.mark.parametrize("name", PAPERS)
def test_a_reseeded_paper_has_the_seeds_of_all_experiments_shifted(name):
    plain, shifted = (each.at(Budget.PAPER) for each in (paper(name), paper(name).reseeded(1000)))
    for experiment, other in zip(plain.values(), shifted.values(), strict=True):
        assert other == replace(experiment, first_seed=experiment.first_seed + 1000)
        assert other.first_seed < APART / 2  # so that a stage of one fleet has no seeds of another
    assert paper(name).reseeded(1000).seeds_from == 1000
    assert paper(name).reseeded(3).reseeded(4).seeds_from == 7
