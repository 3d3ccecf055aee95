"""What is learned. Pure data: a key in, arrays out."""

from nucleate.tasks.addition import AdditionTask
from nucleate.tasks.modular import ModularAdditionTask
from nucleate.tasks.split import Split

__all__ = ["AdditionTask", "ModularAdditionTask", "Split"]
