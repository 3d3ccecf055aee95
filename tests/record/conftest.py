"""A run made by hand: what a fleet would leave, without training one."""

import sys
from pathlib import Path

import numpy as np
import pytest
import xarray as xr

from nucleate.record import Outcome, Run, Store, Variable, create_store

sys.path.insert(0, str(Path(__file__).parent))  # for `log_until_killed`

LOSS = np.linspace(1, 0, 24, dtype=np.float32).reshape(3, 8)


def make_run(path, status: str = "complete") -> Run:
    run = Run.create(path, {"experiment": "by-hand", "members": 3, "steps": 7})
    frame = xr.Dataset(
        {"in_train": (("member", "pair"), np.zeros((3, 4), bool))},
        coords={
            "member": np.arange(3),
            "step": np.arange(8),
            "seed": ("member", [0, 1, 2]),
            "eta": ("member", [0.0] * 3),
        },
        attrs={"steps": 7},
    )
    variables = [
        Variable("loss", ("member", "step"), (3, 8), np.dtype("float32"), (2, 5), {"long_name": "training loss"}),
        Variable("outcome", ("member",), (3,), np.dtype("int8"), (2,)),
    ]
    create_store(run.record_path, frame, variables)
    store = Store(run.record_path)
    for rows in (slice(0, 2), slice(2, 3)):
        for steps in (slice(0, 5), slice(5, 8)):
            store.write("loss", (rows, steps), LOSS[rows, steps])
        store.write("outcome", (rows,), np.full(rows.stop - rows.start, Outcome.OK, np.int8))
    run.update(status=status)
    return run


@pytest.fixture
def run(tmp_path):
    return make_run(tmp_path / "run")


@pytest.fixture
def loss():
    """What `run` holds as `loss`."""
    return LOSS
