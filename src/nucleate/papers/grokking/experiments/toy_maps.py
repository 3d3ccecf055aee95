"""More phase diagrams of the toy model: batch size, init scale and representation weight decay (Figs. 13-15).

The paper gives the range of the decoder's learning rate, but not of the other axis: its values here are ours.
Short runs show nothing here, so there are no quick ones.
"""

from nucleate.papers.grokking.experiments.pairs import APART, logspace
from nucleate.papers.grokking.experiments.toy import phases
from nucleate.papers.paper import Sizes

BATCH = "grokking/batch"
BATCH_CLASSES = "grokking/batch-classes"
CORNERS_BATCH = "grokking/corners-batch"
CORNERS_BATCH_CLASSES = "grokking/corners-batch-classes"
INIT = "grokking/init"
INIT_CLASSES = "grokking/init-classes"
REPR_DECAY = "grokking/repr-decay"
REPR_DECAY_CLASSES = "grokking/repr-decay-classes"

_RATES = (-4, -2)  # decades of the decoder's learning rate in Figs. 13-15
_COARSE = {"eta_dec": logspace(*_RATES, 5), "steps": 10_000}


def _maps(readout: str, first_seed: int) -> tuple[Sizes, ...]:
    """The maps of Figs. 13, 14 and 15, and the left corners of the first, where decoders are slow.

    Claims compare networks of several maps, so each map has seeds of its own, counted from `first_seed`.
    """
    seeds = iter(range(first_seed, first_seed + 4 * APART, APART))
    paper = {"readout": readout, "eta_dec": logspace(*_RATES, 9)}
    return (
        Sizes.of(
            phases(first_seed=next(seeds), batch=(5, 10, 15, 20, 25, 30, 35, 40, 0), **paper),
            standard={"batch": (5, 15, 30, 0), **_COARSE},
            quick=None,
        ),
        Sizes.of(
            phases(first_seed=next(seeds), readout=readout, eta_dec=(1e-4,), batch=(5, 15, 0), seeds=6), quick=None
        ),
        Sizes.of(
            phases(first_seed=next(seeds), init_scale=logspace(-1, 1, 9), **paper),
            standard={"init_scale": logspace(-1, 1, 5), **_COARSE},
            quick=None,
        ),
        # Training sets are fitted within 4,000 steps here, and 1,000 steps later all are known that comprehend.
        Sizes.of(
            phases(
                first_seed=next(seeds),
                wd_repr=(0.0, 1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0, 9.0, 10.0),
                seeds=6,
                **paper,
            ),
            standard={"wd_repr": (0.0, 1.0, 3.0, 10.0), **_COARSE, "steps": 6000},
            quick=None,
        ),
    )


EXPERIMENTS = {
    **dict(zip((BATCH, CORNERS_BATCH, INIT, REPR_DECAY), _maps("regression", 10 * APART), strict=True)),
    **dict(
        zip(
            (BATCH_CLASSES, CORNERS_BATCH_CLASSES, INIT_CLASSES, REPR_DECAY_CLASSES),
            _maps("classification", 20 * APART),
            strict=True,
        )
    ),
}
