"""JoMA's fleets: names, configs, and one row per experiment with its three sizes."""

from dataclasses import dataclass, replace
from typing import Annotated, Literal, final

import jax
import numpy as np

from nucleate.checking import Above, AtLeast, Count, Seed
from nucleate.fleet import Members, grid
from nucleate.models import ContextAttention, ExpAttention, LinearAttention, SoftmaxAttention, identity
from nucleate.papers.attention.recipe.joint import JointNetwork, UnitOnClusters
from nucleate.papers.config import Later
from nucleate.papers.paper import Experiment, Sizes
from nucleate.tasks import ContextTask

JOINT = "attention/joint"
JOINT_MAP = "attention/joint-map"
JOINT_LONG = "attention/joint-long"
JOINT_RELU = "attention/joint-relu"
JOINT_UNITS = "attention/joint-units"

_ACTIVATIONS = {"linear": identity, "relu": jax.nn.relu}


@final
@dataclass(frozen=True)
class JointFleet(Experiment):
    """Blocks of attention and units that tell classes of contexts apart, one for every combination of the listed
    values. The defaults are those of the authors' code for the verification of JoMA."""

    distinct: Count = 10
    """Tokens that tell classes apart."""
    common: Annotated[int, AtLeast(0)] = 10
    """Tokens that are common to all classes."""
    classes: Count = 20
    """Classes, and units: there is one for each."""
    dim: Count = 30
    """Dimension of the orthonormal embeddings: at least as many as tokens and queries."""
    attention: Literal["linear", "exp", "softmax"] = "softmax"
    """Kind of attention."""
    temperature: Annotated[float, Above(0)] = 0.5
    """Temperature of softmax attention."""
    activation: Literal["linear", "relu"] = "linear"
    """Nonlinearity of the units."""
    eta: Annotated[tuple[float, ...], Above(0)] = (0.1,)
    """Learning rates, of attention and units alike."""
    init: Annotated[tuple[float, ...], Above(0)] = (0.01,)
    """Standard deviations of weights and logits at the start."""
    seeds: Count = 50
    """Networks per combination. Every network of the fleet has data and weights of its own."""
    first_seed: Annotated[Seed, Later] = 0
    """Seeds count from here."""
    steps: Count = 2000
    """Steps of gradient descent on all contexts."""
    look: Count = 20
    """Record every N steps."""
    block: int | None = 1  # ranks need singular values, and two programs that factorise batches at once never end
    """Networks advanced together by one core; measured if left out."""

    def check(self) -> None:
        if self.dim < self.distinct + self.common + 1:
            self.refuse(
                "dim", f"must be at least {self.distinct + self.common + 1}, one more than tokens; got {self.dim}"
            )

    @property
    def kind(self) -> ContextAttention:
        """The attention as an object."""
        kinds = {"linear": LinearAttention(), "exp": ExpAttention(), "softmax": SoftmaxAttention(self.temperature)}
        return kinds[self.attention]

    def recipe(self) -> JointNetwork:
        task = ContextTask(self.distinct, self.common, self.classes)
        return JointNetwork(task, self.kind, _ACTIVATIONS[self.activation], self.dim, self.look)

    def members(self) -> Members:
        members = grid(eta=self.eta, init=self.init, seed=range(self.seeds))
        # No two networks share data or an init: each is an independent unit, as the intervals of claims assume.
        return members.with_columns(repeat=members["seed"], seed=self.first_seed + np.arange(members.count))


@final
@dataclass(frozen=True)
class UnitFleet(Experiment):
    """ReLU units on mixtures of isotropic clusters, one mixture for each seed."""

    clusters: Count = 3
    """Clusters of a mixture."""
    dim: Count = 10
    """Dimensions of x."""
    spread: Annotated[float, Above(0)] = 0.5
    """Standard deviation of x within a cluster; that of the centres is 1."""
    eta: Annotated[float, Above(0)] = 0.02
    """Learning rate."""
    batch: Count = 1024
    """Fresh samples in each step."""
    seeds: Count = 200
    """Units, each with clusters of its own."""
    first_seed: Annotated[Seed, Later] = 0
    """Seeds count from here."""
    steps: Count = 1000
    """Steps of stochastic gradient ascent."""
    look: Count = 25
    """Record every N steps."""
    block: int | None = 4
    """Units advanced together by one core; measured if left out."""

    def recipe(self) -> UnitOnClusters:
        return UnitOnClusters(self.clusters, self.dim, self.batch, self.look)

    def members(self) -> Members:
        seeds = range(self.first_seed, self.first_seed + self.seeds)
        return grid(eta=self.eta, spread=self.spread, seed=seeds)


@dataclass(frozen=True)
class Effort:
    """How much is integrated or drawn at random where nothing is trained."""

    networks: Count = 24
    """Networks that descend in double precision, for each kind of attention and step size."""
    duration: Annotated[float, Above(0)] = 10.0
    """For how long, in steps times step size."""
    flows: Count = 500
    """Random flows of each theorem."""
    samples: Count = 2_000_000
    """Random inputs of each simulated unit."""
    units: Count = 60
    """Simulated units of each nonlinearity."""


EFFORT = Sizes.of(
    Effort(),
    standard={"networks": 8, "flows": 100, "samples": 400_000, "units": 20},
    quick={"networks": 6, "flows": 40, "samples": 100_000, "units": 8},
)

_MAP = {"eta": (0.01, 0.03, 0.1, 0.3, 1.0, 3.0), "init": (0.001, 0.01, 0.1, 0.3, 1.0)}

# Ten times as long as the authors train: attention is still becoming sparser when they stop.
_LONG = JointFleet(steps=20_000, look=200)
_SHORT = {"seeds": 6, "steps": 4000, "look": 40}

EXPERIMENTS = {
    JOINT: Sizes.of(JointFleet(), standard={"seeds": 20}, quick={"seeds": 6}),
    JOINT_MAP: Sizes.of(
        JointFleet(**_MAP, seeds=10, look=100),
        standard={"seeds": 6},
        quick={"eta": (0.01, 0.1, 1.0), "init": (0.01, 0.3), "seeds": 1},
    ),
    JOINT_LONG: Sizes.of(_LONG, standard={"seeds": 20}, quick=_SHORT),
    JOINT_RELU: Sizes.of(replace(_LONG, activation="relu"), standard={"seeds": 20}, quick=_SHORT),
    JOINT_UNITS: Sizes.of(UnitFleet(), standard={"seeds": 40}, quick={"seeds": 8, "steps": 500}),
}
