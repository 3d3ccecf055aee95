"""What is learned. Pure data: a key in, arrays out."""

from nucleate.tasks.addition import AdditionTask, Split

__all__ = ["AdditionTask", "Split"]
