"""How often a learning coefficient is wrong without a doubt, or doubted without being wrong.

`python -m benchmarks.doubts` prints the tables of docs/doubts.md; it takes minutes.

Losses are sampled whose λ̂ at finite nβ is known by quadrature, at fixed steps, which suit some temperatures and are too
long or too short for others. The thresholds of doubts were chosen on cases that are not `fresh`, with other seeds.
"""

import math
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import jax.numpy as jnp
import numpy as np

from nucleate.observables import (
    MALA,
    SGLD,
    Doubt,
    Everything,
    Grid,
    Matching,
    RMSpropSGLD,
    Sampling,
    Setting,
    Whole,
    learning_coefficient,
    linear_excess,
    polynomial_excess,
)

NBETA = (100.0, 1000.0, 10_000.0)
SAMPLERS = (
    (MALA(), (1e-3, 5e-3, 2e-2)),
    (SGLD(), (1e-4, 5e-4, 2e-3)),
    (RMSpropSGLD(), (2e-5, 1e-4)),
)
SAMPLING = Sampling(chains=32, burn_in=2000, draws=8000, seed=20)
SURE = 2.0  # standard errors beyond which a coefficient is wrong


def plane(params: Any, _: Any) -> Any:
    """Σ c_ab x^{2a} y^{2b}"""
    square = jnp.square(params["w"])
    x, y = jnp.stack([jnp.ones(2), square, square**2, square**3], axis=1)
    return x @ params["c"] @ y


def space(params: Any, _: Any) -> Any:
    """Σ c_abc x^{2a} y^{2b} z^{2c}"""
    square = jnp.square(params["w"])
    x, y, z = jnp.stack([jnp.ones(3), square, square**2], axis=1)
    return jnp.einsum("abc,a,b,c", params["c"], x, y, z)


def linear(params: Any, _: Any) -> Any:
    """½ |B A|²"""
    a, b = params
    return jnp.sum(jnp.square(b @ a)) / 2


@dataclass(frozen=True)
class Case:
    """A loss, its minimum, the parameters that move, and what λ̂ should be; fresh: no threshold was chosen by it."""

    name: str
    loss: Callable[[Any, Any], Any]
    point: Any
    subset: Matching | Everything
    truth: Callable[[float, float], float]
    fresh: bool


def polynomial(name: str, *powers: tuple[int, ...], fresh: bool = False) -> Case:
    """A sum of monomials, each given by half the powers of its variables."""
    variables = len(powers[0])
    loss, size = {2: (plane, 4), 3: (space, 3)}[variables]
    c = np.zeros([size] * variables, np.float32)
    c[tuple(np.transpose(powers))] = 1.0
    point = {"w": jnp.zeros(variables), "c": jnp.asarray(c)}
    exact = c.astype(float)
    return Case(name, loss, point, Matching("^w$"), lambda nbeta, gamma: polynomial_excess(exact, nbeta, gamma), fresh)


def network(*widths: int, fresh: bool = False) -> Case:
    inputs, hidden, outputs = widths
    point = (jnp.zeros((hidden, inputs)), jnp.zeros((outputs, hidden)))
    truth = lambda nbeta, gamma: linear_excess((inputs, hidden, outputs), nbeta, gamma)
    return Case(f"linear {inputs}-{hidden}-{outputs}", linear, point, Everything(), truth, fresh)


CASES = (
    polynomial("x⁴, y flat", (2, 0)),
    polynomial("x²y²", (1, 1)),
    polynomial("x²y⁴", (1, 2)),
    polynomial("x² + y⁴", (1, 0), (0, 2)),
    polynomial("x²y² + y⁶", (1, 1), (0, 3)),
    polynomial("x²y²z²", (1, 1, 1)),
    polynomial("x²y² + z⁴", (1, 1, 0), (0, 0, 2)),
    network(1, 2, 1),
    network(2, 2, 2),
    polynomial("x²y⁶", (1, 3), fresh=True),
    polynomial("x⁴ + y⁴", (2, 0), (0, 2), fresh=True),
    polynomial("x²y² + x⁴", (1, 1), (2, 0), fresh=True),
    polynomial("x²y⁴z²", (1, 2, 1), fresh=True),
    polynomial("x²y² + y²z⁴", (1, 1, 0), (0, 1, 2), fresh=True),
    network(2, 1, 2, fresh=True),
    network(3, 2, 2, fresh=True),
)


class Seen(NamedTuple):
    """A coefficient and its truth."""

    case: Case
    sampler: str
    setting: Setting
    value: float
    error: float
    doubt: Doubt
    truth: float

    @property
    def wrong(self) -> bool:
        return not abs(self.value - self.truth) <= SURE * self.error

    @property
    def far(self) -> bool:
        """Wrong by three standard errors."""
        return not abs(self.value - self.truth) <= 3 * self.error

    @property
    def large(self) -> bool:
        """Wrong, and by more than chance and a twentieth."""
        return not abs(self.value - self.truth) <= SURE * self.error + 0.05 * self.truth


def estimates(
    cases: Iterable[Case] = CASES,
    samplers: Sequence[tuple[Any, tuple[float, ...]]] = SAMPLERS,
    nbeta: tuple[float, ...] = NBETA,
    sampling: Sampling = SAMPLING,
) -> Iterator[Seen]:
    """Each case with each sampler, at each of its steps and each temperature; those that diverged are left out."""
    for case in cases:
        for sampler, steps in samplers:
            settings = Grid(step=steps, nbeta=nbeta).settings
            how = Sampling(sampler, sampling.chains, sampling.burn_in, sampling.draws, sampling.seed)
            found = learning_coefficient(case.loss, Whole(()), [case.point], settings, how, [case.subset])
            for setting, *numbers, doubt in zip(
                settings, found.value[0, 0], found.error[0, 0], found.doubt[0, 0].tolist(), strict=True
            ):
                if np.isfinite(numbers[0]):
                    truth = case.truth(setting.nbeta, setting.gamma)
                    yield Seen(case, type(sampler).__name__, setting, *map(float, numbers), Doubt(doubt), truth)


def share(part: Sequence[Any], whole: Sequence[Any]) -> str:
    return f"{len(part)} of {len(whole)} ({100 * len(part) / len(whole):.1f} %)" if whole else "none"


class Tally(NamedTuple):
    """What became of some coefficients; IMPRECISE alone is no alarm, since it is true of the error bar."""

    wrong: list[Seen]
    right: list[Seen]

    @classmethod
    def of(cls, seen: Iterable[Seen]) -> "Tally":
        seen = list(seen)
        return cls([one for one in seen if one.wrong], [one for one in seen if not one.wrong])

    @property
    def missed(self) -> list[Seen]:
        return [one for one in self.wrong if not one.doubt]

    @property
    def trusted(self) -> list[Seen]:
        return [one for one in self.wrong + self.right if not one.doubt]

    @property
    def alarms(self) -> list[Seen]:
        return [one for one in self.right if one.doubt & ~Doubt.IMPRECISE]

    @property
    def near(self) -> list[Seen]:
        """Those within one standard error."""
        return [one for one in self.right if abs(one.value - one.truth) <= one.error]

    @property
    def row(self) -> str:
        trusted = self.trusted
        cells = [
            str(len(self.wrong) + len(self.right)),
            share(self.missed, self.wrong),
            share(self.missed, trusted),
            share([one for one in trusted if one.far], trusted),
            share([one for one in trusted if one.large], trusted),
            share(self.alarms, self.right),
            share([one for one in self.near if one in self.alarms], self.near),
            share([one for one in self.right if one.doubt], self.right),
        ]
        return " | ".join(cells)


def tables(seen: list[Seen]) -> str:
    """Missed and false alarms of all, by sampler and by case; and each doubt by itself."""
    heads = (
        "λ̂",
        "missed, of the wrong",
        "missed, of those without doubt",
        "by 3 errors",
        "by 2 errors and 5 %",
        "false alarms, of the right",
        "of those within 1 error",
        "any doubt, of the right",
    )
    lines = [f"| | {' | '.join(heads)} |", "|---" * (1 + len(heads)) + "|"]
    groups = {"all": lambda one: True, "cases tried before": lambda one: not one.case.fresh}
    groups["fresh cases"] = lambda one: one.case.fresh
    for name in dict.fromkeys(one.sampler for one in seen):
        groups[name] = lambda one, name=name: one.sampler == name
    for name in dict.fromkeys(one.case.name for one in seen):
        groups[name] = lambda one, name=name: one.case.name == name
    lines += [f"| {name} | {Tally.of(filter(chosen, seen)).row} |" for name, chosen in groups.items()]
    lines += ["", "| doubt | raised | λ̂ wrong | λ̂ right, and no other doubt |", "|---|---|---|---|"]
    for doubt in Doubt:
        raised = [one for one in seen if one.doubt & doubt]
        alone = [one for one in raised if not one.wrong and one.doubt == doubt]
        lines.append(f"| {doubt.name} | {len(raised)} | {sum(one.wrong for one in raised)} | {len(alone)} |")
    return "\n".join(lines)


def main(scale: str = "1") -> None:
    """The tables of `docs/doubts.md`, from chains `scale` times as long."""
    burn_in, draws = (math.ceil(float(scale) * steps) for steps in (SAMPLING.burn_in, SAMPLING.draws))
    print(tables(list(estimates(sampling=Sampling(chains=SAMPLING.chains, burn_in=burn_in, draws=draws, seed=20)))))


if __name__ == "__main__":
    main(*sys.argv[1:2])
