"""Claims 10 and 11: the networks as simulators, and the simulations themselves."""

import jax
import numpy as np

from nucleate.claims import Check, Claim, Evidence, Findings, Reason, Region, Revision, bootstrap, words
from nucleate.papers.collisions.experiments import BOX, Effort
from nucleate.papers.collisions.ledger.maturity import UNEXPLAINED, finished
from nucleate.papers.collisions.ledger.shares import or_more
from nucleate.papers.collisions.readings.fleets import networks
from nucleate.papers.collisions.readings.rollouts import ROLLOUT, Energies, energies
from nucleate.tasks import ParticleTask

STABLE = Check("share of rollouts that stay finite and lose energy", "stable", words.NEARLY_ALL)
ENERGY = Check(
    "error of the mean energy, over time and relative to the truth, of the median network",
    "similar",
    Region.at_most(words.CLOSE.high - 1),
)
SETTLED = Check("kinetic energy after 1,024 steps, over its largest", "no longer moving", words.NEGLIGIBLE)


def stable(found: Energies) -> np.ndarray:
    """For each network, the share of rollouts that stay finite and end with less energy than they began with."""
    with np.errstate(invalid="ignore"):
        return np.mean(found.network[..., -1] < found.network[..., 0], axis=1)


def energy_error(found: Energies) -> np.ndarray:
    """For each network: |E − E_truth| of the means over starts, over E_truth, averaged over time."""
    with np.errstate(invalid="ignore", divide="ignore", over="ignore"):
        truth, network = found.truth.mean(axis=1), found.network.mean(axis=1)
        return np.mean(np.abs(network - truth) / truth, axis=1)


def _rollouts(evidence: Evidence[Effort]) -> Findings:
    found, ready = evidence.once(energies), finished(networks(evidence))
    if found is None:
        return Findings.none((STABLE, ENERGY), "No network stayed finite.", Reason.TOO_FEW)
    starts = found.truth.shape[1]
    error = np.nan_to_num(energy_error(found), nan=np.inf, posinf=np.inf)
    now = bootstrap(np.median, error, bounds=(0, np.inf))
    later = bootstrap(np.median, np.where(ready, error, 0.0), bounds=(0, np.inf))
    return Findings(
        {
            STABLE: or_more(np.round(starts * stable(found)), np.full(len(ready), float(starts)), ready),
            ENERGY: now.or_later(later, now),
        },
        f"{ROLLOUT} steps with the last weights from {starts} fresh starts. Error of each network: "
        f"{', '.join(map(_percent, error))}. Median error of a single rollout: {_percent(_of_single_rollouts(found))}. "
        f"{int(ready.sum())} of {len(ready)} networks leave at most {UNEXPLAINED:.0%} of the variance of accelerations "
        "unexplained; others count against the claim only when they do.",
    )


def _percent(error: float) -> str:
    return f"{error:.0%}" if np.isfinite(error) else "infinite"


def _of_single_rollouts(found: Energies) -> float:
    """The median error of all rollouts."""
    with np.errstate(invalid="ignore", divide="ignore", over="ignore"):
        single = np.mean(np.abs(found.network - found.truth) / found.truth, axis=2)
    return float(np.median(np.nan_to_num(single, nan=np.inf, posinf=np.inf)))


def _settled(evidence: Evidence[Effort]) -> Findings:
    task = ParticleTask()
    start = task.start(jax.random.key(2), evidence.effort.simulations)
    kinetic = np.asarray(task.energy(task.trajectory(start, task.steps, every=16)).kinetic)
    left = kinetic[-1] / kinetic.max(axis=0)
    return Findings(
        {SETTLED: bootstrap(np.mean, left, bounds=(0, 1))},
        f"{len(left)} simulations of the paper's box: 64 particles, 28 × 14. The last to settle still has "
        f"{left.max():.1%} of its largest kinetic energy.",
    )


CLAIMS = (
    Claim(
        "collisions/10",
        "App. D.2, Fig. 7",
        "Trained networks are stable simulators, and their energy follows that of the system.",
        (STABLE, ENERGY),
        _rollouts,
        (BOX,),
        "when the model is used as a simulator the resulting simulations are stable (accumulated errors do not cause "
        "the simulation to gain unrealistic amounts of energy) and that on-average the energy evolves in a manner "
        "similar to the ground truth system",
        history=(
            Revision(
                "At least 0.95 of the rollouts of networks in two boxes that leave at most half of the variance "
                "unexplained; mean error of their energies at most 0.25.",
                "contradicted",
                "such networks are not fully trained, and one that is far off decides the mean of all.",
            ),
        ),
    ),
    Claim(
        "collisions/11",
        "App. C, Table 2",
        "Systems have settled after 1,024 steps.",
        (SETTLED,),
        _settled,
        quote="The number of steps was chosen as after this point the particle system has generally dissipated all of "
        "its energy and particles are no longer moving.",
        history=(Revision("At most 0.05.", "replicated", "0.1 is what is negligible in all papers."),),
    ),
)
