"""The local learning coefficient, here and by devinterp 1.3.2: CPU seconds on one core, for one and 50 checkpoints.

Each subject runs in a process of its own, bound to one core before it imports anything that starts threads.
"""

import importlib.util
import json
import os
import subprocess
import sys
import tempfile
import time
import warnings
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np

CHECKPOINTS, CHAINS, DRAWS, BATCH, SAMPLES = 50, 4, 500, 256, 10_000
STEP, NBETA = 1e-4, SAMPLES / np.log(SAMPLES)
TIMED = 3  # checkpoints of a loop that are timed, where the others take as long


class Problem(NamedTuple):
    """Layers (weights as inputs × outputs, biases), whether tanh lies between them, and data that they fit exactly."""

    layers: list[tuple[np.ndarray, np.ndarray | None]]
    tanh: bool
    x: np.ndarray
    y: np.ndarray


def deep_linear() -> Problem:
    """6-5-5-4 without biases, ones on the first two diagonal entries: λ = 10.5."""
    widths = (6, 5, 5, 4)
    weights = [np.eye(*shape, dtype=np.float32) * (np.arange(shape[1]) < 2) for shape in pairwise(widths)]
    return _problem([(weight, None) for weight in weights], tanh=False)


def mlp() -> Problem:
    """64 – tanh 512 – 32: 49,696 parameters."""
    rng = np.random.default_rng(1)
    return _problem(
        [
            (rng.normal(size=(i, o)).astype(np.float32) / np.float32(np.sqrt(i)), np.zeros(o, np.float32))
            for i, o in ((64, 512), (512, 32))
        ],
        tanh=True,
    )


PROBLEMS = {"deep linear 6-5-5-4": deep_linear, "MLP 64-512-32": mlp}


def _problem(layers: list, tanh: bool) -> Problem:
    x = np.random.default_rng(0).normal(size=(SAMPLES, len(layers[0][0]))).astype(np.float32)
    return Problem(layers, tanh, x, np.asarray(_forward(np, layers, tanh, x)))


def _forward(numpy, layers, tanh: bool, x):
    for number, (weight, bias) in enumerate(layers):
        x = (numpy.tanh(x) if tanh and number else x) @ weight
        x = x if bias is None else x + bias
    return x


def nucleate(problem: Problem) -> dict[str, float]:
    """CPU seconds of calls to `learning_coefficient`: the first compiles, the second loads the program from the disk,
    as the next process does, and the third finds it ready.

    Where a checkpoint alone fills a core's cache, all are run one after another, and 50 are extrapolated from `TIMED`.
    """
    import jax
    import jax.numpy as jnp

    from nucleate.observables import Minibatches, Sampling, Setting, learning_coefficient
    from nucleate.observables.llc.blocks import lanes_at_once

    def loss(layers, batch):
        x, y = batch
        return jnp.mean(jnp.square(_forward(jnp, layers, problem.tanh, x) - y))

    jax.block_until_ready(jnp.ones(2) + 1)  # JAX itself has started

    def estimate(checkpoints: int) -> tuple[float, float]:
        began = time.process_time()
        found = learning_coefficient(
            loss,
            Minibatches((problem.x, problem.y), BATCH),
            [problem.layers] * checkpoints,
            [Setting(STEP, NBETA)],
            Sampling(chains=CHAINS, burn_in=0, draws=DRAWS),
        )
        return time.process_time() - began, float(found.value.mean())

    seconds = {}
    alone = lanes_at_once(sum(leaf.size for leaf in jax.tree.leaves(problem.layers)), CHAINS) == 1
    for checkpoints, timed in ((1, 1), (CHECKPOINTS, TIMED if alone else CHECKPOINTS)):
        jax.clear_caches()
        first, _ = estimate(timed)
        jax.clear_caches()
        loading, _ = estimate(timed)
        again, value = estimate(timed)
        seconds |= {f"{checkpoints}": again * checkpoints / timed, "coefficient": value}
        seconds[f"{checkpoints}, compiling"] = first - again + seconds[f"{checkpoints}"]
        seconds[f"{checkpoints}, compiled before"] = loading - again + seconds[f"{checkpoints}"]
    return seconds


def devinterp(problem: Problem) -> dict[str, float]:
    """CPU seconds of a loop over checkpoints; 50 are extrapolated from `TIMED`."""
    import torch
    from devinterp.optim import SGLD
    from devinterp.slt.sampler import estimate_learning_coeff_with_summary

    warnings.simplefilter("ignore")  # it warns of every argument that is given
    modules: list[Any] = []
    for number, (weight, bias) in enumerate(problem.layers):
        if number and problem.tanh:
            modules.append(torch.nn.Tanh())
        layer = torch.nn.Linear(*weight.shape, bias=bias is not None)
        state = {"weight": torch.tensor(weight.T)} | ({} if bias is None else {"bias": torch.tensor(bias)})
        layer.load_state_dict(state)
        modules.append(layer)
    model = torch.nn.Sequential(*modules)
    data = torch.utils.data.TensorDataset(torch.tensor(problem.x), torch.tensor(problem.y))
    loader = torch.utils.data.DataLoader(data, batch_size=BATCH, shuffle=True)

    def evaluate(model, batch):
        return torch.nn.functional.mse_loss(model(batch[0]), batch[1])

    def estimate(draws: int) -> float:
        found = estimate_learning_coeff_with_summary(
            model,
            loader,
            evaluate=evaluate,
            sampling_method=SGLD,
            optimizer_kwargs={"lr": STEP, "nbeta": NBETA, "localization": 1.0},
            num_chains=CHAINS,
            num_draws=draws,
            verbose=False,
        )
        return float(found["llc/mean"])

    estimate(10)  # PyTorch has started
    began = time.process_time()
    values = [estimate(DRAWS) for _ in range(TIMED)]
    spent = (time.process_time() - began) / TIMED
    return {"1": spent, f"{CHECKPOINTS}": CHECKPOINTS * spent, "coefficient": float(np.mean(values))}


SUBJECTS = {"nucleate": nucleate, "devinterp": devinterp}


def missing() -> str | None:
    """Why devinterp cannot be measured."""
    if importlib.util.find_spec("devinterp") is None:
        return "devinterp is not installed, so it is not compared with: pip install 'nucleate[bench]'."
    return None


def measure(subject: str, problem: str) -> dict[str, float]:
    """The CPU seconds of a subject of `SUBJECTS` on a problem of `PROBLEMS`, in a process of its own."""
    command = [sys.executable, "-m", "benchmarks.llc", subject, problem]
    with tempfile.TemporaryDirectory() as empty:  # nothing has been compiled yet
        environment = os.environ | {"XDG_CACHE_HOME": empty}
        ran = subprocess.run(command, capture_output=True, text=True, env=environment)
    if ran.returncode:
        raise RuntimeError(f"{' '.join(command)} failed:\n{ran.stderr}")
    return json.loads(ran.stdout.splitlines()[-1])


if __name__ == "__main__":
    os.sched_setaffinity(0, {max(os.sched_getaffinity(0))})  # one core for each subject; only Linux can bind
    print(json.dumps(SUBJECTS[sys.argv[1]](PROBLEMS[sys.argv[2]]())))
