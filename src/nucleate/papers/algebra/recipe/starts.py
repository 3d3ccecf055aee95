"""Where a network starts: at random, or from weights that were composed."""

import abc
from dataclasses import dataclass
from typing import final

from jaxtyping import Array

from nucleate.checking import Checked, Count
from nucleate.models import Quadratic
from nucleate.tasks import Group


class Start(Checked, abc.ABC):
    """The network at step 0."""

    @abc.abstractmethod
    def __call__(self, group: Group, key: Array) -> Quadratic: ...


@final
@dataclass(frozen=True)
class RandomStart(Start):
    """Weights uniform on ±1/√(number of inputs), for this many hidden nodes."""

    nodes: Count = 512

    def __call__(self, group: Group, key: Array) -> Quadratic:
        return Quadratic.at_random(group.order, self.nodes, key=key)
