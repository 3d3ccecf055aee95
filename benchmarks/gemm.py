"""The machine's matrix-product peak, for the shapes that matter."""

import time

import torch


def peak(rows: int = 1024, inner: int = 1024, columns: int = 1024, seconds: float = 0.5) -> float:
    """Floating-point operations a second of a single-precision product, all cores, best of many."""
    a, b = torch.randn(rows, inner), torch.randn(inner, columns)
    out = torch.empty(rows, columns)
    best, deadline = 0.0, time.perf_counter() + seconds
    while time.perf_counter() < deadline:
        began = time.perf_counter()
        torch.mm(a, b, out=out)
        best = max(best, 2 * rows * inner * columns / (time.perf_counter() - began))
    return best
