"""Networks that learn the multiplication of a group, S3 or any other."""

from dataclasses import dataclass
from itertools import combinations

import jax
import jax.numpy as jnp
import numpy as np
import xarray as xr

from nucleate.claims import Evidence
from nucleate.observables import (
    formed_products,
    parallelograms,
    polygon_residual,
    predicted_accuracy,
    principal_components,
)
from nucleate.papers.grokking.experiments import GROUPS
from nucleate.papers.grokking.readings.phases import steps_to
from nucleate.record import NEVER, at_the_end, stayed_finite
from nucleate.tasks import Group

PLANES = tuple(combinations(range(3), 2))
"""The planes of the first three principal components."""


def group_of(evidence: Evidence, name: str) -> Group:
    """The group that the networks of an experiment learn."""
    return Group.named(evidence.about(name).config["group"])


@dataclass(frozen=True)
class GroupQualities:
    """Per network that stayed finite: the fraction of the data it saw, its RQI, its accuracy on all pairs and that
    predicted from its matrices, whether it has fitted its training set, and the steps to RQI > 0.95 (infinite: never).
    """

    fraction: np.ndarray
    rqi: np.ndarray
    accuracy: np.ndarray
    predicted_accuracy: np.ndarray
    fitted: np.ndarray
    steps: np.ndarray


def group_qualities(evidence: Evidence) -> GroupQualities:
    """What the networks of Fig. 18 ended with."""
    record = stayed_finite(evidence.record(GROUPS))
    pairs = np.stack([record.left.values, record.right.values], axis=1)
    quads = parallelograms(record.label.values)
    in_train = record.in_train.values.astype(bool)
    made = jax.vmap(lambda E: formed_products(E, pairs, quads))(at_the_end(record, "embedding"))
    predicted = jax.vmap(lambda formed, known: predicted_accuracy(formed, quads, known))(made, in_train)
    return GroupQualities(
        fraction=in_train.mean(1),
        rqi=np.asarray(made, float).mean(1),
        accuracy=at_the_end(record, "accuracy").astype(float),
        predicted_accuracy=np.asarray(predicted, float),
        fitted=at_the_end(record, "train_accuracy") == 1,
        steps=steps_to(record, "rqi95"),
    )


@dataclass(frozen=True)
class Polygons:
    """Per network that stayed finite: the coordinates of the elements along the first three principal components
    [network, token, 3], the residual of a regular polygon in each of the three `PLANES`, and whether it generalises."""

    points: np.ndarray
    residual: np.ndarray
    generalises: np.ndarray

    @property
    def best(self) -> np.ndarray:
        """The residual in the best plane of each network."""
        return self.residual.min(1)


def polygons(record: xr.Dataset) -> Polygons:
    """How close the elements come to a polygon in the end."""
    record = stayed_finite(record)
    points, residual = _in_planes(at_the_end(record, "embedding"))
    return Polygons(points, residual, record.valid90_step.values != NEVER)


def random_polygons(tokens: int, rows: int, count: int) -> np.ndarray:
    """The residual in the best plane of `count` random embeddings: what chance gives."""
    drawn = np.random.default_rng((tokens, rows)).uniform(-1, 1, (count, tokens, rows, rows))
    return _in_planes(drawn)[1].min(1)


def _in_planes(embedding: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Coordinates along the first three principal components and residuals in their planes, of each embedding
    [network, token, row, column]."""

    def look(matrices):
        points = principal_components(matrices.reshape(len(matrices), -1))[:, :3]
        points = jnp.pad(points, ((0, 0), (0, 3 - points.shape[1])))  # a small group has fewer
        return points, jnp.stack([polygon_residual(points[:, jnp.array(plane)]) for plane in PLANES])

    points, residual = jax.vmap(look)(embedding)
    return np.asarray(points), np.asarray(residual, float)
