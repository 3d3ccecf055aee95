"""Evidence for the grokking paper's claims, planted at the sizes of the standard budget: where each holds, and where it
fails."""

from collections.abc import Callable
from functools import cache

import numpy as np
import xarray as xr
from planted import PlantedRun
from plants_transformer import PLANTS as TRANSFORMERS

from nucleate.claims import Evidence
from nucleate.fleet import Plan
from nucleate.observables import Distance, MeanSquare, Phase, implied, known, null_space
from nucleate.papers import Budget
from nucleate.papers.grokking import readings
from nucleate.papers.grokking.experiments import (
    CORNERS,
    CORNERS_DECAY,
    CORNERS_DECAY_CLASSES,
    DATA_SIZE,
    EFFORT,
    EXPERIMENTS,
    FOUR_SYMBOLS,
    GROUPS_CORNERS,
    GROUPS_NO_DECAY,
    GROUPS_PHASES,
    NO_DECAY,
    NO_DECAY_CLASSES,
    PHASE_DECAY,
    PHASE_DECAY_CLASSES,
    PHASE_RATES,
    TRAJECTORIES,
    TRANSITION,
)
from nucleate.papers.grokking.recipe import Structure
from nucleate.record import NEVER, Outcome
from nucleate.theories import AllParallelograms, EffectiveLoss
from nucleate.theories.effective import EffectiveLossFit

C, G, M, X = Phase.COMPREHENSION, Phase.GROKKING, Phase.MEMORIZATION, Phase.CONFUSION


@cache
def plan(name: str, budget: Budget = Budget.STANDARD) -> Plan:
    return EXPERIMENTS[name].at(budget).plan(name)


def run(name: str, budget: Budget = Budget.STANDARD, steps: int | None = None, **variables) -> PlantedRun:
    """A run of an experiment with these variables, recorded at the end and perhaps at the start; `steps`: cut short
    after N."""
    planned = plan(name, budget)
    steps = steps or planned.steps
    count = planned.members.count
    given = {"outcome": ("member", np.full(count, Outcome.OK)), "last_step": ("member", np.full(count, steps))}
    columns = {column: ("member", values) for column, values in planned.members.items()}
    record = xr.Dataset(given | variables, coords=columns, attrs={"steps": steps})
    recorded = {"step": [0, steps][-record.sizes["step"] :]} if "step" in record.dims else {}
    return PlantedRun(record.assign_coords(recorded))


def evidence(known: dict[Callable, object] | None = None, **runs: PlantedRun) -> Evidence:
    """Evidence of runs by the name of their experiment, with underscores for hyphens."""
    named = {f"grokking/{name.replace('_', '-')}": planted for name, planted in runs.items()}
    return Evidence(named, EFFORT.standard, known=known)


# --- accuracy and representation quality -----------------------------------------------------------------------------


@cache
def in_train(name: str) -> np.ndarray:
    planned = plan(name)
    return np.stack([planned.recipe.split(planned.members.row(i)).in_train for i in range(planned.members.count)])


def data_sizes(embedding: np.ndarray, accuracy: np.ndarray) -> PlantedRun:
    """Networks that end with these embeddings [member, token] and accuracies."""
    return run(
        DATA_SIZE,
        in_train=(("member", "pair"), in_train(DATA_SIZE)),
        embedding=(("member", "step", "token", "dim"), embedding[:, None, :, None]),
        accuracy=(("member", "step"), accuracy[:, None]),
        train_accuracy=(("member", "step"), np.ones((len(accuracy), 1))),
    )


def _lines(bent: float) -> np.ndarray:
    """Embeddings of ten symbols: lines, bent more and more from one network to the next."""
    count = plan(DATA_SIZE).members.count
    bend = np.linspace(0, bent, count)[:, None] * np.random.default_rng(14).normal(size=(count, 10))
    return np.arange(10.0) + np.random.default_rng(3).permutation(bend)


def accurate_as_predicted() -> Evidence:
    embedding = _lines(bent=0.5)
    planted = data_sizes(embedding, np.ones(len(embedding)))
    predicted = readings.qualities(planted.dataset, MeanSquare()).predicted_accuracy
    noise = np.random.default_rng(0).uniform(-0.02, 0, len(predicted))
    return evidence(data_size=data_sizes(embedding, predicted + noise))


def accurate_by_luck() -> Evidence:
    luck = np.random.default_rng(0).random(plan(DATA_SIZE).members.count)
    return evidence(data_size=data_sizes(_lines(bent=0.5), luck))


def as_ideal() -> Evidence:
    """Every network has all of the line that its data imply, and no more."""
    embedding = np.stack(list(map(_implied_by, in_train(DATA_SIZE))))
    planted = data_sizes(embedding, np.ones(len(embedding)))
    return evidence(data_size=data_sizes(embedding, readings.qualities(planted.dataset, Distance()).ideal_accuracy))


def _implied_by(chosen: np.ndarray) -> np.ndarray:
    """An embedding with the parallelograms that a training set implies: of many, one in which none closes by chance."""
    structure = Structure(10)
    mask = known(structure.quads, chosen)
    basis, free = null_space(structure.equations, mask), ~implied(structure.equations, mask)
    drawn = basis @ (basis.T @ np.random.default_rng(23).normal(size=(10, 200)))
    gaps = np.abs(structure.equations[free] @ (drawn / drawn.std(0))).min(0, initial=9)
    return drawn[:, gaps.argmax()]


def all_lines() -> Evidence:
    """Every network has the line and is right about everything, even what its data cannot tell it."""
    embedding = _lines(bent=0)
    return evidence(data_size=data_sizes(embedding, np.ones(len(embedding))))


def all_memorise() -> Evidence:
    embedding = np.random.default_rng(0).normal(size=(plan(DATA_SIZE).members.count, 10))
    return evidence(data_size=data_sizes(embedding, in_train(DATA_SIZE).mean(1)))


# --- dynamics --------------------------------------------------------------------------------------------------------


def transition(critical: float, slower_with_data: bool = False) -> Evidence:
    """Networks that form the line if they have more than `critical` of the data, in 1/(λ3 η) steps or sooner."""
    sets = in_train(TRANSITION)
    planted = run(
        TRANSITION,
        in_train=(("member", "pair"), sets),
        embedding=(("member", "step", "token", "dim"), np.zeros((len(sets), 1, 10, 1))),
    )
    steps = np.minimum(readings.theory_steps(planted.dataset, averaged=True) / 10, 9000).astype(int)
    steps = 10_000 - steps if slower_with_data else steps
    arrival = np.where(sets.mean(1) > critical, steps, NEVER)
    return evidence(transition=PlantedRun(planted.dataset.assign(rqi95_step=("member", arrival))))


def theory(skill: float, arrival: float) -> Evidence:
    """Networks that a theory predicts with about this skill and that form the line after so many n_h."""
    rng = np.random.default_rng(17)
    count, n_h = plan(TRAJECTORIES).members.count, 150.0
    unseen = count // 2
    score = xr.Dataset(
        {
            "skill": ("member", skill + rng.uniform(-0.1, 0.1, unseen)),
            "error_mean": ("member", np.full(unseen, 0.1)),
            "error_constant_mean": ("member", np.full(unseen, 0.5)),
        }
    )
    task = Structure(10)
    fit = EffectiveLossFit(EffectiveLoss(quads=AllParallelograms()), 1.0, 0.1, True, task.quads, task.equations)
    steps = (arrival * n_h * rng.uniform(0.9, 1.1, count)).astype(int)
    return evidence(
        {readings.theory_test: readings.TheoryTest(fit, score, n_h)},
        trajectories=run(TRAJECTORIES, rqi95_step=("member", steps)),
    )


def four_symbols(slow: list[str], fast: list[str]) -> Evidence:
    """Networks with a slow decoder that end with these sets of equations in turn, and others with a fast one."""
    examples = {"none": [0, 1, 5, 7], "A1": [0, 1, 2, 7], "A2": [0, 1, 5, 6], "A3": [0, 5, 6, 7], "all": [0, 1, 2, 3]}
    columns = plan(FOUR_SYMBOLS).members
    slowly = columns["eta_repr"] > columns["eta_dec"]
    ends = [(slow if is_slow else fast)[i % len(slow if is_slow else fast)] for i, is_slow in enumerate(slowly)]
    first, last = np.random.default_rng(24).normal(size=(len(ends), 4)), np.array([examples[end] for end in ends])
    quality = np.array([{"none": 0.0, "all": 1.0}.get(end, 1 / 3) for end in ends])
    return evidence(
        four_symbols=run(
            FOUR_SYMBOLS,
            embedding=(("member", "step", "token", "dim"), np.stack([first, last], 1)[..., None]),
            rqi=(("member", "step"), np.stack([np.zeros(len(ends)), quality], 1)),
        )
    )


# --- phases ----------------------------------------------------------------------------------------------------------


def phased(name: str, cells: list[list[Phase]], y: str, budget: Budget = Budget.STANDARD, **short) -> PlantedRun:
    """A run whose networks have these phases over (`y`, decoder learning rate); `cells` are stretched to its grid."""
    columns = plan(name, budget).members
    row, column = (_stretched(columns[axis], size) for axis, size in ((y, len(cells)), ("eta_dec", len(cells[0]))))
    codes = np.array(cells)[row, column]
    valid = np.select([codes == C, codes == G], [200, 5000], NEVER)
    train = np.where(codes == X, NEVER, 100)
    return run(name, budget, train90_step=("member", train), valid90_step=("member", valid), **short)


def _stretched(values: np.ndarray, size: int) -> np.ndarray:
    """Which of `size` equal parts of its axis each value is in."""
    axis = np.unique(values)
    return np.searchsorted(axis, values) * size // len(axis)


RATES = [[X, M, M, M], [M, M, M, M], [C, C, M, M], [C, C, C, M]]
DECAYS = [[C, G, M, M, M, M], [C, C, G, M, M, M], [C, C, C, X, X, X]]
ROW = [C, C, G, G, M, M]


def rates(fast_decoder: Phase, slow_decoder: Phase, **short) -> Evidence:
    """A map like the paper's, whose corners have these phases: (slow representation, fast decoder) and the reverse."""
    corners = [[slow_decoder, fast_decoder], [slow_decoder, fast_decoder]]
    return evidence(
        phase_rates=phased(PHASE_RATES, RATES, "eta_repr"), corners=phased(CORNERS, corners, "eta_repr", **short)
    )


def corners_of_decays(cells: list[list[Phase]], **how) -> dict[str, PlantedRun]:
    """The corners of the maps over weight decay, without and with decay, in all three tasks."""
    return {
        "groups_corners": phased(GROUPS_CORNERS, cells, "wd_dec", **how),
        "corners_decay": phased(CORNERS_DECAY, cells, "wd_dec", **how),
        "corners_decay_classes": phased(CORNERS_DECAY_CLASSES, cells, "wd_dec", **how),
    }


def decays(cells: list[list[Phase]], row: list[Phase], corners: list[list[Phase]], **how) -> Evidence:
    """Maps over weight decay with these cells, a row without decay, and their corners, in all three tasks."""
    return evidence(
        phase_decay=phased(PHASE_DECAY, cells, "wd_dec", **how),
        phase_decay_classes=phased(PHASE_DECAY_CLASSES, cells, "wd_dec", **how),
        groups_phases=phased(GROUPS_PHASES, cells, "wd_dec", **how),
        no_decay=phased(NO_DECAY, [row], "wd_dec", **how),
        no_decay_classes=phased(NO_DECAY_CLASSES, [row], "wd_dec", **how),
        groups_no_decay=phased(GROUPS_NO_DECAY, [row], "wd_dec", **how),
        **corners_of_decays(corners, **how),
    )


PLANTS: dict[str, tuple[Callable[[], Evidence] | None, Callable[[], Evidence] | None]] = {
    "grokking/14": (accurate_as_predicted, accurate_by_luck),
    "grokking/15": (all_lines, all_memorise),
    "grokking/16": (lambda: transition(0.4), lambda: transition(0.7)),
    "grokking/17": (lambda: theory(skill=0.8, arrival=3), lambda: theory(skill=-0.3, arrival=3)),
    "grokking/18": (lambda: transition(0.4), lambda: transition(0.4, slower_with_data=True)),
    "grokking/19": (lambda: rates(M, G), lambda: rates(C, G)),
    "grokking/20": (
        lambda: decays(DECAYS, ROW, [[M], [X]]),
        lambda: decays([[C]], [C], [[C], [C]]),
    ),
    "grokking/21": (
        lambda: evidence(**corners_of_decays([[M], [X]])),
        lambda: evidence(**corners_of_decays([[X], [M]])),
    ),
    "grokking/22": (
        lambda: decays(DECAYS, ROW, [[M], [X]]),
        lambda: decays(DECAYS, [G, G, C, C, M, M], [[M], [X]]),
    ),
    "grokking/23": (as_ideal, all_lines),
    "grokking/24": (
        lambda: four_symbols(slow=["A1", "A2", "A3", "all"], fast=["none"]),
        lambda: four_symbols(slow=["none"], fast=["all"]),
    ),
    **TRANSFORMERS,
}
