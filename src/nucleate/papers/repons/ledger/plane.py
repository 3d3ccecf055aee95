"""Claims 40 to 43: lines in two dimensions, in networks and in flows."""

import numpy as np

from nucleate.claims import Check, Claim, Evidence, Findings, Reason, Revision, difference_of_shares, words
from nucleate.observables import is_line, line_angle
from nucleate.papers.repons import readings
from nucleate.papers.repons.experiments import HELD_OUT, NARROW, PLANE
from nucleate.papers.repons.ledger import estimates
from nucleate.papers.repons.ledger.estimates import LOSSES, where_fitted
from nucleate.papers.repons.ledger.maturity import DECAYED, LEARNED, UNSEEN_LEARNED

_NEAR_AXIS = np.pi / 12  # a third of random lines are this near to an axis

LINES = Check("share of lines", "none", words.NONE, mature=LEARNED)
PERFECT = Check("share of networks with perfect validation accuracy", "none", words.NONE, mature=UNSEEN_LEARNED)

SIMULATED_LINES = Check("share of simulations that end as a line", "commonly", words.OFTEN, mature=LEARNED)

RECOVERED = Check("share of lines with weight decay and a narrow layer", "some", words.SOME, mature=DECAYED)
OVER_NEITHER = Check("that share minus the one with neither", "above 0", words.POSITIVE, mature=DECAYED)
OVER_NARROW = Check("that share minus the one with a narrow layer alone", "not said", None)
OVER_DECAY = Check("that share minus the one with weight decay alone", "not said", None)
_RECOVERED = (RECOVERED, OVER_NEITHER, OVER_NARROW, OVER_DECAY)

ALONG_AXES = Check(
    "share of simulated lines within 15° of an axis", "most; a third by chance", words.MOST, mature=LEARNED
)
EQUAL = {
    name: Check(f"{name} loss with parity over that with rotation", "no significant difference: 1", words.CLOSE)
    for name in LOSSES
}


def _absent(evidence: Evidence) -> Findings:
    lines = is_line(readings.final_embedding(readings.networks(evidence, PLANE)))
    held_out = readings.networks(evidence, HELD_OUT)
    accuracy, seen = held_out.valid_accuracy.values[:, -1], readings.train_accuracy(held_out)
    trained = ", ".join(map(str, np.unique(held_out.train_size.values)))
    mean = lambda values: f"{values.mean():.3f}" if len(values) else "–"
    return Findings(
        {LINES: estimates.share_of(lines), PERFECT: estimates.share_of(accuracy == 1)},
        f"{len(lines)} networks trained on all pairs. Generalisation is measured on another fleet, {len(accuracy)} "
        f"networks trained on {trained or '–'} of {held_out.sizes['pair']} pairs: mean accuracy {mean(seen)} on these, "
        f"{mean(accuracy)} on the others, {int((accuracy == 1).sum())} perfect.",
    )


@where_fitted(SIMULATED_LINES, LINES)
def _predicted(evidence: Evidence) -> Findings:
    flows, other = evidence.once(readings.rotation_flows), evidence.once(readings.parity_flows)
    also = int(is_line(other.ends).sum())
    return Findings(
        {
            SIMULATED_LINES: estimates.share_of_flows(is_line(flows.ends), flows),
            LINES: estimates.share_of(is_line(readings.final_embedding(readings.networks(evidence, PLANE)))),
        },
        f"Flow in the best of the rotationally symmetric potentials, from {len(flows.ends)} random starts, for as long "
        f"as the networks trained: {estimates.at_rest(flows)}. With parity symmetry {also} of {len(other.ends)} end as "
        "a line. Lines in the data are those of the networks.",
    )


def _recovered(evidence: Evidence) -> Findings:
    record = readings.networks(evidence, NARROW)
    if not record.sizes["member"]:
        return Findings.none(_RECOVERED, "No network is left.", Reason.TOO_FEW)
    lines = is_line(readings.final_embedding(record))
    wd, width, accuracy = record.wd.values, record.width.values, record.accuracy.values[:, -1]
    narrow, strong = width == width.min(), wd == wd.max()
    treated = lines[narrow & strong]
    of = lambda hits: (int(hits.sum()), len(hits))
    minus = lambda control: difference_of_shares(of(treated), of(lines[control]))
    cells = {(w, n): (wd == w) & (width == n) for w, n in zip(wd.tolist(), width.tolist(), strict=True)}
    told = ", ".join(
        f"λ = {w:g}, {n} units: {int(lines[here].sum())} of {int(here.sum())} (accuracy {accuracy[here].mean():.2f})"
        for (w, n), here in sorted(cells.items())
    )
    return Findings(
        {
            RECOVERED: estimates.share_of(treated),
            OVER_NEITHER: minus(~narrow & (wd == 0)),
            OVER_NARROW: minus(narrow & (wd == 0)),
            OVER_DECAY: minus(~narrow & strong),
        },
        f"{evidence.about(NARROW).steps:,} steps. Lines: {told}. The strongest weight decay is judged, chosen in a "
        "pilot.",
    )


@where_fitted(ALONG_AXES, *EQUAL.values())
def _axes(evidence: Evidence) -> Findings:
    flows = evidence.once(readings.parity_flows)
    lines = flows.ends[is_line(flows.ends)]
    angle = line_angle(lines) if len(lines) else np.empty(0)
    near = np.minimum(angle % (np.pi / 2), np.pi / 2 - angle % (np.pi / 2)) <= _NEAR_AXIS
    parity, rotation = evidence.once(readings.parity_scores), evidence.once(readings.rotation_scores)
    return Findings(
        {ALONG_AXES: estimates.share_of(near)}
        | {
            EQUAL[name]: estimates.ratio_of_means(estimates.loss_of(parity, name), estimates.loss_of(rotation, name))
            for name in LOSSES
        },
        f"{len(lines)} of {len(flows.ends)} flows in the best parity-symmetric potential, from random starts, end as a "
        f"line; a third of random angles would be that near. Parity: {estimates.in_words(parity)}. Rotation: "
        f"{estimates.in_words(rotation)}.",
    )


_NONE = "“none” has one reading for all papers"

CLAIMS = (
    Claim(
        "repons/40",
        "App. B",
        "In d = 2 the data contain no lines, and no network generalises.",
        (LINES, PERFECT),
        _absent,
        (PLANE, HELD_OUT),
        quote="the canonical configuration of a line, is non-existent in the underlying data … none of the "
        "configurations in the dataset are generalizing ones (i.e., ones with perfect validation accuracy)",
        history=(
            Revision(
                "Both shares are at most 0.01, whatever the networks have learned.",
                "replicated",
                f"{_NONE}, and networks that have not learned the pairs that they see cannot generalise.",
            ),
        ),
    ),
    Claim(
        "repons/41",
        "App. B",
        "The potential in d = 2 commonly predicts lines, which are absent from the data.",
        (SIMULATED_LINES, LINES),
        _predicted,
        (PLANE,),
        quote="one of the commonly predicted configurations by the potential, the canonical configuration of a line, "
        "is non-existent in the underlying data",
        history=(
            Revision(
                "At least 0.05 of the flows from 400 networks' starts end as a line, and at most 0.05 of these "
                "networks do.",
                "inconclusive",
                "“commonly” has one reading for all papers, the one of “often”; there are as many starts as one likes; "
                "and a flow that has not come to rest is undecided.",
            ),
        ),
    ),
    Claim(
        "repons/42",
        "App. B",
        "With weight decay and a narrow hidden layer, networks in d = 2 recover lines.",
        _RECOVERED,
        _recovered,
        (NARROW,),
        quote="By training the underlying model with weight decay and a constrained hidden layer, it was possible to "
        "recover a linear configuration.",
        history=(
            Revision(
                "At least 0.01 of the networks are lines at the weight decay that gives most.",
                "replicated",
                "the best of several is biased, and there were no controls.",
            ),
            Revision(
                "At least 0.01 of the networks are lines at the strongest weight decay: more than with a narrow layer "
                "alone, and more than with weight decay alone.",
                "replicated",
                "the paper does not say that both are needed: the control is a network with neither, the others are "
                "shown.",
            ),
        ),
    ),
    Claim(
        "repons/43",
        "App. B, Fig. 4a; Sec. 3.2",
        "Simulated lines prefer the axes, and parity- and rotation-symmetric potentials have equal losses.",
        (ALONG_AXES, *EQUAL.values()),
        _axes,
        (PLANE,),
        quote="Figure 4 (a) shows that linear configurations tend to be either horizontal or vertical. … There is no "
        "significant difference between the trajectory and representation losses of the parity- and "
        "rotationally-symmetric models",
        history=(
            Revision(
                "More than a third of the lines from 400 networks' starts are near an axis, and losses differ by at "
                "most 0.05.",
                "inconclusive",
                "“tend to” has one reading for all papers, the one of “most”; 14 lines were too few; and losses are "
                "compared by their ratio.",
            ),
        ),
    ),
)
