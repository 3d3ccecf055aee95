"""How weights are changed: Optax transformations that follow low-rank gradients, or adapt weights by low-rank factors.

Each is usable in any recipe with any model: what is a matrix, and which of them are meant, is asked of the parameters.
"""

from nucleate.optimizers.adaptors import Factors, lora, low_rank, relora, truncated
from nucleate.optimizers.floats import optimizer_floats
from nucleate.optimizers.galore import galore, in_projection
from nucleate.optimizers.matrices import every_matrix, matrix_shape

__all__ = [
    "Factors",
    "every_matrix",
    "galore",
    "in_projection",
    "lora",
    "low_rank",
    "matrix_shape",
    "optimizer_floats",
    "relora",
    "truncated",
]
