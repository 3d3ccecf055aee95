r"""Embeddings as interacting particles: pair potentials fitted to recorded forces ([mehta2024repons])."""

from dataclasses import dataclass, field, replace
from typing import Annotated, final

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
import xarray as xr
from jaxtyping import Array, Float

from nucleate.checking import Above, AtLeast, AtMost, Bits, Count, Seed, checked
from nucleate.theories.pairs.basis import Basis, basis_for
from nucleate.theories.pairs.curl import CurlTest, curl_test
from nucleate.theories.pairs.flow import pair_energies, pair_flow, pair_gradients, representation_loss, trajectory_loss
from nucleate.theories.pairs.normal_equations import accumulate
from nucleate.theories.pairs.record import Configurations, ForceRecord, check_disjoint
from nucleate.theories.pairs.solvers import ClosedForm, PotentialSolver
from nucleate.theories.pairs.symmetry import NoSymmetry, Parity, Rotation, Symmetry
from nucleate.theories.pairs.terms import PairTerms, Potential, Terms, pair_terms
from nucleate.theories.protocol import Fit, Theory
from nucleate.theories.reading import coords_over

_SAMPLE = 500  # configurations from which quantiles are taken
_CURL = 2000  # configurations in each half of the curl test
_RANGE = 0.99  # quantile of the displacements that `data_range` covers
RIDGES = tuple(10.0**k for k in range(-4, 5))
"""From hardly any smoothing to as much as double precision can bear."""


@final
@dataclass(frozen=True, eq=False)
class PairValues:
    r"""Two numbers or arrays: one for pairs that share a label, one for pairs that do not.

    >>> values = PairValues(same=np.array([1.0, 4.0]), different=2.0)
    >>> float(values.same.max() / values.different)
    2.0
    """

    same: Float[np.ndarray, "..."] | float
    different: Float[np.ndarray, "..."] | float


@final
@dataclass(frozen=True)
class PairPotential(Theory):
    r"""Embeddings descend a potential between pairs of pairs: those that share a label attract, others repel.

        dR/dt = −∇U(R),    U = Σ_{same label} f_a(r_i, r_j, r_k, r_l) + Σ_{different} f_r(r_i, r_j, r_k, r_l)

    R: the embeddings r_t; (i, j) and (k, l): pairs of tokens that the record lists; f_a, f_r: functions with
    the given `symmetry`, which `solver` chooses so that ∇U is near the recorded ∂L/∂R. Each potential has a basis of
    about `coefficients` functions, which spans displacements up to their quantile `reach`; beyond
    that the force is constant. At most `configurations` snapshots are used, drawn at random with `seed`.

    The record holds `embedding` and `gradient` (member, step, token, dim), `left`, `right`, `label` (pair), and
    the coordinates `step`, `eta` (member), and `member` or a seed (member). Source: [mehta2024repons], Eqs. 1, 2.

    >>> i, j = np.triu_indices(4)
    >>> M = np.eye(4)[i] + np.eye(4)[j]
    >>> same = (i + j)[:, None] == i + j
    >>> R = np.random.default_rng(0).normal(size=(6, 20, 4, 1))
    >>> x = (M @ R) - np.swapaxes(M @ R, 2, 3)
    >>> gradient = M.T @ np.where(same, 6 * x, -2 * x).sum(axis=3, keepdims=True)
    >>> axes = ("member", "step", "token", "dim")
    >>> record = xr.Dataset(
    ...     {"embedding": (axes, R), "gradient": (axes, gradient), "left": ("pair", i), "right": ("pair", j),
    ...      "label": ("pair", i + j)},
    ...     coords={"step": np.arange(20), "eta": ("member", np.ones(6)), "seed": ("member", np.arange(6))},
    ... )
    >>> fit = PairPotential(coefficients=20).fit(record)
    >>> fit.potential(np.array([1.0])).same.round(1).tolist(), fit.curl.detected
    ([3.0], False)
    """

    symmetry: Symmetry = field(default_factory=Parity)
    solver: PotentialSolver = field(default_factory=ClosedForm)
    coefficients: Annotated[int, AtLeast(8), Bits(31)] = 300
    reach: Annotated[float, Above(0), AtMost(1)] = 0.999
    configurations: Count = 20_000
    seed: Seed = 0

    def check(self) -> None:
        self.solver.check_symmetry(self.symmetry)

    def fit(self, record: xr.Dataset) -> "PairPotentialFit":
        """Find the potentials whose gradient is nearest to the gradients of `record`."""
        seen, chosen, terms, bases = self._prepare(record)
        attract, repel = self.solver.potentials(accumulate(terms, bases, chosen.embedding, chosen.gradient), bases)
        missed = pair_gradients(terms, attract, repel, chosen.embedding) - chosen.gradient
        sample = seen.configurations(_SAMPLE, self.seed).embedding
        return PairPotentialFit(
            theory=self,
            attract=attract,
            repel=repel,
            force_r2=_r2(missed, chosen.gradient),
            data_range=PairValues(*(_quantile(kind, sample, _RANGE) for kind in (terms.same, terms.different))),
            curl=self._curl(terms, bases, seen),
            terms=terms,
            dim=seen.dim,
            runs=seen.runs,
        )

    def smoothed(self, record: xr.Dataset, held_out: xr.Dataset, ridges: tuple[float, ...] = RIDGES) -> "PairPotential":
        """This theory with the largest ridge that costs nothing on runs it is not fitted to.

        Potentials are fitted to `record` with each of `ridges`. The best ridge is the one whose force is nearest to
        that of the runs `held_out`; the chosen ridge is the largest one that is worse than the best by at most one
        standard error of the difference over runs.
        """
        if not isinstance(self.solver, ClosedForm):
            raise ValueError(f"PairPotential.smoothed chooses the ridge of ClosedForm; the solver is {self.solver}.")
        if not ridges:
            raise ValueError("PairPotential.smoothed needs at least one ridge; got none.")
        seen, chosen, terms, bases = self._prepare(record)
        unseen = ForceRecord.read(held_out)
        check_disjoint(seen.runs, unseen.runs)
        sums = accumulate(terms, bases, chosen.embedding, chosen.gradient)
        solvers = [ClosedForm(ridge) for ridge in sorted(ridges)]
        missed = np.stack([_missed(terms, *solver.potentials(sums, bases), unseen) for solver in solvers])
        worse = missed - missed[np.argmin(missed.sum(axis=1))]
        error = worse.std(axis=1) * np.sqrt(worse.shape[1])
        return replace(self, solver=solvers[int(np.flatnonzero(worse.sum(axis=1) <= error)[-1])])

    def _prepare(self, record: xr.Dataset) -> tuple[ForceRecord, Configurations, PairTerms, tuple[Basis, Basis]]:
        seen = ForceRecord.read(record)
        self.symmetry.check(seen.dim)
        chosen = seen.configurations(self.configurations, self.seed)
        if not len(chosen):
            raise ValueError("PairPotential.fit needs a finite snapshot; the record has none.")
        terms = pair_terms(seen.pairs, seen.label, seen.embedding.shape[2], self.symmetry)
        if not len(terms.same.weight) or not len(terms.different.weight):
            raise ValueError("PairPotential.fit needs pairs that share a label and pairs that do not.")
        sample = seen.configurations(_SAMPLE, self.seed).embedding
        return seen, chosen, terms, (self._basis(terms.same, sample), self._basis(terms.different, sample))

    def _basis(self, terms: Terms, sample: Float[np.ndarray, "config token dim"]) -> Basis:
        axes = isinstance(self.symmetry, Rotation)
        reach = _quantile(terms, sample, self.reach) if axes else _quantile(terms, sample[..., None], self.reach)
        return basis_for(self.symmetry, reach or 1.0, sample.shape[2], self.coefficients, self.seed)

    def _curl(self, terms: PairTerms, bases: tuple[Basis, Basis], seen: ForceRecord) -> CurlTest | None:
        halves = (
            seen.configurations(min(_CURL, self.configurations // 2), self.seed, slice(0, None, 2)),
            seen.configurations(min(_CURL, self.configurations // 2), self.seed, slice(1, None, 2)),
        )
        # As smooth as the potentials are: on few runs a rougher pair potential would explain less than none.
        ridge = (self.solver if isinstance(self.solver, ClosedForm) else ClosedForm()).ridge
        return curl_test(terms, bases, halves, ridge) if all(map(len, halves)) else None


@final
@dataclass(frozen=True, eq=False)
class PairPotentialFit(Fit):
    """A `PairPotential` with its two functions.

    `attract`, `repel`: f_a and f_r; `force_r2`: the share of the variance of the fitted gradients that ∇U explains;
    `data_range`: the length below which 99 % of the displacements lie; `curl`: whether a force without a
    potential explains more (None if a single run was fitted, because the test needs held-out runs); `terms`: the
    pairs of pairs of the record's task; `dim`: the dimension of its embeddings; `runs`: the coordinates of the fitted
    runs.

    >>> square = lambda x: jnp.sum(x**2)
    >>> terms = pair_terms(np.array([[0, 0], [0, 1], [1, 1]]), np.array([0, 0, 1]), 2, Parity())
    >>> ones = PairValues(1.0, 1.0)
    >>> fit = PairPotentialFit(PairPotential(), square, square, 1.0, ones, None, terms, dim=1, runs={})
    >>> float(fit.energy(np.array([[0.0], [1.0]])))  # 1² for equal labels, 1² + 2² for different ones
    6.0
    """

    theory: PairPotential
    attract: Potential = field(repr=False)
    repel: Potential = field(repr=False)
    force_r2: float
    data_range: PairValues
    curl: CurlTest | None
    terms: PairTerms = field(repr=False)
    dim: int
    runs: dict[str, np.ndarray] = field(repr=False)

    def potential(self, r: Float[Array | np.ndarray, "point ..."]) -> PairValues:
        """f_a and f_r at each displacement `r`, shifted to 0 at 0.

        A displacement is given by all its coordinates, or by the first alone if the others are 0.
        """
        r = np.asarray(r, np.float64).reshape(len(r), -1)
        width = self.dim * (4 if isinstance(self.theory.symmetry, NoSymmetry) else 1)
        r = np.pad(r, [(0, 0), (0, width - r.shape[1])])
        with jax.enable_x64(True):
            return PairValues(*(np.asarray(_values(f, r)) for f in (self.attract, self.repel)))

    def energy(self, embedding: Float[Array | np.ndarray, "*config token dim"]) -> Float[np.ndarray, "*config"]:
        """The energy U of each configuration."""
        flat = _flat(embedding)
        return pair_energies(self.terms, self.attract, self.repel, flat).reshape(np.shape(embedding)[:-2])

    def force(
        self, embedding: Float[Array | np.ndarray, "*config token dim"]
    ) -> Float[np.ndarray, "*config token dim"]:
        """−∇U of each configuration: the velocity at which it moves, near −∂L/∂R."""
        return -pair_gradients(self.terms, self.attract, self.repel, _flat(embedding)).reshape(np.shape(embedding))

    @checked
    def simulate(
        self, x0: Float[Array | np.ndarray, "*member token dim"], times: Float[Array | np.ndarray, "*#member time"]
    ) -> Float[np.ndarray, "*member time token dim"]:
        """The embeddings of one member, or of many at once, at each of `times`, starting from `x0`.

        `times` are training steps multiplied by the learning rate, counted from `x0`.
        """
        x0, times = np.asarray(x0, np.float64), np.asarray(times, np.float64)
        flat = _flat(x0)
        each = np.broadcast_to(times, (len(flat), times.shape[-1]))
        path = pair_flow(self.terms, self.attract, self.repel, flat, each)
        return path.reshape(*x0.shape[:-2], times.shape[-1], *x0.shape[-2:])

    def score(self, record: xr.Dataset) -> xr.Dataset:
        """How far unseen members of `record` stray from the theory, compared with one in which nothing moves.

        Over (member): `force_r2`, the share of the variance of a member's gradients that ∇U explains;
        `trajectory_loss` of the flow from its first snapshot, and `trajectory_loss_constant` of staying at that
        snapshot; `representation_loss` of the flow's last configuration, and `representation_loss_initial` of the
        first snapshot. NaN for a member that did not stay finite. Attributes: `force_r2` of all
        members together, and whether the fit found a curl. A run that was fitted is refused.
        """
        seen = ForceRecord.read(record)
        check_disjoint(self.runs, seen.runs)
        if seen.dim != self.dim:
            raise ValueError(f"The potentials were fitted in dim {self.dim}; the record's embeddings have {seen.dim}.")
        terms = pair_terms(seen.pairs, seen.label, seen.embedding.shape[2], self.theory.symmetry)
        whole = np.where(seen.finite.all(axis=1), 1.0, np.nan)
        path = pair_flow(terms, self.attract, self.repel, seen.embedding[:, 0], seen.times)
        still = np.broadcast_to(seen.embedding[:, :1], path.shape)
        slope = pair_gradients(terms, self.attract, self.repel, _flat(seen.embedding)).reshape(path.shape)
        last, first = seen.embedding[:, -1], seen.embedding[:, 0]
        each = [_r2(s[f] - g[f], g[f]) for s, g, f in zip(slope, seen.gradient, seen.finite, strict=True)]
        scores = {
            "force_r2": np.array(each),
            "trajectory_loss": whole * trajectory_loss(seen.embedding, path),
            "trajectory_loss_constant": whole * trajectory_loss(seen.embedding, still),
            "representation_loss": whole * representation_loss(last, path[:, -1]),
            "representation_loss_initial": whole * representation_loss(last, first),
        }
        return xr.Dataset(
            {name: ("member", value) for name, value in scores.items()},
            coords=coords_over(record, "member"),
            attrs={
                "force_r2": _r2((slope - seen.gradient)[seen.finite], seen.gradient[seen.finite]),
                "curl_detected": bool(self.curl is not None and self.curl.detected),
            },
        )


@eqx.filter_jit
def _values(potential, r):
    return jax.vmap(potential)(r) - potential(jnp.zeros(r.shape[1]))


def _flat(embedding: Float[Array | np.ndarray, "*config token dim"]) -> Float[np.ndarray, "config token dim"]:
    embedding = np.asarray(embedding, np.float64)
    return embedding.reshape(-1, *embedding.shape[-2:])


def _missed(terms: PairTerms, attract: Potential, repel: Potential, seen: ForceRecord) -> Float[np.ndarray, " member"]:
    slope = pair_gradients(terms, attract, repel, _flat(seen.embedding)).reshape(seen.embedding.shape)
    return np.sum(np.square(slope - seen.gradient) * seen.finite[..., None, None], axis=(1, 2, 3))


def _quantile(terms: Terms, sample: Float[np.ndarray, "config token *axes"], share: float) -> float:
    x = np.einsum("cst,nt...->ncs...", np.asarray(terms.maps), sample, optimize=True)
    return float(np.quantile(np.linalg.norm(x, axis=-1), share))


def _r2(missed: Float[np.ndarray, "config token dim"], truth: Float[np.ndarray, "config token dim"]) -> float:
    around_mean = np.sum(np.square(truth - truth.mean(axis=0))) if len(truth) else 0.0
    return float(1 - np.sum(np.square(missed)) / around_mean) if around_mean > 0 else float("nan")
