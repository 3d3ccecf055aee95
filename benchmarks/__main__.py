"""`make bench`: print a table, write benchmarks/latest.json."""

import json
import statistics
from pathlib import Path

import torch
from rich.console import Console
from rich.table import Table

from benchmarks import gemm, recording, toy

ROUNDS = 3


def main() -> None:
    """Measure everything, subject after subject in each round, so that a busy moment hurts all alike."""
    rows = []

    def add(benchmark: str, subject: str, value: float, unit: str) -> None:
        rows.append({"benchmark": benchmark, "subject": subject, "value": value, "unit": unit})

    subjects = {
        "PyTorch loop": lambda: toy.torch_loop(300),
        "PyTorch fleet of 64": lambda: toy.torch_fleet(64, 60),
        "nucleate": lambda: toy.nucleate_fleet(64, 2000),
        "GEMM peak": lambda: gemm.peak() / toy.FLOPS,
    }
    toy.nucleate_fleet(64, 50)
    seen = {name: [] for name in subjects}
    console = Console()
    with console.status("measuring") as status:
        for number in range(ROUNDS):
            for name, measure in subjects.items():
                status.update(f"round {number + 1} of {ROUNDS}: {name}")
                seen[name].append(measure())
    speed = {name: statistics.median(values) for name, values in seen.items()}
    for name, value in speed.items():
        add("toy addition", name, value, "model-steps/s")
    ours = speed["nucleate"]
    add("toy addition", "nucleate over PyTorch loop", ours / speed["PyTorch loop"], "ratio")
    add("toy addition", "nucleate over PyTorch fleet", ours / speed["PyTorch fleet of 64"], "ratio")
    add("toy addition", "nucleate over GEMM peak", ours / speed["GEMM peak"], "fraction")
    with console.status("measuring what recording costs"):
        add(
            "recording",
            "every 10 steps over first and last only",
            recording.overhead(64, 1000, 3),
            "fraction",
        )

    table = Table("benchmark", "subject", "value", "unit", title=f"{torch.get_num_threads()} threads")
    for row in rows:
        table.add_row(row["benchmark"], row["subject"], f"{row['value']:,.4g}", row["unit"])
    console.print(table)
    Path("benchmarks/latest.json").write_text(json.dumps(rows, indent=2) + "\n")


if __name__ == "__main__":
    main()
