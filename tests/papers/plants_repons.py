"""Evidence at the sizes of the standard budget in which each claim of the repons paper holds, and in which it fails."""

from collections.abc import Callable
from functools import cache, partial

import jax
import jax.numpy as jnp
import numpy as np
import xarray as xr
from planted import PlantedRun

from nucleate.claims import Evidence
from nucleate.papers.repons import readings
from nucleate.papers.repons.experiments import DECODERS, EFFORT, EXPERIMENTS, HELD_OUT, LINE, NARROW, PLANE, SMALL
from nucleate.record import Outcome
from nucleate.theories import PairPotential, Parity, Rotation
from nucleate.theories.pairs import CurlTest, PairPotentialFit, PairValues, Symmetry, pair_terms
from nucleate.theories.pairs.basis import SplineBasis, SplinePotential

LEFT, RIGHT = np.triu_indices(10)
REACH = 6.0
PARITY = Parity()
TESTED = EFFORT.standard.simulated
FITS = EFFORT.standard.fits
STARTS = EFFORT.standard.starts


def fleet(ends: np.ndarray, start: np.ndarray | None = None, steps: int = 1500, snapshots: int = 4, **columns):
    """Networks that move straight from `start` to `ends`, both [member, token, dim], in the first half of the time."""
    members, step = len(ends), np.linspace(0, steps, snapshots).astype(int)
    start = np.random.default_rng(0).normal(size=ends.shape) if start is None else start
    part = np.minimum(2 * step / steps, 1)[:, None, None]
    path = start[:, None] * (1 - part) + ends[:, None] * part
    axes = ("member", "step", "token", "dim")
    numbers = np.arange(members)
    columns = {"eta": 0.1, "init_scale": 1.0, "seed": numbers, "seed_embedding": numbers} | columns
    return xr.Dataset(
        {
            "embedding": (axes, path),
            "gradient": (axes, np.zeros_like(path)),
            "accuracy": (("member", "step"), np.ones((members, len(step)))),
            "left": ("pair", LEFT),
            "right": ("pair", RIGHT),
            "label": ("pair", LEFT + RIGHT),
            "outcome": ("member", np.full(members, Outcome.OK)),
            "last_step": ("member", np.full(members, steps)),
        },
        coords={"step": step} | {name: ("member", np.broadcast_to(value, members)) for name, value in columns.items()},
        attrs={"steps": steps},
    )


@cache
def plan(name: str):
    """What the standard budget trains."""
    return EXPERIMENTS[name].standard.plan(name)


def run(name: str, ends: np.ndarray, start: np.ndarray | None = None) -> dict[str, PlantedRun]:
    """An experiment at its standard size; `ends` is repeated to fill it."""
    members = plan(name).members
    ends = np.resize(ends, (members.count, *ends.shape[1:]))
    columns = {column: members[column] for column in members.columns}
    return {name: PlantedRun(fleet(ends, start, plan(name).steps, **columns))}


def in_order(members: int) -> np.ndarray:
    """Canonical networks, evenly spaced."""
    return np.arange(10.0)[None, :, None] * np.linspace(0.2, 0.4, members)[:, None, None]


def anywhere(members: int, dim: int = 1) -> np.ndarray:
    """Networks in no order."""
    return np.random.default_rng(1).normal(size=(members, 10, dim))


def lines(members: int, angle: float = 0.1) -> np.ndarray:
    """Lines in the plane, evenly spaced."""
    return np.arange(10.0)[None, :, None] * np.array([np.cos(angle), np.sin(angle)]) * np.ones((members, 1, 1))


def some(one: np.ndarray, other: np.ndarray, every: int = 2) -> np.ndarray:
    """`other`, with a network of `one` at every `every`-th place."""
    mixed = other.copy()
    mixed[::every] = one[::every]
    return mixed


def scores(trajectory: float, representation: float, seed: int = 0) -> xr.Dataset:
    """Scores of the runs that are tested; trivial predictions lose 0.5 and 0.3."""
    rng = np.random.default_rng(seed)
    means = {
        "trajectory_loss": trajectory,
        "trajectory_loss_constant": 0.5,
        "representation_loss": representation,
        "representation_loss_initial": 0.3,
        "force_r2": 0.7,
    }
    values = {name: ("member", mean + rng.normal(0, 0.01, TESTED)) for name, mean in means.items()}
    return xr.Dataset(values, attrs={"force_r2": 0.7})


def well(r: np.ndarray, quadratic: float = 0.5, beyond: float = 0.3, place: float = 2.0) -> np.ndarray:
    """Quadratic up to a length, then linear, with `beyond` of the slope left at `place`, and twice as much outside."""
    grid = np.linspace(0, 20, 20_001)
    slope = np.interp(grid, [0, quadratic, place - 0.6, place, place + 0.6], [0, 1, 1, beyond, 2 * abs(beyond) + 0.1])
    return np.interp(np.abs(r), grid, np.cumsum(slope) * grid[1])


def ring(r: np.ndarray, radius: float = 2.0) -> np.ndarray:
    """A peak at 0 in a ring of minima."""
    x = (r / radius) ** 2
    return -x * np.exp(1 - x)


def hill(r: np.ndarray) -> np.ndarray:
    """A peak that falls forever."""
    return -np.log1p(r**2)


def spline(symmetry: Symmetry, f: Callable, dim: int) -> SplinePotential:
    """A potential of the displacement's length."""
    basis = SplineBasis.covering(symmetry, REACH, dim, 60)
    with jax.enable_x64(True):
        values = jnp.asarray(f(np.linalg.norm(basis.nodes(), axis=1)))
        return basis.potential(np.asarray(basis.from_values(values)))


def fit(
    symmetry: Symmetry, attract: Callable, repel: Callable, dim: int = 1, curl: CurlTest | None = None
) -> PairPotentialFit:
    """A fit with known potentials."""
    return PairPotentialFit(
        theory=PairPotential(symmetry),
        attract=spline(symmetry, attract, dim),
        repel=spline(symmetry, repel, dim),
        force_r2=0.8,
        data_range=PairValues(REACH, REACH),
        curl=curl,
        terms=pair_terms(np.stack([LEFT, RIGHT], axis=1), LEFT + RIGHT, 10, symmetry),
        dim=dim,
        runs={"seed": np.array([-1])},
    )


@cache
def potentials(
    symmetry: Symmetry = PARITY, dim: int = 1, attract: Callable = well, repel: Callable = ring, bow: float = 0.0
) -> readings.Potentials:
    """Fits with nearly the same potentials: the worse, the more of the slope is left beyond the well if `bow` > 0."""
    found, rng = [], np.random.default_rng(0)
    for more in np.linspace(-0.2, 0.2, FITS):
        larger = 1 + 0.05 * more
        curl = CurlTest(0.7, 0.75, 0.75 + rng.normal(0, 1e-3), 0.01)
        bowed = partial(attract, beyond=0.3 + bow * more)
        found.append(fit(symmetry, lambda r, f=bowed: f(r), lambda r, by=larger: repel(r / by), dim, curl))
    losses = np.linspace(0.1, 0.2, FITS)
    losses[:2] = losses[1::-1]  # in nearly the same order: a perfect correlation has no spread to resample
    return readings.Potentials(tuple(found), losses)


def flows(ends: np.ndarray, settled: bool = True) -> readings.Flows:
    """Flows that end there."""
    return readings.Flows(ends, np.full(len(ends), settled))


def evidence(*runs: dict[str, PlantedRun], known: dict | None = None) -> Evidence:
    return Evidence({name: one for part in runs for name, one in part.items()}, EFFORT.standard, known=known)


def line(known: dict, ends: np.ndarray | None = None, start: np.ndarray | None = None) -> Evidence:
    return evidence(run(LINE, mixed() if ends is None else ends, start), known=known)


def plane(known: dict, ends: np.ndarray | None = None) -> Evidence:
    return evidence(run(PLANE, anywhere(500, 2) if ends is None else ends), known=known)


@cache
def mixed() -> np.ndarray:
    return some(in_order(500), anywhere(500))


def shapes(**found) -> Callable[[], Evidence]:
    return lambda: line({readings.line_potentials: potentials(**found)})


def plane_shapes(ends: Callable[[], np.ndarray] | None = None, **found) -> Callable[[], Evidence]:
    def planted() -> Evidence:
        both = {
            readings.rotation_potentials: potentials(Rotation(), 2, **found),
            readings.line_potentials: potentials(),
            readings.rotation_flows: flows(lattices() if ends is None else ends()),
        }
        return evidence(run(LINE, mixed()), run(PLANE, anywhere(500, 2)), known=both)

    return planted


def lattices(size: float = 1.2) -> np.ndarray:
    """One in four is a zigzag, in which same-label displacements are 0 or twice the size."""
    k = np.arange(10)
    zigzag = np.stack([k, size * (k % 2)], axis=1)[None] * np.ones((500, 1, 1))
    return some(zigzag, anywhere(500, 2), every=4)


def conservative(r2: float) -> Evidence:
    rng = np.random.default_rng(0)
    total = rng.uniform(0.8, 1.2, TESTED)
    return evidence(
        run(LINE, mixed()),
        run(DECODERS, *(np.repeat(at, 12, axis=0) for at in (some(in_order(40), anywhere(40)), anywhere(40)))),
        known={
            readings.line_potentials: potentials(),
            readings.line_scores: scores(0.2, 0.2),
            readings.line_forces: ((1 - r2) * total * rng.uniform(0.9, 1.1, TESTED), total),
        },
    )


def in_the_well(canonical_inside: bool) -> Evidence:
    """Who starts and ends in the well: those that end canonical, or the others."""
    canonical = (
        in_order(500) if canonical_inside else 0.01 * np.exp(np.arange(10.0))[None, :, None] * np.ones((500, 1, 1))
    )
    other = anywhere(500) if canonical_inside else 0.01 * anywhere(500)
    count = plan(LINE).members.count
    spread = some(np.full((count, 1, 1), 0.1), np.ones((count, 1, 1)))
    start = anywhere(count) * (spread if canonical_inside else 1.1 - spread)
    return line({readings.line_potentials: potentials()}, some(canonical, other), start)


def recovered(width: int, decay: float) -> Evidence:
    """Lines with that width and weight decay, and nowhere else."""
    members = plan(NARROW).members
    wd = members["wd"]
    chosen = (members["width"] == width) & (wd == decay)
    return evidence(run(NARROW, np.where(chosen[:, None, None], lines(len(wd)), anywhere(len(wd), 2))))


def unseen(right: float) -> Evidence:
    held_out = run(HELD_OUT, anywhere(100, 2))
    record = held_out[HELD_OUT].dataset
    record["valid_accuracy"] = (record.accuracy.dims, np.full(record.accuracy.shape, right))
    return evidence(run(PLANE, anywhere(500, 2)), held_out)


def along_axes(angle: float) -> Evidence:
    same = scores(0.4, 0.4)
    ends = some(lines(STARTS, angle), anywhere(STARTS, 2), every=10)
    return plane({readings.parity_flows: flows(ends), readings.parity_scores: same, readings.rotation_scores: same})


def predicted(ends: np.ndarray) -> Evidence:
    return plane({readings.rotation_flows: flows(ends), readings.parity_flows: flows(ends)})


def losses(in_line: float, in_plane: float) -> Evidence:
    known = {readings.line_scores: scores(in_line, in_line), readings.rotation_scores: scores(in_plane, in_plane, 1)}
    return evidence(run(LINE, mixed()), run(PLANE, anywhere(500, 2)), known=known)


def general(better: float) -> Evidence:
    sign, rng = np.array([1.0, 1.0, -1.0, -1.0]), np.random.default_rng(0)
    known = {
        readings.paired_scores: scores(0.3, 0.3),
        readings.general_scores: scores(0.3 - better, 0.3 - better, seed=1),
        readings.attraction_hessians: np.outer(sign, sign) + 0.1 * rng.normal(size=(EFFORT.standard.general, 4, 4)),
    }
    return line(known)


def energies(canonical: float) -> Evidence:
    """The energy of canonical networks, where others have 0, give or take 1."""
    energy = np.random.default_rng(0).normal(size=TESTED)
    energy[::2] += canonical
    return line({readings.line_energies: energy, readings.line_potentials: potentials()})


def quadratic(ends: np.ndarray) -> Evidence:
    return line({readings.quadratic_flows: flows(ends), readings.line_flows: flows(ends)})


PLANTS: dict[str, tuple[Callable[[], Evidence] | None, Callable[[], Evidence] | None]] = {
    "repons/26": (partial(conservative, 0.75), partial(conservative, 0.3)),
    "repons/27": (partial(losses, 0.2, 0.4), partial(losses, 0.6, 0.4)),
    "repons/28": (shapes(), shapes(attract=partial(well, quadratic=1.3))),
    "repons/29": (shapes(), shapes(repel=hill)),
    "repons/30": (shapes(), shapes(repel=partial(ring, radius=3.5))),
    "repons/31": (shapes(bow=1.0), shapes(bow=-1.0)),
    "repons/33": (partial(in_the_well, True), partial(in_the_well, False)),
    "repons/34": (partial(quadratic, in_order(TESTED)), partial(quadratic, anywhere(TESTED))),
    "repons/35": (lambda: evidence(run(SMALL, in_order(50))), lambda: evidence(run(SMALL, mixed()))),
    "repons/36": (partial(line, {}), partial(line, {}, some(np.sqrt(in_order(500)), anywhere(500)))),
    "repons/37": (partial(energies, -1.0), partial(energies, 1.0)),
    "repons/38": (partial(general, 0.05), partial(general, -0.05)),
    "repons/39": (partial(losses, 0.2, 0.4), partial(losses, 0.4, 0.2)),
    "repons/40": (partial(unseen, 0.9), partial(unseen, 1.0)),
    "repons/41": (
        partial(predicted, some(lines(STARTS), anywhere(STARTS, 2))),
        partial(predicted, anywhere(STARTS, 2)),
    ),
    "repons/42": (partial(recovered, 10, 0.03), partial(recovered, 200, 0.0)),
    "repons/43": (partial(along_axes, 0.1), partial(along_axes, np.pi / 4)),
    "repons/44": (plane_shapes(), plane_shapes(partial(lattices, 0.5))),
    "repons/45": (plane_shapes(), plane_shapes(repel=hill)),
}
