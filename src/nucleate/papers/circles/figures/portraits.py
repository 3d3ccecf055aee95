"""Figures 2, 3 and 13, and the film: circles and their signals in one network."""

from pathlib import Path

import numpy as np
import xarray as xr

from nucleate.claims import Evidence
from nucleate.observables import pca_frequencies, plane, project, signal, spacing
from nucleate.papers.circles import readings
from nucleate.papers.circles.experiments import COMPETITION, LONG, SURVIVAL
from nucleate.plots import Picture, animate_circles, circle, panels, reach, save, signal_curves, snapshots
from nucleate.record import at_the_end

_PLANES = 5


def _subjects(record: xr.Dataset, member: int) -> tuple[int, int]:
    """A dead and a surviving frequency that started alike: of the survivors the strongest, of the dead the nearest."""
    alive, start = readings.final_alive(record)[member], record.signal.values[member, 0]
    survivor = int(np.argmax(np.where(alive, at_the_end(record, "signal")[member], -np.inf)))
    dead = int(np.argmin(np.where(alive, np.inf, np.abs(start - start[survivor]))))
    return dead + 1, survivor + 1


def _projected(record: xr.Dataset, member: int, k: int) -> np.ndarray:
    """Every snapshot on the plane that frequency k has in it, [snapshot, token, 2].

    The paper uses the plane of the last snapshot. Planes turn during training, so there a circle that has already
    formed would not look like one.
    """
    return np.stack([np.asarray(project(snapshot, k)) for snapshot in record.embedding.values[member]])


def _longest(evidence: Evidence) -> xr.Dataset:
    """The networks that are trained for longest at this budget, with snapshots."""
    return readings.first_trained(evidence, LONG, COMPETITION)


def figure_2(evidence: Evidence, folder: Path) -> Picture:
    record, member = _longest(evidence), 0
    dead, survivor = _subjects(record, member)
    steps = record.step_embedding.values
    rows = np.unique(np.searchsorted(steps, np.minimum([0, 200, 1000, steps[-1]], steps[-1])))
    figure, axes = panels(2, 2 + len(rows), size=(2.3, 2.7))
    for ax in (axes[0], axes[1], axes[2 + len(rows)], axes[3 + len(rows)]):
        ax.remove()
    left = figure.add_subplot(2, 2 + len(rows), (1, 4 + len(rows)))
    step = record.step.values
    signal_curves(left, step, record.signal.values[member], readings.final_alive(record)[member], xlog=True)
    points = {k: _projected(record, member, k)[rows] for k in (dead, survivor)}
    limit = reach(*points.values())
    for row, (k, fate) in enumerate(((dead, "dies"), (survivor, "survives"))):
        first = row * (2 + len(rows)) + 2
        snapshots(
            axes[first : first + len(rows)],
            points[k],
            steps[rows],
            order=spacing(k, int(record.p[member])),
            limit=limit,
            label=f"k = {k} {fate}",
            titles=row == 0,
        )
    return Picture(
        save(figure, folder / "figure_2.png"),
        "Fig. 2: few circles survive",
        "Left: signals of all frequencies of one network; survivors coloured. Right: its tokens on the plane of a "
        "frequency that dies and of one that survives; both started about equally strong. The scale is the same in "
        "all panels.",
    )


def film(evidence: Evidence, folder: Path) -> Picture:
    record, member = _longest(evidence), 0
    dead, survivor = _subjects(record, member)
    steps, p = record.step_embedding.values, int(record.p[member])
    signals = np.stack([np.asarray(signal(snapshot)) for snapshot in record.embedding.values[member]])
    titles = {dead: f"k = {dead} dies", survivor: f"k = {survivor} survives"}
    path = animate_circles(
        folder / "film.gif",
        {title: _projected(record, member, k) for k, title in titles.items()},
        steps,
        {title: signals[:, k - 1] for k, title in titles.items()},
        order={title: spacing(k, p) for k, title in titles.items()},
        xlog=True,
    )
    return Picture(
        path,
        "Film: a dying and a surviving circle",
        "The two frequencies of Fig. 2 while the network trains. Tokens are joined in the order of their circle.",
    )


def figure_3(evidence: Evidence, folder: Path) -> Picture:
    record = evidence.record(COMPETITION)
    counts = readings.survival(record).count
    member = int(np.argmax(counts))  # the network with most circles, as in the paper
    embedding, p = readings.final_embedding(record, member), int(record.p[member])
    planes = int(np.clip(counts[member], 2, _PLANES))
    held, share = map(np.asarray, pca_frequencies(embedding, planes))
    principal = readings.principal_planes(embedding, planes)
    strongest = np.argsort(-at_the_end(record, "signal")[member])[:planes] + 1
    figure, axes = panels(2, planes, size=(2.5, 2.8))
    for number in range(planes):
        found = readings.neighbours(principal[number])
        title = f"PC {2 * number + 1}–{2 * number + 2}: Δ = {found}\nk = {held[number]} ({share[number]:.0%})"
        circle(axes[number], principal[number], order=found, title=title)
        k = int(strongest[number])
        delta = min(spacing(k, p), p - spacing(k, p))
        points = (embedding - embedding.mean(0)) @ np.asarray(plane(embedding, k)).T
        circle(axes[planes + number], points, order=delta, title=f"k = {k}: Δ = {delta}")
    return Picture(
        save(figure, folder / "figure_3.png"),
        "Fig. 3: principal components and Fourier planes",
        "Top: tokens on pairs of principal components, with the difference Δ between neighbours and the frequency that "
        "holds most of the variance there. Bottom: the strongest frequencies. Δ is given up to its sign modulo p.",
    )


def figure_13(evidence: Evidence, folder: Path) -> Picture:
    record, member = evidence.record(SURVIVAL), 0
    alive, step = readings.final_alive(record)[member], record.step.values
    spectrum = record.gradient_spectrum.values[member]
    figure, (left, right) = panels(1, 2)
    later = (step >= min(100, step[-1])) & (step <= 1000)
    for ax, shown in ((left, step >= 0), (right, later)):
        signal_curves(ax, step[shown], spectrum[shown], alive, ylabel="embedding gradient", xlog=ax is left)
    return Picture(
        save(figure, folder / "figure_13.png"),
        "Fig. 13: the embedding's gradient in Fourier space",
        f"One network. Coloured: frequencies that survive. Right: steps {step[later][0]:,} to {step[later][-1]:,}.",
    )
