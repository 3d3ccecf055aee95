"""Two ways to split a record for `Fitness`: by embedding, or at random as the authors do."""

from typing import Annotated

import numpy as np
import xarray as xr

from nucleate.checking import Above, Below, Seed, checked
from nucleate.record import Need
from nucleate.theories.fitness.record import Starts
from nucleate.theories.fitness.theory import Fitness

_COMPARED = ("accuracy", "accuracy_majority", "balanced_accuracy", "auc")


@checked
def cross_validated(theory: Fitness, record: xr.Dataset, group: str = "seed_embedding") -> xr.Dataset:
    """Hold out each embedding in turn, and predict it from all others.

        score_e = score of theory.fit(members whose embedding is not e) on the members of e

    `group`: the member coordinate that names the embedding, and the dimension of the result. The result holds
    `accuracy`, `accuracy_majority`, `balanced_accuracy` (see `FitnessFit.score`) and `auc`, the probability that an
    alive frequency is ranked above a dead one. Each row is one independent draw. [ding2024survival] does not do this.

    >>> x = np.tile(np.array([9.0, 8.0, 5.0, 4.0]), (2, 4, 1))
    >>> x[:, 3] = [20.0, 20.0, 1.0, 1.0]
    >>> record = xr.Dataset(
    ...     {"signal": (("member", "step", "freq"), x), "mean_signal": (("member", "step"), x.mean(axis=2))},
    ...     coords={"step": [0, 3, 4, 1000], "seed_embedding": ("member", [7, 8])},
    ... )
    >>> cross_validated(Fitness(), record)["accuracy"].values
    array([1., 1.])
    """
    from sklearn.model_selection import LeaveOneGroupOut  # here: importing it takes a second

    need = Need(group, ("member",), "the embedding that each member started from; a column of the fleet's members")
    start = Starts.read(record, theory.rule, theory.at, (need,))
    column = record[group].to_numpy()
    held = np.unique(column)
    if len(held) < 2:
        raise ValueError(f"cross_validated needs at least two values of '{group}'; got {held.tolist()}.")
    # The splits come in the order of the sorted groups, which is that of `held`.
    splits = LeaveOneGroupOut().split(column, groups=column)
    rows = [theory.fit_starts(start[train]).score_starts(start[test]) for train, test in splits]
    return xr.Dataset({name: (group, [row[name] for row in rows]) for name in _COMPARED}, coords={group: held})


@checked
def random_split(
    theory: Fitness,
    record: xr.Dataset,
    share: Annotated[float, Above(0), Below(1)] = 0.8,
    seed: Seed = 0,
) -> xr.Dataset:
    """Fit on a random `share` of all frequencies of all members, and score on the rest, as the authors do.

    This leaks: the trials of an embedding have the same initial signals and nearly the same survivors, and they are on
    both sides of the split, so that a frequency is predicted from its own copies. `cross_validated` gives the same
    variables without the leak. Source: the code of [ding2024survival], with one embedding and share = 0.8.

    >>> x = np.tile(np.array([9.0, 8.0, 5.0, 4.0]), (9, 4, 1))
    >>> x[:, 3] = [20.0, 20.0, 1.0, 1.0]
    >>> record = xr.Dataset(
    ...     {"signal": (("member", "step", "freq"), x), "mean_signal": (("member", "step"), x.mean(axis=2))},
    ...     coords={"step": [0, 3, 4, 1000]},
    ... )
    >>> float(random_split(Fitness(), record)["accuracy"])
    1.0
    """
    start = Starts.read(record, theory.rule, theory.at)
    start = start[start.there]
    order = np.random.default_rng(seed).permutation(len(start.alive))
    trained = round(share * len(order))
    if not 0 < trained < len(order):
        raise ValueError(f"random_split: {len(order)} frequencies cannot be split at share = {share}; add members.")
    row = theory.fit_starts(start[order[:trained]]).score_starts(start[order[trained:]])
    return xr.Dataset({name: row[name] for name in _COMPARED})
