"""Figures 3 and 10: accuracy and representation quality, real, predicted and ideal."""

from pathlib import Path

from nucleate.claims import Evidence
from nucleate.papers.grokking import readings
from nucleate.plots import Picture, above_diagonal, agreement, panels, save

_PREDICTED = r"$\widehat{Acc}$ (representation)"


def figure_3(evidence: Evidence, folder: Path) -> Picture:
    found = evidence.once(readings.loose_qualities)
    figure, (left, middle, right) = panels(1, 3)
    above_diagonal(left, found.fraction, found.accuracy, ylabel="Acc (network)")
    above_diagonal(middle, found.fraction, found.predicted_accuracy, ylabel=_PREDICTED)
    agreement(
        right,
        found.predicted_accuracy,
        found.accuracy,
        found.fraction,
        xlabel=_PREDICTED,
        ylabel="Acc (network)",
        clabel="training fraction",
    )
    return Picture(
        save(figure, folder / "figure_3.png"),
        "Fig. 3: representation quality predicts generalization",
        "Accuracy on all pairs, measured and predicted from the final embedding: each against the training fraction, "
        "and one against the other. Each dot is a network; the dashed diagonal is pure memorization.",
    )


def figure_10(evidence: Evidence, folder: Path) -> Picture:
    found = evidence.once(readings.strict_qualities)
    figure, axes = panels(2, 3)
    rows = (("RQI", found.rqi, found.ideal_rqi), ("Acc", found.accuracy, found.ideal_accuracy))
    for row, (name, real, ideal) in enumerate(rows):
        first, second, third = axes[3 * row : 3 * row + 3]
        bar = r"$\overline{" + name + "}$ (ideal)"
        above_diagonal(first, found.fraction, real, ylabel=f"{name} (network)", note="")
        above_diagonal(second, found.fraction, ideal, ylabel=bar, note="")
        agreement(
            third, ideal, real, found.fraction, xlabel=bar, ylabel=f"{name} (network)", clabel="training fraction"
        )
    return Picture(
        save(figure, folder / "figure_10.png"),
        "Fig. 10: real and ideal models",
        "RQI (|d| ≤ 0.01) and accuracy of trained networks, and of the ideal model on the same training sets. The "
        "ideal model bounds the real one where dots lie below the diagonal.",
    )
