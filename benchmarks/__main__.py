"""`make bench`: print a table, write benchmarks/latest.json. `make bench ONLY=text`: only benchmarks with that name."""

import itertools
import json
import statistics
import sys
from collections.abc import Callable
from functools import partial
from pathlib import Path

import torch
from rich.console import Console
from rich.table import Table

from benchmarks import forces, gemm, llc, modular, particles, quadratic, recording, simulator, text, toy, transformer
from nucleate.machine import cores

ROUNDS = 3


TOY = {
    "PyTorch loop": lambda: toy.torch_loop(300),
    "PyTorch fleet of 64": lambda: toy.torch_fleet(64, 60),
    "nucleate": lambda: toy.nucleate_fleet(64, 2000),
    "GEMM peak": lambda: gemm.peak() / toy.FLOPS,
}
MODULAR = {
    "PyTorch loop, float64": lambda: modular.torch_loop(40, torch.float64),
    "PyTorch loop, float32": lambda: modular.torch_loop(80, torch.float32),
    "PyTorch fleet of 8": lambda: modular.torch_fleet(8, 15),
    "nucleate": lambda: modular.nucleate_fleet(4, 1500),
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
                "PyTorch": partial(particles.pytorch, case, steps),
                "nucleate": partial(particles.nucleate, case, steps, networks=cores()),
                "nucleate, one network": partial(particles.nucleate, case, steps, networks=1),
                "GEMM peak": partial(particles.gemm_bound, case),
            },
            "network-steps/s",
        )
        for case, steps in ((particles.SMALL, 200), (particles.PAPER, 10))
    ),
    *(
        (
            f"transformer, p = {case.fleet.p}, {case.fleet.dim} dimensions",
            {
                "PyTorch": partial(transformer.pytorch, case, steps),
                "nucleate": partial(transformer.nucleate, case, cores(), steps),
                "GEMM peak": partial(transformer.gemm_bound, case),
            },
            "network-steps/s",
        )
        for case, steps in ((transformer.SMALL, 300), (transformer.PAPER, 10))
    ),
    *(
        (
            f"text, {case.fleet.blocks} blocks of width {case.fleet.width}",
            {
                "PyTorch loop": partial(text.pytorch, case, steps),
                "PyTorch, a network per core": partial(text.pytorch_per_core, case, cores(), steps),
                "nucleate": partial(text.nucleate, case, cores(), steps),
                "nucleate, one network": partial(text.nucleate, case, 1, steps),
                "GEMM peak": partial(text.gemm_bound, case),
            },
            "network-steps/s",
        )
        for case, steps in ((text.SMALL, 300), (text.LARGE, 20))
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
        for case, steps in ((quadratic.C23, 1600), (quadratic.C71, 160))
    ),
)


def main(only: str = "") -> None:
    """Measure everything, or benchmarks with `only` in their names, subject after subject in each round, so that a busy
    moment hurts all alike."""
    console, rows = Console(), []
    if only and not any(only in name for name, *_ in SUBJECTS):
        sys.exit(f"no benchmark is called '{only}'; there are: {', '.join(name for name, *_ in SUBJECTS)}.")

    def add(benchmark: str, subject: str, value: float, unit: str) -> None:
        rows.append({"benchmark": benchmark, "subject": subject, "value": value, "unit": unit})

    for benchmark, subjects, unit in (subject for subject in SUBJECTS if only in subject[0]):
        speed = _medians(benchmark, subjects, console)
        for name, value in speed.items():
            add(benchmark, name, value, unit)
        ours = [name for name in speed if name.startswith("nucleate")]
        for name, other in itertools.product(ours, [name for name in speed if name not in ours]):
            add(benchmark, f"{name} over {other}", speed[name] / speed[other], "ratio")
    if not only:
        with console.status("measuring what recording costs"):
            add(
                "recording",
                "every 10 steps over first and last only",
                recording.overhead(64, 1000, 3),
                "fraction",
            )
        _learning_coefficients(add, console)

    table = Table("benchmark", "subject", "value", "unit", title=f"{torch.get_num_threads()} threads")
    for row in rows:
        table.add_row(row["benchmark"], row["subject"], f"{row['value']:,.4g}", row["unit"])
    console.print(table)
    if not only:
        Path("benchmarks/latest.json").write_text(json.dumps(rows, indent=2) + "\n")


def _medians(benchmark: str, subjects: dict, console: Console) -> dict[str, float]:
    seen: dict[str, list[float]] = {name: [] for name in subjects}
    with console.status("measuring") as status:
        for number in range(ROUNDS):
            for name, measure in subjects.items():
                status.update(f"{benchmark}, round {number + 1} of {ROUNDS}: {name}")
                seen[name].append(measure())
    return {name: statistics.median(values) for name, values in seen.items()}


def _learning_coefficients(add: Callable[[str, str, float, str], None], console: Console) -> None:
    """CPU seconds, once: they do not suffer from a busy moment as a clock on the wall does."""
    subjects = dict(llc.SUBJECTS)
    if reason := llc.missing():
        console.print(reason)
        del subjects["devinterp"]
    for problem in llc.PROBLEMS:
        spent = {}
        for subject in subjects:
            with console.status(f"learning coefficient, {problem}: {subject}"):
                spent[subject] = llc.measure(subject, problem)
            for name, value in spent[subject].items():
                unit = "λ̂" if name == "coefficient" else "CPU s"
                add(f"learning coefficient, {problem}", f"{subject}: {name}", value, unit)
        if "devinterp" in spent:
            for name, value in spent["nucleate"].items():
                if name != "coefficient":
                    ratio = spent["devinterp"][name.split(",")[0]] / value
                    add(f"learning coefficient, {problem}", f"nucleate over devinterp: {name}", ratio, "ratio")


if __name__ == "__main__":
    main(*sys.argv[1:2])
