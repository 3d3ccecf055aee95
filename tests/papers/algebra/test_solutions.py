"""Solutions, residuals and paths as claims and figures read them, from records that hold constructed optimisers."""

from dataclasses import replace

import numpy as np
import plants_algebra as plants
import pytest
import xarray as xr
from planted import PlantedRun

from nucleate.algebra import Characters, mixed, order_six, to_weights
from nucleate.claims import Evidence
from nucleate.observables import FactorClass
from nucleate.papers.algebra.experiments.effort import Effort
from nucleate.papers.algebra.experiments.network import ADAMW, C7, C11, C23, DECAY, OCCAM
from nucleate.papers.algebra.figures import FIGURES
from nucleate.papers.algebra.figures import network as network_figures
from nucleate.papers.algebra.figures import occam as occam_figures
from nucleate.papers.algebra.figures import phasors as phasor_figures
from nucleate.papers.algebra.figures import solutions as solution_figures
from nucleate.papers.algebra.ledger import CLAIMS
from nucleate.papers.algebra.readings import exact, network, occam, solutions
from nucleate.plots import style
from nucleate.record import Outcome

GROUP = Characters.cyclic(7)
EFFORT = Effort(solutions=2, products=6, times=5)


def run() -> PlantedRun:
    """Two networks, z_F6 and z_F4/6 of seven elements, that grow from a tenth of their weights."""
    made = [to_weights(z) for z in (order_six(GROUP, np.exp([0.9j, 1.3j, 1.8j])), mixed(GROUP, xi_values=np.exp(0.7j)))]
    nodes = max(weights.a.shape[1] for weights in made)
    pad = lambda rows: np.pad(rows, ((0, 0), (0, nodes - rows.shape[1])))
    rows = {"a": [pad(w.a) for w in made], "b": [pad(w.b) for w in made], "c": [pad(w.c.T).T for w in made]}
    scale = np.array([0.1, 0.5, 1.0])[:, None, None]
    dims = {"a": ("element", "node"), "b": ("element", "node"), "c": ("node", "element")}
    given = {name: (("member", "step_weights", *dims[name]), np.stack(rows[name])[:, None] * scale) for name in rows}
    curves = ("train_loss", "test_loss", "train_accuracy", "test_accuracy", "squared_norm")
    given |= {name: (("member", "step"), np.tile([0.9, 0.1, 0.01], (2, 1))) for name in curves}
    given |= {"outcome": ("member", [Outcome.OK] * 2), "last_step": ("member", [100, 100])}
    given |= {"sums": (("row", "column"), GROUP.sums_of_elements)}
    steps = {"step": [0, 10, 100], "step_weights": [0, 10, 100]}
    return PlantedRun(xr.Dataset(given, coords=steps | {"wd": ("member", [1e-5, 5e-5])}, attrs={"steps": 100}))


@pytest.fixture(scope="module")
def evidence() -> Evidence:
    return Evidence(dict.fromkeys((C7, C11, C23, DECAY, ADAMW, OCCAM), run()), EFFORT)


def test_solutions_are_what_was_planted(evidence):
    found = evidence.once(solutions.c23)
    assert found.order[:, -1].tolist() == [[6, 6, 6], [6, 4, 4]]
    six, four = FactorClass.SYN_NU, FactorClass.XI_NU
    assert found.kind[:, -1].tolist() == [[six] * 3, [FactorClass.SYN_TWISTED, four, four]]
    np.testing.assert_allclose(found.shares(), [[0, 0, 1, 0], [2 / 3, 1 / 3, 0, 0]])
    assert found.is_four_or_six.all()
    assert found.is_factorable.all()
    assert not found.order[:, 0].any()  # a tenth of the weights is below the threshold of a node
    assert (found.norm[:, 0] < found.norm[:, -1]).all()


def test_frequencies_without_nodes_are_no_solutions():
    some = plants.course(C7, {FactorClass.XI_NU: 1.0})
    order = some.order.copy()
    order[0, -1], order[1, -1] = (0, 4, 9), 0
    seen = replace(some, found=replace(some.found, order=order))
    assert seen.is_solution[:2].tolist() == [[False, True, True], [False] * 3]
    np.testing.assert_array_equal(seen.mean_order[:3], [6.5, np.nan, 4])
    others = solutions.per_network(~seen.is_four_or_six, seen.is_solution)
    assert others.tolist() == [0.5] + [0.0] * (len(order) - 2)  # the second network has no solutions and no share


def test_networks_without_factorable_solutions_have_no_shares():
    none = plants.course(C7, {FactorClass.NONFACTORABLE: 1.0})
    assert none.shares().shape == (0, 4)
    assert np.isnan(solutions.mean(none.shares())).all()


def test_angles_that_are_one_solution_are_one_angle(evidence):
    seen = evidence.once(solutions.angles)
    np.testing.assert_allclose(seen.folded_xi, [[np.nan] * 3, [np.nan, 0.7, 0.7]], atol=1e-6)
    third = np.pi / 3
    folded = [min(angle % third, third - angle % third) for angle in (0.9, 1.3, 1.8, np.pi / 2)]
    np.testing.assert_allclose(seen.folded_nu, [folded[:3], [folded[3], np.nan, np.nan]], atol=1e-6)
    assert np.isfinite(seen.alpha).tolist() == [[False] * 3, [True, False, False]]


def test_other_readings_agree_on_exact_solutions(evidence):
    seen = evidence.once(solutions.variants)
    np.testing.assert_allclose(seen.loose, [1 / 3, 1 / 6, 1 / 2, 0])
    np.testing.assert_allclose(seen.by_row_c, seen.loose)
    assert seen.lost == 0


def test_conditions_hold_in_sum_at_the_end(evidence):
    seen = evidence.once(network.residuals)
    for part in (seen.g, seen.c, seen.star, seen.n_sum, seen.star_sum):
        np.testing.assert_allclose(part[:, -1], 0, atol=1e-9)
    np.testing.assert_allclose(seen.g[:, 0], 1 - 0.1**3)
    assert seen.n[0, -1] < 1e-9 < seen.n[1, -1]  # term by term z_F6 meets R_n, and z_F4/6 does not


def test_parts_add_up_to_the_loss(evidence):
    seen, record = evidence.once(network.decomposed), evidence.record(C23)
    total = seen.goal + seen.cross + seen.constant + seen.squares + seen.means
    weights = [to_weights(network.solution(record, 0, row)).loss(GROUP) for row in range(3)]
    np.testing.assert_allclose(total[0], weights, atol=1e-12)


@pytest.mark.parametrize("number", [1, 2, 3, 4, 5])
def test_exact_claims_are_replicated(evidence, number):
    claim = next(claim for claim in CLAIMS if claim.number == number)
    assert claim.judge(evidence).verdict == "replicated"


def test_the_loss_as_printed_leaves_the_mean_of_weights_out(evidence):
    seen = evidence.once(exact.identities)
    assert max(seen.loss.max(), seen.extended.max()) < 1e-12
    assert np.median(seen.with_mean) > 0.01


def test_portraits_are_of_the_weights(evidence):
    seen, z = evidence.once(solutions.portrait), network.solution(evidence.record(C23), 0, 1).z
    np.testing.assert_array_equal(seen.z[1], z[:, seen.shown].swapaxes(0, 1))


def test_shares_may_be_half_as_large_again_and_never_none():
    table = next(claim for claim in CLAIMS if claim.number == 22)
    regions = [check.region for check in table.checks if check.label.startswith("d = 71: mean")]
    np.testing.assert_allclose([(each.low, each.high) for each in regions[:2]], [(0.6257, 0.8257), (0.02, 0.06)])


def test_networks_as_perfect_as_the_talk_replicate():
    """All of order 4 or 6, all factorable and constructed: equal shares must not leave the rules undecided."""
    found = plants.found(lambda _: {FactorClass.XI_NU: 0.5, FactorClass.SYN_NU: 0.5}, C23, DECAY)
    assert next(claim for claim in CLAIMS if claim.number == 23).judge(found).verdict == "replicated"


def test_constructed_optimisers_have_the_nodes_of_the_talk(evidence):
    seen = evidence.once(exact.constructed)
    d = seen.modulus
    np.testing.assert_array_equal(seen.nodes, np.stack([3 * (d - 1), 2 * d, d**2], axis=1))


def test_norms_of_products_can_fall_below_if_rows_are_not_equal():
    seen = occam.inequality(Evidence({}, Effort(products=40)))
    assert seen.balanced.min() >= 1
    assert seen.skewed.min() < 1


@pytest.mark.parametrize("number", [20, 21, 23, 24, 25, 26])
def test_claims_on_small_networks_wait(evidence, number):
    """Constructed networks of a hundred steps: everything is measured, and nothing is judged."""
    row = next(claim for claim in CLAIMS if claim.number == number).judge(evidence)
    assert row.verdict == "inconclusive"
    assert all(check.lacks for check in row.checks)
    assert row.note


@pytest.mark.parametrize(
    "draw",
    [*network_figures.FIGURES, *solution_figures.FIGURES, *phasor_figures.FIGURES, *occam_figures.FIGURES],
    ids=lambda draw: draw.__name__,
)
def test_figures_are_drawn(evidence, tmp_path, draw):
    assert draw in FIGURES
    with style():
        assert draw(evidence, tmp_path).path.stat().st_size > 8_000
