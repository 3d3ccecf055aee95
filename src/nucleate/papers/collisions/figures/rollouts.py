"""Figure 7 and the film: networks as simulators."""

from pathlib import Path

import jax
import numpy as np

from nucleate.claims import Evidence
from nucleate.papers.collisions.figures import choice
from nucleate.papers.collisions.readings import rollouts
from nucleate.papers.collisions.readings.fleets import network, networks, recipe
from nucleate.plots import PALETTE, Picture, animate_attention, panels, save

_COLUMNS = 4
_EVERY = 20  # steps from a frame of the film to the next
_START = 5  # what the film's key is folded with


def figure_7(evidence: Evidence, folder: Path) -> Picture | None:
    held = evidence.once(rollouts.energies)
    if held is None:
        return None
    record, count = networks(evidence), len(held.truth)
    columns = min(_COLUMNS, count)
    figure, axes = panels(-(-count // columns), columns, size=(3.1, 2.9))
    ceiling = 1.25 * float(held.truth.mean(1).max())
    for number, (ax, truth, predicted) in enumerate(zip(axes, held.truth, held.network, strict=False)):
        with np.errstate(invalid="ignore", over="ignore"):
            mean = predicted.astype(np.float64).mean(0)
        ax.plot(mean, color=PALETTE[1], label="network")
        ax.plot(truth.mean(0), color="0.15", lw=1.3, ls=(0, (4, 2)), label="truth")
        ax.set(xlabel="time step", ylabel="" if number % columns else "total energy", ylim=(0, ceiling))
        ax.set_title(f"network {int(record.member[number])}", fontsize=10, pad=6)
    for ax in axes[count:]:
        ax.remove()
    axes[0].legend()
    return Picture(
        save(figure, folder / "figure_7.png"),
        "Fig. 7: energy of networks that simulate",
        f"{choice.fleet_name(record)}. Mean over {held.truth.shape[1]} initial states. The axis ends a quarter above "
        "the truth; curves beyond it gain energy.",
    )


@choice.of_finite_networks
def film(evidence: Evidence, folder: Path) -> Picture:
    record = networks(evidence)
    example = choice.subject(record)
    made = recipe(record)
    start = made.task.start(jax.random.fold_in(jax.random.key(0), _START), 1)
    truth = jax.tree.map(lambda array: np.asarray(array)[:, 0], made.task.trajectory(start, rollouts.ROLLOUT, _EVERY))
    row = int(np.flatnonzero(record.member.values == example.head.member)[0])
    begin = start.position[0], start.velocity[0]
    rolled = rollouts.rollout(network(record, row), *begin, made.boundary, rollouts.ROLLOUT)
    own_position, own_velocity = (np.asarray(array)[::_EVERY] for array in rolled)
    motions = {"truth": truth.position, "network": own_position}
    seen = {
        "truth": choice.attention(record, example.head, truth.position, truth.velocity),
        "network": choice.attention(record, example.head, own_position, own_velocity),
    }
    times = made.task.dt * _EVERY * np.arange(len(truth.position))
    stands = "" if example.genuine else " No head is a true collision head; the one with the highest score stands in."
    return Picture(
        animate_attention(folder / "film.gif", motions, seen, choice.box(record), times, seconds=0.08),
        "Film: a box of particles, truth and network",
        f"Left: the simulation. Right: the network from the same start, fed its own output. Lines: whom particles "
        f"attend to in {example.head.name} ({choice.fleet_name(record)}) when the network sees either.{stands}",
    )
