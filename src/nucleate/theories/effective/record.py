r"""What the effective theory reads in a record: embeddings over time, training sets and the task's parallelograms."""

from dataclasses import dataclass

import numpy as np
import xarray as xr
from jaxtyping import Bool, Float, Integer

from nucleate.observables import equations, parallelograms
from nucleate.record import Need, require
from nucleate.theories.reading import EMBEDDING, PAIRS, STEP, finite_rows, labelled_pairs, scaled_times

IN_TRAIN = Need("in_train", ("member", "pair"), "whether a member trains on a pair; the fleet's data split provides it")
_ETA = Need(
    "eta_repr", ("member",), "the learning rate of the embeddings; a hyperparameter of the fleet", broadcasts=True
)


@dataclass(frozen=True, eq=False)
class Trajectories:
    """The embeddings of each member over time; rows from the first that is not finite are 0 and masked by `finite`.

    `quads`, `equations`: the parallelograms of the record's task, and the equations they stand for.
    """

    embedding: Float[np.ndarray, "member step token dim"]
    finite: Bool[np.ndarray, "member step"]
    times: Float[np.ndarray, "member step"]
    in_train: Bool[np.ndarray, "member pair"] | None
    quads: Integer[np.ndarray, "parallelogram 2"]
    equations: Float[np.ndarray, "parallelogram token"]

    @classmethod
    def read(cls, record: xr.Dataset, needs: tuple[Need, ...] = ()) -> "Trajectories":
        """Check that the record holds everything, including further `needs`, and read it."""
        require(record, "EffectiveLoss", (EMBEDDING, STEP, _ETA, *PAIRS, *needs))
        (embedding,), finite = finite_rows(record, ("embedding",), ("member", "step", "token", "dim"))
        in_train = None
        if "in_train" in record:
            in_train = record["in_train"].transpose("member", "pair").to_numpy().astype(bool)
        pairs, label = labelled_pairs(record)
        quads = parallelograms(label)
        rows = equations(pairs, quads, record.sizes["token"])
        return cls(embedding, finite, scaled_times(record, "eta_repr"), in_train, quads, rows)

    def __getitem__(self, members) -> "Trajectories":
        in_train = None if self.in_train is None else self.in_train[members]
        kept = self.embedding[members], self.finite[members], self.times[members]
        return Trajectories(*kept, in_train, self.quads, self.equations)
