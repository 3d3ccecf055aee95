"""How often a learning coefficient is wrong without a doubt, or doubted without being wrong; how large its error is.

`python -m benchmarks.doubts` prints the tables of docs/doubts.md, from two minutes of processor time.

Losses are sampled whose λ̂ at finite nβ is known by quadrature, at fixed steps, which suit some temperatures and are too
long or too short for others. What the error is made of and which R̂ is too high was chosen on every other case,
`CASES[::2]`, with another seed.
"""

import math
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
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
SAMPLING = Sampling(chains=32, burn_in=2000, draws=8000, seed=22)
SURE = 2.0  # errors beyond which a coefficient is wrong
SERIOUS = Doubt.DIVERGED | Doubt.NEGATIVE | Doubt.UNMIXED  # other doubts say that the error is large, as it says itself


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
    """A loss, its minimum, the parameters that move, and what λ̂ should be."""

    name: str
    loss: Callable[[Any, Any], Any]
    point: Any
    subset: Matching | Everything
    truth: Callable[[float, float], float]


def polynomial(name: str, *powers: tuple[int, ...]) -> Case:
    """A sum of monomials, each given by half the powers of its variables."""
    variables = len(powers[0])
    loss, size = {2: (plane, 4), 3: (space, 3)}[variables]
    c = np.zeros([size] * variables, np.float32)
    c[tuple(np.transpose(powers))] = 1.0
    point = {"w": jnp.zeros(variables), "c": jnp.asarray(c)}
    exact = c.astype(float)
    return Case(name, loss, point, Matching("^w$"), lambda nbeta, gamma: polynomial_excess(exact, nbeta, gamma))


def network(*widths: int) -> Case:
    inputs, hidden, outputs = widths
    point = (jnp.zeros((hidden, inputs)), jnp.zeros((outputs, hidden)))
    truth = lambda nbeta, gamma: linear_excess((inputs, hidden, outputs), nbeta, gamma)
    return Case(f"linear {inputs}-{hidden}-{outputs}", linear, point, Everything(), truth)


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
    polynomial("x²y⁶", (1, 3)),
    polynomial("x⁴ + y⁴", (2, 0), (0, 2)),
    polynomial("x²y² + x⁴", (1, 1), (2, 0)),
    polynomial("x²y⁴z²", (1, 2, 1)),
    polynomial("x²y² + y²z⁴", (1, 1, 0), (0, 1, 2)),
    network(2, 1, 2),
    network(3, 2, 2),
    polynomial("x² + y²", (1, 0), (0, 1)),
    polynomial("x² + y² + z²", (1, 0, 0), (0, 1, 0), (0, 0, 1)),
)


class Seen(NamedTuple):
    """A coefficient and its truth."""

    case: Case
    sampler: str
    setting: Setting
    value: float
    error: float
    statistical: float
    doubt: Doubt
    truth: float

    @property
    def off(self) -> float:
        return abs(self.value - self.truth)

    @property
    def wrong(self) -> bool:
        return not self.off <= SURE * self.error

    @property
    def serious(self) -> bool:
        """Whether the error itself is doubted."""
        return bool(self.doubt & SERIOUS)


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
            how = replace(sampling, sampler=sampler)
            found = learning_coefficient(case.loss, Whole(()), [case.point], settings, how, [case.subset])
            for at, setting in enumerate(settings):
                cell = (0, 0, at)
                if np.isfinite(found.value[cell]):
                    yield Seen(
                        case,
                        type(sampler).__name__,
                        setting,
                        float(found.value[cell]),
                        float(found.error[cell]),
                        float(found.statistical[cell]),
                        Doubt(int(found.doubt[cell])),
                        case.truth(setting.nbeta, setting.gamma),
                    )


def share(part: Sequence[Any], whole: Sequence[Any]) -> str:
    return f"{len(part)} of {len(whole)} ({100 * len(part) / len(whole):.1f} %)" if whole else "none"


class Tally(NamedTuple):
    """What became of some coefficients."""

    seen: list[Seen]

    @property
    def wrong(self) -> list[Seen]:
        return [one for one in self.seen if one.wrong]

    @property
    def right(self) -> list[Seen]:
        return [one for one in self.seen if not one.wrong]

    @property
    def missed(self) -> list[Seen]:
        """Wrong, and their errors are not doubted."""
        return [one for one in self.wrong if not one.serious]

    @property
    def believed(self) -> list[Seen]:
        """Those whose errors are not doubted."""
        return [one for one in self.seen if not one.serious]

    @property
    def alarms(self) -> list[Seen]:
        """Right, but their errors are doubted."""
        return [one for one in self.right if one.serious]

    @property
    def trusted(self) -> list[Seen]:
        return [one for one in self.seen if not one.doubt]

    @property
    def row(self) -> str:
        imprecise = [one for one in self.right if one.doubt & ~SERIOUS]
        statistical = [one for one in self.seen if one.off <= SURE * one.statistical]
        cells = [
            share(self.right, self.seen),
            share(self.missed, self.believed),
            share([one for one in self.wrong if not one.doubt], self.trusted),
            share(self.alarms, self.right),
            share(imprecise, self.right),
            f"{ratio(self.seen):.2f}",
            share(statistical, self.seen),
            share([one for one in self.trusted if one.off > 0.1 * one.truth], self.trusted),
        ]
        return " | ".join(cells)


def ratio(seen: list[Seen]) -> float:
    """The median of an error over how far off the coefficient is; 1.48 if errors are standard deviations of a normal
    distribution."""
    return float(np.median([one.error / one.off for one in seen])) if seen else math.nan


def tables(seen: list[Seen]) -> str:
    """What became of all, of either half, by sampler and by case; and each doubt by itself."""
    heads = (
        "within 2 errors",
        "missed: beyond, error not doubted",
        "beyond, and no doubt at all",
        "false alarms: within, error doubted",
        "within, but imprecise",
        "error / actual error, median",
        "within 2 statistical errors",
        "no doubt, but off by a tenth",
    )
    lines = [f"| | {' | '.join(heads)} |", "|---" * (1 + len(heads)) + "|"]
    groups: dict[str, Callable[[Seen], bool]] = {"all": lambda one: True}
    groups |= {
        "cases the rule was chosen on": lambda one: CASES.index(one.case) % 2 == 0,
        "the other cases": lambda one: CASES.index(one.case) % 2 == 1,
    }
    for name in dict.fromkeys(one.sampler for one in seen):
        groups[name] = lambda one, name=name: one.sampler == name
    for name in dict.fromkeys(one.case.name for one in seen):
        groups[name] = lambda one, name=name: one.case.name == name
    lines += [f"| {name} | {Tally(list(filter(chosen, seen))).row} |" for name, chosen in groups.items()]
    lines += ["", "| doubt | raised | λ̂ beyond 2 errors | off by more than a tenth |", "|---|---|---|---|"]
    for doubt in Doubt:
        raised = [one for one in seen if one.doubt & doubt]
        far = sum(one.off > 0.1 * one.truth for one in raised)
        lines.append(f"| {doubt.name} | {len(raised)} | {sum(one.wrong for one in raised)} | {far} |")
    return "\n".join(lines)


def main(scale: str = "1") -> None:
    """The tables of `docs/doubts.md`, from chains `scale` times as long."""
    burn_in, draws = (math.ceil(float(scale) * steps) for steps in (SAMPLING.burn_in, SAMPLING.draws))
    print(tables(list(estimates(sampling=replace(SAMPLING, burn_in=burn_in, draws=draws)))))


if __name__ == "__main__":
    main(*sys.argv[1:2])
