"""Claims 10 and 11: the networks as simulators, and the simulations themselves."""

import jax
import numpy as np

from nucleate.claims import Check, Claim, Evidence, Findings, Reason, Region, bootstrap
from nucleate.papers.collisions.experiments import BOXES, Effort
from nucleate.papers.collisions.ledger.maturity import TRAINED, UNTRAINED, trained
from nucleate.papers.collisions.readings.fleets import box_name, fleets
from nucleate.papers.collisions.readings.rollouts import ROLLOUT, Energies, energies
from nucleate.tasks import ParticleTask

STABLE = Check("share of rollouts that stay finite and lose energy", "all", Region.at_least(0.95), mature=TRAINED)
ENERGY = Check(
    "error of the mean energy, over time and relative to the truth", "small", Region.at_most(0.25), mature=TRAINED
)
SETTLED = Check("kinetic energy after 1,024 steps, over its largest", "near 0", Region.at_most(0.05))


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
    counted = {name: trained(record) for name, record in fleets(evidence).items()}
    if not counted:
        return Findings.none((STABLE, ENERGY), "No network stayed finite.", Reason.TOO_FEW)
    early = sum(int((~each).sum()) for each in counted.values())
    left_out = (
        f" {early} of {sum(map(len, counted.values()))} networks are not counted: they leave more than {UNTRAINED:.0%} "
        "of the variance of accelerations unexplained."
    )
    if not any(each.any() for each in counted.values()):
        return Findings.none((STABLE, ENERGY), left_out.strip(), Reason.TOO_EARLY)
    found = {
        name: Energies(each.truth[counted[name]], each.network[counted[name]])
        for name, each in evidence.once(energies).items()
        if counted[name].any()
    }
    calm, error = (np.concatenate([of(each) for each in found.values()]) for of in (stable, energy_error))
    never_nan = np.nan_to_num(error, nan=np.inf, posinf=np.inf)
    return Findings(
        {
            STABLE: bootstrap(np.mean, calm, bounds=(0, 1)),
            ENERGY: bootstrap(np.mean, never_nan, bounds=(0, np.inf)),
        },
        _in_words(found) + (left_out if early else ""),
    )


def _in_words(found: dict[str, Energies]) -> str:
    starts = next(iter(found.values())).truth.shape[1]
    percent = lambda x: f"{x:.0%}" if np.isfinite(x) else "infinite"
    errors, medians = [], []
    for name, each in found.items():
        errors.append(f"{box_name(name)} {', '.join(map(percent, energy_error(each)))}")
        with np.errstate(invalid="ignore", divide="ignore", over="ignore"):
            single = np.mean(np.abs(each.network - each.truth) / each.truth, axis=2)
        medians.append(f"{box_name(name)} {percent(np.median(np.nan_to_num(single, nan=np.inf, posinf=np.inf)))}")
    return (
        f"{ROLLOUT} steps with the last weights from {starts} fresh starts. Error of each network: "
        f"{'; '.join(errors)}. Median error of a single rollout: {', '.join(medians)}."
    )


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
        BOXES,
        "when the model is used as a simulator the resulting simulations are stable (accumulated errors do not cause "
        "the simulation to gain unrealistic amounts of energy) and that on-average the energy evolves in a manner "
        "similar to the ground truth system",
    ),
    Claim(
        "collisions/11",
        "App. C, Table 2",
        "Systems have settled after 1,024 steps.",
        (SETTLED,),
        _settled,
        quote="The number of steps was chosen as after this point the particle system has generally dissipated all of "
        "its energy and particles are no longer moving.",
    ),
)
