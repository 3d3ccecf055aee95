"""Every figure of the repons paper, drawn from planted records and potentials."""

import dataclasses

import numpy as np
import pytest
from planted import PlantedRun
from plants_repons import LEFT, RIGHT, anywhere, fleet, flows, in_order, lines, potentials, some

from nucleate.claims import Evidence
from nucleate.papers.repons import PAPER, readings
from nucleate.papers.repons.experiments import LINE, PLANE, ReponEffort
from nucleate.plots import style
from nucleate.theories import NoSymmetry, PairPotential, Parity, Rotation
from nucleate.theories.pairs import pair_terms
from nucleate.theories.pairs.basis import FeatureBasis

TESTED = 8


def evidence(line: np.ndarray, plane: np.ndarray, ends: np.ndarray) -> Evidence:
    symmetric = potentials()
    wave = FeatureBasis.covering(6.0, 4, 8, seed=0).potential(np.ones(8))
    general = dataclasses.replace(
        symmetric.best,
        theory=PairPotential(NoSymmetry()),
        attract=wave,
        repel=wave,
        terms=pair_terms(np.stack([LEFT, RIGHT], axis=1), LEFT + RIGHT, 10, NoSymmetry()),
    )
    known = {
        readings.line_potentials: symmetric,
        readings.parity_potentials: potentials(Parity(), 2),
        readings.rotation_potentials: potentials(Rotation(), 2),
        readings.general_fits: (general, general),
        readings.line_energies: np.arange(float(TESTED)),
        readings.parity_flows: flows(ends),
        readings.rotation_flows: flows(ends),
    }
    # A single step: the planted forces are strong, and the film's flow would take long to follow them for more.
    runs = {LINE: PlantedRun(fleet(line, steps=1)), PLANE: PlantedRun(fleet(plane))}
    return Evidence(runs, ReponEffort(simulated=TESTED), known=known)


def draw(seen: Evidence, folder, figures=PAPER.figures):
    with style():
        return [figure(seen, folder) for figure in figures]


def test_every_figure_is_drawn(tmp_path):
    members = 5 * TESTED
    ends = some(lines(TESTED), anywhere(TESTED, 2))
    seen = evidence(some(in_order(members), anywhere(members)), anywhere(members, 2), ends)
    pictures = draw(seen, tmp_path)
    names = [picture.path.name for picture in pictures]
    assert names == ["figure_1.png", "film.gif", "figure_2.png", "figure_3.png", "figure_4.png"]
    assert all(picture.path.stat().st_size > 5000 and picture.title and picture.caption for picture in pictures)


@pytest.mark.parametrize("figure", [0, 2, 4])
def test_panels_without_anything_to_show_say_so(tmp_path, figure):
    """All networks in order, no simulated line, or nothing but simulated lines."""
    members = 5 * TESTED
    for ends in (anywhere(TESTED, 2), lines(TESTED)):
        (picture,) = draw(evidence(in_order(members), lines(members), ends), tmp_path, [PAPER.figures[figure]])
        assert picture.path.stat().st_size > 5000


def test_there_are_no_figures_of_potentials_that_cannot_be_fitted(tmp_path):
    none = Evidence({LINE: PlantedRun(fleet(in_order(1))), PLANE: PlantedRun(fleet(lines(1)))}, ReponEffort())
    assert draw(none, tmp_path) == [None] * 5
    assert not list(tmp_path.iterdir())
