"""`make bench`: print a table, write benchmarks/latest.json. `make bench ONLY=text`: only benchmarks with that name."""

import itertools
import json
import statistics
import sys
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path

import torch
from rich.console import Console
from rich.table import Table

from benchmarks import (
    copies,
    forces,
    gemm,
    llc,
    modular,
    particles,
    quadratic,
    recording,
    simulator,
    text,
    toy,
    transformer,
)
from benchmarks.cpus import AS, processor
from benchmarks.fleets import fixed_seconds, network_steps
from nucleate.machine import cores
from nucleate.record import provenance

ROUNDS = 3


TOY = {
    "PyTorch loop": lambda: toy.torch_loop(300),
    "PyTorch fleet of 64": lambda: toy.torch_fleet(64, 60),
    "nucleate": lambda: network_steps(toy.planned(64), 64, 2000),
    "GEMM peak": lambda: gemm.peak() / toy.FLOPS,
}
MODULAR = {
    "PyTorch loop, float64": lambda: modular.torch_loop(40, torch.float64),
    "PyTorch loop, float32": lambda: modular.torch_loop(80, torch.float32),
    "PyTorch fleet of 8": lambda: modular.torch_fleet(8, 15),
    "nucleate": lambda: network_steps(modular.planned(4), 4, 1500),
    "GEMM peak of its shapes": modular.gemm_bound,
}
FORCES = {
    "all 1,485 terms under vmap": lambda: forces.brute_force(20),
    "nucleate": lambda: forces.fast(40),
}
SIMULATOR = {
    "naive NumPy": lambda: simulator.numpy_layout(16),
    "naive JAX": simulator.jax_layout,
    "nucleate": simulator.nucleate,
}
SUBJECTS = (
    ("toy addition", TOY, "model-steps/s"),
    ("modular addition", MODULAR, "model-steps/s"),
    ("force of pair potentials", FORCES, "configurations/s"),
    ("simulator, 64 particles", SIMULATOR, "particle-steps/s"),
    *(
        (
            f"training step, {case.task.particles} particles",
            {
                "PyTorch": partial(particles.pytorch, case, steps // 5),
                "nucleate": partial(particles.nucleate, case, cores(), steps),
                "nucleate, one network": partial(particles.nucleate, case, 1, steps),
                "GEMM peak": partial(particles.gemm_bound, case),
            },
            "network-steps/s",
        )
        for case, steps in ((particles.SMALL, 1000), (particles.PAPER, 50))
    ),
    *(
        (
            f"transformer, p = {case.fleet.p}, {case.fleet.dim} dimensions",
            {
                "PyTorch": partial(transformer.pytorch, case, steps // 5),
                "nucleate": partial(transformer.nucleate, case, cores(), steps),
                "nucleate, one network": partial(transformer.nucleate, case, 1, steps),
                "GEMM peak": partial(transformer.gemm_bound, case),
            },
            "network-steps/s",
        )
        for case, steps in ((transformer.SMALL, 600), (transformer.PAPER, 50))
    ),
    *(
        (
            f"text, {case.fleet.blocks} blocks of width {case.fleet.width}",
            {
                "PyTorch loop": partial(text.pytorch, case, steps // 5),
                "PyTorch, a network per core": partial(text.pytorch_per_core, case, cores(), steps // 5),
                "nucleate": partial(text.nucleate, case, cores(), steps),
                "nucleate, one network": partial(text.nucleate, case, 1, steps),
                "GEMM peak": partial(text.gemm_bound, case),
            },
            "network-steps/s",
        )
        for case, steps in ((text.SMALL, 1000), (text.LARGE, 100))
    ),
    *(
        (
            f"{copies.COPIES} copies of a PyTorch module, {case.kind.__name__.lower()}",
            {
                "PyTorch loop": partial(copies.torch_loop, case, steps),
                "nucleate": partial(copies.nucleate, case, steps),
            },
            "network-steps/CPU s",
        )
        for case, steps in ((copies.ADDER, 320), (copies.ENCODER, 480))
    ),
    *(
        (
            f"quadratic network, {case.fleet.group}",
            {
                "PyTorch loop": partial(quadratic.torch_loop, case, steps // 10),
                "PyTorch fleet of 4": partial(quadratic.torch_fleet, case, 4, steps // 40),
                "nucleate": partial(quadratic.nucleate, case, cores(), steps),
                "nucleate, one network": partial(quadratic.nucleate, case, 1, steps),
                "GEMM peak of its shapes": partial(quadratic.gemm_bound, case),
            },
            "network-steps/s",
        )
        for case, steps in ((quadratic.C23, 3200), (quadratic.C71, 160))
    ),
)

Row = tuple[str, str, float, str]
"""Benchmark, subject, value, unit."""


def main(only: str = "") -> None:
    """Measure everything, or benchmarks with `only` in their names, subject after subject in each round, so that a busy
    moment hurts all alike."""
    console, rows = Console(), list[Row]()
    if only and not any(only in name for name, *_ in SUBJECTS):
        sys.exit(f"no benchmark is called '{only}'; there are: {', '.join(name for name, *_ in SUBJECTS)}.")
    for benchmark, subjects, unit in (subject for subject in SUBJECTS if only in subject[0]):
        speed = _medians(benchmark, subjects, console)
        rows += [(benchmark, name, value, unit) for name, value in speed.items()]
        ours = [name for name in speed if name.startswith("nucleate")]
        for name, other in itertools.product(ours, [name for name in speed if name not in ours]):
            rows.append((benchmark, f"{name} over {other}", speed[name] / speed[other], "ratio"))
    if not only:
        rows += _what_runs_cost(console)
        rows += _learning_coefficients(console)
    title = f"{processor()}{f' as {AS}' if AS else ''}, {torch.get_num_threads()} threads"
    table = Table("benchmark", "subject", "value", "unit", title=title)
    for benchmark, subject, value, unit in rows:
        table.add_row(benchmark, subject, f"{value:,.4g}", unit)
    console.print(table)
    if not only:
        _keep(rows)


def _keep(rows: list[Row]) -> None:
    """Write what was measured, and on what: a processor that plays an older one has a file of its own."""
    packages = {"torch": torch.__version__}
    about = provenance()
    known = {
        "processor": processor(),
        "as": AS or None,
        "cores": cores(),
        "instructions": about["platform"]["instructions"],
        "versions": about["versions"] | packages,
        "created": about["created"],
        "git": about["git"],
        "rows": [dict(zip(("benchmark", "subject", "value", "unit"), row, strict=True)) for row in rows],
    }
    name = f"latest-{AS.lower()}.json" if AS else "latest.json"
    (Path(__file__).parent / name).write_text(json.dumps(known, indent=2) + "\n")


def _medians(benchmark: str, subjects: dict[str, Callable[[], float]], console: Console) -> dict[str, float]:
    seen: dict[str, list[float]] = {name: [] for name in subjects}
    with console.status("measuring") as status:
        for number in range(ROUNDS):
            for name, measure in subjects.items():
                status.update(f"{benchmark}, round {number + 1} of {ROUNDS}: {name}")
                seen[name].append(measure())
    return {name: statistics.median(values) for name, values in seen.items()}


def _what_runs_cost(console: Console) -> Iterator[Row]:
    """Beside the training itself."""
    with console.status("measuring what recording costs"):
        cost = recording.overhead(64, 1000, ROUNDS)
        yield "recording", "every 10 steps over first and last only", cost, "fraction"
    with console.status("measuring what a run costs"):
        yield "a run of one step", "nucleate, its program compiled before", fixed_seconds(toy.planned(64)), "s"


def _learning_coefficients(console: Console) -> Iterator[Row]:
    """CPU seconds, once: they do not suffer from a busy moment as a clock on the wall does."""
    subjects = dict(llc.SUBJECTS)
    if reason := llc.missing():
        console.print(reason)
        del subjects["devinterp"]
    for problem in llc.PROBLEMS:
        benchmark, spent = f"learning coefficient, {problem}", {}
        for subject in subjects:
            with console.status(f"learning coefficient, {problem}: {subject}"):
                spent[subject] = llc.measure(subject, problem)
            for name, value in spent[subject].items():
                yield benchmark, f"{subject}: {name}", value, "λ̂" if name == "coefficient" else "CPU s"
        if "devinterp" in spent:
            for name, value in spent["nucleate"].items():
                if name != "coefficient":
                    ratio = spent["devinterp"][name.split(",")[0]] / value
                    yield benchmark, f"nucleate over devinterp: {name}", ratio, "ratio"


if __name__ == "__main__":
    main(*sys.argv[1:2])
