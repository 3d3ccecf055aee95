"""Claims 10 and 11: the networks as simulators, and the simulations themselves."""

import jax
import numpy as np

from nucleate.claims import Check, Claim, Estimate, Evidence, Findings, Region, bootstrap
from nucleate.papers.collisions import measures
from nucleate.tasks import ParticleTask

_UNTRAINED = 0.5  # of the variance: networks that leave more unexplained are no simulators yet
_LABELS = (
    "share of rollouts that stay finite and lose energy",
    "error of the mean energy, over time and relative to the truth",
)


def stable(energies: measures.Energies) -> np.ndarray:
    """Of each network, the share of rollouts that stay finite and end with less energy than they had at first."""
    with np.errstate(invalid="ignore"):
        return np.mean(energies.network[..., -1] < energies.network[..., 0], axis=1)


def energy_error(energies: measures.Energies) -> np.ndarray:
    """Of each network: |E − E_truth| of the means over starts, over E_truth, on average over time."""
    truth, network = energies.truth.mean(axis=1), energies.network.mean(axis=1)
    return np.mean(np.abs(network - truth) / truth, axis=1)


def _rollouts(evidence: Evidence) -> Findings:
    found = evidence.once(measures.energies)
    if not found:
        return Findings(dict.fromkeys(_LABELS, Estimate.unknown()), "No network stayed finite.")
    trained = {name: record.fvu.values[:, -1] <= _UNTRAINED for name, record in measures.fleets(evidence).items()}
    count = sum(int((~each).sum()) for each in trained.values())
    early = f"{count} of {sum(map(len, trained.values()))} networks leave more than {_UNTRAINED:.0%} of the "
    early += "variance of accelerations unexplained, and are not counted: too early."
    found = {
        name: measures.Energies(each.truth[trained[name]], each.network[trained[name]])
        for name, each in found.items()
        if trained[name].any()
    }
    if not found:
        return Findings(dict.fromkeys(_LABELS, Estimate.unknown()), early)
    calm, error = (np.concatenate([of(each) for each in found.values()]) for of in (stable, energy_error))
    told = ", ".join(
        f"{name.split('/')[1]} box "
        + ", ".join(f"{value:.0%}" if np.isfinite(value) else "infinite" for value in energy_error(each))
        for name, each in found.items()
    )
    typical = ", ".join(
        f"{np.median(np.mean(np.abs(each.network - each.truth) / each.truth, axis=2)):.0%}" for each in found.values()
    )
    starts = ", ".join(f"{each.truth.shape[1]}" for each in found.values())
    return Findings(
        {
            _LABELS[0]: bootstrap(lambda x: float(np.mean(x)), calm),
            _LABELS[1]: bootstrap(lambda x: float(np.mean(np.nan_to_num(x, nan=np.inf))), error),
        },
        f"{measures.ROLLOUT} steps from {starts} fresh starts, the last weights. Errors of each network: {told}; of "
        f"single rollouts, on the median, {typical}. {early}",
    )


def _settled(evidence: Evidence) -> Findings:
    task = ParticleTask()
    start = task.start(jax.random.key(2), max(evidence.samples // 4, 8))
    kinetic = np.asarray(task.energy(task.trajectory(start, task.steps, every=16)).kinetic)
    ratio = kinetic[-1] / kinetic.max(axis=0)
    return Findings(
        {"kinetic energy after 1,024 steps, over its largest": bootstrap(lambda x: float(np.mean(x)), ratio)},
        f"{len(ratio)} simulations of the paper's box: 64 particles, 28 × 14. The last to settle still has "
        f"{ratio.max():.1%} of its largest kinetic energy.",
    )


CLAIMS = (
    Claim(
        "collisions/10",
        "App. D.2, Fig. 7",
        "Trained networks are stable simulators, and their energy follows that of the system.",
        (
            Check(_LABELS[0], "all", Region(0.95, 1)),
            Check(_LABELS[1], "small", Region(0, 0.25)),
        ),
        _rollouts,
        measures.EXPERIMENTS,
    ),
    Claim(
        "collisions/11",
        "App. C, Table 2",
        "Systems have settled after 1,024 steps.",
        (Check("kinetic energy after 1,024 steps, over its largest", "near 0", Region(0, 0.05)),),
        _settled,
    ),
)
