"""No claim breaks on networks that diverged, that are all alike, in which nothing stands out, or that are alone."""

from collections.abc import Callable

import numpy as np
import pytest
import xarray as xr
from circle_records import early, evidence, fleet, with_ablated_losses, with_embedding

from nucleate.claims import Verdict
from nucleate.papers import paper
from nucleate.papers.circles import readings
from nucleate.papers.circles.experiments import EXPERIMENTS
from nucleate.record import NEVER, Outcome

P, FREQ = 13, 6
CLAIMS = {claim.id: claim for claim in paper("circles").claims}


def networks(members: int, survivors: int) -> xr.Dataset:
    """Identical networks, with all that any claim reads, and columns in which they differ."""
    alive = np.broadcast_to(np.arange(FREQ) < survivors, (members, FREQ))
    number = np.arange(members)
    record = fleet(
        alive,
        steps=30_000,
        dead=87.0 if survivors == 0 else 1.0,
        start=np.full(alive.shape, 87.0),
        p=P,
        dim=np.where(number % 2, 8, 16),
        first=1,
        second=2,
        ratio=1.0,
        factor=np.where(number % 2, 0.85, 1.15),
        variant=number % 4,
        seed=number // 4,
        seed_embedding=number // 2,
    ).isel(step=slice(0, None, 50))
    record["signal"][:] = record.signal.values[:1]
    record["mean_signal"][:] = record.mean_signal.values[:1]
    record = with_embedding(with_ablated_losses(record, [0.0] * 5), np.ones((P, 4)))
    return early(record, np.zeros(alive.shape))


def diverged() -> xr.Dataset:
    """Nothing but the start of each network is left."""
    record = networks(8, 2)
    for name in (
        "signal",
        "mean_signal",
        "gradient_spectrum",
        "test_loss",
        "test_accuracy",
        "embedding",
        "ablated_loss",
    ):
        record[name][:, 1 if record.sizes[record[name].dims[1]] > 1 else 0 :] = np.nan
    record["outcome"][:] = Outcome.DIVERGED
    record["last_step"][:] = 2
    record["clear_step"][:] = record["test99_step"][:] = NEVER
    return record


def judge(claim: str, record: xr.Dataset):
    known = {
        readings.noise_circularity: np.full((6, 50, FREQ), 0.5),
        readings.start_circularity: dict.fromkeys(np.unique(record.seed_embedding.values).tolist(), np.ones(FREQ)),
    }
    return CLAIMS[claim].judge(evidence(dict.fromkeys(EXPERIMENTS, record), frequency=1, known=known))


@pytest.mark.parametrize("claim", CLAIMS)
def test_diverged_networks_replicate_nothing(claim):
    row = judge(claim, diverged())
    assert row.verdict != Verdict.REPLICATED
    assert "nan" not in row.note


MAKERS: dict[str, Callable[[], xr.Dataset]] = {
    "alike": lambda: networks(8, 2),
    "flat": lambda: networks(8, 0),
    "alone": lambda: networks(1, 2),
}


@pytest.mark.parametrize("kind", MAKERS)
@pytest.mark.parametrize("claim", CLAIMS)
def test_claims_survive(claim, kind):
    row = judge(claim, MAKERS[kind]())
    if kind == "alone":
        assert row.verdict == Verdict.INCONCLUSIVE
    assert "nan" not in row.note
